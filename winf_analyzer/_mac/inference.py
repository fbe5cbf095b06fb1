"""The values in use, inferred from all evidence, for every station and access category."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from winf_analyzer._mac import default
from winf_analyzer._mac.advertised import EDCA_PARAMETERS
from winf_analyzer._mac.contenders import Contender, contenders
from winf_analyzer._mac.measured import measured_contention
from winf_analyzer._mac.observed import observed_behaviour
from winf_analyzer._mac.pivot import STATION
from winf_analyzer._mac.presets import PRESETS
from winf_analyzer._mac.sampling import Sample, draw_samples
from winf_analyzer._mac.schema import ORIGINS, UNITS, Row
from winf_analyzer._schema import schema

if TYPE_CHECKING:
    import polars as pl

Key = tuple[str | None, str | None, str | None, str | None, str]
"""Source, observer, station, access category, parameter."""


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
        `cw_min` per station and access category.
    """
    import polars as pl

    return pl.DataFrame(infer_rows(draw_samples(exchanges), advertised, overrides), schema=schema("mac_parameters"))


def infer_rows(
    samples: Iterable[Sample], advertised: Iterable[Row] = (), overrides: Iterable[Row] = ()
) -> list[dict[str, Any]]:
    """The rows of :func:`infer`, without Polars; evidence of one sample says nothing about another."""
    rows: dict[Key, list[Row]] = {}
    _add(rows, [*overrides, *advertised])
    for sample in samples:
        _add(rows, [*measured_contention(sample), *observed_behaviour(sample)])
        for contender in contenders(sample):
            for row in _station_rows(contender, rows):
                # Before evidence of the same rank, since it may be derived from that and evidence of higher rank.
                rows.setdefault(_key(row), []).insert(0, row)
                rows[_key(row)].sort(key=_rank)
    return _records(rows)


def _station_rows(contender: Contender, rows: dict[Key, list[Row]]) -> list[Row]:
    """The rows of a contender in use, from evidence about itself, its network or medium, or from presets."""
    slot = _best_row(contender, None, "slot_us", rows) or _default_row(
        contender, None, "slot_us", default.slot_us(contender.family, direct=contender.direct)
    )
    category = contender.access_category or contender.usual_category
    cw_min = _best_row(contender, category, "cw_min", rows) or _default_row(
        contender, category, "cw_min", default.cw_min(contender.family, category)
    )
    aifs = _aifs(contender, category, slot, rows)
    airtimes = [row for name in STATION if name != "slot_us" and (row := _best_row(contender, None, name, rows))]
    return [
        *(_assigned_to(row, contender, None) for row in (slot, *airtimes)),
        _assigned_to(aifs, contender, contender.access_category),
        _assigned_to(cw_min, contender, contender.access_category),
    ]


def _aifs(contender: Contender, category: str, slot: Row, rows: dict[Key, list[Row]]) -> Row:
    """AIFS, or SIFS plus AIFSN slots (10.23.2.4), whichever has the higher rank."""
    sifs = _best_row(contender, None, "sifs_us", rows)
    sifs_us = sifs.value if sifs else PRESETS[contender.family].sifs_us
    aifs, aifsn = _best_row(contender, category, "aifs_us", rows), _best_row(contender, category, "aifsn", rows)
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


def _best_row(contender: Contender, category: str | None, parameter: str, rows: dict[Key, list[Row]]) -> Row | None:
    """The highest ranked row that applies to a contender; of equal rank the most specific one."""
    station, recorder, any_recorder = contender.station, (contender.source, contender.observer), (None, None)
    scopes = [
        (*recorder_scope, station_scope, category_scope, parameter)
        for recorder_scope in (recorder, any_recorder)
        for station_scope in dict.fromkeys((station, contender.bssid, None))
        for category_scope in dict.fromkeys((category, None))
    ]
    rows_in_scope = [row for scope in scopes for row in rows.get(scope, ()) if _applies_to(contender, row)]
    return min(rows_in_scope, key=_rank, default=None)


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


def _add(rows: dict[Key, list[Row]], evidence: Iterable[Row]) -> None:
    """Each row among those of its key, ranked."""
    for row in evidence:
        group = rows.setdefault(_key(row), [])
        group.append(row)
        group.sort(key=_rank)


def _key(row: Row) -> Key:
    return (row.source, row.observer, row.station, row.access_category, row.parameter)


def _rank(row: Row) -> int:
    return ORIGINS.index(row.origin)


def _records(rows: dict[Key, list[Row]]) -> list[dict[str, Any]]:
    """The rows in order; the first one of each key is used, and duplicates are dropped."""
    records: list[dict[str, Any]] = []
    for key, group in sorted(rows.items(), key=lambda item: [(name is not None, name or "") for name in item[0]]):
        distinct: Sequence[Row] = list(dict.fromkeys(group))
        for rank, row in enumerate(distinct):
            records.append({**vars(row), "value": float(row.value), "unit": UNITS[key[-1]], "used": rank == 0})
    return records
