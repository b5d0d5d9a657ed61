"""Probes from files: what is read, what is refused, and what is asked for by name."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gate.errors import UsageError
from gate.suites.probes.catalog import SHIPPED, digest_of, load_probes, parse_probes, select
from gate.suites.probes.dimensions import Dimension
from gate.suites.probes.probe import Probe, json_schema

PUBLISHED = Path(__file__).parents[4] / "docs" / "probe.schema.json"


def written(**changes: Any) -> dict[str, Any]:
    probe = {
        "schema": 1,
        "id": "double",
        "dimension": "adversarial-correctness",
        "title": "Double a number",
        "prompt": "Write `double(n)` in Python.",
        "entry": "double",
        "checks": {"cases": [{"args": [2], "expected": 4}]},
        "reference": {"text": "```python\ndef double(n):\n    return 2 * n\n```"},
        "bad": {"text": "```python\ndef double(n):\n    return n\n```", "cause": "wrong result"},
    }
    return {**probe, **changes}


def parsed(text: str, name: str = "p.yaml") -> Any:
    return parse_probes(text.encode(), name)


def refused(text: str | bytes, name: str = "p.yaml") -> str:
    with pytest.raises(UsageError) as caught:
        parse_probes(text if isinstance(text, bytes) else text.encode(), name)
    return str(caught.value)


def test_every_dimension_has_at_least_fifteen_probes() -> None:
    counts = Counter(entry.probe.dimension for entry in load_probes())
    assert all(counts[dimension] >= 15 for dimension in Dimension), counts


def test_fifteen_pairs_are_there_for_consistency() -> None:
    groups = Counter(e.probe.group for e in load_probes() if e.probe.dimension is Dimension.CONSISTENCY)
    assert len(groups) >= 15
    assert min(groups.values()) >= 2


def test_the_shipped_ones_are_named_by_their_files() -> None:
    for path in SHIPPED.rglob("*.yaml"):
        (entry,) = parse_probes(path.read_bytes(), path.name)
        assert (entry.probe.id, entry.probe.dimension.value) == (path.stem, path.parent.name)


def test_they_come_by_dimension_and_id_whatever_the_files_are_called(tmp_path: Path) -> None:
    first = written(id="b")
    second = written(id="a", dimension="security", cwe=["CWE-89"])
    third = written(id="a2")
    (tmp_path / "1.json").write_text(json.dumps([first, second]))
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "0.yml").write_text(json.dumps(third))
    found = load_probes([tmp_path], shipped=False)
    assert [entry.probe.id for entry in found] == ["a2", "b", "a"]
    assert [entry.where for entry in found] == ["deeper/0.yml", "1.json#0", "1.json#1"]
    assert [entry.shown for entry in found] == [f"{tmp_path.as_posix()}/{entry.where}" for entry in found]


def test_one_file_will_do(tmp_path: Path) -> None:
    path = tmp_path / "only.json"
    path.write_text(json.dumps(written()))
    assert [entry.probe.id for entry in load_probes([path], shipped=False)] == ["double"]


def test_a_folder_that_is_absent_or_holds_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        load_probes([tmp_path / "absent"])
    with pytest.raises(UsageError, match="holds no probe"):
        load_probes([tmp_path])


def test_an_id_that_stands_twice_is_refused_with_both_places(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(written()))
    (tmp_path / "b.json").write_text(json.dumps(written()))
    with pytest.raises(UsageError, match=r"/b\.json: the id `double` is also that of .*/a\.json"):
        load_probes([tmp_path], shipped=False)


@pytest.mark.parametrize("name", ["a/b", "..", "../up", "a.b", "A", "-a", "a-", "", "a" * 81])
def test_an_id_that_is_no_name_is_refused(name: str) -> None:
    assert "id: " in refused(json.dumps(written(id=name)), "p.json")


def test_an_unknown_field_is_answered_with_the_nearest() -> None:
    assert "unknown field 'promt'" in refused(json.dumps(written(promt="x")))
    assert "did you mean `prompt`?" in refused(json.dumps(written(promt="x")))
    assert "did you mean `expected`?" in refused(json.dumps(written(checks={"cases": [{"args": [], "expect": 1}]})))


@pytest.mark.parametrize("checks", [{}, {"cases": []}, {"pytest": ""}, {"manual": False}])
def test_a_probe_without_a_check_is_refused(checks: dict[str, object]) -> None:
    assert "has no check" in refused(json.dumps(written(checks=checks)))


def test_all_faults_are_told_in_plain_words_and_the_rest_is_read(tmp_path: Path) -> None:
    bad = written(id="A b", cwe=["89"], dimension="speed", promt="x", reference={"text": [1]}, setup={"../x": "y"})
    del bad["title"]
    (tmp_path / "a.json").write_text(json.dumps([bad, written(), 1]))
    (tmp_path / "b.yaml").write_text("a: &x 1\nb: *x\n")
    faults: list[UsageError] = []
    assert [each.probe.id for each in load_probes([tmp_path], shipped=False, refuse=faults.append)] == ["double"]
    told = [f"{each.where.removeprefix(tmp_path.as_posix())}: {each.message}" for each in faults]
    assert told.pop(1).startswith("/a.json#0: dimension: must be 'adversarial-correctness', ")
    assert told == [
        "/a.json#0: id: must be a-z, 0-9 and hyphens between them, at most 80 characters",
        "/a.json#0: title: is missing",
        "/a.json#0: setup.../x: must be a path below the working folder, with forward slashes and without `..`",
        "/a.json#0: cwe.0: must be a weakness by its number, such as CWE-89",
        "/a.json#0: reference.text: must be a text, or a list of texts",
        "/a.json#0: unknown field 'promt'",
        "/a.json#2: is no probe: a mapping of fields is expected",
        "/b.yaml:2: an alias, which this format does not have",
    ]
    assert {each.remedy for each in faults[:6]} == {"docs/probe.schema.json has every field"}


def test_a_newer_schema_is_refused() -> None:
    assert "schema 2 is newer" in refused(json.dumps(written(schema=2)))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"- 1", "a mapping of fields is expected"),
        (b"just words", "a mapping of fields is expected"),
        (b"a: [", "no YAML"),
        (b"a: 1\nb: 2\na: 3\n", "p.yaml:3: the key 'a' stands twice"),
        (b"a: &x 1\nb: *x\n", "p.yaml:2: an alias"),
        (b"[" * 60, "nested deeper"),
        (b"a: !!python/object/apply:os.system [ls]", "no YAML"),
        (b"\xff\xfe", "no UTF-8 at byte 0"),
        (b"x: " + b"y" * 2_000_001, "larger than"),
    ],
)
def test_damage_is_named(data: bytes, says: str) -> None:
    assert says in refused(data)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1, "a": 2}', "the key 'a' stands twice"),
        ('{"a": NaN}', "NaN is no number"),
        ('{"a": ', "p.json:1: no JSON"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_damaged_json_is_named(text: str, says: str) -> None:
    assert says in refused(text, "p.json")


@pytest.mark.parametrize("path", ["/etc/passwd", "../out", "a/../../b", ".", "a\\b", "a\nb"])
def test_a_path_that_leaves_the_folder_is_refused(path: str) -> None:
    assert "setup" in refused(json.dumps(written(setup={path: "x"})), "p.json")


def test_a_date_stays_a_text_and_words_that_look_like_truth_are_left_to_yaml() -> None:
    text = json.dumps(written())[:-1] + ', "samples": 3}'
    (entry,) = parsed(text)
    assert entry.probe.samples == 3
    case = "{schema: 1, id: d, dimension: security, title: t, prompt: p, cwe: [CWE-1], reference: {text: r},"
    (entry,) = parsed(case + " bad: {text: b}, checks: {cases: [{args: [2024-01-31], expected: 2024-02-29}]}}")
    assert entry.probe.checks.cases[0].args == ("2024-01-31",)
    assert entry.probe.checks.cases[0].expected == "2024-02-29"


def test_the_digest_is_of_the_task_and_not_of_what_proves_it() -> None:
    probe = Probe.model_validate(written())
    assert digest_of(probe) == digest_of(Probe.model_validate(written(reference={"text": "other"})))
    assert digest_of(probe) != digest_of(Probe.model_validate(written(prompt="Write `double(n)` in Python, please.")))
    assert digest_of(probe) != digest_of(Probe.model_validate(written(checks={"cases": [{"args": [2]}]})))


def test_what_is_asked_for_is_chosen_and_a_wrong_name_gets_the_nearest() -> None:
    known = load_probes()
    chosen = select(known, dimensions=["security"])
    assert {entry.probe.dimension for entry in chosen} == {Dimension.SECURITY}
    assert [entry.probe.id for entry in select(known, only=["page-slice"])] == ["page-slice"]
    assert {entry.probe.variant for entry in select(known, only=["slugs"])} == {"imperative", "declarative"}
    assert all("web" in entry.probe.scope or not entry.probe.scope for entry in select(known, scopes=["web"]))
    for wrong in ({"dimensions": ["securty"]}, {"only": ["page-slize"]}, {"scopes": ["pyton"]}, {"tags": ["unicod"]}):
        with pytest.raises(UsageError, match="did you mean"):
            select(known, **wrong)  # type: ignore[arg-type]


def test_the_published_json_schema_is_that_of_the_models() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == json_schema()
