"""What known command lines put into their requests that differs from run to run or machine to machine.

Seen in requests that the real programs sent (docs/probes.md has their versions). Parts are named as the setting
`volatile` names them. Whoever records on one machine replays on another, in a cell of another kind, on another day.
"""

from __future__ import annotations

_DATES = (
    r"pattern:(?i)(today's date(?: is)?:? )[^\n<\"\\(]{4,60} => \1~date~",
    r"pattern:(?i)(current (?:date|time)(?: and time)?(?: is)?:? )[^\n<\"\\(]{4,60} => \1~date~",
    r"pattern:(<current_date>)[^<]{4,40} => \1~date~",
)
_CELL = (
    r"pattern:(?:/[^\s\"'<>`\\/]{1,80}){0,12}/gate-cell-\w+(?:/[a-z]+)?/job-\w+(?=/(?:home|work|tmp)\b) => /cell",
    r"pattern:(?:-[^\W_]{0,80}){0,24}-gate-cell-[\w-]{1,60}?-job-[\w-]{1,40}?(?=-(?:home|work|tmp)\b) => -cell",
)
"""A job's folders, which have a name of their own where a cell has no root of its own; Claude Code also writes a path
with hyphens for its slashes."""
_FOLDERS = (
    r"pattern:(?i)((?:primary )?working directory:? )[^\n<\"\\ ]{1,200} => \1~folder~",
    r"pattern:(<cwd>)[^<]{1,200} => \1~folder~",
    r"pattern:(?i)(workspace directories?:\\n +- )[^\n<\"\\]{1,200} => \1~folder~",
)
_PROXY = (r"pattern:http://127\.0\.0\.1:\d+/[\w-]{32}(?=/) => http://proxy",)
"""The address of the proxy itself, in what a tool or an error said of it."""
COMMON = (*_DATES, *_CELL, *_FOLDERS, *_PROXY)

CLAUDE = (
    *COMMON,
    "json:metadata.user_id",
    r"pattern:\bcch=[0-9a-f]{4,16}",
    r"pattern:OS Version: [^\n\"\\]+",
)
CODEX = (
    *COMMON,
    "json:prompt_cache_key",
    "json:client_metadata",
    "json:input.*.id",
    "header:session_id",
    r"pattern:(<shell>)[^<]{1,60} => \1~shell~",
    r"pattern:(<timezone>)[^<]{1,60} => \1~zone~",
    r"pattern:(chunk_id\W{1,8}|Chunk ID: )[0-9a-f]{4,16} => \1~chunk~",
    r"pattern:(?i)(wall[_ ]time(?:_seconds)?\W{1,8})[0-9.e-]{1,24} => \1~time~",
)
GEMINI = (
    *COMMON,
    "json:contents.*.parts.*.functionCall.id",
    "json:contents.*.parts.*.functionResponse.id",
    r"pattern:(?i)project's temporary directory is: [^\n\"\\]+",
    r"pattern:(Process Group PGID: )\d{1,10} => \1~process~",
)
OPENCODE = (*COMMON, "json:prompt_cache_key", "json:promptCacheKey")
AIDER = (*COMMON, r"pattern:(- Platform: )[^\n\\]{1,120} => \1~platform~")
