"""A zip made by foreign code: what is read of it, and every way in which it is refused."""

from __future__ import annotations

import io
import stat
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Mapping

import pytest

from gate.deliver import archive
from gate.deliver.archive import unpack
from gate.errors import DeliveryError

KNOWN = {"trials.jsonl", "verdict.json"}
LIMIT = 32 * 2**20


def packed(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return made.getvalue()


def one_entry(name: str = "trials.jsonl", **fields: object) -> bytes:
    """An archive of one entry whose fields are set as given."""
    made = io.BytesIO()
    entry = zipfile.ZipInfo(name)
    for field, value in fields.items():
        setattr(entry, field, value)
    with zipfile.ZipFile(made, "w") as target:
        target.writestr(entry, b"content")
    return made.getvalue()


def refused(data: bytes, said: str, *, limit: int = LIMIT) -> None:
    with pytest.raises(DeliveryError, match=said) as caught:
        unpack(data, "trials.jsonl", known=KNOWN, limit=limit, where="artifact x")
    assert caught.value.where == "artifact x"
    assert caught.value.remedy


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_file_comes_out_as_it_was(method: int) -> None:
    content = bytes(range(256)) * 5_000
    data = packed({"verdict.json": b"{}", "trials.jsonl": content}, method)
    assert unpack(data, "trials.jsonl", known=KNOWN, limit=len(content)) == content
    assert unpack(data, "verdict.json", known=KNOWN, limit=2) == b"{}"


def test_sizes_that_follow_the_data_as_a_stream_writes_them() -> None:
    class Stream(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise OSError

    made = Stream()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("trials.jsonl", b"content")
    assert unpack(made.getvalue(), "trials.jsonl", known=KNOWN, limit=LIMIT) == b"content"


def test_a_file_that_is_not_there_is_none() -> None:
    assert unpack(packed({"verdict.json": b"{}"}), "trials.jsonl", known=KNOWN, limit=LIMIT) is None
    assert unpack(packed({}), "trials.jsonl", known=KNOWN, limit=LIMIT) is None


@pytest.mark.parametrize(
    "name",
    [
        "../trials.jsonl",
        "/trials.jsonl",
        "x/trials.jsonl",
        "x\\trials.jsonl",
        "C:\\trials.jsonl",
        "./trials.jsonl",
        "trials.jsonl/",
        "trials.jsonl\0.txt",
        "TRIALS.JSONL",
        "",
        "other.txt",
    ],
)
def test_a_name_that_is_not_known_is_refused_though_it_is_not_read(name: str) -> None:
    refused(one_entry(orig_filename=name, filename=name), "does not belong there")
    with_known = io.BytesIO(packed({"trials.jsonl": b"{}"}))
    with zipfile.ZipFile(with_known, "a") as target:
        entry = zipfile.ZipInfo()
        entry.filename = entry.orig_filename = name
        target.writestr(entry, b"")
    refused(with_known.getvalue(), "does not belong there")


def test_a_second_name_beside_the_first_changes_nothing() -> None:
    """Newer Pythons take the name of this field (0x7075) for the first one, older ones do not know it."""
    for name in (b"../other", b"trials.jsonl"):
        field = struct.pack("<BL", 1, zlib.crc32(b"trials.jsonl")) + name
        data = one_entry(extra=struct.pack("<HH", 0x7075, len(field)) + field)
        try:
            assert unpack(data, "trials.jsonl", known=KNOWN, limit=LIMIT) == b"content"
        except DeliveryError as error:
            assert name == b"../other"
            assert "does not belong" in error.message


def test_two_of_one_name_are_refused() -> None:
    made = io.BytesIO()
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(made, "w") as target:
        target.writestr("trials.jsonl", b"one")
        target.writestr("trials.jsonl", b"two")
    refused(made.getvalue(), "twice")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_what_is_no_plain_file_is_refused(kind: int) -> None:
    refused(one_entry(external_attr=(kind | 0o644) << 16), "link or a device")


def test_a_plain_file_with_its_mode_is_not() -> None:
    data = one_entry(external_attr=(stat.S_IFREG | 0o777) << 16)
    assert unpack(data, "trials.jsonl", known=KNOWN, limit=LIMIT) == b"content"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_packings_are_refused(method: int) -> None:
    refused(packed({"trials.jsonl": b"x" * 1_000}, method), "another packing")


def patched(data: bytes, mark: bytes, offset: int, form: str, value: int) -> bytes:
    """An archive with one field of its (only) record of a kind overwritten."""
    made = bytearray(data)
    struct.pack_into(form, made, data.rindex(mark) + offset, value)
    return bytes(made)


LISTED, END = b"PK\x01\x02", b"PK\x05\x06"


def test_an_encrypted_file_is_refused() -> None:
    refused(patched(packed({"trials.jsonl": b"x"}), LISTED, 8, "<H", 1), "encrypted")


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed({"trials.jsonl": b"\0" * (archive.FREE_BYTES + 2**20)})
    assert len(data) < 100_000
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it was unpacked"))
    refused(data, "200 to one", limit=2**30)
    refused(data, "more than the limit of 1,000,000", limit=1_000_000)


def test_below_sixteen_megabytes_any_ratio_will_do() -> None:
    content = b"\0" * archive.FREE_BYTES
    assert unpack(packed({"trials.jsonl": content}), "trials.jsonl", known=KNOWN, limit=LIMIT) == content


@pytest.mark.parametrize("told", [0, 10, 999, 1_001, 2_000])
def test_a_size_that_is_not_true_is_refused(told: int) -> None:
    data = packed({"trials.jsonl": b"x" * 1_000}, zipfile.ZIP_STORED)
    refused(patched(data, LISTED, 24, "<L", told), "damaged|holds")


def test_a_bomb_that_lies_about_its_size_takes_no_room() -> None:
    data = patched(packed({"trials.jsonl": b"\0" * 2**26}), LISTED, 24, "<L", 1_000)
    tracemalloc.start()
    try:
        refused(data, "damaged", limit=2_000)
        assert tracemalloc.get_traced_memory()[1] < 2**23
    finally:
        tracemalloc.stop()


def test_many_files_are_refused_before_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed({f"{number}": b"" for number in range(archive.MOST_ENTRIES + 1)})
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("it was listed"))
    refused(data, "17 files")


def test_a_long_list_is_refused_whatever_number_it_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed({"x" * 60_000: b"", "y" * 60_000: b""})
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("it was listed"))
    refused(patched(patched(data, END, 8, "<H", 1), END, 10, "<H", 1), "in a list of 120,")


