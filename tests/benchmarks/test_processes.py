"""What is measured of a process."""

import os

from benchmarks.processes import Contender, python


def test_modules_are_not_compiled_at_each_start(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("WINF_KEPT", "1")
    code = "import os, sys; sys.exit(sys.dont_write_bytecode or os.environ['WINF_KEPT'] != '1')"
    assert Contender("python", python(code)).run().processor_s > 0
    assert os.environ["PYTHONDONTWRITEBYTECODE"] == "1"
