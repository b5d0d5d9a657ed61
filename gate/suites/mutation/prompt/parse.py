"""Text of a prompt -> `Prompt`."""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Callable, Iterator, Mapping, Sequence

from gate.errors import UsageError
from gate.suites.mutation.prompt.blocks import Lines, blocks_of
from gate.suites.mutation.prompt.examples import examples_of
from gate.suites.mutation.prompt.languages import LANGUAGES, Language, is_cjk, language, overall, spaced_languages
from gate.suites.mutation.prompt.model import Block, Example, Prompt, Rule, Section, span_of
from gate.suites.mutation.prompt.placeholders import protected_spans
from gate.suites.mutation.prompt.rules import Sentences, rules_of
from gate.suites.mutation.prompt.sections import labels_of, sections_of
from gate.suites.mutation.prompt.sentences import Cutter, is_sentence

_TEXT = ("paragraph", "item", "row")
_LONGEST_TITLE, _LONGEST_TITLE_SIGNS = 50, 15  # a longer one is a sentence in which such a word happens to stand


def parse(text: str, *, include_code: bool = False) -> Prompt:
    """Read a prompt. Every span of the answer is a slice of `text`, which is kept as it is.

    Args:
        text: any text, an empty one too.
        include_code: also look for rules in fences and in JSON that stands without one.

    Raises:
        UsageError: `text` is no text, or markdown-it-py is not installed.
    """
    if not isinstance(text, str):
        raise UsageError(f"a prompt must be a text, not {type(text).__name__}", remedy="give the prompt's own text")
    with without_collection():
        return _parsed(text, include_code=include_code)


def _parsed(text: str, *, include_code: bool) -> Prompt:
    blocks = blocks_of(text, Lines(text), include_code=include_code)
    labels = labels_of(text, blocks)
    sections = sections_of(text, blocks, labels)
    examples = examples_of(text, blocks, sections, labels)
    main = overall(text)
    protected = protected_spans(text)
    announced = _announced(blocks, sections, len(text))
    found = _sentences(text, blocks, announced, labels, examples, main)
    rules = rules_of(text, found, protected, main)
    code_blocks = sum(block.kind == "code" for block in blocks)
    return Prompt(
        text=text,
        blocks=tuple(blocks),
        sections=tuple(sections),
        examples=tuple(examples),
        rules=tuple(rules),
        sentences=tuple(found.spans),
        protected=protected,
        language=main,
        include_code=include_code,
        code_blocks=code_blocks,
        notes=_notes(text, rules, code_blocks),
    )


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Many small objects are made and none is garbage: looking for garbage among them takes half of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _notes(text: str, rules: Sequence[Rule], code_blocks: int) -> tuple[str, ...]:
    if rules:
        return ()
    if not text.strip():
        return ("the prompt is empty, so it holds no rule",)
    names = ", ".join(language(code).name for code in LANGUAGES)
    told = f"no rule was found in the prompt: no keyword or condition of {names}"
    told += ", and no list below a heading such as Rules"
    if code_blocks:
        told += f"; {code_blocks} block{'s' if code_blocks > 1 else ''} of code or JSON were not looked at"
    return (told,)


def _sentences(
    text: str,
    blocks: Sequence[Block],
    announced: Sequence[bool],
    labels: Mapping[int, str],
    examples: Sequence[Example],
    main: str,
) -> Sentences:
    """The sentences of all text outside of examples; `announced` and `labels` are of the blocks."""
    cut = Cutter(text, _starts_sentence(main)).sentences
    shown = [one.span for one in examples]
    shot = 0  # the first example that has not ended before the block
    found = Sentences()
    spans, places = found.spans, found.blocks
    for place, (kind, start, end, outer, _, _, _) in enumerate(blocks):
        if kind not in _TEXT:
            continue
        while shot < len(shown) and shown[shot].end <= outer:
            shot += 1
        if shot < len(shown) and shown[shot].start <= outer:
            continue
        before = len(spans)
        if kind == "row":
            for cell in _cells(text, start, end):
                spans += [span_of(cell)] if is_sentence(text, *cell) else cut(*cell)
        elif is_sentence(text, start, end):
            spans.append(span_of((start, end)))
        else:
            spans += cut(start, end)
        count = len(spans) - before
        places += [place] * count
        if place in labels:
            found.labels.update([before] if count == 1 else range(before, before + count))
        elif kind == "item" and announced and announced[place]:
            found.listed.update([before] if count == 1 else range(before, before + count))
    return found


def _announced(blocks: Sequence[Block], sections: Sequence[Section], end: int) -> list[bool]:
    """For each block, whether the innermost heading, label or tag around it announces rules; empty if none does.

    Args:
        end: of the text.
    """
    if not any(_announces_rules(one.title) for one in sections):
        return []
    found: list[bool] = []
    opened: list[tuple[int, bool]] = []
    place = 0
    starts = [*(one.span.start for one in sections), end + 1]
    for _, _, _, begin, _, _, _ in blocks:
        while starts[place] <= begin:
            opened.append((sections[place].span.end, _announces_rules(sections[place].title)))
            place += 1
        while opened and opened[-1][0] <= begin:
            opened.pop()
        found.append(bool(opened) and opened[-1][1])
    return found


@functools.lru_cache(maxsize=1024)
def _announces_rules(title: str) -> bool:
    shown = title.replace("_", " ")
    signs = is_cjk(shown)
    if len(shown) > (_LONGEST_TITLE_SIGNS if signs else _LONGEST_TITLE):
        return False
    tables = (language("zh"), language("ja")) if signs else spaced_languages()
    return any(table.rule_heading.search(shown) for table in tables)


def _cells(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The cells of a table's row; the line below its head has none."""
    while start < end:
        bar = text.find("|", start, end)
        until = bar if bar >= 0 else end
        cell = text[start:until]
        if cell.strip("-: \t") and (shown := cell.strip()):
            begin = until - len(cell.lstrip())
            yield begin, begin + len(shown)
        start = until + 1


def _starts_sentence(main: str) -> Callable[[str], bool]:
    """Whether a capitalised word that begins a line begins a sentence: an article, a pronoun or a keyword does."""
    tables: list[Language] = [language("en")] if main in ("en", "zh", "ja") else [language("en"), language(main)]
    known = frozenset().union(*(table.function_words | table.triggers for table in tables))
    signs = (language("zh").keyword, language("ja").keyword)

    def starts(word: str) -> bool:
        lowered = word.lower().replace("’", "'").split("'")[0]
        return lowered in known or any(pattern.match(word) for pattern in signs)

    return starts