def with_large_locator(data: bytes) -> bytes:
    """An archive whose end is preceded by a pointer to a second, larger end, which `zipfile` would prefer."""
    place = data.rindex(END)
    size = struct.unpack_from("<L", data, place + 12)[0]
    made = data[:place] + b"PK\x06\x07" + b"\0" * 16 + data[place:]
    return patched(made, END, 12, "<L", size + 20)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: b"", "damaged"),
        (lambda data: b"PK", "damaged"),
        (lambda data: b"no zip at all, but longer than the record at the end of one", "damaged"),
        (lambda data: data[: len(data) // 2], "damaged"),
        (lambda data: data[:-1], "damaged"),
        (lambda data: data + b"\0", "damaged"),
        (lambda data: b"before" + data, "in a list|damaged"),
        (with_large_locator, "more than 4 GB"),
        (lambda data: patched(data, END, 4, "<H", 1), "damaged"),
        (lambda data: patched(data, END, 20, "<H", 3) + b"abc", "damaged"),
        (lambda data: patched(data, LISTED, 42, "<L", 9), "damaged"),
        (lambda data: patched(data, LISTED, 16, "<L", 7), "damaged"),
        (lambda data: patched(data, LISTED, 28, "<H", 1), "does not belong|damaged"),
        (lambda data: data.replace(b"trials.jsonl", b"secret.jsonl", 1), "damaged"),
    ],
    ids=range(14),
)
def test_damage_is_refused(change: Callable[[bytes], bytes], said: str) -> None:
    refused(change(packed({"trials.jsonl": b"some content that is packed " * 50})), said)


def test_every_cut_and_many_changes_end_in_a_file_or_a_refusal() -> None:
    content = b'{"id": "a"}\n' * 20
    data = packed({"trials.jsonl": content})
    for length in range(len(data)):
        refused(data[:length], "damaged")
    for place in range(len(data)):
        for bit in (0x01, 0x80):
            made = bytearray(data)
            made[place] ^= bit
            try:
                assert unpack(bytes(made), "trials.jsonl", known=KNOWN, limit=LIMIT) == content
            except DeliveryError:
                continue
