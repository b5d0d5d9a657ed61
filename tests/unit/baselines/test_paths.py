"""Changed paths stand under the heading that says what they can do."""

from __future__ import annotations

import pytest

from gate.baselines.paths import HEADINGS, changed_groups, heading_of


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        (".github/workflows/ci.yml", "workflows"),
        (".github/actions/setup/run.py", "workflows"),
        ("action.yml", "workflows"),
        ("sub/action.yaml", "workflows"),
        ("gate.toml", "gate settings"),
        ("baselines/default.jsonl", "baselines"),
        ("sub/baselines/x.jsonl", "baselines"),
        ("baselines/default.durations", "baselines"),
        ("baselines/default.examples/cases.bin", "baselines"),
        ("baselines/waivers.toml", "waivers"),
        ("sub/baselines/Waivers.TOML", "waivers"),
        ("waivers.toml", ""),
        ("baselines/README.md", ""),
        ("conftest.py", "conftest and plugins"),
        ("tests/sub/conftest.py", "conftest and plugins"),
        ("sitecustomize.py", "conftest and plugins"),
        ("evil.pth", "conftest and plugins"),
        ("models/weights.pth", "model and data"),
        ("pyproject.toml", "pytest configuration"),
        ("sub/pytest.ini", "pytest configuration"),
        ("tox.ini", "pytest configuration"),
        ("setup.cfg", "pytest configuration"),
        ("tests/recordings/a.json", "recordings"),
        ("tests/test_x.py", "tests"),
        ("test_x.py", "tests"),
        ("pkg/x_test.py", "tests"),
        ("tests/helpers.py", "tests"),
        ("prompts/bank.md", "prompts"),
        ("app/system.prompt", "prompts"),
        ("requirements.txt", "dependencies"),
        ("requirements/dev.in", "dependencies"),
        ("uv.lock", "dependencies"),
        ("train.py", "code"),
        ("models/net.py", "code"),
        ("model.joblib", "model and data"),
        ("data/customers.csv", "model and data"),
        ("README.md", ""),
        ("docs/picture.png", ""),
    ],
)
def test_heading(path: str, heading: str) -> None:
    assert heading_of(path) == heading


def test_groups_keep_the_order_of_reading() -> None:
    groups = changed_groups(
        ["train.py", "tests/test_b.py", "tests/test_a.py", "README.md", ".github/workflows/a.yml", "train.py"]
    )
    assert dict(groups) == {
        "workflows": (".github/workflows/a.yml",),
        "tests": ("tests/test_a.py", "tests/test_b.py"),
        "code": ("train.py",),
    }
    assert list(groups) == [heading for heading in HEADINGS if heading in groups]


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("evals/answers/test_a.py.jsonl", "recordings"),
        ("sub/evals/answers/test_a.py.jsonl", "recordings"),
        ("evals/answers.py", "code"),
        ("evals/answersheet/a.jsonl", ""),
        (".github/workflows/ci.yml", "workflows"),
    ],
)
def test_the_settings_name_the_folders_of_recordings(path: str, heading: str) -> None:
    assert heading_of(path, ("evals/answers",)) == heading
    assert changed_groups([path], ("evals/answers",)) == ({heading: (path,)} if heading else {})
