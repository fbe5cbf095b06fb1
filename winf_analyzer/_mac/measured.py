"""Slot, AIFS and CWmin of each sender and access category, from the gaps before its exchanges."""

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._mac import contention, default, slot_grid
from winf_analyzer._mac.contention import Contention
from winf_analyzer._mac.gaps import Gaps, by_group, largest, together
from winf_analyzer._mac.sampling import MEDIUM, Sample
from winf_analyzer._mac.schema import DCF, Row
from winf_analyzer._mac.slot_grid import Comb

SURE = 0.99
"""Posterior probability from which a value counts as measured."""

MIN_GAPS = 16
"""Gaps on a plateau below which it tells nothing."""

MIN_GAPS_OF_OTHER = 64
"""The same for values that are no default."""

BACKLOGGED = 0.75
"""Share of a sender's exchanges within the plateau from which a CWmin that is no default is believed.

Collisions cost the rest: retries and the counts they interrupt.
"""

UNEVEN = 1 / 6
"""How far the share of the plateau's gaps in its upper half may be from one half for the same.

A backlogged sender draws all backoffs alike. Where a sender has nothing to send, its gaps end when the next packet
comes. They fall off exponentially: of a window that holds 0.75 of them (:data:`BACKLOGGED`), 1/3 is in the upper half.
"""

DEVIATIONS = 2
"""Standard deviations by which that share must be nearer."""

MAX_SENDERS = 256
"""Pairs of sender and access category that are looked at, those with most gaps first."""

OFFSET_TOLERANCE_US = 2.5
"""How far the comb may lie from SIFS plus whole slots and still be taken for it: stamps are whole microseconds."""

AIFSN = {DCF: (2,), "be": (3,), "bk": (7,), "vi": (2, 1), "vo": (2, 1)}
"""AIFSN by default: of stations first, then of access points (10.3.2.3.5; table 9-155)."""

ODDS_OF_OTHER = 0.01
"""Prior odds of a value that is no default."""


class _Group(NamedTuple):
    """The contended gaps of one sender in one access category, and the comb they are read with."""

    number: int
    """Of the sender in the sample."""
    station: str
    access_category: str
    family: str
    sifs_us: float
    comb: Comb
    gaps: Gaps


class _Found(NamedTuple):
    """What a group shows."""

    first: Contention
    """From single gaps: AIFSN, and CWmin where few contend."""
    aifs_us: float
    on_grid: bool
    """The comb lies at SIFS and whole slots, as it must; otherwise the stamps are biased, and AIFS with them."""
    countdowns: dict[int, int]


def contention_parameters(sample: Sample) -> list[Row]:
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
    for medium, found in media.items():
        start = ends[medium - 1] if medium else 0
        exchanges = sample.exchanges.slice(start, ends[medium] - start)
        where = {name: stations[next(iter(found))[0]][name] for name in MEDIUM}
        rows += [Row(**where, **measured) for measured in _of_medium(stations, found, exchanges)]
    return rows


def _of_medium(
    stations: Mapping[int, Mapping[str, Any]], gaps: Mapping[tuple[int, str], Gaps], exchanges: pl.DataFrame
) -> Iterator[dict[str, Any]]:
    shared = _sure(slot_grid.fit(together(own.every for own in gaps.values())))
    if shared:
        yield _measured("slot_us", shared.period_us, shared.samples, shared.confidence)
    by_sender: dict[int, list[Mapping[int, int]]] = {}
    for (number, _), own in gaps.items():
        by_sender.setdefault(number, []).append(own.every)
    senders = {number: together(histograms) for number, histograms in by_sender.items()}
    combs = {number: _sure(slot_grid.fit(own)) for number, own in largest(senders, MIN_GAPS, MAX_SENDERS).items()}
    for number, fitted in combs.items():
        if fitted:
            who = {"station": stations[number]["sender"]}
            yield _measured("slot_us", fitted.period_us, fitted.samples, fitted.confidence) | who
    groups = [
        _Group(number, its["sender"], category, its["family"], its["sifs_us"], fitted, gaps[number, category])
        for number, category in largest({key: own.every for key, own in gaps.items()}, MIN_GAPS, MAX_SENDERS)
        if (fitted := combs.get(number) or shared) and (its := stations[number])
    ]
    found = [(group, result) for group in groups if (result := _read(group, exchanges))]
    pooled: dict[tuple[str, str], tuple[Mapping[int, int], int]] = {}
    for group, result in found:
        who = {"station": group.station, "access_category": group.access_category}
        fit, sent = result.first, stations[group.number]["exchanges"]
        if result.on_grid:
            yield _measured("aifs_us", result.aifs_us, fit.samples, fit.first_confidence) | who
            yield _measured("aifsn", fit.first, fit.samples, fit.first_confidence) | who
        kind = group.access_category, group.family
        if kind not in pooled:
            alike = [(peer, own) for peer, own in found if (peer.access_category, peer.family) == kind]
            all_sent = sum(stations[number]["exchanges"] for number in {peer.number for peer, _ in alike})
            pooled[kind] = together(own.countdowns for _, own in alike), all_sent
        windows = _window_odds(group)
        for teeth, total in ((result.countdowns, sent), pooled[kind]):
            counted = contention.fit(teeth, {0: 1.0}, windows, fresh=True)
            if counted and _is_sure(counted, group, result.on_grid, total):
                yield _measured("cw_min", counted.cw_min, counted.samples, counted.cw_min_confidence) | who
                break
        else:
            if _is_sure(fit, group, result.on_grid, sent):
                yield _measured("cw_min", fit.cw_min, fit.samples, fit.cw_min_confidence) | who


