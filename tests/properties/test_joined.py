"""A joined comment gives back what was put into it, whatever the suites say."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.deliver.shorten import cut
from gate.render.joined import compose, section, sections_of
from gate.render.marker import marker

LINES = st.sampled_from(
    [
        *("text", "```", "", "<details>", "</details>", "---", "| a |", "<!-- robustness-gate:end -->"),
        *("<!-- robustness-gate-joined:1 -->", marker("b", "", 1, 2), "  <!--robustness-gate:end-->", "x" * 300),
    ]
)
BODIES = st.dictionaries(st.sampled_from(["a", "b", "c.d", "e--f"]), st.lists(LINES, max_size=40), min_size=1)


@settings(max_examples=30, deadline=None)
@given(BODIES, st.sampled_from([2_000, 60_000]))
def test_what_was_put_in_comes_out(bodies: dict[str, list[str]], limit: int) -> None:
    made = [section("\n".join([marker(suite, "a" * 40, 1, 9), *lines])) for suite, lines in bodies.items()]
    sections = [each for each in made if each is not None]
    text = compose(sections, limit, cut)
    found = sections_of(text)
    assert found is not None
    assert list(found) == sorted(bodies)
    assert len(text) <= limit
    assert compose(found.values(), limit, cut) == text
    assert sections_of(text.replace("\n", "\r\n")) == found
    if limit == 60_000:
        assert {suite: each.text for suite, each in found.items()} == {
            each.marker.suite: each.text for each in sections
        }
