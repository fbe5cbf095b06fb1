"""Slot, AIFS and CWmin of each sender and access category, from the gaps before its exchanges."""

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._mac import contention, default, slot_grid
from winf_analyzer._mac.contention import ContentionFit
from winf_analyzer._mac.gaps import Gaps, by_group, largest, summed
from winf_analyzer._mac.sampling import MEDIUM, Sample
from winf_analyzer._mac.schema import DCF, Row
from winf_analyzer._mac.slot_grid import SlotGrid

MIN_POSTERIOR = 0.99
"""Posterior probability from which a value counts as measured."""

MIN_GAPS = 16
"""Gaps on a plateau below which it tells nothing."""

MIN_GAPS_NON_DEFAULT = 64
"""The same for values that are no default."""

MIN_BACKLOGGED_SHARE = 0.75
"""Share of a sender's exchanges within the plateau from which a CWmin that is no default is believed.

Collisions cost the rest: retries and the counts they interrupt.
"""

MAX_UNEVENNESS = 1 / 6
"""How far the share of the plateau's gaps in its upper half may be from one half for the same.

A backlogged sender draws all backoffs alike. Where a sender has nothing to send, its gaps end when the next packet
comes. They fall off exponentially: of a window that holds 0.75 of them (:data:`BACKLOGGED`), 1/3 is in the upper half.
"""

MIN_DEVIATIONS = 2
"""Standard deviations by which that share must be nearer."""

MAX_GROUPS = 256
"""Pairs of sender and access category that are looked at, those with most gaps first."""

OFFSET_TOLERANCE_US = 2.5
"""How far the comb may lie from SIFS plus whole slots and still be taken for it: stamps are whole microseconds."""

AIFSN = {DCF: (2,), "be": (3,), "bk": (7,), "vi": (2, 1), "vo": (2, 1)}
"""AIFSN by default: of stations first, then of access points (10.3.2.3.5; table 9-155)."""

NON_DEFAULT_ODDS = 0.01
"""Prior odds of a value that is no default."""


class _Group(NamedTuple):
    """The contended gaps of one sender in one access category, and the comb they are read with."""

    number: int
    """Of the sender in the sample."""
    station: str
    access_category: str
    family: str
    sifs_us: float
    grid: SlotGrid
    gaps: Gaps


class _GroupFit(NamedTuple):
    """What a group shows."""

    first: ContentionFit
    """From single gaps: AIFSN, and CWmin where few contend."""
    aifs_us: float
    on_grid: bool
    """The comb lies at SIFS and whole slots, as it must; otherwise the stamps are biased, and AIFS with them."""
    countdowns: dict[int, int]


def measured_contention(sample: Sample) -> list[Row]:
    """Rows of `mac_parameters`: `slot_us` per station, `aifs_us`, `aifsn` and `cw_min` per access category too.

    A station that shows too little takes the slot of its whole medium, and the CWmin of all stations of its PHY
    together.
    """
    stations = {station["station"]: station for station in sample.stations.iter_rows(named=True)}
    media: dict[int, dict[tuple[int, str], Gaps]] = {}
    for (number, category), gaps in by_group(sample.exchanges).items():
        media.setdefault(stations[number]["medium"], {})[number, category] = gaps
    # The exchanges of a medium follow those of the one before it.
    ends = sample.stations.group_by("medium").agg(pl.col("exchanges").sum()).sort("medium")["exchanges"].cum_sum()
    rows: list[Row] = []
    for medium, stations_seen in media.items():
        start = ends[medium - 1] if medium else 0
        exchanges = sample.exchanges.slice(start, ends[medium] - start)
        where = {name: stations[next(iter(stations_seen))[0]][name] for name in MEDIUM}
        rows += [Row(**where, **measured) for measured in _medium_rows(stations, stations_seen, exchanges)]
    return rows


