"""`winf replay` as a user types it."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import time

import pcaps
import polars as pl
import pytest
from program import COMMAND

from winf_analyzer._util.errors import UsageError
from winf_analyzer.cli.options import controller_settings

STACK = ("replay", "--topology", "stack", "--duration", "3s", "--controllers", "new_reno,xcp_winf")


def test_the_table_has_a_row_per_flow_and_a_total(winf):
    done = winf(*STACK, "--seeds", "2")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line.strip().startswith(("new_reno", "xcp_winf"))]
    assert [row[2] for row in rows] == 2 * ["1-3", "4-6", "7-9", "all"]
    assert all("±" in row for row in rows)


def test_forms_and_modes(winf):
    done = winf(*STACK, "--mode", "paper", "--to", "json")
    rows = json.loads(done.stdout)
    assert {(row["controller"], row["mode"]) for row in rows} == {("new_reno", "corrected"), ("xcp_winf", "paper")}
    assert "new_reno has no mode paper: it runs as corrected" in done.stderr
    assert rows[0]["throughput_ci_bps"] is None
    frame = pl.read_csv(io.StringIO(winf(*STACK, "--mode", "both", "--to", "csv").stdout))
    assert frame["mode"].unique().sort().to_list() == ["corrected", "paper"]


def test_the_tables_are_a_dataset(winf, tmp_path):
    done = winf(*STACK, "-o", tmp_path / "run")
    assert "replay_flows" in done.stderr
    answer = winf("sql", tmp_path / "run", "select count(distinct flow) as n from replay_flows", "--to", "csv")
    assert answer.stdout.split() == ["n", "3"]
    assert winf("report", tmp_path / "run", "-o", tmp_path / "run.html").returncode == 0
    assert winf(*STACK, "-o", tmp_path / "run").returncode == 1


def test_constants_are_set(winf):
    asked = ("replay", "--topology", "chain:1", "--duration", "2s", "--controllers", "cbr", "--to", "json")
    rows = json.loads(winf(*asked, "--set", "cbr.rate_bps=400000").stdout)
    assert rows[0]["throughput_bps"] == pytest.approx(400_000, rel=0.05)
    assert controller_settings(["xcp.router.alpha=0.3", "xcp.collisions=off", "a.b=[1]"]) == {
        "xcp": {"router": {"alpha": 0.3}, "collisions": "off"},
        "a": {"b": [1]},
    }


@pytest.mark.parametrize("wrong", ["cbr=1", "cbr.rate_bps", ".a=1", "cbr.=1"])
def test_constants_that_cannot_be_read(wrong):
    with pytest.raises(UsageError, match=r"CONTROLLER\.CONSTANT=VALUE"):
        controller_settings([wrong])


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--controllers", "xcp"], 2, "name a dataset, or a world with --topology"),
        (["--topology", "stack", "--controllers", "nope"], 2, "no controller 'nope'"),
        (["--topology", "chain:x"], 2, "hops must be a number"),
        (["--topology", "stack", "--seeds", "0"], 2, "seeds"),
        (["nothing-here", "--topology", "stack"], 1, "not a dataset"),
    ],
)
def test_errors_are_sentences(winf, arguments, code, says):
    done = winf("replay", *arguments)
    assert done.returncode == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("option", "says"),
    [(("--controllers", "nope"), "no controller 'nope'"), (("--mode", "nope"), "mode 'nope' is not one of paper")],
)
def test_names_are_refused_before_the_world_is_made(winf, tmp_path, option, says):
    """Also where the recording has nothing to replay, which is exit code 4."""
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(1))
    assert winf("ingest", tmp_path / "a.pcap", "-o", tmp_path / "run").returncode == 0
    done = winf("replay", tmp_path / "run", *option)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr


def test_analyze_refuses_an_unknown_controller_before_it_reads(winf, tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(1))
    done = winf("analyze", tmp_path / "a.pcap", "-o", tmp_path / "out", "--controllers", "nope")
    assert (done.returncode, "no controller 'nope'" in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "out").exists()


def test_ctrl_c_leaves_nothing_behind(tmp_path):
    command = [*COMMAND, "replay", "--topology", "stack", "--duration", "20h", "--bin", "1h"]
    command += ["--controllers", "new_reno", "-o", tmp_path / "run"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"})
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert list(tmp_path.iterdir()) == []
