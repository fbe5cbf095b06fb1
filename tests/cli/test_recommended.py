"""The recommended answers as a user sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pcaps
import pytest
from air import Air
from folders import ROOT
from program import Winf

import winf_analyzer
from winf_analyzer._recommended.summary import best_answers


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory, demo_dataset: winf_analyzer.Dataset) -> Path:
    """A copy of the demo dataset that tests may estimate again."""
    import shutil

    folder = tmp_path_factory.mktemp("copy") / "run.winf"
    shutil.copytree(demo_dataset.path, folder)
    return folder


def test_estimate_prints_the_answers_first_and_says_what_the_reasons_mean(winf: Winf, dataset: Path) -> None:
    done = winf("estimate", dataset, "--estimators", "rt_winf")
    assert done.returncode == 0
    assert done.stdout.startswith("Recommended, for the whole recording")
    assert "00:00:00:00:00:02 > 00:00:00:00:00:01" in done.stdout
    assert "one_sample: no estimate. Only one data frame of the link was answered" in done.stdout
    assert done.stdout.index("Recommended") < done.stdout.index("Medians over the windows")


def test_other_estimators_are_an_option_away(winf: Winf, dataset: Path) -> None:
    few = winf("estimate", dataset)
    every = winf("estimate", dataset, "--all")
    assert "rt_winf" not in few.stdout
    assert "--all" in few.stderr
    assert every.stdout.startswith(few.stdout.rstrip()[:200])
    assert "rt_winf" in every.stdout


def test_the_table_in_other_formats(winf: Winf, dataset: Path) -> None:
    rows = json.loads(winf("estimate", dataset, "--recommended", "--to", "json").stdout)
    whole = [row for row in rows if row["whole"]]
    assert {"available_tcp_bps", "grade", "reasons", "missed_share"} <= rows[0].keys()
    assert len({(row["sender"], row["receiver"]) for row in whole}) == len(whole)
    estimates = json.loads(winf("estimate", dataset, "--to", "json").stdout)
    assert "idle_ratio" in estimates[0]


def test_answers_do_not_depend_on_windows_or_estimators_asked_for(winf: Winf, dataset: Path) -> None:
    def table(*options: str) -> list[dict[str, object]]:
        rows = json.loads(winf("estimate", dataset, *options, "--recommended", "--to", "json").stdout)
        return [row for row in rows if options[-1] != "250ms" or row["whole"]]

    usual = table("--window", "1s")
    assert table("--estimators", "rt_winf", "--mode", "paper") == usual
    assert table("--step", "100ms") == usual
    assert table("--window", "250ms") == [row for row in usual if row["whole"]]


def test_nor_where_the_load_changes(winf: Winf, tmp_path: Path) -> None:
    """A light link, and three seconds later a busy neighbour."""
    point, busy, light = (f"02:00:00:00:00:{number:02x}" for number in (1, 2, 3))
    air, number, numbers = Air(), 0, {busy: 0, light: 0}
    while air.now_us < 7_000_000:
        number += 1
        sender = light if number % 10 == 0 else busy
        numbers[sender] += 1
        air.exchange(sender, point, point, seq=numbers[sender])
        if air.now_us < 4_000_000:
            air.until(air.now_us - 1_000_000 + 20_000)
    (tmp_path / "changing.pcap").write_bytes(air.capture())
    winf("ingest", tmp_path / "changing.pcap", "-o", tmp_path / "run.winf")

    def whole(*options: str) -> list[dict[str, object]]:
        done = winf("estimate", tmp_path / "run.winf", *options, "--recommended", "--to", "json")
        return [row for row in json.loads(done.stdout) if row["whole"]]

    usual = whole("--estimators", "saturation")
    assert "load_changes" in str(next(row["reasons"] for row in usual if row["sender"] == light))
    for window in ("250ms", "2s", "10s"):
        assert whole("--estimators", "saturation", "--window", window) == usual
    assert whole("--estimators", "saturation", "--step", "500ms") == usual


def test_replays_begin_with_what_the_recording_says_of_their_links(winf: Winf, dataset: Path) -> None:
    done = winf("replay", dataset, "--controllers", "new_reno", "--transfers", "--duration", "200ms")
    assert done.returncode == 0
    assert "recorded link 00:00:00:00:00:02 > 00:00:00:00:00:01: available" in done.stderr
    assert "grade fair. The sender changes its rate" in done.stderr


@pytest.mark.parametrize(
    ("records", "why"),
    [
        (
            [(0, pcaps.radiotap(pcaps.beacon("02:00:00:00:00:01", b"x"), tsft_us=1000))],
            "group-addressed frames",
        ),
        ([(0, pcaps.radiotap(pcaps.ack("02:00:00:00:00:01"), tsft_us=1000))], "CTS and ACK without the frames"),
    ],
)
def test_without_an_estimate_a_sentence_says_why(
    winf: Winf, tmp_path: Path, records: list[tuple[int, bytes]], why: str
) -> None:
    (tmp_path / "few.pcap").write_bytes(pcaps.pcap(records * 5))
    winf("ingest", tmp_path / "few.pcap", "-o", tmp_path / "run.winf")
    done = winf("estimate", tmp_path / "run.winf")
    assert done.returncode == 0
    assert "No estimate: No data frame between two known stations was recorded." in done.stdout
    assert why in done.stdout


def test_of_a_pair_that_may_not_be_alone_the_bounds_are_printed(winf: Winf, tmp_path: Path) -> None:
    """Two seconds of a light pair: nothing bounds what stations send beside it that it does not hear."""
    winf("ingest", ROOT / "tests/data/saturation/lone_pair.pcap.gz", "-o", tmp_path / "run.winf")
    done = winf("estimate", tmp_path / "run.winf", "--mode", "corrected", "--estimators", "saturation")
    assert "others_unbounded: bounds, and no estimate between them." in done.stdout
    assert "No estimate: " not in done.stdout
    rows = winf_analyzer.Dataset.open(tmp_path / "run.winf").scan("recommended").filter("whole").collect()
    low, high, value = (rows[f"available_{end}bps"].item() for end in ("low_", "high_", ""))
    assert value is None
    assert f"{low / 1e6:.3f}" in done.stdout
    assert f"{high / 1e6:.3f}" in done.stdout


def test_one_answered_frame_is_no_estimate(winf: Winf, tmp_path: Path) -> None:
    (tmp_path / "one.pcap").write_bytes(pcaps.pcap(pcaps.exchange(1000)))
    winf("ingest", tmp_path / "one.pcap", "-o", tmp_path / "run.winf")
    done = winf("estimate", tmp_path / "run.winf")
    assert "one sample is not an estimate" in done.stdout
    assert "No estimate: " in done.stdout


def test_other_estimators_keep_their_rows(winf: Winf, dataset: Path) -> None:
    def names() -> set[str]:
        return set(winf_analyzer.Dataset.open(dataset).scan("estimates").collect()["estimator"])

    assert winf("estimate", dataset, "--again").returncode == 0
    every = names()
    kept = winf("estimate", dataset, "--estimators", "rt_winf", "--mode", "paper", "--again")
    assert names() == every
    assert "are gone" not in kept.stderr
    dropped = winf("estimate", dataset, "--estimators", "rt_winf", "--window", "2s")
    assert names() == {"rt_winf"}
    assert "were of other windows or settings and are gone" in dropped.stderr


def test_many_links_without_an_answer_are_one_line(winf: Winf, tmp_path: Path) -> None:
    """Two stations with answered data, and twelve whose single frame was not answered."""
    air = Air()
    for number in range(60):
        air.exchange("02:00:00:00:00:0a", "02:00:00:00:00:01", "02:00:00:00:00:01", seq=number)
        air.wait(2_000)
    for place in range(12):
        air.exchange(f"02:00:00:00:01:{place:02x}", "02:00:00:00:00:01", "02:00:00:00:00:01", answered=False)
        air.wait(2_000)
    (tmp_path / "many.pcap").write_bytes(air.capture())
    winf("ingest", tmp_path / "many.pcap", "-o", tmp_path / "run.winf")
    lines = winf("estimate", tmp_path / "run.winf").stdout.splitlines()
    links = [line for line in lines if " > " in line]
    assert [line.split()[:3] for line in links] == [["02:00:00:00:00:0a", ">", "02:00:00:00:00:01"]]
    assert "12 links have no estimate (no_sample 12); `winf estimate --recommended --to csv` prints them." in lines
    assert any(line.startswith("no_sample: no estimate.") for line in lines)


def test_links_with_an_answer_come_first(dataset: Path) -> None:
    """Where there are few without, each has its row."""
    best = best_answers(winf_analyzer.Dataset.open(dataset).scan("recommended"))
    assert best["available_bps"].is_null().is_sorted()
    assert best["available_bps"].is_null().any()
