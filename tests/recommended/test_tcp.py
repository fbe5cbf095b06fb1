"""TCP goodput beside what a saturating flow gets."""

import polars as pl
import pytest

from winf_analyzer._recommended.tcp import goodput

LIGHT_HT = {
    "capacity_bps": 58e6,
    "available_bps": 30e6,
    "available_low_bps": 28e6,
    "available_high_bps": 32e6,
    "own_bps": 2.5e6,
    "bits": 1000 * 12_064.0,
    "mpdus": 1000.0,
    "psdu_bits": 1000 * 12_304.0,
    "psdu_us": 1000 * 189.3,
    "data_us": 1000 * 225.0,
    "samples": 1000,
    "rts": 0,
    "ack_us": 1000 * 32.0,
    "answers": 1000,
    "rts_cts_us": None,
    "handshakes": 0,
    "rate_max_mbps": 65.0,
    "phy": "ht",
    "channel_mhz": 5180,
}
"""A link of 65 Mb/s that sent single frames, whose backlogged sender would aggregate."""


def ratio(**changed: object) -> float:
    """TCP goodput over the saturating flow's."""
    rows = pl.DataFrame([LIGHT_HT | changed], schema_overrides={"rts_cts_us": pl.Float64})
    return float(goodput(rows).select(pl.col("available_tcp_bps") / pl.col("available_bps")).item())


def test_the_acks_to_a_sender_that_would_aggregate_travel_together_though_its_light_traffic_does_not() -> None:
    assert ratio() > 0.8
    assert ratio(mpdus=2000.0, bits=2000 * 12_064.0) == pytest.approx(ratio())


def test_acks_collide_with_whole_aggregates_but_with_an_rts_alone() -> None:
    protected = {"rts": 1000, "rts_cts_us": 1000 * 60.0, "handshakes": 1000}
    assert ratio(**protected) > ratio() + 0.05


@pytest.mark.parametrize(("octets", "more"), [(1508, False), (140, True)])
def test_full_segments_deliver_more_than_short_packets(octets: int, more: bool) -> None:
    sizes = {"bits": 1000 * 8.0 * octets, "capacity_bps": 58e6 * octets / 1508}
    assert (ratio(**sizes) > 1) == more
