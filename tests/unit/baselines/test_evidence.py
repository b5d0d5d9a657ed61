"""An archive of evidence holds, or says which file does not."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.baselines.evidence import EvidenceError, read_evidence, write_evidence
from gate.errors import GateError, ReportError

FILES = {"verdict.json": b'{"schema": 1}' * 40, "settings.json": b"{}\n", "versions.json": b'{"tool": "0.1.0"}'}
DATA, SEAL = write_evidence(FILES)
LIMIT = 10_000_000


def read(data: bytes, limit: int = LIMIT) -> object:
    return read_evidence(data, "evidence.zip", limit=limit)


def packed(parts: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in parts:
            archive.writestr(name, data)
    return buffer.getvalue()


def manifest() -> bytes:
    with zipfile.ZipFile(io.BytesIO(DATA)) as archive:
        return archive.read("manifest.json")


def test_what_was_written_is_read_with_its_seal() -> None:
    found = read_evidence(DATA, "evidence.zip", limit=LIMIT)
    assert (found.files, found.seal) == (FILES, SEAL)


def test_the_same_files_give_the_same_bytes_in_any_order() -> None:
    assert write_evidence(dict(reversed(FILES.items()))) == (DATA, SEAL)
    assert write_evidence({**FILES, "settings.json": b"{ }\n"})[1] != SEAL


@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_one_changed_byte_anywhere_is_found(place: int, by: int) -> None:
    changed = bytearray(DATA)
    changed[place] ^= by
    with pytest.raises(GateError):
        read(bytes(changed))


@given(st.integers(0, len(DATA) - 1))
def test_an_archive_that_is_cut_or_grown_is_refused(size: int) -> None:
    for data in (DATA[:size], DATA + b"x", b"x" + DATA):
        with pytest.raises(GateError):
            read(data)


def test_the_file_that_was_changed_is_named() -> None:
    parts = [("manifest.json", manifest()), *FILES.items()]
    swapped = [(name, b"{}" if name == "verdict.json" else data) for name, data in parts]
    with pytest.raises(EvidenceError, match=r"evidence\.zip: verdict\.json: is not what was sealed"):
        read(packed(swapped))
    with pytest.raises(EvidenceError, match=r"versions\.json: is missing"):
        read(packed([part for part in parts if part[0] != "versions.json"]))
    with pytest.raises(EvidenceError, match="not sealed"):
        read(packed([*parts, ("candidate.json", b"{}")]))


def test_a_manifest_that_was_made_to_fit_has_another_seal() -> None:
    files = {**FILES, "verdict.json": b"{}"}
    forged, seal = write_evidence(files)
    assert read_evidence(forged, "x", limit=LIMIT).seal == seal != SEAL  # so a seal that was kept elsewhere tells
    value = json.loads(manifest())
    value["seal"] = "0" * 64
    with pytest.raises(EvidenceError, match="the seal is not that of its entries"):
        read(packed([("manifest.json", json.dumps(value).encode()), *FILES.items()]))


def test_paths_that_lead_out_and_names_that_stand_twice_are_refused() -> None:
    parts = [("manifest.json", manifest()), *FILES.items()]
    with pytest.raises(EvidenceError, match="no part of an archive"):
        read(packed([*parts, ("../evil", b"")]))
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = packed([*parts, ("verdict.json", b"{}")])
    with pytest.raises(EvidenceError, match="stands twice"):
        read(twice)


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("candidate.json", b" " * 20_000_000)
    with pytest.raises(ReportError, match="more than is read"):
        read(buffer.getvalue())


@pytest.mark.parametrize(
    ("value", "says"),
    [(b"[]", "can't be read"), (b"{", "can't be read"), (b'{"schema": 2, "seal": "", "files": {}}', "is newer than 1")],
)
def test_a_manifest_of_another_shape_is_refused(value: bytes, says: str) -> None:
    with pytest.raises(GateError, match=says):
        read(packed([("manifest.json", value)]))


def test_another_archive_is_none() -> None:
    with pytest.raises(ReportError, match="no manifest"):
        read(packed([("verdict.json", b"{}")]))
