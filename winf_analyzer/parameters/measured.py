"""Slot, AIFS and CWmin of each sender and access category, from the gaps before its exchanges."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer.parameters import comb, contention
from winf_analyzer.parameters.comb import Comb
from winf_analyzer.parameters.contention import Contention
from winf_analyzer.parameters.sampling import MEDIUM
from winf_analyzer.parameters.schema import DCF, Row

LONGEST_GAP_US = 1000.0
"""Beyond the longest backoff of a first attempt (31 slots of 20 us) a sender had nothing to send."""

SURE = 0.99
"""Posterior probability from which a value counts as measured."""

MIN_GAPS = 16
"""Gaps on a plateau below which it tells nothing."""

MIN_GAPS_OF_OTHER = 64
"""The same for values that are no default."""

BACKLOGGED = 0.95
"""Share of a sender's exchanges within the plateau from which a CWmin that is no default is believed."""

MAX_SENDERS = 256
"""Pairs of sender and access category that are looked at, those with most gaps first."""

OFFSET_TOLERANCE_US = 2.5
"""How far the comb may lie from SIFS plus whole slots and still be taken for it: stamps are whole microseconds."""

AIFSN = {DCF: (2,), "be": (3,), "bk": (7,), "vi": (2, 1), "vo": (2, 1)}
"""AIFSN by default: of stations first, then of access points (10.3.2.3.5; table 9-155)."""

CW_MIN = {DCF: (15, 31), "be": (15, 31), "bk": (15, 31), "vi": (7, 15), "vo": (3, 7)}
"""CWmin by default (table 9-155), for aCWmin 15 and 31."""

ODDS_OF_OTHER = 0.01
"""Prior odds of a value that is no default."""


class _Group(NamedTuple):
    """The contended gaps of one sender in one access category, and the comb they are read with."""

    station: str
    access_category: str
    family: str
    sifs_us: float
    comb: Comb
    gaps: pl.DataFrame


class _Found(NamedTuple):
    """What a group shows."""

    first: Contention
    """From single gaps: AIFSN, and CWmin where few contend."""
    aifs_us: float
    on_grid: bool
    """The comb lies at SIFS and whole slots, as it must; otherwise the stamps are biased, and AIFS with them."""
    countdowns: dict[int, int]


def contention_parameters(sample: pl.DataFrame) -> list[Row]:
    """Rows of `mac_parameters`: `slot_us` per station, `aifs_us`, `aifsn` and `cw_min` per access category too.

    `sample` is that of :func:`.sampling.sample`. A station that shows too little takes the slot of its whole medium,
    and the CWmin of all stations of its PHY together.
    """
    rows: list[Row] = []
    for key, exchanges in sample.partition_by(MEDIUM, as_dict=True, maintain_order=True).items():
        medium = dict(zip(MEDIUM, key, strict=True))
        rows += [Row(**medium, **found) for found in _of_medium(exchanges)]
    return rows


