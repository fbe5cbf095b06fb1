"""The values in use, inferred from all evidence, for every station and access category."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from winf_analyzer._mac import default
from winf_analyzer._mac.advertised import EDCA_PARAMETERS
from winf_analyzer._mac.contenders import Contender, contenders
from winf_analyzer._mac.measured import Declared, measured_contention
from winf_analyzer._mac.observed import observed_behaviour
from winf_analyzer._mac.pivot import LIMITS, STATION
from winf_analyzer._mac.presets import PRESETS
from winf_analyzer._mac.sampling import Sample, draw_samples
from winf_analyzer._mac.schema import ORIGINS, UNITS, Row
from winf_analyzer._schema import schema

if TYPE_CHECKING:
    import polars as pl

Scope = tuple[str | None, str | None, str | None, str | None]
"""Source, observer, station and access category; null is any."""

RowsByScope = dict[Scope, dict[str, list[Row]]]
"""The rows of each scope by parameter, ranked."""

_RANKS = {origin: rank for rank, origin in enumerate(ORIGINS)}


def infer(exchanges: pl.LazyFrame, advertised: Iterable[Row] = (), overrides: Iterable[Row] = ()) -> pl.DataFrame:
    """The `mac_parameters` table.

    Values are taken in this order: user overrides, measurements in the recording, advertisements of networks and
    stations, and the preset of the station's PHY. At most :data:`.sampling.SAMPLE_ROWS` exchanges of a source are
    read, however many other sources there are.

    Args:
        exchanges: the `exchanges` table; values of missing columns are unknown.
        advertised: rows about BSSIDs and stations, from :func:`.advertised.advertised_parameters`.
        overrides: rows from the user, from :func:`.override.parse_override`.

    Returns:
        The `mac_parameters` table; the rows in use for a station are `used`: `slot_us` per station, `aifs_us` and
        `cw_min` per station and access category, and `txop_limit_us` where it was declared.
    """
    import polars as pl

    return pl.DataFrame(infer_rows(draw_samples(exchanges), advertised, overrides), schema=schema("mac_parameters"))


def infer_rows(
    samples: Iterable[Sample], advertised: Iterable[Row] = (), overrides: Iterable[Row] = ()
) -> list[dict[str, Any]]:
    """The rows of :func:`infer`, without Polars; evidence of one sample says nothing about another."""
    rows: RowsByScope = {}
    _add(rows, [*overrides, *advertised])
    for sample in samples:
        present = contenders(sample)
        _add(rows, [*measured_contention(sample, _declared(sample, present, rows)), *observed_behaviour(sample)])
        for contender in present:
            for row in _station_rows(contender, rows):
                # Before evidence of the same rank, since it may be derived from that and evidence of higher rank.
                group = _group(rows, row)
                group.insert(0, row)
                group.sort(key=_rank)
    return _records(rows)


def _declared(sample: Sample, present: Iterable[Contender], rows: RowsByScope) -> Declared:
    """AIFSN and CWmin that access points declare for their stations."""
    numbers = {(member.source, member.observer, member.sender): at for at, member in enumerate(sample.stations)}
    declared: dict[tuple[int, str], dict[str, int]] = {}
    for one in present:
        if one.access_category is None:
            continue
        in_scope = _in_scope(one, one.access_category, rows)
        best = {name: _best_row(one, in_scope, name) for name in ("aifsn", "cw_min")}
        key = numbers[one.source, one.observer, one.station], one.access_category
        declared[key] = {name: int(row.value) for name, row in best.items() if row and row.origin == "declared"}
    return declared


def _station_rows(contender: Contender, rows: RowsByScope) -> list[Row]:
    """The rows of a contender in use, from evidence about itself, its network or medium, or from presets."""
    category = contender.access_category or contender.usual_category
    of_any, of_category = _in_scope(contender, None, rows), _in_scope(contender, category, rows)
    slot = _best_row(contender, of_any, "slot_us") or _default_row(
        contender, None, "slot_us", default.slot_us(contender.family, direct=contender.direct)
    )
    cw_min = _best_row(contender, of_category, "cw_min") or _default_row(
        contender, category, "cw_min", default.cw_min(contender.family, category)
    )
    sifs = _best_row(contender, of_any, "sifs_us")
    aifs = _aifs(contender, category, slot, sifs, of_category)
    airtimes = [row for name in STATION if name != "slot_us" and (row := _best_row(contender, of_any, name))]
    limits = [row for name in LIMITS if (row := _best_row(contender, of_category, name))]
    return [
        *(_assigned_to(row, contender, None) for row in (slot, *airtimes)),
        *(_assigned_to(row, contender, contender.access_category) for row in limits),
        _assigned_to(aifs, contender, contender.access_category),
        _assigned_to(cw_min, contender, contender.access_category),
    ]


def _aifs(
    contender: Contender, category: str, slot: Row, sifs: Row | None, of_category: list[dict[str, list[Row]]]
) -> Row:
    """AIFS, or SIFS plus AIFSN slots (10.23.2.4), whichever has the higher rank."""
    sifs_us = sifs.value if sifs else PRESETS[contender.family].sifs_us
    aifs, aifsn = _best_row(contender, of_category, "aifs_us"), _best_row(contender, of_category, "aifsn")
    is_outdated = aifs is not None and aifs.origin == "measured" and slot.origin == "given"
    if aifs and not is_outdated and (aifsn is None or _rank(aifs) <= _rank(aifsn)):
        return aifs
    aifsn = aifsn or _default_row(contender, category, "aifsn", default.aifsn(category))
    return Row(
        source=aifsn.source,
        observer=aifsn.observer,
        station=aifsn.station,
        access_category=aifsn.access_category,
        parameter="aifs_us",
        value=sifs_us + aifsn.value * slot.value,
        origin=aifsn.origin,
        samples=aifsn.samples,
        confidence=aifsn.confidence,
    )


def _in_scope(contender: Contender, category: str | None, rows: RowsByScope) -> list[dict[str, list[Row]]]:
    """The rows that may apply to a contender, by parameter, the most specific scope first."""
    recorder = (contender.source, contender.observer)
    scopes = [
        (*recorder_scope, station_scope, category_scope)
        for recorder_scope in (recorder, (None, None))
        for station_scope in dict.fromkeys((contender.station, contender.bssid, None))
        for category_scope in dict.fromkeys((category, None))
    ]
    return [rows[scope] for scope in scopes if scope in rows]


def _best_row(contender: Contender, in_scope: list[dict[str, list[Row]]], parameter: str) -> Row | None:
    """The highest ranked row that applies to a contender; of equal rank the most specific one."""
    applying = (row for rows in in_scope for row in rows.get(parameter, ()) if _applies_to(contender, row))
    return min(applying, key=_rank, default=None)


def _applies_to(contender: Contender, row: Row) -> bool:
    """False for rows that apply only to the access point, or only to its stations.

    An access point advertises the EDCA parameters of its stations; its own differ.
    """
    if row.station is None or row.station not in (contender.station, contender.bssid):
        return True
    if row.station == contender.station:
        return not (
            row.origin == "declared" and contender.station == contender.bssid and row.parameter in EDCA_PARAMETERS
        )
    return row.origin in ("given", "declared") or row.parameter == "slot_us"


def _default_row(contender: Contender, category: str | None, parameter: str, value: float) -> Row:
    return Row(
        source=contender.source,
        observer=contender.observer,
        station=contender.station,
        access_category=category,
        parameter=parameter,
        value=float(value),
        origin="presumed",
    )


def _assigned_to(row: Row, contender: Contender, category: str | None) -> Row:
    """The row with the contender as its station."""
    return Row(
        source=contender.source,
        observer=contender.observer,
        station=contender.station,
        access_category=category,
        parameter=row.parameter,
        value=row.value,
        origin=row.origin,
        samples=row.samples,
        confidence=row.confidence,
    )


def _add(rows: RowsByScope, evidence: Iterable[Row]) -> None:
    """Each row among those of its scope and parameter, ranked."""
    for row in evidence:
        group = _group(rows, row)
        group.append(row)
        group.sort(key=_rank)


def _group(rows: RowsByScope, row: Row) -> list[Row]:
    """The rows of the same scope and parameter."""
    scope = (row.source, row.observer, row.station, row.access_category)
    return rows.setdefault(scope, {}).setdefault(row.parameter, [])


def _rank(row: Row) -> int:
    return _RANKS[row.origin]


def _records(rows: RowsByScope) -> list[dict[str, Any]]:
    """The rows in order; the first one of each scope and parameter is used, and duplicates are dropped."""
    records: list[dict[str, Any]] = []
    for _, of_scope in sorted(rows.items(), key=lambda item: [(name is not None, name or "") for name in item[0]]):
        for parameter, group in sorted(of_scope.items()):
            distinct: Sequence[Row] = list(dict.fromkeys(group)) if len(group) > 1 else group
            for rank, row in enumerate(distinct):
                records.append({**vars(row), "value": float(row.value), "unit": UNITS[parameter], "used": rank == 0})
    return records
