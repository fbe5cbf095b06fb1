"""Shards of every command, collected in any order: the tables of one process, to the bit."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pcaps
import pytest
from dataset_state import is_clean
from folders import ROOT

import winf_analyzer
from winf_analyzer._ingest.tasks import MAX_TOGETHER, MIN_SHORT
from winf_analyzer._util.errors import DatasetError, UsageError
from winf_analyzer._util.shards import parse_shard

GRID = """
name = "small"
topologies = ["stack"]
controllers = ["new_reno", "cbr"]
seeds = 4
duration = "1s"
[set]
queue = [5, 20]
"link.loss" = [0.0, 0.1]
"""


def digests(dataset: Path) -> dict[str, str]:
    """The content of every part of a dataset."""
    named = winf_analyzer.Dataset.open(dataset).metadata["tables"]
    assert not len(winf_analyzer.check(dataset))
    return {part["path"]: part["sha256"] for entries in named.values() for part in entries}


@pytest.fixture
def captures(tmp_path: Path) -> Path:
    """Short and longer captures, one of which is none."""
    folder = tmp_path / "captures"
    folder.mkdir()
    for number in range(2 * MAX_TOGETHER + 8):
        (folder / f"{number:03}.pcap").write_bytes(pcaps.busy_link(2 + number % 4))
    (folder / "007.pcap").write_bytes(pcaps.pcap([(0, bytes(60))], link_type=pcaps.ETHERNET))
    for number in (3, 70, 71):
        (folder / f"{number:03}.pcap").write_bytes(pcaps.busy_link(3000))
    return folder


def shuffled(parts: list[Path]) -> list[Path]:
    return random.Random(2).sample(parts, len(parts))


@pytest.mark.parametrize("count", [1, 3, 40])
def test_ingest(captures, tmp_path, winf, count):
    winf_analyzer.ingest(captures, tmp_path / "whole.winf", jobs=2)
    parts = [tmp_path / f"{number}.winf" for number in range(1, count + 1)]
    for number, part in enumerate(parts, start=1):
        done = winf("ingest", captures, "-o", part, "--shard", f"{number}/{count}", "-q")
        assert done.returncode in (0, 3), done.stderr
        assert winf("ingest", captures, "-o", part, "--shard", f"{number}/{count}", "-q").returncode == done.returncode
    if count == 1:  # all of the work, and no shard
        assert digests(parts[0]) == digests(tmp_path / "whole.winf")
        return
    done = winf("collect", *shuffled(parts), "-o", tmp_path / "collected.winf")
    assert done.returncode == 3, done.stderr
    assert digests(tmp_path / "collected.winf") == digests(tmp_path / "whole.winf")
    shutil.rmtree(parts[0])  # the collected dataset stands alone
    grown = winf_analyzer.ingest(captures, tmp_path / "collected.winf")
    assert grown.metadata["version"] == 1, "it holds everything"


def test_replay(tmp_path):
    run = {"topology": "stack", "controllers": ["new_reno", "cbr"], "seeds": 3, "duration": "2s"}
    winf_analyzer.replay(**run, output=tmp_path / "whole.winf")
    parts = [tmp_path / f"{number}.winf" for number in (1, 2, 3, 4)]
    for number, part in enumerate(parts, start=1):
        winf_analyzer.replay(**run, output=part, shard=f"{number}/4")
    winf_analyzer.collect(shuffled(parts), tmp_path / "collected.winf")
    assert digests(tmp_path / "collected.winf") == digests(tmp_path / "whole.winf")
    with pytest.raises(UsageError, match="only 6 runs"):
        winf_analyzer.replay(**run, output=tmp_path / "more.winf", shard="1/7")
    with pytest.raises(UsageError, match="--topology"):
        winf_analyzer.replay(**run, shard="1/7")


def test_sweep(tmp_path):
    (tmp_path / "grid.toml").write_text(GRID)
    winf_analyzer.sweep(tmp_path / "grid.toml", tmp_path / "whole.winf", jobs=1)
    parts = [tmp_path / f"{number}.winf" for number in (1, 2, 3)]
    for number, part in enumerate(parts, start=1):
        winf_analyzer.sweep(tmp_path / "grid.toml", part, shard=f"{number}/3", jobs=2)
    winf_analyzer.collect(shuffled(parts), tmp_path / "collected.winf")
    assert digests(tmp_path / "collected.winf") == digests(tmp_path / "whole.winf")


def test_shards_that_do_not_belong_together_are_refused(tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    parts = [tmp_path / f"{number}.winf" for number in (1, 2)]
    for number, part in enumerate(parts, start=1):
        winf_analyzer.ingest(tmp_path / "a.pcap", part, shard=f"{number}/2")
    target = tmp_path / "run.winf"
    with pytest.raises(DatasetError, match="shard 2/2 is missing"):
        winf_analyzer.collect(parts[:1], target)
    shutil.copytree(parts[0], tmp_path / "copy.winf")
    with pytest.raises(DatasetError, match="Give each shard once"):
        winf_analyzer.collect([*parts, tmp_path / "copy.winf"], target)
    whole = winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "whole.winf")
    with pytest.raises(DatasetError, match="is no shard"):
        winf_analyzer.collect([*parts, whole], target)
    other = winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "other.winf", shard="2/2", observer=pcaps.AP)
    with pytest.raises(DatasetError, match="other parameters"):
        winf_analyzer.collect([parts[0], other], target)
    (part,) = list(parts[0].glob("frames/*.parquet"))
    part.write_bytes(part.read_bytes()[:-1] + b"?")
    with pytest.raises(DatasetError, match="frames"):
        winf_analyzer.collect(parts, target)
    assert not target.exists()


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "-1/2", "1/2/3", "a/b", ""])
def test_a_shard_is_i_of_n(text):
    with pytest.raises(UsageError, match="--shard"):
        parse_shard(text)


def test_the_example_with_plain_processes(tmp_path):
    """It is run as it is printed, with the program that is tested in the place of `winf`."""
    captures = tmp_path / "captures"
    captures.mkdir()
    for number in range(MIN_SHORT):
        (captures / f"{number:03}.pcap").write_bytes(pcaps.busy_link(2 + number % 4))
    (captures / "007.pcap").write_bytes(pcaps.pcap([(0, bytes(60))], link_type=pcaps.ETHERNET))
    (captures / "longer.pcap").write_bytes(pcaps.busy_link(3000))
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "winf").write_text(f'#!/bin/sh\nexec {sys.executable} -m winf_analyzer "$@"\n')
    (bin_folder / "winf").chmod(0o755)
    script = ROOT / "docs" / "examples" / "shards" / "processes.sh"
    environment = os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [script, captures, tmp_path / "run.winf", "3"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    winf_analyzer.ingest(captures, tmp_path / "whole.winf")
    tables = ("frames", "exchanges", "warnings", "nodes")
    ours, whole = digests(tmp_path / "run.winf"), digests(tmp_path / "whole.winf")
    assert {path for path in ours.items() if path[0].startswith(tables)} == {
        path for path in whole.items() if path[0].startswith(tables)
    }
    assert winf_analyzer.sql(tmp_path / "run.winf", "select count(*) from estimates").item() > 0
    shutil.rmtree(bin_folder)
    assert is_clean(tmp_path)


def test_the_example_with_snakemake(tmp_path):
    """What its rule of a shard runs, in a folder with nothing but what Snakemake makes itself."""
    rule = (ROOT / "docs" / "examples" / "shards" / "Snakefile").read_text().partition("rule shard:")[2]
    command = "".join(re.findall(r'"([^"]*)"', rule.partition("shell: ")[2].replace('" + str(SHARDS) + "', "8")))
    values = {"{input}": "grid.toml", "{output}": "parts/1.winf", "{wildcards.shard}": "1", "{threads}": "1"}
    for name, value in values.items():
        command = command.replace(name, value)
    (tmp_path / "grid.toml").write_text(GRID)
    (tmp_path / "parts").mkdir()
    program = f'winf() {{ {sys.executable} -m winf_analyzer "$@"; }}; '
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run(["sh", "-ec", program + command], cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert winf_analyzer.Dataset.open(tmp_path / "parts" / "1.winf").scan("points").collect().height > 0
