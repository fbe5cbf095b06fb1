"""News fragments: those in changes/ are usable, and unusable ones are told."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
problems = runpy.run_path(str(ROOT / "tools" / "check_changes.py"))["problems"]


def test_the_fragments_are_usable():
    assert problems() == []


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("sql-lists.fixed.md", "`winf sql --to csv` works on list columns.", None),
        ("sql-lists.mended.md", "It works.", "no kind 'mended'; there are added, changed, removed, fixed, speed"),
        ("csv-lists.fixed.md", "It works.", "no subject 'csv'; there are upgrade, recordings, estimates,"),
        ("sql.fixed.md", "It works.", "not a news fragment"),
        ("csv lists.fixed.md", "It works.", "not a news fragment"),
        ("fixed.md", "It works.", "not a news fragment"),
        ("sql-lists.fixed.rst", "It works.", "not a news fragment"),
        ("sql-lists.fixed.md", " \n", "empty"),
        ("sql-lists.fixed.md", "x" * 601, "601 characters"),
    ],
)
def test_a_fragment_is_told_that_cannot_be_used(tmp_path, name, text, says):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "changes").mkdir()
    shutil.copy(ROOT / "changes" / "template.md.j2", tmp_path / "changes")
    (tmp_path / "changes" / name).write_text(text)
    found = problems(tmp_path)
    assert found == [] if says is None else says in "".join(found)


def test_a_section_has_its_kinds_and_subjects_in_order(tmp_path):
    """An entry stands under its subject, those with a number in the name first, and none is lost."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "changes", tmp_path / "changes", ignore=shutil.ignore_patterns("*.*.md"))
    names = ["sql-b", "upgrade-2-x", "upgrade-1-y", "replay-z", "sql-a", "sql-1-c", "answers-a", "recordings-r"]
    for name in names:
        (tmp_path / "changes" / f"{name}.changed.md").write_text(f"Entry {name}\nhas two lines.\n")
    (tmp_path / "changes" / "python-gone.removed.md").write_text("Entry gone.\n")
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9.9", "--date", "2030-01-02"]
    draft = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    headings = [line for line in draft.splitlines() if line.startswith("#")]
    subjects = [
        f"#### {each}" for each in ("What an upgrade changes", "Recordings", "Answers and findings", "Replay", "SQL")
    ]
    assert headings == ["## 9.9.9 (2030-01-02)", "### Changed", *subjects, "### Removed"]
    said = [line.split()[2] for line in draft.splitlines() if line.startswith("- Entry ")]
    ordered = ["upgrade-1-y", "upgrade-2-x", "recordings-r", "answers-a", "replay-z", "sql-1-c", "sql-a", "sql-b"]
    assert said == [*ordered, "gone."]
    assert draft.count("\n  has two lines.\n") == len(names)
