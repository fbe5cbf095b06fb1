"""Nobody delivers at the rate of the PHY."""

from __future__ import annotations

import polars as pl
import pytest

from winf_analyzer._mac.presets import PRESETS
from winf_analyzer._recommended.evidence import ceiling_bps


def ceiling(phy: str | None, mbps: float | None, octets: int, *, mpdus: int = 10, payload: int | None = None) -> float:
    row = {"phy": [phy], "rate_max_mbps": [mbps], "mpdus": [mpdus], "samples": [10]}
    known = {"phy": pl.String, "rate_max_mbps": pl.Float64}
    bits = pl.lit(8.0 * (payload or octets)), pl.lit(8.0 * octets)
    return pl.DataFrame(row, schema_overrides=known).select(ceiling_bps(*bits)).item()


@pytest.mark.parametrize(
    ("phy", "preset", "mbps"),
    [("erp", "erp", 54.0), ("ofdm", "ofdm", 6.0), ("hr_dsss", "hr_dsss", 11.0), ("dsss", "dsss", 1.0)],
)
@pytest.mark.parametrize("octets", [60, 1508])
def test_single_frames_stay_below_it_and_not_far(phy, preset, mbps, octets):
    """A sender that waits DIFS and no backoff, with an answer at a basic rate, gets less; but more than half of it."""
    mac = PRESETS[preset]
    exchange_us = mac.difs_us + mac.plcp_us + 8 * (octets + 28) / mbps + mac.sifs_us + mac.ack_us
    delivered = 8e6 * octets / exchange_us
    assert 0.45 < delivered / ceiling(phy, mbps, octets) < 1
    assert ceiling(phy, mbps, octets) < mbps * 1e6


@pytest.mark.parametrize(("phy", "mbps"), [("he", 648.5), ("ht", 65.0), ("vht", 292.5)])
def test_aggregates_stay_below_it_and_close(phy, mbps):
    """As many MPDUs as aPPDUMaxTime holds, preamble, SIFS, BlockAck at 24 Mb/s and DIFS."""
    mpdus = int(5484 * mbps / (8 * 1544))
    exchange_us = 34 + 44 + mpdus * 8 * 1544 / mbps + 16 + 32
    delivered = mpdus * 8e6 * 1508 / exchange_us
    assert 0.94 < delivered / ceiling(phy, mbps, 1508) < 1
    assert ceiling(phy, mbps, 1508) < 0.99e6 * mbps * 1508 / 1522, (
        "a preamble and an answer are one percent of the longest PPDU"
    )
    assert ceiling(phy, mbps, 1508, payload=1448) == pytest.approx(ceiling(phy, mbps, 1508) * 1448 / 1508)


def test_who_may_aggregate_is_not_held_to_single_frames():
    single = ceiling("ofdm", 54.0, 100)
    assert ceiling("ofdm", 54.0, 100, mpdus=20) > 1.5 * single, "it was seen to aggregate"
    assert ceiling("ofdm", 52.0, 100) > 1.5 * single, "a rate of HT: of several PHYs one is told"
    assert ceiling(None, 54.0, 100) > 1.5 * single
    assert ceiling("ht", None, 100) is None
