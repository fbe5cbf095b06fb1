"""MAC parameters in words, stations that share a value together; no Polars, so that a screen needs none."""

from collections.abc import Iterable, Sequence
from typing import Any

SHOWN = (
    ("slot_us", "slot {} us"),
    ("aifs_us", "AIFS {} us"),
    ("cw_min", "CWmin {}"),
    ("control_rate_mbps", "CTS and ACK at {} Mb/s"),
    ("ampdu_max_bytes", "A-MPDU up to {} octets"),
    ("amsdu_max_bytes", "A-MSDU up to {} octets"),
)
"""Parameters on the screen and how they are said; the table has more."""


MOST_VALUES = 3
"""Values of one parameter that are said."""


def parameter_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """One line per parameter and access category: each value with where it comes from.

    Args:
        rows: used rows of `mac_parameters` as dictionaries.
    """
    rows = [row for row in rows if row["station"] is not None]
    lines = []
    for parameter, phrase in SHOWN:
        here = [row for row in rows if row["parameter"] == parameter]
        categories = {row["access_category"] for row in here}
        for category in sorted(categories - {None}) or sorted(categories, key=str):
            alike = [row for row in here if row["access_category"] == category]
            name = f"{category.upper()}: " if category else ""
            lines.append(name + "; ".join(_values(alike, phrase)))
    if aggregating := [row["value"] for row in rows if row["parameter"] == "mpdus_max" and row["value"] > 1]:
        lines.append(f"A-MPDUs of up to {max(aggregating):g} MPDUs from {_stations(len(aggregating))}")
    protected = [row for row in rows if row["parameter"] in ("rts_share", "cts_self_share") and row["value"] > 0]
    for parameter, name in (("rts_share", "RTS/CTS"), ("cts_self_share", "CTS-to-self")):
        if users := [row for row in protected if row["parameter"] == parameter]:
            exchanges = sum(row["samples"] for row in users)
            share = sum(row["value"] * row["samples"] for row in users) / exchanges
            lines.append(f"{name} before {100 * share:.1f} % of the exchanges of {_stations(len(users))}")
    return lines


def _values(rows: Iterable[dict[str, Any]], phrase: str) -> list[str]:
    together: dict[tuple[float, str], list[dict[str, Any]]] = {}
    for row in rows:
        together.setdefault((row["value"], row["origin"]), []).append(row)
    ordered = sorted(together.items(), key=lambda item: (-len(item[1]), item[0]))
    said = [f"{phrase.format(f'{value:.10g}')} ({_origin(origin, alike)})" for (value, origin), alike in ordered]
    return said if len(said) <= MOST_VALUES else [*said[:MOST_VALUES], f"{len(said) - MOST_VALUES} other values"]


def _origin(origin: str, rows: list[dict[str, Any]]) -> str:
    samples = sum(row["samples"] or 0 for row in rows)
    counted = {"measured": f" on {samples}", "declared": f" in {samples} frames"}.get(origin, "")
    return f"{origin}{counted}, {_stations(len(rows))}"


def _stations(count: int) -> str:
    return "1 station" if count == 1 else f"{count} stations"