def _of_medium(exchanges: pl.DataFrame) -> Iterator[dict[str, Any]]:
    gaps = exchanges.filter(_contended())
    shared = _sure(comb.fit(_histogram(gaps)))
    if shared:
        yield _measured("slot_us", shared.period_us, shared.samples, shared.confidence)
    combs = {station: _sure(comb.fit(_histogram(own))) for (station,), own in _by_size(gaps, ["sender"])}
    for station, fitted in combs.items():
        if fitted:
            who = {"station": station}
            yield _measured("slot_us", fitted.period_us, fitted.samples, fitted.confidence) | who
    groups = [
        _Group(station, category, own["family"].first(), own["sifs_us"].first(), fitted, own)  # type: ignore[arg-type]
        for (station, category), own in _by_size(gaps, ["sender", "access_category"])
        if (fitted := combs.get(station) or shared)
    ]
    sent: dict[str, int] = dict(exchanges.group_by("sender").len().iter_rows())
    found = {number: result for number, group in enumerate(groups) if (result := _read(group, exchanges))}
    for number, result in found.items():
        group = groups[number]
        who = {"station": group.station, "access_category": group.access_category}
        fit = result.first
        if result.on_grid:
            yield _measured("aifs_us", result.aifs_us, fit.samples, fit.first_confidence) | who
            yield _measured("aifsn", fit.first, fit.samples, fit.first_confidence) | who
        alike = [
            peer
            for peer in found
            if groups[peer].access_category == group.access_category and groups[peer].family == group.family
        ]
        together = _together([found[peer].countdowns for peer in alike])
        all_sent = sum(sent[station] for station in {groups[peer].station for peer in alike})
        windows = _window_odds(group.access_category)
        for teeth, total in ((result.countdowns, sent[group.station]), (together, all_sent)):
            counted = contention.fit(teeth, {0: 1.0}, windows, fresh=True)
            if counted and _is_sure(counted, group.access_category, result.on_grid, total):
                yield _measured("cw_min", counted.cw_min, counted.samples, counted.cw_min_confidence) | who
                break
        else:
            if _is_sure(fit, group.access_category, result.on_grid, sent[group.station]):
                yield _measured("cw_min", fit.cw_min, fit.samples, fit.cw_min_confidence) | who


def _contended() -> pl.Expr:
    """A gap after which somebody contended; before PIFS nobody does (10.23.2.8).

    Group addressed frames are left aside: an access point sends them in a row after a beacon (11.2.3.6).
    """
    in_txop = pl.col("idle_before_us") < pl.col("sifs_us") + 5
    carries_data = (
        pl.col("sender").is_not_null() & pl.col("access_category").is_not_null() & (pl.col("kind") != "broadcast")
    )
    return pl.col("clean") & carries_data & ~in_txop & (pl.col("idle_before_us") <= LONGEST_GAP_US)


def _sure(fitted: Comb | None) -> Comb | None:
    return fitted if fitted and fitted.confidence >= SURE else None


def _histogram(gaps: pl.DataFrame) -> dict[int, int]:
    counts = gaps.group_by(pl.col("idle_before_us").round().cast(pl.Int64)).len().sort("idle_before_us")
    return dict(counts.iter_rows())


def _by_size(rows: pl.DataFrame, keys: list[str]) -> Iterator[tuple[tuple[Any, ...], pl.DataFrame]]:
    """The groups with most rows, at most :data:`MAX_SENDERS` of them; none has fewer than :data:`MIN_GAPS`."""
    sizes = rows.group_by(keys).len().filter(pl.col("len") >= MIN_GAPS)
    largest = sizes.sort("len", *keys, descending=[True, *[False] * len(keys)]).head(MAX_SENDERS)
    kept = rows.join(largest.select(keys), on=keys, how="semi", maintain_order="left")
    yield from kept.partition_by(keys, as_dict=True, maintain_order=True).items()


def _read(group: _Group, exchanges: pl.DataFrame) -> _Found | None:
    """AIFS of a group, and its backoffs; None where the AIFS is not sure."""
    slot, sifs = group.comb.period_us, group.sifs_us
    offset = (group.comb.phase_us - sifs + slot / 2) % slot - slot / 2
    on_grid = abs(offset) <= OFFSET_TOLERANCE_US
    offset = 0.0 if on_grid else offset
    gaps = group.gaps.filter(pl.col("attempt") == 1)
    # After its own exchange a sender draws anew, whoever else contends.
    own = gaps.filter("same_sender")
    fresh = own.height >= 2 * MIN_GAPS
    teeth: dict[int, int] = {}
    for gap, count in _histogram(own if fresh else gaps).items():
        if group.comb.tooth(gap) is not None:
            tooth = round((gap - sifs - offset) / slot)
            teeth[tooth] = teeth.get(tooth, 0) + count
    if not teeth:
        return None
    defaults = AIFSN[group.access_category]
    near = range(max(1, min(teeth)), min(16, max(1, min(teeth)) + 5))
    firsts = {n: 1.0 if n in defaults else ODDS_OF_OTHER for n in {*defaults, *near}}
    first = contention.fit(teeth, firsts, _window_odds(group.access_category), fresh=fresh)
    if first is None or first.first_confidence < SURE:
        return None
    if first.samples < (MIN_GAPS if first.first in defaults else MIN_GAPS_OF_OTHER):
        return None
    aifs_us = sifs + first.first * slot + offset
    return _Found(first, aifs_us, on_grid, _countdowns(group, exchanges, aifs_us, 2 * first.cw_min + 1))


