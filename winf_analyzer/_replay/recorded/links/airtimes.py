"""Airtimes of data frames on each link, by packet size.

Sizes have rates of their own: rate control sends TCP's acknowledgements at other rates than its data, and repeats at
lower ones. So each size has the mean over its own attempts, which is the mean over its pairs of size and rate; a line
through all of them would give small packets the rate of large ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._replay.recorded import views

MAX_SIZES = 12
"""Sizes with most attempts that a link's airtimes are given for."""

MIN_SHARE = 0.01
"""Least share of a link's attempts that a size has for an airtime of its own."""

SMALLEST_BYTES, LARGEST_BYTES = 20, 2304
"""Sizes up to which a link's airtimes are extended: an IP header, and the largest MSDU (IEEE 802.11-2020, 9.2.4.8)."""


class SizeAirtime(NamedTuple):
    """Airtime of the packets of one size."""

    packet_bytes: int
    airtime_us: float
    """Mean over the attempts."""
    error_us: float
    """Standard error of that mean."""
    rate_mbps: float
    """Mean rate in time: bits over the time that they take."""
    attempts: int


def size_airtimes(
    exchanges: pl.LazyFrame, view: pl.DataFrame, overhead_us: float = 0.0
) -> dict[tuple[str, str], list[SizeAirtime]]:
    """The airtimes of each link of ``view``, by size, smallest first.

    Sizes are those of packets, headers of the MAC left out; of an A-MPDU that of its mean packet, which has its share
    of the airtime, and ``overhead_us`` as if it were alone. A CTS-to-self counts as airtime.

    Args:
        exchanges: the ``exchanges`` table.
        view: from :func:`.views.links`.
        overhead_us: airtime of a PPDU besides its MPDUs, where the engine sends A-MPDUs.
    """
    air, rate = pl.col("air_us"), pl.col("rate_mbps")
    pairs = (
        attempts(exchanges, view, overhead_us)
        .group_by("sender", "receiver", "size")
        .agg(
            attempts=pl.len(),
            airtime_us=air.mean(),
            deviation_us=air.std(),
            slowness=(1 / rate.filter(rate > 0)).mean(),
        )
        .collect(engine="streaming")
        .sort("sender", "receiver", "attempts", "size", descending=[False, False, True, False])
    )
    found: dict[tuple[str, str], list[SizeAirtime]] = {}
    for (sender, receiver), rows in pairs.group_by("sender", "receiver", maintain_order=True):
        least = MIN_SHARE * int(rows["attempts"].sum())
        kept = [_of(row) for row in rows.iter_rows(named=True) if row["attempts"] >= least and row["slowness"]]
        found[str(sender), str(receiver)] = sorted(kept[:MAX_SIZES])
    return found


def attempts(exchanges: pl.LazyFrame, view: pl.DataFrame, overhead_us: float = 0.0) -> pl.LazyFrame:
    """The attempts on the links of ``view``, with the ``size`` of their packets and the airtime of one, ``air_us``."""
    mpdus = pl.col("mpdus").clip(lower_bound=1)
    protection = pl.when(pl.col("kind") == "cts_self").then((pl.col("data_start_ns") - pl.col("start_ns")) / 1e3)
    alone = pl.when(mpdus > 1).then(overhead_us).otherwise(0.0)
    return (
        views.of(exchanges.filter(pl.col("kind").is_in(views.UNICAST)), view)
        .with_columns(
            size=(pl.col("payload_bytes").replace(0, None) / mpdus).round().cast(pl.Int64),
            air_us=(pl.col("data_airtime_us") + pl.coalesce(protection, 0.0) - alone) / mpdus + alone,
        )
        .filter(pl.col("size") > 0, pl.col("air_us") > 0)
    )


def _of(row: dict[str, Any]) -> SizeAirtime:
    error = (row["deviation_us"] or 0.0) / row["attempts"] ** 0.5
    return SizeAirtime(row["size"], row["airtime_us"], error, 1 / row["slowness"], row["attempts"])


def points(airtimes: list[SizeAirtime]) -> list[dict[str, int]]:
    """Airtimes as the engine declares them: of each size, extended at both ends at the rate of the size there.

    The engine interpolates between sizes.
    """
    first, last = airtimes[0], airtimes[-1]
    line = [(size.packet_bytes, size.airtime_us) for size in airtimes]
    if first.packet_bytes > SMALLEST_BYTES:
        shorter = first.airtime_us - 8 * (first.packet_bytes - SMALLEST_BYTES) / first.rate_mbps
        line.insert(0, (SMALLEST_BYTES, max(1.0, shorter)))
    if last.packet_bytes < LARGEST_BYTES:
        line.append((LARGEST_BYTES, last.airtime_us + 8 * (LARGEST_BYTES - last.packet_bytes) / last.rate_mbps))
    return [{"packet_bytes": size, "airtime_ns": max(1, round(1e3 * airtime))} for size, airtime in line]


def relative_error(airtimes: list[SizeAirtime]) -> float:
    """Standard error of a link's airtime as a share of it, over all sizes by the time that they take."""
    total = sum(size.attempts * size.airtime_us for size in airtimes)
    return sum((size.attempts * size.error_us) ** 2 for size in airtimes) ** 0.5 / total if total else 0.0
