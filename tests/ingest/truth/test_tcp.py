"""TCP round-trip times and retransmissions that the queries find, against what TCP itself knew."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from folders import SAMPLES

import winf_analyzer
from winf_analyzer._sql.named_queries import question

SAMPLE = SAMPLES / "ns3_tcp"
SENDER = "00:00:00:00:00:01"


def ask(dataset: winf_analyzer.Dataset, name: str) -> pl.DataFrame:
    return winf_analyzer.sql(dataset, question(name))


def test_retransmissions_are_those_that_tcp_sent(tcp_dataset):
    sent = pl.read_csv(SAMPLE / "truth_segments.csv")
    (own,) = ask(tcp_dataset, "tcp_retransmissions").filter(pl.col("transmitter") == SENDER).to_dicts()
    # A segment that the sender's own full queue refused was never on the air.
    heard = winf_analyzer.sql(
        tcp_dataset,
        f"select distinct transport_seq, seq from frames where ta = '{SENDER}' and tcp_payload_bytes > 0",
    )
    refused = Counter(sent["seq"].to_list()) - Counter(heard["transport_seq"].to_list())
    assert own["segments"] == sent.height - refused.total()
    assert refused.total() <= 1
    assert own["retransmissions"] == own["segments"] - sent["seq"].n_unique()
    assert own["mac_retries"] > 0


def test_round_trips_are_no_longer_than_tcp_measured(tcp_dataset):
    """The capture sees a segment when it leaves the queue, TCP when it enters it."""
    measured = pl.read_csv(SAMPLE / "truth_rtt.csv")
    (found,) = ask(tcp_dataset, "tcp_rtt").to_dicts()
    assert found["flow"] == "tcp 10.0.0.1:49153 10.0.0.3:5001"
    assert found["sender"] == "10.0.0.1"
    sent_once = pl.read_csv(SAMPLE / "truth_segments.csv").group_by("seq").len().filter(pl.col("len") == 1)
    assert 0 <= found["samples"] - sent_once.height <= 1  # one that the queue refused was on the air once
    two_hops_ms = 2 * (1.3 + 0.5)  # of a segment and of an acknowledgment, without backoff
    assert two_hops_ms < found["rtt_min_ms"] <= measured["rtt_ns"].min() / 1e6


def test_headers_are_those_that_the_simulator_prints(tmp_path):
    """The ASCII trace and the captures of one run carry the same TCP headers."""
    columns = ["flow", "transport_seq", "tcp_ack", "tcp_window", "tcp_flags", "tcp_payload_bytes", "length_bytes"]

    def segments(path: Path) -> pl.DataFrame:
        frames = pl.DataFrame(winf_analyzer.read_frames(path)).filter(pl.col("tcp_flags").is_not_null())
        return frames.select(pl.col("observer", "direction", "ta", "flow").cast(pl.String), "seq", *columns[1:])

    trace = segments(SAMPLES / "ns3_trace" / "recording" / "tcp.tr")
    for capture in sorted((SAMPLES / "ns3_trace" / "captures").iterdir()):
        recorded = segments(capture)
        assert recorded.height > 10
        assert trace.filter(pl.col("observer") == recorded["observer"][0]).equals(recorded)


def test_ns2_segments_are_packets(tmp_path):
    dataset = winf_analyzer.ingest([SAMPLES / "ns2_wired" / "recording" / "tagged.tr"], tmp_path / "run.winf")
    (hop,) = ask(dataset, "tcp_retransmissions").to_dicts()
    assert (hop["transmitter"], hop["flow"]) == ("node-2", "tcp node-0:0 node-4194305:0")
    rtt = ask(dataset, "tcp_rtt")
    assert rtt["rtt_min_ms"].min() == pytest.approx(1.1, abs=0.1)
