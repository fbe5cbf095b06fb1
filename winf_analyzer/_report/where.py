"""The head of the report: when, where and with what the recordings were made, and how far to trust them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._ingest.description import NOT_APPLICABLE, UNUSABLE
from winf_analyzer._report.labels import format_number
from winf_analyzer._report.moment import channel_text, duration_text, period_text
from winf_analyzer._util.clocks import has_date

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

Fact = tuple[str, str]
"""Label and text."""

VERDICTS = ("good", "doubtful", UNUSABLE)
"""Of the audit, from the best on."""

NAMES = 4
"""Network names, channels and observers that are listed; the others are counted."""


def facts(
    inputs: Sequence[dict[str, Any]],
    stations: pl.DataFrame | None,
    airtime: pl.DataFrame | None,
    audit: pl.DataFrame | None,
    channels: Mapping[int, int],
) -> list[Fact]:
    """Label and text of each fact.

    Args:
        inputs: the recordings' entries of the dataset's metadata.
        stations: rows of the query `stations`; None without the table.
        airtime: rows of the query `airtime`; None without the tables.
        audit: rows of the query `audit`; None without the table.
        channels: frames by channel, MHz.
    """
    read = [entry for entry in inputs if entry["counts"]["frames"]]
    if not read:
        return []
    counts = [entry["counts"] for entry in read]
    dated = [c for c in counts if has_date(c["first_ns"]) and has_date(c["last_ns"])]
    when = period_text(
        min((c["first_ns"] for c in dated), default=None), max((c["last_ns"] for c in dated), default=None)
    )
    if dated and len(dated) < len(counts):
        when += f"; {_counted(len(counts) - len(dated), 'recording')} without a date"
    recorded_s = sum(c["last_ns"] - c["first_ns"] for c in counts) / 1e9
    duration = duration_text(recorded_s) + (f" in {len(read)} recordings" if len(read) > 1 else "")
    found = [("When", when), ("Duration", duration), ("Channel", _channels(channels))]
    if stations is not None:
        found.append(("Networks", _networks(stations, airtime)))
    observers = sorted({entry["observer"] for entry in read if entry["observer"]})
    recorder = _listed(observers) if observers else _nobody(audit)
    return [*found, ("Recorded by", recorder), ("Audit", _audit(audit))]


def announced(stations: pl.DataFrame, airtime: pl.DataFrame | None) -> dict[str, str]:
    """By station that announces a network its BSSID: the station itself, or in an IBSS the one that all of it share.

    Args:
        stations: rows of the query `stations`.
        airtime: rows of the query `airtime`; None without the tables.
    """
    beacons = () if airtime is None else airtime.filter(**{"class": "beacon"}).select("station", "bssid").iter_rows()
    shared = {station: bssid for station, bssid in beacons if bssid is not None}
    roles = stations.select("station", "role").iter_rows()
    return {
        station: shared.get(station, station) if role == "ibss" else station
        for station, role in roles
        if role in ("ap", "ibss")
    }


def _nobody(audit: pl.DataFrame | None) -> str:
    """Who recorded where no recording names its radio: the audit tells traces of simulators from sniffers."""
    traces = set() if audit is None else set(audit.filter(verdict=NOT_APPLICABLE)["source"])
    sniffers = set() if audit is None else set(audit["source"]) - traces
    trace = "a simulator's trace" if traces else ""
    return " and ".join(who for who in (trace, "an anonymous sniffer" if sniffers or not traces else "") if who)


def _channels(frames: Mapping[int, int]) -> str:
    ordered = sorted(frames, key=lambda mhz: (-frames[mhz], mhz))
    return _listed([channel_text(mhz) for mhz in ordered]) if ordered else "not recorded"


def _networks(stations: pl.DataFrame, airtime: pl.DataFrame | None) -> str:
    bssids = announced(stations, airtime)
    announcing = [row for row in stations.iter_rows(named=True) if row["station"] in bssids]
    if not announcing:
        return "no beacon and no probe response was heard"
    names: dict[str, int] = {}
    for row in announcing:
        if (row["ssid"] or "").strip("\0"):
            names[row["ssid"]] = names.get(row["ssid"], 0) + row["frames"]
    known = _listed(sorted(names, key=lambda name: (-names[name], name)))
    number = len(set(bssids.values()))
    heard, radios = _counted(number, "BSSID"), len({row["radio"] or bssids[row["station"]] for row in announcing})
    if radios < number:
        heard += f" of {_counted(radios, 'radio')}"
    return f"{heard}: {known}" if known else heard


def _audit(audit: pl.DataFrame | None) -> str:
    if audit is None or audit.is_empty():
        return "none was made"
    checked = audit.filter(audit["value"].is_not_null() | (audit["verdict"] == UNUSABLE))
    if checked.is_empty():
        # A trace of a simulator has no recorder; the consequence says so.
        reasons = audit.filter(verdict=NOT_APPLICABLE)["consequence"].unique(maintain_order=True).to_list()
        return "; ".join(reasons) or "too few frames to check"
    worst = max(checked["verdict"], key=lambda verdict: VERDICTS.index(verdict) if verdict in VERDICTS else 0)
    consequences = checked.filter(verdict=worst)["consequence"].unique(maintain_order=True).to_list()
    return (
        f"good in {_counted(checked.height, 'check')}"
        if worst == VERDICTS[0]
        else f"{worst}: {'; '.join(consequences)}"
    )


def _listed(texts: Sequence[str]) -> str:
    rest = len(texts) - NAMES
    return ", ".join(texts[:NAMES]) + (f" and {format_number(rest)} more" if rest > 0 else "")


def _counted(number: int, thing: str) -> str:
    return f"{format_number(number)} {thing}{'' if number == 1 else 's'}"
