"""Slot time, AIFS and CWmin of each sender and access category, from the idle gaps before its exchanges."""

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any, NamedTuple

from winf_analyzer._mac import contention_fit, default, slot_grid
from winf_analyzer._mac.contention_fit import ContentionFit
from winf_analyzer._mac.gaps import Gaps, by_group, largest, summed
from winf_analyzer._mac.sampling import Sample
from winf_analyzer._mac.schema import DCF, Row
from winf_analyzer._mac.slot_grid import SlotGrid

MIN_POSTERIOR = 0.99
"""Posterior probability from which a value counts as measured."""

MIN_GAPS = 16
"""Gaps on a plateau from which a usual value counts as measured: what the access point declares, or a default."""

MIN_GAPS_OTHER = 64
"""The same for other values."""

MIN_BACKLOGGED_SHARE = 0.75
"""Share of a sender's exchanges within the plateau from which a CWmin that is not the usual one is accepted.

The remaining exchanges are retries after collisions, and countdowns that they interrupt.
"""

MAX_UNEVENNESS = 1 / 6
"""Maximum difference from 1/2 of the shares of the plateau's gaps in its upper half, and in its two middle quarters,
for such a CWmin.

The backoffs of a backlogged sender are uniform. The gaps of a sender that is not backlogged end when its next packet
arrives, and are exponential: of a window that contains 0.75 of them (:data:`MIN_BACKLOGGED_SHARE`), 1/3 is in the upper
half. A TCP ACK is due after every second data frame: until then two backoffs of the data's sender have passed, whose
sum is in the middle quarters three times out of four.
"""

MIN_DEVIATIONS = 2
"""Standard deviations by which those shares must be within the limit."""

MAX_GROUPS = 256
"""Maximum number of pairs of sender and access category, those with most gaps first."""

OFFSET_TOLERANCE_US = 2.5
"""Tolerance of the slot grid's offset from SIFS plus whole slots; time stamps are whole microseconds."""

AIFSN = {DCF: (2,), "be": (3,), "bk": (7,), "vi": (2, 1), "vo": (2, 1)}
"""Default AIFSN: of stations first, then of access points (10.3.2.3.5; table 9-155)."""

MIN_AIFSN = 2
"""Least AIFSN of a station (9.4.2.28); access points may use the 1 of :data:`AIFSN`."""

OTHER_ODDS = 0.01
"""Prior odds of a value that is not a usual one."""

Declared = Mapping[tuple[int, str], Mapping[str, int]]
"""Of stations, by number and access category, `aifsn` and `cw_min` as their access point declares them."""


class _Group(NamedTuple):
    """The gaps before contention of one sender in one access category, and their slot grid."""

    number: int
    """Number of the sender in the sample."""
    station: str | None
    access_category: str
    family: str
    sifs_us: float
    grid: SlotGrid
    gaps: Gaps
    declared: Mapping[str, int]
    """What the access point declares for it: what its stations are presumed to use, in place of a default."""

    @property
    def usual_aifsn(self) -> tuple[int, ...]:
        declared = self.declared.get("aifsn", 0)
        return (*([declared] if declared >= MIN_AIFSN else []), *AIFSN[self.access_category])

    @property
    def usual_cw_min(self) -> int:
        return self.declared.get("cw_min", default.cw_min(self.family, self.access_category))

    @property
    def pool(self) -> tuple[str, str, int]:
        """What those have in common whose backoffs are taken together."""
        return self.access_category, self.family, self.usual_cw_min


class _GroupFit(NamedTuple):
    """The fit of a group."""

    single_gaps: ContentionFit
    """AIFSN, and CWmin if few stations contend."""
    aifs_us: float
    on_grid: bool
    """The slot grid is at SIFS plus whole slots; otherwise the time stamps, and AIFS, are biased."""
    countdowns: dict[int, int]
    """Histogram of whole backoffs in slots."""


