"""The list of slow tests names tests that exist, and is made as docs/testing.md says."""

from __future__ import annotations

import ast
import os
import runpy
import subprocess
import sys
from pathlib import Path

import processor_time
import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOL = runpy.run_path(str(ROOT / "tools" / "slow_tests.py"))


def test_every_slow_test_exists():
    for name in processor_time.slow_tests():
        file, function = name.split("::")
        statements = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
        assert function in {each.name for each in statements if isinstance(each, ast.FunctionDef)}, name


def test_all_cases_together_decide_and_a_file_keeps_one_test():
    lines = ["0.3\ta.py::long", "0.4\ta.py::long", "0.1\ta.py::short", "0.8\tb.py::less", "2.0\tb.py::more"]
    assert TOOL["slow_tests"](lines) == {"a.py::long": pytest.approx(0.7), "b.py::more": 2.0}


def test_processor_time_of_a_test_and_of_its_children_is_recorded(tmp_path):
    work = "import time\nwhile time.process_time() < 0.3: pass"
    test = (
        f"import subprocess, sys\ndef test_work():\n    subprocess.run([sys.executable, '-c', {work!r}], check=True)\n"
    )
    (tmp_path / "test_it.py").write_text(test)
    plugin = (
        "import pathlib, processor_time\n"
        "def pytest_configure(config):\n"
        "    config.pluginmanager.register(processor_time.Recorder(pathlib.Path('times.tsv')))\n"
    )
    (tmp_path / "conftest.py").write_text(plugin)
    support = os.environ | {"PYTHONPATH": str(ROOT / "tests" / "support")}
    subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=tmp_path, env=support, check=True, capture_output=True)
    seconds, name = (tmp_path / "times.tsv").read_text(encoding="utf-8").split("\t")
    assert name == "test_it.py::test_work\n"
    assert 0.2 < float(seconds) < 5  # of 0.3 s, in ticks
