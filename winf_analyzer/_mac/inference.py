"""From evidence to the values that count, for every station and access category."""

from collections.abc import Iterable, Sequence

import polars as pl

from winf_analyzer._mac import default
from winf_analyzer._mac.advertised import OF_CATEGORY
from winf_analyzer._mac.contenders import Contender, contenders
from winf_analyzer._mac.measured import contention_parameters
from winf_analyzer._mac.observed import observed_parameters
from winf_analyzer._mac.pivot import STATION
from winf_analyzer._mac.presets import PRESETS
from winf_analyzer._mac.sampling import samples
from winf_analyzer._mac.schema import MAC_PARAMETERS_SCHEMA, ORIGINS, UNITS, Row

Key = tuple[str | None, str | None, str | None, str | None, str]
"""Source, observer, station, access category, parameter."""


def infer(exchanges: pl.LazyFrame, declared: Iterable[Row] = (), given: Iterable[Row] = ()) -> pl.DataFrame:
    """The `mac_parameters` table.

    What the user gave comes before what was measured in the recording, that before what the networks declare, and only
    where all are silent the preset of the station's PHY stands in. At most
    :data:`.sampling.SAMPLE_ROWS` exchanges of a source are looked at, whatever other sources there are.

    Args:
        exchanges: the `exchanges` table; columns it lacks are unknown.
        declared: rows about BSSIDs and stations, of :func:`.declared.declared_parameters`.
        given: rows of the user, of :func:`.given.parse`.

    Returns:
        The columns of :data:`.schema.MAC_PARAMETERS`; the rows that count for a station are `used`: `slot_us` per
        station, `aifs_us` and `cw_min` per station and access category.
    """
    rows: dict[Key, list[Row]] = {}
    _add(rows, [*given, *declared])
    # Evidence of one source says nothing about another.
    for taken in samples(exchanges):
        _add(rows, [*contention_parameters(taken), *observed_parameters(taken)])
        for contender in contenders(taken):
            for row in _resolved(contender, rows):
                # Before evidence of the same rank: it may have been worked out from that and what outranks it.
                rows.setdefault(_key(row), []).insert(0, row)
                rows[_key(row)].sort(key=_rank)
    return _table(rows)


def _resolved(contender: Contender, rows: dict[Key, list[Row]]) -> list[Row]:
    """The rows of a contender that evidence about others, or nothing but a preset, stands behind."""
    slot = _best(contender, None, "slot_us", rows) or _presumption(
        contender, None, "slot_us", default.slot_us(contender.family, direct=contender.direct)
    )
    category = contender.access_category or contender.usual_category
    cw_min = _best(contender, category, "cw_min", rows) or _presumption(
        contender, category, "cw_min", default.cw_min(contender.family, category)
    )
    aifs = _aifs(contender, category, slot, rows)
    airtimes = [row for name in STATION if name != "slot_us" and (row := _best(contender, None, name, rows))]
    return [
        *(_inherited(row, contender, None) for row in (slot, *airtimes)),
        _inherited(aifs, contender, contender.access_category),
        _inherited(cw_min, contender, contender.access_category),
    ]


def _aifs(contender: Contender, category: str, slot: Row, rows: dict[Key, list[Row]]) -> Row:
    """AIFS, or AIFSN slots after SIFS (10.23.2.4), whichever is known better."""
    sifs = _best(contender, None, "sifs_us", rows)
    sifs_us = sifs.value if sifs else PRESETS[contender.family].sifs_us
    aifs, number = _best(contender, category, "aifs_us", rows), _best(contender, category, "aifsn", rows)
    overruled = aifs is not None and aifs.origin == "measured" and slot.origin == "given"
    if aifs and not overruled and (number is None or _rank(aifs) <= _rank(number)):
        return aifs
    number = number or _presumption(contender, category, "aifsn", default.aifsn(category))
    return Row(
        source=number.source,
        observer=number.observer,
        station=number.station,
        access_category=number.access_category,
        parameter="aifs_us",
        value=sifs_us + number.value * slot.value,
        origin=number.origin,
        samples=number.samples,
        confidence=number.confidence,
    )


def _best(contender: Contender, category: str | None, parameter: str, rows: dict[Key, list[Row]]) -> Row | None:
    """The highest ranked row that holds for a contender; of equal rank the one about most particular things."""
    station, medium, anywhere = contender.station, (contender.source, contender.observer), (None, None)
    scopes = [
        (*where, who, what, parameter)
        for where in (medium, anywhere)
        for who in dict.fromkeys((station, contender.bssid, None))
        for what in dict.fromkeys((category, None))
    ]
    found = [row for scope in scopes for row in rows.get(scope, ()) if _holds_for(contender, row)]
    return min(found, key=_rank, default=None)


def _holds_for(contender: Contender, row: Row) -> bool:
    """True unless a row is about the access point alone, or about its stations alone.

    An access point announces EDCA parameters that its stations are to use; it has others of its own.
    """
    if row.station is None or row.station not in (contender.station, contender.bssid):
        return True
    if row.station == contender.station:
        return not (row.origin == "declared" and contender.station == contender.bssid and row.parameter in OF_CATEGORY)
    return row.origin in ("given", "declared") or row.parameter == "slot_us"


def _presumption(contender: Contender, category: str | None, parameter: str, value: float) -> Row:
    return Row(
        source=contender.source,
        observer=contender.observer,
        station=contender.station,
        access_category=category,
        parameter=parameter,
        value=float(value),
        origin="presumed",
    )


def _inherited(row: Row, contender: Contender, category: str | None) -> Row:
    """The same about the contender itself."""
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
        alike = rows.setdefault(_key(row), [])
        alike.append(row)
        alike.sort(key=_rank)


def _key(row: Row) -> Key:
    return (row.source, row.observer, row.station, row.access_category, row.parameter)


def _rank(row: Row) -> int:
    return ORIGINS.index(row.origin)


def _table(rows: dict[Key, list[Row]]) -> pl.DataFrame:
    """The first row of each key counts; a row that says the same from the same origin again is left out."""
    records: list[dict[str, object]] = []
    for key, alike in rows.items():
        distinct: Sequence[Row] = list(dict.fromkeys(alike))
        for place, row in enumerate(distinct):
            records.append({**vars(row), "unit": UNITS[key[-1]], "used": place == 0})
    table = pl.DataFrame(records, schema_overrides=MAC_PARAMETERS_SCHEMA, infer_schema_length=None)
    if not records:
        return pl.DataFrame(schema=MAC_PARAMETERS_SCHEMA)
    order = ["source", "observer", "station", "access_category", "parameter"]
    return table.select(MAC_PARAMETERS_SCHEMA.names()).sort(*order, nulls_last=False, maintain_order=True)
