"""Files of the repository: no large one by accident, no merge left unfinished."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOL = runpy.run_path(str(ROOT / "tools" / "check_files.py"))


def test_every_tracked_file_is_in_order():
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: nothing says which files belong to the repository")
    assert [sentence for name in TOOL["tracked"]() for sentence in TOOL["problems"](name)] == []


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.md", "text\n", []),
        ("a.md", "text \nmore\n", ["a.md:1: blanks at the end of the line."]),
        ("a.md", "text", ["a.md: no newline at the end."]),
        ("a.md", "", []),
        ("a.rs", 'let a = "b \n";\n', []),
        ("a.py", "a = 1\n>>>>>>> theirs\n", ["a.py:2: a merge that is not finished."]),
        (
            "a.pcap",
            "x" * 500_001,
            ["a.pcap: 500001 bytes; files have at most 500000. Cut the sample, or make it in a test."],
        ),
        ("a.pcap", "x \n>>>>>>> ", []),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, name, content, says):
    (tmp_path / name).write_text(content)
    assert TOOL["problems"](name, tmp_path) == says
