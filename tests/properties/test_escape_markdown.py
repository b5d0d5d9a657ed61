"""Over generated names and messages: no broken table, no mention, no link, no workflow command, always UTF-8."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.render import escape
from tests.support.markdown_reader import COMMAND, UNSEEN, harm, read
from tests.support.verdicts import HOSTILE_TEXTS

FRAGMENTS = (
    *HOSTILE_TEXTS,
    *"|`\\<>&*_~[]()!#@$:-+=.'\"\n\r\t \x00\x1b\x9b\u2028\u202e\u200d\ufeff\ud800\udfff",
    *("``", "```", "~~~", "\\|", "\\`", "`|`", "--", "---", "===", "-->", "<!--", "<![CDATA[", "<?", "</td>", "&amp;"),
    *("&#64;", "@a", "@o/t", "#1", "GH-1", "gh-22", "a/b#3", "abcdef1", "0123456789abcdef", "http://", "https://a.b"),
    *("www.", "www.a.b", "mailto:a@b.c", "ftp://x", "::", "::error::", "##[", "##[error]", "\x1b[0m", "\x1b]0;x\x07"),
    *(":tada:", "$$", "$`", "`$", "1.", "1)", "- [ ]", "> [!NOTE]", "# ", "    ", "[^1]", "[a](b)", "![a](b)", "%0A"),
)
CODED = {0xE000 + number: fragment for number, fragment in enumerate(FRAGMENTS)}
"""Each fragment as one character of private use: Hypothesis draws a whole text much faster than a list of texts."""
fragments = st.text(st.characters(min_codepoint=min(CODED), max_codepoint=max(CODED)), max_size=8).map(
    lambda text: text.translate(CODED)
)
foreign = st.one_of(
    fragments,
    st.tuples(fragments, st.text(max_size=4), fragments, st.text(max_size=4)).map("".join),
    st.text(st.characters(), max_size=40),
)
PAIRS = 20
"""Names and messages of one example: what an example costs beside them is shared."""
FAST = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def test_names_and_messages_do_nothing_in_a_table() -> None:
    tried = 0

    @settings(max_examples=10_000 // PAIRS, deadline=None, suppress_health_check=FAST, database=None)
    @given(pairs=st.tuples(*[st.tuples(foreign, foreign)] * PAIRS))
    def try_all(pairs: tuple[tuple[str, str], ...]) -> None:
        nonlocal tried
        for name, message in pairs:
            does_nothing_in_a_table(name, message)
            tried += 1

    try_all()
    assert tried >= 10_000


def does_nothing_in_a_table(name: str, message: str) -> None:
    cells = [escape.code(name), escape.cell(message), escape.code(message), escape.cell(name), "end"]
    row = f"| {' | '.join(cells)} |"
    text = f"| a | b | c | d | e |\n|---|---|---|---|---|\n{row}\n\nlast"
    assert not COMMAND.search(row)
    assert not UNSEEN.search(row)
    row.encode("utf-8")
    found = read(text)
    assert [len(cells) for cells in found.rows] == [5, 5]
    assert found.rows[1][4] == "end"
    assert found.headings == 0
    assert harm(found) == []


@settings(max_examples=500, deadline=None, suppress_health_check=FAST, database=None)
@given(name=foreign)
def test_code_shows_what_stood_there(name: str) -> None:
    found = read(f"| {escape.code(name)} | x |\n|---|---|\n")
    shown = escape.line(name, escape.CODE_LIMIT)
    assert found.rows[0][0].strip() == (shown.strip() or (escape.EMPTY if not shown else ""))


@settings(max_examples=500, deadline=None, suppress_health_check=FAST, database=None)
@given(message=foreign)
def test_a_sentence_at_the_start_of_a_line_is_one_paragraph(message: str) -> None:
    shown = escape.markdown(message)
    found = read(f"{shown}\n")
    assert harm(found) == []
    assert found.blocks in ([], ["paragraph_open", "inline", "paragraph_close"])


@settings(max_examples=500, deadline=None, suppress_health_check=FAST, database=None)
@given(body=foreign, repeat=st.integers(1, 5))
def test_a_fence_is_never_left(body: str, repeat: int) -> None:
    text = escape.fenced("\n".join([body] * repeat))
    assert not COMMAND.search(text)
    assert not UNSEEN.search(text)
    found = read(f"{text}\n\nlast")
    assert found.blocks == ["fence", "paragraph_open", "inline", "paragraph_close"]


@settings(max_examples=500, deadline=None, suppress_health_check=FAST, database=None)
@given(text=foreign)
def test_other_places(text: str) -> None:
    line = escape.terminal(text)
    assert not UNSEEN.search(line)
    assert not COMMAND.search(line)
    assert "\n" not in line
    markup = escape.html(text)
    assert not set('<>"') & set(markup)
    assert "'" not in markup
    data = escape.workflow_data(text)
    assert not set("\r\n") & set(data)
    assert not set("\r\n:,") & set(escape.workflow_property(text))
    for shown in (line, markup, data):
        shown.encode("utf-8")
