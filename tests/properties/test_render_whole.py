"""Whole renderings of generated verdicts: harmless, within their limits, the same each time, and read back."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate import render
from gate.render.comment import SMALLEST
from gate.render.marker import Marker
from gate.schema.verdict import Verdict
from tests.support.markdown_reader import COMMAND, UNSEEN, harm, read
from tests.support.verdict_strategy import foreign, verdicts

OWN = ("https://example.org/run/1",)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


@settings(max_examples=100, deadline=None, suppress_health_check=SLOW, database=None)
@given(verdict=verdicts, order=st.integers(0, 10**12))
def test_a_comment_is_harmless_and_whole(verdict: Verdict, order: int) -> None:
    text = render.comment(verdict, order=order)
    assert len(text) <= 60_000
    assert not COMMAND.search(text)
    assert not UNSEEN.search(text)
    found = read(text)
    assert harm(found, OWN) == []
    assert found.headings == 1
    marker = render.parse_marker(text)
    assert isinstance(marker, Marker)
    assert (marker.suite, marker.order) == (verdict.provenance.suite, order)
    for lines in found.tables:
        assert len({line.count("|") for line in lines}) == 1, lines
    assert text == render.comment(verdict, order=order)
    assert harm(read(render.summary(verdict)), OWN) == []


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW, database=None)
@given(verdict=verdicts, limit=st.integers(SMALLEST, 6_000))
def test_a_comment_fits_any_limit_and_stays_well_formed(verdict: Verdict, limit: int) -> None:
    text = render.comment(verdict, limit)
    assert len(text) <= limit
    found = read(text)
    assert harm(found, OWN) == []
    assert found.headings == 1
    assert render.parse_marker(text) is not None


@settings(max_examples=100, deadline=None, suppress_health_check=SLOW, database=None)
@given(verdict=verdicts, columns=st.integers(10, 250), colour=st.booleans())
def test_a_terminal_and_a_log_show_text_only(verdict: Verdict, columns: int, colour: bool) -> None:
    text = render.terminal(verdict, colour, columns)
    plain = re.sub("\x1b\\[[0-9;]*m", "", text) if colour else text
    assert not COMMAND.search(plain)
    assert not COMMAND.search(text)
    assert not UNSEEN.search(plain)
    for line in render.annotations(verdict):
        assert re.match(r"::(error|warning|notice) [^\r\n]*\Z", line)
        assert not UNSEEN.search(line)
    for finding in verdict.findings[:2]:
        shown = render.show(verdict, finding.id)
        assert not COMMAND.search(shown)
        assert not UNSEEN.search(shown)


@settings(max_examples=100, deadline=None, suppress_health_check=SLOW, database=None)
@given(verdict=verdicts)
def test_json_reads_back(verdict: Verdict) -> None:
    text = render.verdict_json(verdict)
    assert text.isascii()
    assert not COMMAND.search(text)
    again = render.verdict_from_json(text)
    assert again == verdict
    assert render.verdict_json(again) == text
    assert render.comment(again) == render.comment(verdict)


@settings(max_examples=100, deadline=None, suppress_health_check=SLOW, database=None)
@given(verdict=verdicts)
def test_a_page_is_sanitised(verdict: Verdict) -> None:
    page = render.page(verdict)
    page.encode("utf-8")
    assert not COMMAND.search(page)
    body = page[page.index("<body>") :]
    tags = set(re.findall(r"<(/?[a-zA-Z][\w-]*)", body))
    allowed = "body main h1 p ul ol li table thead tbody tr th td code pre details summary strong em sub a br div html"
    parts = "header nav section footer h2 caption span"
    drawn = verdict.scores or verdict.decisions
    picture = "figure svg title desc line polygon polyline circle text" if drawn else ""
    assert {tag.strip("/") for tag in tags} <= {*allowed.split(), *parts.split(), *picture.split()}
    assert {each for each in re.findall(r'href="([^"]*)"', page) if not re.fullmatch("#[a-z]+", each)} <= set(OWN)
    assert not re.search(r"<[^>]*\s(?:on\w+|src|style)=", body)
    assert body.count("<details>") == body.count("</details>")
    assert body.count("<table>") == body.count("</table>")


@settings(max_examples=300, deadline=None, database=None)
@given(text=foreign)
def test_a_foreign_text_is_no_marker(text: str) -> None:
    assert render.parse_marker(text) is None
