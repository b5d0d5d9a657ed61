"""Which packages a suite loaded: from the folders that installers leave, and only what came after pytest."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from gate.record.plugin.packages import MOST, loaded_packages


def installed(folder: Path, name: str, version: str, *, record: str = "", tops: str = "") -> None:
    place = folder / f"{name}-{version}.dist-info"
    place.mkdir(parents=True)
    for file, text in (("RECORD", record), ("top_level.txt", tops)):
        if text:
            (place / file).write_text(text, encoding="utf-8")


def module(folder: Path, name: str, *, package: bool = True) -> ModuleType:
    made = ModuleType(name)
    made.__file__ = str(folder / name / "__init__.py" if package else folder / f"{name}.py")
    if package:
        made.__path__ = [str(folder / name)]
    return made


def loaded(*modules: ModuleType, before: tuple[str, ...] = ()) -> dict[str, str]:
    return loaded_packages(before, {each.__name__: each for each in modules})


def test_a_module_is_found_by_its_name_its_list_or_its_files(tmp_path: Path) -> None:
    installed(tmp_path, "numpy", "2.1.0", record="broken")
    installed(tmp_path, "PyYAML", "6.0.2", tops="_yaml\nyaml\n")
    installed(tmp_path, "python_dateutil", "2.9.0", record="dateutil/__init__.py,sha256=x,1\nnot/this,,\n")
    installed(tmp_path, "typing_extensions", "4.12", record="typing_extensions.py,,\n")
    installed(tmp_path, "unused", "1")
    found = loaded(
        module(tmp_path, "numpy"),
        module(tmp_path, "yaml"),
        module(tmp_path, "dateutil"),
        module(tmp_path, "typing_extensions", package=False),
    )
    assert found == {"numpy": "2.1.0", "python-dateutil": "2.9.0", "pyyaml": "6.0.2", "typing-extensions": "4.12"}


def test_what_was_there_before_and_what_pytest_loads_does_not_count(tmp_path: Path) -> None:
    for name in ("numpy", "pygments", "attrs"):
        installed(tmp_path, name, "1")
    modules = [module(tmp_path, name) for name in ("numpy", "pygments", "attrs")]
    assert loaded(*modules, before=("attrs", "attrs.setters")) == {"numpy": "1"}


def test_code_that_nobody_installed_is_no_package(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    assert loaded(module(tmp_path, "own"), ModuleType("builtin")) == {}
    assert loaded(module(tmp_path / "nowhere", "lost")) == {}


@pytest.mark.parametrize("broken", [b"\xff\xfe", b""])
def test_damaged_lists_are_passed_over(tmp_path: Path, broken: bytes) -> None:
    installed(tmp_path, "a", "1")
    (tmp_path / "a-1.dist-info" / "RECORD").write_bytes(broken)
    assert loaded(module(tmp_path, "b")) == {}


def test_it_is_bounded(tmp_path: Path) -> None:
    names = [f"p{number:03}" for number in range(MOST + 5)]
    for name in names:
        installed(tmp_path, name, "1")
    assert list(loaded(*(module(tmp_path, name) for name in names))) == names[:MOST]
