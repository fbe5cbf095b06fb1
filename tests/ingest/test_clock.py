"""What `winf info` says about the clocks of recordings."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from folders import SAMPLES
from pcaps import AP, STATION, ack, data, exchange, pcap, radiotap
from rewriting import reclocked, records, write

import winf_analyzer
from winf_analyzer._ingest.description import describe

EXCHANGES, EVERY_US = 600, 20_000


def recording(path: Path, host_us, mac_us) -> dict:
    """Facts about a link whose frames the two clocks stamp with functions of the true time in us."""
    frames = []
    for number in range(EXCHANGES):
        for ns, octets in exchange(1_000_000 + number * EVERY_US, seq=number):
            tsft = round(mac_us(ns // 1000)) % 2**64
            frames.append((round(host_us(ns // 1000)) * 1000, octets[:8] + tsft.to_bytes(8, "little") + octets[16:]))
    path.write_bytes(pcap(frames))
    return winf_analyzer.info([path])[0]


def late(us: int) -> int:
    """A host stamps a frame when its software gets round to it."""
    return us + us * 7919 % 400


def test_drift_is_reported_with_its_error(tmp_path):
    facts = recording(tmp_path / "a.pcap", late, lambda us: us * (1 + 35e-6) + 5_000_000)
    assert facts["clock_drift_ppm"] == pytest.approx(35, abs=4 * facts["clock_drift_error_ppm"] + 0.5)
    assert 0 < facts["clock_drift_error_ppm"] < 3
    assert (facts["timed_by_mac"], facts["timed_by_host"]) == (2 * EXCHANGES, 0)
    assert "drift against the host's +3" in dict(describe(facts))["clock"]


@pytest.mark.parametrize(
    ("host", "mac", "counted", "warning"),
    [
        (late, lambda us: (us + 2**32 - 5_000_003) % 2**32, "clock_wraps", None),
        (late, lambda us: us if us < 5_000_000 else us + 77_000_000, "clock_jumps", "clock_jump"),
        (
            lambda us: late(us) + (3_600_000_000 if us > 5_000_000 else 0),
            lambda us: us + 9,
            "host_clock_jumps",
            "host_clock_jump",
        ),
    ],
    ids=["32 bits", "reset", "host set"],
)
def test_each_fault_is_counted_and_durations_stay_right(host, mac, counted, warning, tmp_path):
    facts = recording(tmp_path / "a.pcap", host, mac)
    assert facts[counted] == 1
    assert [entry["code"] for entry in facts["warnings"]] == ([warning] if warning else [])
    dataset = winf_analyzer.ingest([tmp_path / "a.pcap"], tmp_path / "run.winf")
    exchanges = dataset.scan("exchanges").sort("exchange_no").collect()
    assert exchanges.height == EXCHANGES
    assert exchanges["complete"].all()
    steps_us = exchanges["start_ns"].diff().drop_nulls() / 1000
    wrong = steps_us.filter((steps_us - EVERY_US).abs() > 10)
    assert len(wrong) <= (1 if counted == "clock_jumps" else 0), wrong


@pytest.mark.parametrize("mac", [lambda _: 0, lambda _: 123_456_789], ids=["zero", "still"])
def test_a_mac_clock_that_does_not_run_is_not_used(mac, tmp_path):
    facts = recording(tmp_path / "a.pcap", lambda us: us, mac)
    assert facts["timed_by_host"] >= 2 * EXCHANGES - 12
    assert facts["clock_drift_ppm"] is None
    assert facts["counts"]["complete_exchanges"] >= EXCHANGES - 6


def test_sent_frames_that_are_stamped_after_their_answers_have_no_start(tmp_path):
    """A driver stamps what its radio sent when it hears that it was sent; the answers of others are stamped right."""
    frames = []
    for number in range(30):
        sent_us = 1_000_000 + number * EVERY_US
        sent = radiotap(data(AP, STATION, 500, seq=number), tsft_us=sent_us + 1200, signal_dbm=None)
        frames += [(sent_us * 1000, sent), ((sent_us + 900) * 1000, radiotap(ack(STATION), tsft_us=sent_us + 900))]
        heard = data(STATION, AP, 500, seq=number)
        frames += [((sent_us + 5000) * 1000, radiotap(heard, tsft_us=sent_us + 5000))]
    capture = tmp_path / "own.pcap"
    capture.write_bytes(pcap(frames))
    (facts,) = winf_analyzer.info([capture])
    assert facts["observer"] == STATION
    stamps = [text for name, text in describe(facts) if name == "time stamps" and text.startswith("sent")]
    assert stamps == ["sent hr_dsss frames: none (answers to them are stamped before them)"]
    rows = pl.DataFrame(winf_analyzer.read_frames(capture))
    assert rows.filter(pl.col("direction") == "tx")["start_ns"].null_count() == 30
    assert rows.filter(pl.col("direction") == "rx")["start_ns"].null_count() == 0


def stretched(recording: Path, by: float, to: Path) -> winf_analyzer.Dataset:
    """The dataset of a sample whose recorder's clocks run so much faster, and began at another time."""
    frames = list(records(SAMPLES / recording))
    write(to / "a.pcap", reclocked(frames, lambda ns: 10**12 + round(ns * by)))
    return winf_analyzer.ingest([to / "a.pcap"], to / "run.winf")


@pytest.mark.parametrize(
    ("recording", "by", "told"),
    [
        ("ns3_sniffer/recording/sniffer.pcap", 1.005, "0.50 % too fast, as the beacons of a station show"),
        ("ns3_sniffer/recording/sniffer.pcap", 0.98, "2.00 % too slow, as the beacons of a station show"),
        ("ns3_sniffer/recording/sniffer.pcap", 1.1, "10.00 % too fast, as the beacons of a station show"),
        ("ns3_ht/recording/node-0.pcap", 1.02, "too fast, as the time from frames to their 147 answers shows"),
    ],
)
def test_a_clock_that_runs_at_another_speed_is_corrected(recording, by, told, tmp_path):
    for name in ("as_is", "off"):
        (tmp_path / name).mkdir()
    as_is, off = (stretched(recording, speed, tmp_path / name) for name, speed in (("as_is", 1), ("off", by)))
    assert as_is.scan("warnings").collect().is_empty()
    (warning,) = off.scan("warnings").collect()["message"]
    assert told in warning
    checks = off.scan("audit").filter(pl.col("check").is_in(["sifs", "clock_speed"])).collect()
    assert set(checks["verdict"]) == {"good"}
    ends = [dataset.scan("frames").sort("frame_no").collect()["end_ns"] for dataset in (as_is, off)]
    elapsed, corrected = (times - times[0] for times in ends)
    assert (corrected / elapsed)[-1] == pytest.approx(1, abs=5e-4)
    idle = [
        dataset.scan("exchanges").select(pl.col("idle_before_us").median()).collect().item() for dataset in (as_is, off)
    ]
    assert idle[0] == pytest.approx(idle[1], rel=0.02)
