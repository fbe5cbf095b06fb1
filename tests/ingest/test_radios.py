"""Two radios in one capture: rows of each under a name of its own, as if it had been recorded alone."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pcaps
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._sql.named_queries import named_query

ONE, OTHER = "two.pcapng", "two.pcapng#1"
EXCHANGES = 150


def with_mac_clock() -> list[tuple[int, bytes]]:
    """A link on 2412 MHz; the MAC clock marks where frames begin, the host's is late."""
    exchanges = (pcaps.exchange(1_000_000 + 10_000 * number, seq=number) for number in range(EXCHANGES))
    return [(ns + 70_000, octets) for exchange in exchanges for ns, octets in exchange]


def without_mac_clock() -> list[tuple[int, bytes]]:
    """A link on 5180 MHz at 6 Mb/s, five seconds ahead; the host's clock marks where frames end."""
    records = []
    for number in range(EXCHANGES):
        frame = pcaps.data(pcaps.AP, pcaps.STATION, 1000, seq=7 * number % 4096, duration_us=60)
        start_us = 6_000_000 + 10_000 * number
        end_us = start_us + 20 + 4 * math.ceil((22 + 8 * (len(frame) + 4)) / 24)
        for octets, ns in ((frame, end_us * 1000), (pcaps.ack(pcaps.STATION), (end_us + 16 + 44) * 1000)):
            records.append((ns, pcaps.radiotap(octets, tsft_us=None, rate_mbps=6, channel_mhz=5180)))
    return records


def write(path: Path, *radios: list[tuple[int, bytes]]) -> Path:
    """A capture of radios that took turns."""
    turns = [(number, *record) for records in zip(*radios, strict=True) for number, record in enumerate(records)]
    path.write_bytes(pcaps.pcapng([f"wlan{number}" for number in range(len(radios))], turns))
    return path


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    return write(tmp_path / "two.pcapng", with_mac_clock(), without_mac_clock())


def rows(stream: object) -> pl.DataFrame:
    return pl.DataFrame(stream).with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))


@pytest.mark.parametrize("decoder", ["native", "tshark"])
def test_each_radio_has_the_rows_it_would_have_alone(capture, tmp_path, decoder):
    if shutil.which("tshark") is None and decoder == "tshark":
        pytest.skip("tshark is not installed")
    for source, records in ((ONE, with_mac_clock()), (OTHER, without_mac_clock())):
        alone = write(tmp_path / "alone.pcapng", records)
        for read in (winf_analyzer.read_frames, winf_analyzer.read_exchanges):
            both = rows(read(capture, decoder=decoder)).filter(pl.col("source") == source)
            expected = rows(read(alone)).drop("source", "frame_no", strict=False)
            assert expected.height >= EXCHANGES
            assert both.drop("source", "frame_no", strict=False).equals(expected, null_equal=True), (source, read)


def test_the_dataset_tells_them_apart(capture, tmp_path):
    dataset = winf_analyzer.ingest([capture], tmp_path / "run.winf")
    frames = dataset.scan("frames").collect()
    assert sorted(frames["frame_no"]) == list(range(1, 4 * EXCHANGES + 1)), "numbers are the file's"
    channels = dict(frames.group_by("source").agg(pl.col("channel_mhz").unique()).iter_rows())
    assert channels == {ONE: [2412], OTHER: [5180]}
    [entry] = dataset.metadata["inputs"]
    [other] = entry["other_radios"]
    assert (entry["source"], entry["counts"]["frames"], entry["timed_by_host"]) == (ONE, 4 * EXCHANGES, 0)
    assert (other["radio"], other["frames"], other["timed_by_mac"]) == (1, 2 * EXCHANGES, 0)
    assert {group["convention"] for group in entry["clock"]} != {group["convention"] for group in other["clock"]}
    told = dataset.scan("warnings").filter(pl.col("code") == "several_interfaces").collect()
    assert told["source"].to_list() == [ONE]
    missed = winf_analyzer.sql(dataset, named_query("completeness"))
    assert sorted(missed["source"].unique()) == [ONE, OTHER]
    gaps = {source: missed.filter(pl.col("source") == source)["heard"].sum() for source in (ONE, OTHER)}
    assert gaps == {ONE: EXCHANGES, OTHER: EXCHANGES}