def measured_contention(sample: Sample, declared: Declared | None = None) -> list[Row]:
    """Rows of `mac_parameters`: `slot_us` per station; `aifs_us`, `aifsn` and `cw_min` also per access category.

    A station with too few gaps gets the slot time of its medium, and the CWmin fitted to all stations of its PHY where
    that is the usual one: another value may be that of a single station, which fills the fit. Usual is what the access
    point declares, else the default.
    """
    stations = sample.stations
    media: dict[int, dict[tuple[int, str], Gaps]] = {}
    for (number, category), own in by_group(sample).items():
        media.setdefault(stations[number].medium, {})[number, category] = own
    rows: list[Row] = []
    for gaps in media.values():
        member = stations[next(iter(gaps))[0]]
        recorder: dict[str, Any] = {"source": member.source, "observer": member.observer}
        rows += [Row(**recorder, **measured) for measured in _medium_rows(sample, gaps, declared or {})]
    return rows


def _medium_rows(sample: Sample, gaps: Mapping[tuple[int, str], Gaps], declared: Declared) -> Iterator[dict[str, Any]]:
    stations = sample.stations
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
            key = {"station": stations[number].sender}
            yield _measured_row("slot_us", grid.period_us, grid.samples, grid.confidence) | key
    groups = [
        _Group(
            number,
            station.sender,
            category,
            station.family,
            station.sifs_us,
            grid,
            gaps[number, category],
            declared.get((number, category), {}),
        )
        for number, category in largest({key: own.all_attempts for key, own in gaps.items()}, MIN_GAPS, MAX_GROUPS)
        if (grid := grids.get(number) or medium_grid) and (station := stations[number])
    ]
    fits = [(group, group_fit) for group in groups if (group_fit := _fit_group(group, sample))]
    pooled: dict[tuple[str, str, int], tuple[Mapping[int, int], int]] = {}
    for group, group_fit in fits:
        key = {"station": group.station, "access_category": group.access_category}
        fit, sent = group_fit.single_gaps, stations[group.number].exchanges
        if group_fit.on_grid:
            yield _measured_row("aifs_us", group_fit.aifs_us, fit.samples, fit.zero_slot_confidence) | key
            yield _measured_row("aifsn", fit.zero_slot, fit.samples, fit.zero_slot_confidence) | key
        pool = group.pool
        if pool not in pooled:
            pool_members = [(peer, own) for peer, own in fits if peer.pool == pool]
            all_sent = sum(stations[number].exchanges for number in {peer.number for peer, _ in pool_members})
            pooled[pool] = summed(own.countdowns for _, own in pool_members), all_sent
        cw_min = _cw_min(group, group_fit, sent, pooled[pool])
        if cw_min:
            yield _measured_row("cw_min", cw_min.cw_min, cw_min.samples, cw_min.cw_min_confidence) | key


def _if_confident(grid: SlotGrid | None) -> SlotGrid | None:
    return grid if grid and grid.confidence >= MIN_POSTERIOR else None


def _fit_group(group: _Group, sample: Sample) -> _GroupFit | None:
    """AIFS and backoffs of a group; None if the AIFS is uncertain."""
    slot, sifs = group.grid.period_us, group.sifs_us
    offset = (group.grid.phase_us - sifs + slot / 2) % slot - slot / 2
    on_grid = abs(offset) <= OFFSET_TOLERANCE_US
    offset = 0.0 if on_grid else offset
    # After its own exchange a sender draws a new backoff, whether or not others contend.
    all_drawn = sum(group.gaps.own.values()) >= 2 * MIN_GAPS
    slots: dict[int, int] = {}
    for gap, count in (group.gaps.own if all_drawn else group.gaps.first).items():
        if group.grid.slot_index(gap) is not None:
            slot_index = round((gap - sifs - offset) / slot)
            slots[slot_index] = slots.get(slot_index, 0) + count
    if not slots:
        return None
    usual = group.usual_aifsn
    nearby = range(max(1, min(slots)), min(16, max(1, min(slots)) + 5))
    zero_slots = {n: 1.0 if n in usual else OTHER_ODDS for n in {*usual, *nearby}}
    fit = contention_fit.fit(slots, zero_slots, _window_odds(group), all_drawn=all_drawn)
    if fit is None or fit.zero_slot_confidence < MIN_POSTERIOR:
        return None
    # An earlier start than the standard allows is a wrong one: frames took less time than their headers let one expect.
    if fit.zero_slot < min(MIN_AIFSN, *usual):
        return None
    # Where no backoff need have been drawn, packets that come at a fixed time after others' seem to wait for longer.
    if fit.zero_slot not in usual and not all_drawn:
        return None
    if fit.samples < (MIN_GAPS if fit.zero_slot in usual else MIN_GAPS_OTHER):
        return None
    aifs_us = sifs + fit.zero_slot * slot + offset
    return _GroupFit(fit, aifs_us, on_grid, _countdowns(group, sample, aifs_us))


