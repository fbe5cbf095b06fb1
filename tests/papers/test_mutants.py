"""`tools/mutants.py` keeps outcomes until the mutant, its file or its tests change."""

import dataclasses
import json
import runpy

import pytest
from folders import ROOT

from winf_analyzer._papers import Mutant

TOOL = runpy.run_path(str(ROOT / "tools" / "mutants.py"), run_name="mutants")
MUTANT = Mutant("m", (), "code.py", "RATE = 1", "1", "2", ("test_code.py::test_rate",))


@pytest.fixture
def outcomes(monkeypatch, tmp_path):
    (tmp_path / "code.py").write_text("RATE = 1\n", encoding="utf-8")
    (tmp_path / "test_code.py").write_text("", encoding="utf-8")
    file = tmp_path / "outcomes.json"
    for name, value in (("ROOT", tmp_path), ("OUTCOMES", file)):
        monkeypatch.setitem(TOOL["key"].__globals__, name, value)
    TOOL["Outcomes"]({}).keep(MUTANT, "noticed")
    return TOOL["Outcomes"](json.loads(file.read_text(encoding="utf-8")))


def test_an_outcome_is_kept(outcomes):
    assert outcomes.of(MUTANT) == "noticed"
    assert outcomes.of(dataclasses.replace(MUTANT, name="other")) is None


@pytest.mark.parametrize("file", ["code.py", "test_code.py"])
def test_another_file_needs_another_run(outcomes, tmp_path, file):
    (tmp_path / file).write_text("RATE = 1  # the same\n", encoding="utf-8")
    assert outcomes.of(MUTANT) is None


def test_another_mutant_of_that_name_needs_another_run(outcomes):
    assert outcomes.of(dataclasses.replace(MUTANT, mutated="3")) is None
