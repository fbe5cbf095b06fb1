"""Link emulators: what `mm-link` and `tc` are given adds up to the recorded rates."""

from __future__ import annotations

import subprocess

import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._export.links import LONGEST_NAME, MSDU_BYTES, LinkModel, Step, file_names, link_models
from winf_analyzer._export.mahimahi import deliveries


def model(*steps: Step) -> LinkModel:
    return LinkModel("run.pcap", "a", "b", 1e6, list(steps), None, None)


def test_a_line_per_packet_at_the_rate():
    at_12_packets_a_second = model(Step(0, 10**9, 12 * MSDU_BYTES * 8, known=True))
    assert list(deliveries(at_12_packets_a_second)) == [round(1000 * (n + 1) / 12) for n in range(12)]


def test_credit_is_carried_from_window_to_window():
    half_a_packet = Step(0, 10**8, MSDU_BYTES * 8 * 5, known=True)
    steps = [Step(n * 10**8, 10**8, half_a_packet.rate_bps, known=True) for n in range(10)]
    assert list(deliveries(model(*steps))) == [200, 400, 600, 800, 1000]


def test_nothing_is_delivered_at_rate_0():
    assert list(deliveries(model(Step(0, 10**9, 0.0, known=True)))) == []


def test_every_link_has_a_file_of_its_own():
    long, ends = "x" * 300, ("02:00:00:00:00:01", "02:00:00:00:00:02")
    links = [(long, *ends), (long, *reversed(ends)), ("büro", *ends), ("bäro", *ends), ("b_ro", *ends), ("B_ro", *ends)]
    names = list(file_names(LinkModel(*link, 1e6, [], None, None) for link in links))
    there, back = "_02-00-00-00-00-01_02-00-00-00-00-02", "_02-00-00-00-00-02_02-00-00-00-00-01"
    cut = "x" * (LONGEST_NAME - len(there))
    ours = [f"b_ro{there}", f"b_ro{there}-2", f"b_ro{there}-3", f"B_ro{there}-4"]
    assert names == [cut + there, cut + back, *ours]


@pytest.fixture(scope="module")
def models(demo_dataset):
    return link_models(demo_dataset)


def test_models_cover_the_recording_with_the_recommended_rates(models, demo_dataset):
    answers = demo_dataset.scan("recommended").collect()
    whole = answers.filter(pl.col("whole") & (pl.col("available_bps") > 0))
    assert {(each.sender, each.receiver) for each in models} == set(whole.select("sender", "receiver").iter_rows())
    for each in models:
        (length_ns,) = whole.filter(sender=each.sender, receiver=each.receiver)["window_ns"]
        assert sum(step.length_ns for step in each.steps) == length_ns
        assert [step.start_ns for step in each.steps[1:]] == [s.start_ns + s.length_ns for s in each.steps[:-1]]
        own = answers.filter(~pl.col("whole"), sender=each.sender, receiver=each.receiver)
        rates = set((own["available_bps"] + own["own_bps"]).drop_nulls())
        assert {step.rate_bps for step in each.steps if step.known} <= rates
        assert 0 < each.unknown_share < 1


def test_mahimahi_traces_have_the_packets_of_the_rates(models, demo_dataset, tmp_path):
    exported = winf_analyzer.export(demo_dataset, tmp_path / "traces", to="mahimahi")
    for each in models:
        lines = (tmp_path / "traces" / f"{each.file_name}.trace").read_text().split()
        times = list(map(int, lines))
        assert times == sorted(times)
        assert min(times) >= 1
        bits = sum(step.rate_bps * step.length_ns / 1e9 for step in each.steps)
        assert len(times) == pytest.approx(bits / 8 / MSDU_BYTES, abs=1)
        assert any(f"{each.sender} > {each.receiver}" in note for note in exported.notes)


def test_the_netem_script_runs_its_steps(models, demo_dataset, tmp_path):
    """With `tc` and `sleep` that only say how they were called."""
    script = tmp_path / "link.sh"
    winf_analyzer.export(demo_dataset, script, to="netem")
    for name in ("tc", "sleep"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (tmp_path / name).chmod(0o755)
    for number, each in enumerate(models, 1):
        path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
        run = subprocess.run(["sh", script, str(number), "eth0"], env=path, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        calls = run.stdout.splitlines()
        slept = [float(call.split()[1]) for call in calls if call.startswith("sleep")]
        assert slept == pytest.approx([step.length_ns / 1e9 for step in each.steps])
        rates = [call.split(" rate ")[1].split()[0] for call in calls if " replace " in call]
        assert rates == [f"{round(step.rate_bps)}bit" for step in each.steps]
        assert calls[-1] == "tc qdisc del dev eth0 root"
    usage = subprocess.run(["sh", script], capture_output=True, text=True)
    assert usage.returncode == 2
    assert all(f"{each.sender} > {each.receiver}" in usage.stderr for each in models)


def test_an_estimate_is_needed(replay_dataset, tmp_path):
    with pytest.raises(winf_analyzer.UnusableInput, match="run `winf estimate"):
        winf_analyzer.export(replay_dataset, tmp_path / "traces", to="mahimahi")
    assert list(tmp_path.iterdir()) == []