def _cw_min(
    group: _Group, group_fit: _GroupFit, sent: int, pooled: tuple[Mapping[int, int], int]
) -> ContentionFit | None:
    """The fit that tells CWmin: of the group's whole backoffs, for the usual value of its pool's, or of its gaps."""
    windows = _window_odds(group)
    for slots, total in ((group_fit.countdowns, sent), pooled):
        fit = contention_fit.fit(slots, {0: 1.0}, windows, all_drawn=True)
        if fit is None or not _is_confident(fit, group, group_fit.on_grid, total):
            continue
        if slots is group_fit.countdowns or fit.cw_min == group.usual_cw_min:
            return fit
    fit = group_fit.single_gaps
    return fit if _is_confident(fit, group, group_fit.on_grid, sent) else None


def _is_confident(fit: ContentionFit, group: _Group, on_grid: bool, sent: int) -> bool:
    """True if CWmin counts as measured.

    With biased time stamps, or a sender that was not backlogged, only the usual value is accepted. A sender was
    not backlogged if many of its exchanges are outside the plateau, or the plateau is none. Light traffic, and retries
    that look like first attempts after an RTS, would otherwise suggest a wider window.
    """
    is_usual = fit.cw_min == group.usual_cw_min
    min_samples = 2 * MIN_GAPS if is_usual else MIN_GAPS_OTHER
    is_backlogged = fit.samples >= MIN_BACKLOGGED_SHARE * sent and _is_even(fit)
    return (
        (is_usual or (on_grid and is_backlogged))
        and fit.samples >= min_samples
        and fit.cw_min_confidence >= MIN_POSTERIOR
    )


def _is_even(fit: ContentionFit) -> bool:
    """True if both halves of the plateau contain about the same number of gaps, and so do its middle and its ends."""
    deviation = sqrt((0.25 - MAX_UNEVENNESS**2) / fit.samples) if fit.samples else 1.0
    farthest = max(abs(share - 0.5) for share in (fit.upper_share, fit.middle_share))
    return farthest <= MAX_UNEVENNESS - MIN_DEVIATIONS * deviation


def _window_odds(group: _Group) -> dict[int, float]:
    return {cw: 1.0 if cw == group.usual_cw_min else OTHER_ODDS for cw in contention_fit.CW_MIN}


def _countdowns(group: _Group, sample: Sample, aifs_us: float) -> dict[int, int]:
    """Histogram of whole backoffs, and of times to the next packet where these were longer."""
    grid = float(group.grid.period_us), group.grid.phase_us, float(group.grid.width_us)
    limits = OFFSET_TOLERANCE_US, contention_fit.MAX_SLOTS
    return sample.exchanges.countdowns(group.number, group.access_category, group.sifs_us, aifs_us, grid, limits)


def _measured_row(parameter: str, value: float, samples: int, confidence: float) -> dict[str, Any]:
    return {
        "parameter": parameter,
        "value": float(value),
        "origin": "measured",
        "samples": samples,
        "confidence": min(confidence, 1.0),
    }
