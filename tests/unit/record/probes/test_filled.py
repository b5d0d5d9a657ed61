"""Tables that come back from people: whole, or refused with the place."""

from __future__ import annotations

import pytest

from gate.errors import UsageError
from gate.record.probes.filled import read_rows

WHOLE = b'name,prompt,answer\r\none,a.md,"H\xc3\xa9re:\r\n""x"""\r\nthree,b.md,\r\n'


def rows(data: bytes) -> list[tuple[int, dict[str, str]]]:
    return list(read_rows(data, "t.csv", ("name", "answer"), "keep it"))


def test_rows_come_with_their_numbers() -> None:
    one = {"name": "one", "prompt": "a.md", "answer": 'Hére:\r\n"x"'}
    three = {"name": "three", "prompt": "b.md", "answer": ""}
    assert rows(WHOLE) == [(2, one), (3, three)]
    assert rows(b"\xef\xbb\xbf" + WHOLE) == rows(WHOLE)


def test_empty_cells_and_rows_that_a_spreadsheet_leaves_out_are_empty() -> None:
    assert rows(b"name,prompt,answer\none\n\n,,\n") == [(2, {"name": "one", "prompt": "", "answer": ""})]


def test_a_header_alone_has_no_rows() -> None:
    assert rows(b"name,prompt,answer") == []


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "t.csv: has no column `name`"),
        (WHOLE.replace(b"answer", b"reply"), "t.csv: has no column `answer`"),
        (WHOLE.replace(b",", b";"), "t.csv: has no column `name`"),
        (WHOLE.replace(b"\xc3\xa9", b"\xe9"), "t.csv: no UTF-8 at byte 31"),
        (WHOLE[: WHOLE.index(b'""x')], "t.csv: is cut within a quoted cell"),
        (WHOLE[: WHOLE.index(b"three") + 5], "t.csv:3: is cut within its last row"),
        (WHOLE.replace(b'""x"""', b'"x"'), "t.csv: is no table"),
    ],
)
def test_what_is_not_whole_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        rows(data)
    assert str(caught.value).startswith(says), str(caught.value)
