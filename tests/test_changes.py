"""News fragments: those in changes/ are usable, and unusable ones are told."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
problems = runpy.run_path(str(ROOT / "tools" / "check_changes.py"))["problems"]


def test_the_fragments_are_usable():
    assert problems() == []


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("csv-lists.fixed.md", "`winf sql --to csv` works on list columns.", None),
        ("csv-lists.mended.md", "It works.", "no kind 'mended'; there are added, changed, fixed, removed, speed"),
        ("csv lists.fixed.md", "It works.", "not a news fragment"),
        ("fixed.md", "It works.", "not a news fragment"),
        ("csv-lists.fixed.rst", "It works.", "not a news fragment"),
        ("csv-lists.fixed.md", " \n", "empty"),
        ("csv-lists.fixed.md", "x" * 601, "601 characters"),
    ],
)
def test_a_fragment_is_told_that_cannot_be_used(tmp_path, name, text, says):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / name).write_text(text)
    found = problems(tmp_path)
    assert found == [] if says is None else says in "".join(found)
