"""MAC parameters as text lines, stations with equal values grouped. Without Polars, which is slow to import."""

from collections.abc import Iterable, Sequence
from typing import Any

SUMMARISED = (
    ("slot_us", "slot {} us"),
    ("aifs_us", "AIFS {} us"),
    ("cw_min", "CWmin {}"),
    ("control_rate_mbps", "CTS and ACK at {} Mb/s"),
    ("ampdu_max_bytes", "A-MPDU up to {} octets"),
    ("amsdu_max_bytes", "A-MSDU up to {} octets"),
)
"""Parameters in the summary and their phrases; the table has more."""


MAX_VALUES = 3
"""Values listed per parameter."""

SAMPLES = {"slot_us": "gap", "aifs_us": "gap", "control_rate_mbps": "frame"}
"""What a measured value rests on."""

SHARED = "slot_us"
"""Measured once for the stations of a recording or a network: the same gaps stand in the rows of all of them."""


def parameter_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """One line per parameter and access category: each value with its origin.

    Args:
        rows: used rows of `mac_parameters` as dictionaries.
    """
    rows = [row for row in rows if row["station"] is not None]
    lines = []
    for parameter, phrase in SUMMARISED:
        of_parameter = [row for row in rows if row["parameter"] == parameter]
        categories = {row["access_category"] for row in of_parameter}
        for category in sorted(categories - {None}) or sorted(categories, key=str):
            group = [row for row in of_parameter if row["access_category"] == category]
            name = f"{category.upper()}: " if category else ""
            lines.append(name + "; ".join(_value_texts(group, parameter, phrase)))
    if aggregating := [row["value"] for row in rows if row["parameter"] == "mpdus_max" and row["value"] > 1]:
        lines.append(f"A-MPDUs of up to {max(aggregating):g} MPDUs from {_count(len(aggregating), 'station')}")
    protected = [row for row in rows if row["parameter"] in ("rts_share", "cts_self_share") and row["value"] > 0]
    for parameter, name in (("rts_share", "RTS/CTS"), ("cts_self_share", "CTS-to-self")):
        if stations := [row for row in protected if row["parameter"] == parameter]:
            exchanges = sum(row["samples"] for row in stations)
            share = sum(row["value"] * row["samples"] for row in stations) / exchanges
            lines.append(f"{name} before {100 * share:.1f} % of the exchanges of {_count(len(stations), 'station')}")
    return lines


def _value_texts(rows: Iterable[dict[str, Any]], parameter: str, phrase: str) -> list[str]:
    by_value: dict[tuple[float, str], list[dict[str, Any]]] = {}
    for row in rows:
        by_value.setdefault((row["value"], row["origin"]), []).append(row)
    ordered = sorted(by_value.items(), key=lambda item: (-len(item[1]), item[0]))
    texts = [
        f"{phrase.format(f'{value:.10g}')} ({_origin_text(origin, parameter, group)})"
        for (value, origin), group in ordered
    ]
    return texts if len(texts) <= MAX_VALUES else [*texts[:MAX_VALUES], _count(len(texts) - MAX_VALUES, "other value")]


def _origin_text(origin: str, parameter: str, rows: list[dict[str, Any]]) -> str:
    """Origin, what it rests on, and stations. Beacons are not counted: those of a network hold for all its stations."""
    of = f" on {_samples_text(parameter, rows)}" if origin == "measured" else ""
    return f"{origin}{of}, {_count(len(rows), 'station')}"


def _samples_text(parameter: str, rows: list[dict[str, Any]]) -> str:
    samples, what = [row["samples"] or 0 for row in rows], SAMPLES.get(parameter, "sample")
    if parameter != SHARED:
        return _count(sum(samples), what)
    least, most = min(samples), max(samples)
    return _count(most, what) if least == most else f"{least} to {_count(most, what)}"


def _count(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number} {what}s"