def _medium_rows(
    stations: Mapping[int, Mapping[str, Any]], gaps: Mapping[tuple[int, str], Gaps], exchanges: pl.DataFrame
) -> Iterator[dict[str, Any]]:
    medium_grid = _if_confident(slot_grid.fit(summed(own.all_attempts for own in gaps.values())))
    if medium_grid:
        yield _measured_row("slot_us", medium_grid.period_us, medium_grid.samples, medium_grid.confidence)
    by_sender: dict[int, list[Mapping[int, int]]] = {}
    for (number, _), own in gaps.items():
        by_sender.setdefault(number, []).append(own.all_attempts)
    senders = {number: summed(histograms) for number, histograms in by_sender.items()}
    grids = {
        number: _if_confident(slot_grid.fit(own)) for number, own in largest(senders, MIN_GAPS, MAX_GROUPS).items()
    }
    for number, grid in grids.items():
        if grid:
            key = {"station": stations[number]["sender"]}
            yield _measured_row("slot_us", grid.period_us, grid.samples, grid.confidence) | key
    groups = [
        _Group(
            number,
            station_row["sender"],
            category,
            station_row["family"],
            station_row["sifs_us"],
            grid,
            gaps[number, category],
        )
        for number, category in largest({key: own.all_attempts for key, own in gaps.items()}, MIN_GAPS, MAX_GROUPS)
        if (grid := grids.get(number) or medium_grid) and (station_row := stations[number])
    ]
    stations_seen = [(group, group_fit) for group in groups if (group_fit := _fit_group(group, exchanges))]
    pooled: dict[tuple[str, str], tuple[Mapping[int, int], int]] = {}
    for group, group_fit in stations_seen:
        key = {"station": group.station, "access_category": group.access_category}
        fit, sent = group_fit.first, stations[group.number]["exchanges"]
        if group_fit.on_grid:
            yield _measured_row("aifs_us", group_fit.aifs_us, fit.samples, fit.zero_slot_confidence) | key
            yield _measured_row("aifsn", fit.first, fit.samples, fit.zero_slot_confidence) | key
        pool = group.access_category, group.family
        if pool not in pooled:
            pool_members = [(peer, own) for peer, own in stations_seen if (peer.access_category, peer.family) == pool]
            all_sent = sum(stations[number]["exchanges"] for number in {peer.number for peer, _ in pool_members})
            pooled[pool] = summed(own.countdowns for _, own in pool_members), all_sent
        windows = _window_odds(group)
        for slots, total in ((group_fit.countdowns, sent), pooled[pool]):
            countdown_fit = contention.fit(slots, {0: 1.0}, windows, all_drawn=True)
            if countdown_fit and _is_confident(countdown_fit, group, group_fit.on_grid, total):
                yield (
                    _measured_row(
                        "cw_min", countdown_fit.cw_min, countdown_fit.samples, countdown_fit.cw_min_confidence
                    )
                    | key
                )
                break
        else:
            if _is_confident(fit, group, group_fit.on_grid, sent):
                yield _measured_row("cw_min", fit.cw_min, fit.samples, fit.cw_min_confidence) | key


def _if_confident(grid: SlotGrid | None) -> SlotGrid | None:
    return grid if grid and grid.confidence >= MIN_POSTERIOR else None


def _fit_group(group: _Group, exchanges: pl.DataFrame) -> _GroupFit | None:
    """AIFS of a group, and its backoffs; None where the AIFS is not sure."""
    slot, sifs = group.grid.period_us, group.sifs_us
    offset = (group.grid.phase_us - sifs + slot / 2) % slot - slot / 2
    on_grid = abs(offset) <= OFFSET_TOLERANCE_US
    offset = 0.0 if on_grid else offset
    # After its own exchange a sender draws anew, whoever else contends.
    all_drawn = sum(group.gaps.own.values()) >= 2 * MIN_GAPS
    slots: dict[int, int] = {}
    for gap, count in (group.gaps.own if all_drawn else group.gaps.first).items():
        if group.grid.slot_index(gap) is not None:
            slot_index = round((gap - sifs - offset) / slot)
            slots[slot_index] = slots.get(slot_index, 0) + count
    if not slots:
        return None
    defaults = AIFSN[group.access_category]
    nearby = range(max(1, min(slots)), min(16, max(1, min(slots)) + 5))
    zero_slots = {n: 1.0 if n in defaults else NON_DEFAULT_ODDS for n in {*defaults, *nearby}}
    first = contention.fit(slots, zero_slots, _window_odds(group), all_drawn=all_drawn)
    if first is None or first.zero_slot_confidence < MIN_POSTERIOR:
        return None
    if first.samples < (MIN_GAPS if first.first in defaults else MIN_GAPS_NON_DEFAULT):
        return None
    aifs_us = sifs + first.first * slot + offset
    return _GroupFit(first, aifs_us, on_grid, _countdowns(group, exchanges, aifs_us, 2 * first.cw_min + 1))