def test_estimates_do_not_mix_the_channels(capture, tmp_path):
    def estimates(path: Path, folder: str) -> pl.DataFrame:
        found = winf_analyzer.estimate(winf_analyzer.ingest([path], tmp_path / folder), window="500ms")
        return found.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))

    both = estimates(capture, "both.winf")
    for source, records in ((ONE, with_mac_clock()), (OTHER, without_mac_clock())):
        alone = estimates(write(tmp_path / "alone.pcapng", records), f"{source}.winf").drop("source")
        order = ["estimator", "mode", "node", "peer", "state", "window_start_ns"]
        found = both.filter(pl.col("source") == source).drop("source")
        measures = ["capacity_bps", "available_bps", "idle_ratio", "exchanges"]
        assert (
            found.sort(order)
            .select(order + measures)
            .equals(alone.sort(order).select(order + measures), null_equal=True)
        ), source


def test_info_is_one_screen_with_a_clock_per_radio(winf, capture):
    result = winf("info", capture)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("recorded by") == 2
    lines = [line.split(maxsplit=1) for line in result.stdout.splitlines()]
    clocks = [line[1] for line in lines if line and line[0] == "clock"]
    assert [clock.split(",")[0].strip() for clock in clocks] == ["the MAC's", "the host's"]
    assert f"{OTHER}: {2 * EXCHANGES} (50.0 %) of the frames" in result.stdout


def heard_by_another() -> list[tuple[int, bytes]]:
    """The frames of `with_mac_clock` as a second sniffer heard them: 40 dB weaker, 3 s ahead, 20 ppm fast."""
    exchanges = [pcaps.exchange(1_000_000 + 10_000 * number, seq=number) for number in range(EXCHANGES)]
    frames = []
    for ns, octets in (record for exchange in exchanges for record in exchange):
        own_us = round(ns / 1e3 * (1 + 20e-6)) + 3_000_000
        weak = pcaps.retimed(octets, own_us, signal_dbm=-80)
        frames.append((own_us * 1000 + 70_000, weak))
    return frames


def test_merge_takes_every_radio_for_a_sniffer(tmp_path):
    """Two radios of one capture heard the same channel, a third another one, and a second capture the first again."""
    radios = (with_mac_clock(), heard_by_another(), without_mac_clock())
    capture = write(tmp_path / "three.pcapng", *radios)
    (tmp_path / "other.pcap").write_bytes(pcaps.pcap(heard_by_another()))
    dataset = winf_analyzer.merge([capture, tmp_path / "other.pcap"], tmp_path / "run.winf")
    assert dataset.scan("frames").collect().height == 2 * EXCHANGES
    assert dataset.scan("frames").collect()["source"].unique().to_list() == ["merged"]
    hearings = dataset.scan("hearings").collect().with_columns(pl.col("source").cast(pl.String))
    counts = dict(hearings.group_by("source").len().iter_rows())
    assert counts == dict.fromkeys(["three.pcapng", "three.pcapng#1", "other.pcap"], 2 * EXCHANGES)
    first, second = dataset.metadata["inputs"]
    drifts = [first["alignment"]["drift_ppm"], first["other_radios"][0]["alignment"]["drift_ppm"]]
    assert drifts == pytest.approx([0, 20], abs=1.0)
    assert first["other_radios"][0]["alignment"]["offset_us"] == pytest.approx(3_000_020, abs=2)
    assert second["alignment"]["drift_ppm"] == pytest.approx(20, abs=1.0)
    [left_out] = dataset.metadata["skipped"]
    assert "three.pcapng#2: shares too few frames" in left_out["reason"]


def test_merge_of_one_file_with_two_radios(winf, tmp_path):
    capture = write(tmp_path / "two.pcapng", with_mac_clock(), heard_by_another())
    result = winf("merge", capture, "-o", tmp_path / "run.winf")
    assert result.returncode == 0, result.stderr
    assert f"{2 * EXCHANGES} transmissions" in result.stdout
    assert "two.pcapng#1" in result.stdout
    alone = write(tmp_path / "alone.pcapng", with_mac_clock())
    result = winf("merge", alone, "-o", tmp_path / "none.winf")
    assert result.returncode == 4, result.stderr
    assert "a merge needs at least two recordings or radios" in " ".join(result.stderr.split())
