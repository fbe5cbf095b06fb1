"""docs/opening.md: each example is executed, by the program that it is for, and gives what SQL gives."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from folders import ROOT

PAGE = (ROOT / "docs" / "opening.md").read_text(encoding="utf-8")
SECTIONS = {
    part.split("\n", 1)[0]: re.findall(r"```(?:python|r)\n(.*?)```", part, re.DOTALL)
    for part in PAGE.split("\n## ")[1:]
}
ELSEWHERE = ROOT / "target" / "opening" / "bin" / "python"
"""The interpreter that has what winf does not need; `tools/other_programs.sh` installs it."""


@pytest.fixture
def here(demo_dataset, tmp_path, monkeypatch) -> Path:
    """A folder with the dataset that the page opens."""
    (tmp_path / "run.winf").symlink_to(demo_dataset.path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(program: list[str | Path], code: str, folder: Path) -> str:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost"}
    done = subprocess.run(
        [*program, code], cwd=folder, env=environment, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def has(package: str) -> bool:
    asked = f"import importlib.util as u; raise SystemExit(u.find_spec({package!r}) is None)"
    return ELSEWHERE.exists() and subprocess.run([ELSEWHERE, "-c", asked], check=False).returncode == 0


def exchanges_by_sender(dataset) -> dict[str | None, int]:
    return dict(dataset.scan("exchanges").group_by("sender").len().collect().iter_rows())


def test_the_page_has_the_programs_that_are_executed_here():
    assert SECTIONS.keys() == {"DuckDB", "Polars", "winf", "pandas", "R", "Spark"}
    assert [len(examples) for examples in SECTIONS.values()] == [1, 1, 1, 1, 2, 1]


@pytest.mark.parametrize("program", ["DuckDB", "Polars", "winf"])
def test_a_dataset_opens_by_what_winf_needs_anyway(program, here):
    names: dict = {}
    exec(SECTIONS[program][0], names)
    assert len(names["rows"])


@pytest.mark.slow("a process that loads pandas")
def test_a_dataset_opens_in_pandas(here, demo_dataset):
    if not has("pandas"):
        pytest.skip("tools/other_programs.sh installs pandas")
    code = SECTIONS["pandas"][0] + "print(rows.to_json())\n"
    payload = demo_dataset.scan("exchanges").group_by("sender").agg(pl.col("payload_bytes").sum()).collect()
    assert json.loads(answer([ELSEWHERE, "-c"], code, here)) == {
        sender: octets for sender, octets in payload.iter_rows() if sender is not None
    }


@pytest.mark.slow("a process that loads pandas")
def test_pandas_reads_every_table(here, demo_dataset):
    if not has("pandas"):
        pytest.skip("tools/other_programs.sh installs pandas")
    tables = [name for name in demo_dataset.tables if demo_dataset.parts(name)]
    code = f"import pandas, json; print(json.dumps({{t: len(pandas.read_parquet('run.winf/' + t)) for t in {tables}}}))"
    assert json.loads(answer([ELSEWHERE, "-c"], code, here)) == {
        name: demo_dataset.scan(name).select(pl.len()).collect().item() for name in tables
    }


@pytest.mark.nightly("a Java virtual machine that starts")
def test_a_dataset_opens_in_spark(here, demo_dataset):
    if not has("pyspark") or not shutil.which("java"):
        pytest.skip("`tools/other_programs.sh --all` installs Spark")
    code = SECTIONS["Spark"][0] + "import json\nprint(json.dumps([[row['sender'], row['count']] for row in rows]))\n"
    said = answer([ELSEWHERE, "-W", "ignore", "-c"], code, here)
    assert dict(json.loads(said.splitlines()[-1])) == exchanges_by_sender(demo_dataset)


@pytest.mark.parametrize("package", ["arrow", None])
def test_a_dataset_opens_in_r(package, here, demo_dataset):
    if not shutil.which("Rscript"):
        pytest.skip("`tools/other_programs.sh --all` installs R")
    examples = dict(zip(("arrow", None), SECTIONS["R"], strict=True))
    if package and answer(["Rscript", "-e"], f"cat(requireNamespace('{package}', quietly = TRUE))", here) != "TRUE":
        pytest.skip(f"R has no package {package}")
    said = answer(["Rscript", "-e"], examples[package] + "write.table(rows, col.names = FALSE, na = '')", here)
    counts = {
        sender or None: int(count) for sender, count in re.findall(r'^"\d+" "?([^" ]*)"? (\d+)$', said, re.MULTILINE)
    }
    assert counts == exchanges_by_sender(demo_dataset)
