"""ns-3's ASCII trace against the captures of the same run: what each node did on the air comes out alike."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from folders import SAMPLES
from polars.testing import assert_frame_equal

import winf_analyzer

SAMPLE = SAMPLES / "ns3_trace"
TEXT = ("observer", "kind", "sender", "receiver", "flow", "phy")
NUMBERS = ("data_airtime_us", "payload_bytes", "complete", "attempt", "start_ns", "end_ns", "nav_rts_us", "backoff_us")


def exchanges(path: Path) -> pl.DataFrame:
    rows = pl.DataFrame(winf_analyzer.read_exchanges(path))
    # The decoder of captures takes no flow from ARP packets.
    flow = pl.when(~pl.col("flow").str.starts_with("arp")).then("flow").alias("flow")
    return rows.select(*(pl.col(name).cast(pl.String) for name in TEXT), *NUMBERS).with_columns(flow)


@pytest.mark.parametrize("node", [0, 1, 2])
def test_exchanges_are_those_of_the_captures(node):
    captured = exchanges(SAMPLE / "captures" / f"node-{node}.pcap")
    traced = exchanges(SAMPLE / "recording" / "tcp.tr")
    traced = traced.filter(pl.col("observer") == captured["observer"][0])
    assert captured.height > 30
    assert_frame_equal(traced, captured, abs_tol=2, rel_tol=0)  # ns, and us where ns-3 rounds airtimes up