def _is_sure(fit: Contention, category: str, on_grid: bool, sent: int) -> bool:
    """True where CWmin counts as measured.

    Only a default is believed with biased stamps, and where a good part of the exchanges sent is not in the
    plateau: light traffic, and retries that look like first attempts after an RTS, make a longer plateau likely.
    """
    usual = fit.cw_min in CW_MIN[category]
    least = 2 * MIN_GAPS if usual else MIN_GAPS_OF_OTHER
    backlogged = fit.samples >= BACKLOGGED * sent
    return (usual or (on_grid and backlogged)) and fit.samples >= least and fit.cw_min_confidence >= SURE


def _window_odds(category: str) -> dict[int, float]:
    return {cw: 1.0 if cw in CW_MIN[category] else ODDS_OF_OTHER for cw in contention.CW_MIN}


def _together(histograms: list[dict[int, int]]) -> Mapping[int, int]:
    total: dict[int, int] = {}
    for histogram in histograms:
        for tooth, count in histogram.items():
            total[tooth] = total.get(tooth, 0) + count
    return total


def _countdowns(group: _Group, exchanges: pl.DataFrame, aifs_us: float, longest: int) -> dict[int, int]:
    """Whole backoffs: slots counted down in all gaps since the sender's own last exchange, others' uses in between.

    A countdown freezes while the medium is busy and goes on AIFS after (10.3.3), so this does not depend on how many
    contend. It tells the backoff of a sender that always had something to send. A gap of more than `longest` slots
    ends the count: something was on the air that was not heard, such as a collision.
    """
    fitted, slot_us = group.comb, group.comb.period_us
    slots = ((pl.col("idle_before_us") - aifs_us + OFFSET_TOLERANCE_US) / slot_us).floor().clip(lower_bound=0)
    own = pl.col("sender") == group.station
    in_txop = pl.col("idle_before_us") < group.sifs_us + 5
    beyond = pl.col("idle_before_us") - fitted.phase_us
    on_comb = (beyond - (beyond / slot_us).round() * slot_us).abs() <= (fitted.width_us + 1) / 2
    rows = exchanges.select(
        "idle_before_us",
        "attempt",
        "access_category",
        "complete",
        "clean",
        own=own.fill_null(False),
        counted=slots.fill_null(0).cum_sum(),
        broken=(~(pl.col("clean") & (in_txop | on_comb) & (slots <= longest))).fill_null(True).cum_sum(),
    ).filter("own")
    backoffs = rows.select(
        "idle_before_us",
        slots=pl.col("counted").diff(),
        whole=(pl.col("broken").diff() == 0)
        & (pl.col("attempt") == 1)
        & pl.col("complete").shift(1)
        & (pl.col("access_category") == group.access_category)
        & (pl.col("access_category").shift(1) == group.access_category),
    ).filter("whole", pl.col("idle_before_us") >= aifs_us - OFFSET_TOLERANCE_US)
    teeth: dict[int, int] = {}
    for gap, count in backoffs.select("idle_before_us", pl.col("slots").cast(pl.Int64)).iter_rows():
        if fitted.tooth(gap) is not None and count < contention.LONGEST:
            teeth[count] = teeth.get(count, 0) + 1
    return teeth


def _measured(parameter: str, value: float, samples: int, confidence: float) -> dict[str, Any]:
    return {
        "parameter": parameter,
        "value": float(value),
        "origin": "measured",
        "samples": samples,
        "confidence": min(confidence, 1.0),
    }