def _is_confident(fit: ContentionFit, group: _Group, on_grid: bool, sent: int) -> bool:
    """True where CWmin counts as measured.

    Only the default of the sender's PHY is believed with biased stamps, and where it was not backlogged: where a good
    part of the exchanges sent is not in the plateau, or that slopes. Light traffic, and retries that look like first
    attempts after an RTS, make a longer plateau likely.
    """
    is_default = fit.cw_min == _default_cw_min(group)
    min_count = 2 * MIN_GAPS if is_default else MIN_GAPS_NON_DEFAULT
    is_backlogged = fit.samples >= MIN_BACKLOGGED_SHARE * sent and _is_even(fit)
    return (
        (is_default or (on_grid and is_backlogged))
        and fit.samples >= min_count
        and fit.cw_min_confidence >= MIN_POSTERIOR
    )


def _is_even(fit: ContentionFit) -> bool:
    """True where both halves of the plateau hold about as many gaps."""
    deviation = sqrt((0.25 - MAX_UNEVENNESS**2) / fit.samples) if fit.samples else 1.0
    return abs(fit.upper_share - 0.5) <= MAX_UNEVENNESS - MIN_DEVIATIONS * deviation


def _window_odds(group: _Group) -> dict[int, float]:
    return {cw: 1.0 if cw == _default_cw_min(group) else NON_DEFAULT_ODDS for cw in contention.CW_MIN}


def _default_cw_min(group: _Group) -> int:
    return default.cw_min(group.family, group.access_category)


def _countdowns(group: _Group, exchanges: pl.DataFrame, aifs_us: float, longest: int) -> dict[int, int]:
    """Whole backoffs: slots counted down in all gaps since the sender's own last exchange, others' uses in between.

    A countdown freezes while the medium is busy and goes on AIFS after (10.3.3), so this does not depend on how many
    contend. It tells the backoff of a sender that always had something to send. A gap of more than `longest` slots
    ends the count: something was on the air that was not heard, such as a collision.
    """
    grid, slot_us = group.grid, group.grid.period_us
    idle_us = pl.col("idle_before_us")
    slots = ((idle_us - aifs_us + OFFSET_TOLERANCE_US) / slot_us).floor().clip(lower_bound=0)
    in_txop = idle_us < group.sifs_us + 5
    beyond = idle_us - grid.phase_us
    on_comb = (beyond - (beyond / slot_us).round() * slot_us).abs() <= (grid.width_us + 1) / 2
    rows = (
        exchanges.select(
            "station", "idle_before_us", "attempt", "access_category", "complete", "clean", slots=slots, on_comb=on_comb
        )
        .with_columns(
            countdown_fit=pl.col("slots").fill_null(0).cum_sum(),
            breaks=(~(pl.col("clean") & (in_txop | pl.col("on_comb")) & (pl.col("slots") <= longest)))
            .fill_null(True)
            .cum_sum(),
        )
        .filter(pl.col("station") == group.number)
    )
    in_category = pl.col("access_category") == group.access_category
    is_whole = (
        (pl.col("broken").diff() == 0)
        & (pl.col("attempt") == 1)
        & pl.col("complete").shift(1)
        & in_category
        & in_category.shift(1)
    )
    counts = (
        rows.select("idle_before_us", "on_comb", slots=pl.col("counted").diff().cast(pl.Int64), is_whole=is_whole)
        .filter("whole", "on_comb", idle_us >= aifs_us - OFFSET_TOLERANCE_US, pl.col("slots") < contention.MAX_SLOTS)
        .group_by("slots")
        .len()
        .sort("slots")
    )
    return dict(counts.iter_rows())


def _measured_row(parameter: str, value: float, samples: int, confidence: float) -> dict[str, Any]:
    return {
        "parameter": parameter,
        "value": float(value),
        "origin": "measured",
        "samples": samples,
        "confidence": min(confidence, 1.0),
    }