def _sure(fitted: Comb | None) -> Comb | None:
    return fitted if fitted and fitted.confidence >= SURE else None


def _read(group: _Group, exchanges: pl.DataFrame) -> _Found | None:
    """AIFS of a group, and its backoffs; None where the AIFS is not sure."""
    slot, sifs = group.comb.period_us, group.sifs_us
    offset = (group.comb.phase_us - sifs + slot / 2) % slot - slot / 2
    on_grid = abs(offset) <= OFFSET_TOLERANCE_US
    offset = 0.0 if on_grid else offset
    # After its own exchange a sender draws anew, whoever else contends.
    fresh = sum(group.gaps.own.values()) >= 2 * MIN_GAPS
    teeth: dict[int, int] = {}
    for gap, count in (group.gaps.own if fresh else group.gaps.first).items():
        if group.comb.tooth(gap) is not None:
            tooth = round((gap - sifs - offset) / slot)
            teeth[tooth] = teeth.get(tooth, 0) + count
    if not teeth:
        return None
    defaults = AIFSN[group.access_category]
    near = range(max(1, min(teeth)), min(16, max(1, min(teeth)) + 5))
    firsts = {n: 1.0 if n in defaults else ODDS_OF_OTHER for n in {*defaults, *near}}
    first = contention.fit(teeth, firsts, _window_odds(group), fresh=fresh)
    if first is None or first.first_confidence < SURE:
        return None
    if first.samples < (MIN_GAPS if first.first in defaults else MIN_GAPS_OF_OTHER):
        return None
    aifs_us = sifs + first.first * slot + offset
    return _Found(first, aifs_us, on_grid, _countdowns(group, exchanges, aifs_us, 2 * first.cw_min + 1))


def _is_sure(fit: Contention, group: _Group, on_grid: bool, sent: int) -> bool:
    """True where CWmin counts as measured.

    Only the default of the sender's PHY is believed with biased stamps, and where it was not backlogged: where a good
    part of the exchanges sent is not in the plateau, or that slopes. Light traffic, and retries that look like first
    attempts after an RTS, make a longer plateau likely.
    """
    usual = fit.cw_min == _usual_cw_min(group)
    least = 2 * MIN_GAPS if usual else MIN_GAPS_OF_OTHER
    backlogged = fit.samples >= BACKLOGGED * sent and _is_even(fit)
    return (usual or (on_grid and backlogged)) and fit.samples >= least and fit.cw_min_confidence >= SURE


def _is_even(fit: Contention) -> bool:
    """True where both halves of the plateau hold about as many gaps."""
    deviation = sqrt((0.25 - UNEVEN**2) / fit.samples) if fit.samples else 1.0
    return abs(fit.upper_share - 0.5) <= UNEVEN - DEVIATIONS * deviation


def _window_odds(group: _Group) -> dict[int, float]:
    return {cw: 1.0 if cw == _usual_cw_min(group) else ODDS_OF_OTHER for cw in contention.CW_MIN}


def _usual_cw_min(group: _Group) -> int:
    return default.cw_min(group.family, group.access_category)


def _countdowns(group: _Group, exchanges: pl.DataFrame, aifs_us: float, longest: int) -> dict[int, int]:
    """Whole backoffs: slots counted down in all gaps since the sender's own last exchange, others' uses in between.

    A countdown freezes while the medium is busy and goes on AIFS after (10.3.3), so this does not depend on how many
    contend. It tells the backoff of a sender that always had something to send. A gap of more than `longest` slots
    ends the count: something was on the air that was not heard, such as a collision.
    """
    fitted, slot_us = group.comb, group.comb.period_us
    idle_us = pl.col("idle_before_us")
    slots = ((idle_us - aifs_us + OFFSET_TOLERANCE_US) / slot_us).floor().clip(lower_bound=0)
    in_txop = idle_us < group.sifs_us + 5
    beyond = idle_us - fitted.phase_us
    on_comb = (beyond - (beyond / slot_us).round() * slot_us).abs() <= (fitted.width_us + 1) / 2
    rows = (
        exchanges.select(
            "station", "idle_before_us", "attempt", "access_category", "complete", "clean", slots=slots, on_comb=on_comb
        )
        .with_columns(
            counted=pl.col("slots").fill_null(0).cum_sum(),
            broken=(~(pl.col("clean") & (in_txop | pl.col("on_comb")) & (pl.col("slots") <= longest)))
            .fill_null(True)
            .cum_sum(),
        )
        .filter(pl.col("station") == group.number)
    )
    in_category = pl.col("access_category") == group.access_category
    whole = (
        (pl.col("broken").diff() == 0)
        & (pl.col("attempt") == 1)
        & pl.col("complete").shift(1)
        & in_category
        & in_category.shift(1)
    )
    counts = (
        rows.select("idle_before_us", "on_comb", slots=pl.col("counted").diff().cast(pl.Int64), whole=whole)
        .filter("whole", "on_comb", idle_us >= aifs_us - OFFSET_TOLERANCE_US, pl.col("slots") < contention.LONGEST)
        .group_by("slots")
        .len()
        .sort("slots")
    )
    return dict(counts.iter_rows())


def _measured(parameter: str, value: float, samples: int, confidence: float) -> dict[str, Any]:
    return {
        "parameter": parameter,
        "value": float(value),
        "origin": "measured",
        "samples": samples,
        "confidence": min(confidence, 1.0),
    }
