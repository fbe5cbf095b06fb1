"""`analyze`: everything in one go."""

from __future__ import annotations

import errno
import re

import pcaps
import pytest

import winf_analyzer
from winf_analyzer import pipeline
from winf_analyzer.cli.analyze import RECORDINGS
from winf_analyzer.cli.replay import print_totals
from winf_analyzer.pipeline import CONTROLLERS


def test_what_controllers_would_have_done_is_part_of_it(sample, tmp_path):
    made = winf_analyzer.analyze([sample("ns3_hidden") / "recording"], tmp_path / "out")
    assert made.replayed is not None
    summary = made.replayed.summary
    assert set(summary["controller"]) == set(CONTROLLERS)
    assert summary.filter(controller="new_reno")["flow"].n_unique() == 2
    assert summary["throughput_bps"].n_unique() > 2, "transfers stand where datagrams were, so controllers differ"
    assert winf_analyzer.sql(made.dataset, "select count(*) from conditions").item() > 0
    assert winf_analyzer.sql(made.dataset, "select count(*) from replay_flows").item() > 0
    assert "new_reno" in made.report.read_text()


@pytest.mark.parametrize("asked", [None, ["new_reno"]])
def test_of_a_long_recording_the_beginning_is_replayed_unless_controllers_are_named(
    asked, monkeypatch, capsys, sample, tmp_path
):
    monkeypatch.setattr(pipeline, "MIN_FLOW_SECONDS", 1)
    made = winf_analyzer.analyze([sample("ns3_sniffer") / "recording"], tmp_path / "out", controllers=asked)
    (end_ns,) = made.replayed.flows.select("t_ns").max().collect().row(0)
    print_totals(made.replayed)
    said = "Replay run: 1 seed; the first" in " ".join(capsys.readouterr().out.split())
    assert (end_ns < 7e9, said) == (asked is None, asked is None)


@pytest.mark.parametrize(("asked", "problems"), [(None, 0), (["wcp"], 1), ([], 0)])
def test_a_recording_without_a_flow_is_analyzed_all_the_same(tmp_path, asked, problems):
    recording = tmp_path / "a.pcap"
    recording.write_bytes(pcaps.busy_link(3))
    made = winf_analyzer.analyze([recording], tmp_path / "out", controllers=asked)
    assert made.replayed is None
    assert len(made.problems) == problems
    assert made.report.exists()


def test_an_analysis_says_what_its_replay_rests_on(winf, sample, tmp_path):
    command = ("analyze", sample("ns3_rts_link") / "recording" / "node-0.pcap", "--controllers", "new_reno")
    told = winf("-v", *command, "-o", tmp_path / "told")
    short = winf(*command, "-o", tmp_path / "short")
    assumed = "queue limit of 50 packets assumed"
    assert (assumed in told.stderr, assumed in short.stderr) == (True, False)
    (count,) = re.findall(r"rests on (\d+) assumptions", short.stdout)
    assert 0 < int(count) <= told.stderr.count("\n")


def test_an_analysis_names_controllers_that_still_changed_when_flows_ended(winf, sample, tmp_path):
    """WCP adds a tenth of a packet per second in each round trip."""
    recording = sample("ns3_rts_link") / "recording" / "node-0.pcap"
    done = winf("analyze", recording, "--controllers", "wcp,cbr", "-o", tmp_path / "out")
    assert "Not converged when flows ended: wcp. " in " ".join(done.stdout.split())
    page = " ".join((tmp_path / "out" / "report.html").read_text(encoding="utf-8").split())
    assert "wcp had not converged when flows ended" in page


def test_mac_parameters_may_be_given(winf, sample, tmp_path):
    recording, given = sample("ns3_rts_link") / "recording", "slot_us=9,cw_min=15"
    done = winf("analyze", recording, "--controllers", "none", "--mac", given, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    used = winf_analyzer.sql(tmp_path / "out" / "run.winf", "select * from mac_parameters where origin = 'given'")
    assert set(used["parameter"]) == {"slot_us", "cw_min"}
    refused = winf("analyze", recording, "--mac", "slots=9", "-o", tmp_path / "refused")
    assert refused.returncode == 2
    assert "slots" in refused.stderr


def test_the_command(winf, short_recording, tmp_path):
    asked = ("analyze", short_recording, "--controllers")
    done = winf(*asked, "wcp,vegas", "-o", tmp_path / "two")
    assert done.returncode == 0, done.stderr
    assert "Replay run: 1 seed" in done.stdout
    none = winf(*asked, "none", "-o", tmp_path / "none")
    assert none.returncode == 0
    assert "Replay" not in none.stdout
    assert winf(*asked, "nothing", "-o", tmp_path / "unknown").returncode == 2


def test_of_many_recordings_the_first_are_described_and_the_others_counted(winf, tmp_path):
    (tmp_path / "captures").mkdir()
    for number in range(RECORDINGS + 2):
        (tmp_path / "captures" / f"{number:02}.pcap").write_bytes(pcaps.busy_link(3))
    done = winf("analyze", tmp_path / "captures", "--controllers", "none", "-o", tmp_path / "out")
    described = [name for name in (f"{number:02}.pcap" for number in range(RECORDINGS + 2)) if name in done.stdout]
    assert len(described) == RECORDINGS, done.stderr
    assert f"2 more recordings; `winf info {tmp_path / 'out' / 'run.winf'}` describes all" in done.stdout


def test_it_goes_on_where_the_disk_refused_the_report(tmp_path, monkeypatch):
    """The page may be there, and not be on the disk."""
    capture = tmp_path / "a.pcap"
    capture.write_bytes(pcaps.busy_link(3))
    written = pipeline.report

    def refused(dataset, page, **options):
        written(dataset, page, **options)
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(pipeline, "report", refused)
    with pytest.raises(OSError, match="Input/output"):
        winf_analyzer.analyze([capture], tmp_path / "out", controllers=[])
    monkeypatch.setattr(pipeline, "report", written)
    assert winf_analyzer.analyze([capture], tmp_path / "out", controllers=[]).resumed
