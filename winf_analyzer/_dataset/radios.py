"""Which stations are one radio: an access point sends each of its networks under a BSSID of its own.

Two access points are one radio if their addresses are alike, if they announce on one channel, and if their TSF timers
run as one clock: vendors number the networks of a radio one after the other, and start their timers together. Timers
of different radios started at different times and drift apart. Addresses alone decide nothing, and what shares no
evidence stays apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

ADDRESSES = 32
"""BSSIDs of one radio are numbered within less than this, the first octet aside."""

STARTED_APART_US = 1_000_000
"""Timers of one radio start within this."""

DRIFT_PPM = 5.0
"""Drift between timers that is taken for noise; those of two radios may drift by 200 (IEEE 802.11-2020, 11.1.3.9)."""

MIN_SPAN_US = 2_000_000
"""Timers that were seen for less than this show no drift."""

MAX_TIMESTAMP_US = 1 << 52
"""140 years; more is damage, and no longer exact as a float."""

_TIMERS = """
select source, node, channel_mhz, median(ahead_us) as ahead_us,
    regr_slope(ahead_us, line_us) * 1e6 as drift_ppm, max(line_us) - min(line_us) as span_us
from (
    select source, ta as node, channel_mhz, line_us, beacon_tsf_us - line_us as ahead_us
    from (
        -- The timestamp is that of its own first bit, behind 24 octets of MAC header.
        select *, end_ns / 1000.0 - 8.0 * (length_bytes - 24) / rate_mbps as line_us
        from $frames
        -- Probe responses of some access points show the timer of another network of the radio.
        where kind = 'beacon' and ta = bssid and parse_error is null and coalesce(fcs_ok, true)
            and beacon_tsf_us between 1 and $longest and end_ns is not null and rate_mbps > 0
    )
)
group by all
"""


def may_share(addresses: Iterable[str]) -> bool:
    """Whether any two stations have addresses that those of one radio may have."""
    numbers = sorted(number[0] for address in addresses if (number := _number(address)) is not None)
    return any(other - number < ADDRESSES for number, other in pairwise(numbers))


def radios(frames: Sequence[Path]) -> dict[str, str]:
    """Of every access point in `frames` that shares its radio with others, the lowest address of that radio."""
    from winf_analyzer._util.duckdb_agg import grouped

    timers = grouped(_TIMERS.replace("$longest", str(MAX_TIMESTAMP_US)), frames=list(frames))
    return joined(timers)


def joined(timers: pl.DataFrame) -> dict[str, str]:
    """The same from the timers: `source node channel_mhz ahead_us drift_ppm span_us`.

    Stations of many recordings are compared with their neighbours in address only, so the cost is that of a sort.
    """
    import polars as pl

    # A simulator's access points all show its clock, which says nothing about radios.
    timers = timers.filter(pl.col("ahead_us").abs() > STARTED_APART_US)
    by_number: dict[tuple[str, int | None], list[tuple[int, int, dict[str, float | str | None]]]] = {}
    for row in timers.iter_rows(named=True):
        numbers = _number(row["node"])
        if numbers is not None:
            by_number.setdefault((row["source"], row["channel_mhz"]), []).append((*numbers, row))
    root: dict[str, str] = {}
    for stations in by_number.values():
        stations.sort(key=lambda station: (station[0], station[1]))
        for at, (low, first, row) in enumerate(stations):
            for other_low, other_first, other in stations[at + 1 :]:
                if other_low - low >= ADDRESSES:
                    break
                if _is_vendor_alike(first, other_first) and _is_one_clock(row, other):
                    _join(root, str(row["node"]), str(other["node"]))
    return {node: _find(root, node) for node in root}


def _number(address: str) -> tuple[int, int] | None:
    """The last five octets as a number, and the first octet; None of simulators, which count from 00:00:00."""
    if address.startswith(("node-", "00:00:00:")):
        return None
    octets = bytes.fromhex(address.replace(":", ""))
    return int.from_bytes(octets[1:], "big"), octets[0]


def _is_vendor_alike(first: int, other: int) -> bool:
    """The same vendor: networks beyond the first may have locally administered addresses, with other bits set too."""
    return first == other or bool((first | other) & 0x02)


def _is_one_clock(one: dict[str, float | str | None], other: dict[str, float | str | None]) -> bool:
    numbers = [(float(row["ahead_us"] or 0), row["drift_ppm"], float(row["span_us"] or 0)) for row in (one, other)]
    (ahead, drift, span), (other_ahead, other_drift, other_span) = numbers
    if abs(ahead - other_ahead) > STARTED_APART_US:
        return False
    if drift is None or other_drift is None or min(span, other_span) < MIN_SPAN_US:
        return True
    return abs(float(drift) - float(other_drift)) <= DRIFT_PPM


def _find(root: dict[str, str], node: str) -> str:
    while root.get(node, node) != node:
        node = root[node]
    return node


def _join(root: dict[str, str], one: str, other: str) -> None:
    low, high = sorted((_find(root, one), _find(root, other)))
    root.setdefault(low, low)
    root.setdefault(one, low)
    root.setdefault(other, low)
    root[high] = low
