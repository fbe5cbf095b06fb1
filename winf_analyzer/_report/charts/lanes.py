"""Chart kind ``lanes``: radios as lanes on a time axis, every exchange where it was on the air.

The page holds the share of time per lane and bin of the whole recording, and every exchange of a few spells: those of
the findings and the busiest ones, or the whole recording where that is short. Of an exchange it holds the times of its
frames and its fields.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import polars as pl

from winf_analyzer._report.figure import Drawing, shown_view_note
from winf_analyzer._report.labels import CLASSES, class_colour, format_number
from winf_analyzer._report.sanitize import escape_controls

if TYPE_CHECKING:
    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel

LANES = 30
"""Stations with a lane of their own, those with most airtime; the others share one."""

BINS = 600
"""Bins of the overview, as in the query `lane_bins`."""

FRAMES = ("rts", "cts", "data", "ack")

FRAME_NAMES = {
    "beacon": "BEACON",
    "probe": "PROBE",
    "management": "MANAGEMENT",
    "null_data": "NULL",
    "control": "CONTROL",
    "unreadable": "FRAME",
}
"""What the frame that the query calls `data` is called, by class, where it is none."""

UNKNOWN = "unknown station"


class Numbers:
    """Numbers of texts in order of their first use."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, text: str | None) -> int:
        """The number of a text; -1 for none."""
        return -1 if text is None else self._numbers.setdefault(text, len(self._numbers))

    @property
    def texts(self) -> list[str]:
        """Every text, by its number."""
        return list(self._numbers)


def lanes(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """The lanes of the recorder with the most airtime; `rows` are those of the query `lane_bins`."""
    del panel
    if rows.is_empty():
        return Drawing()
    source, first_s, bin_s = rows["source"][0], rows["from_s"][0], rows["bin_s"][0]
    origin_s = first_s if context.origins_s else 0.0
    rows = rows.with_columns(pl.col("sender").replace(context.name.radio_of))
    totals = rows.group_by("sender").agg(pl.col("share").sum()).sort("share", "sender", descending=[True, False])
    stations = sorted(totals["sender"].to_list()[:LANES], key=lambda name: name is None)
    unshown = totals.height - len(stations)
    lane = {station: place for place, station in enumerate(stations)}
    others = [f"{unshown} other stations"] * (unshown > 0)
    addresses = Numbers()
    spells: list[dict[str, Any]] = [
        {
            "name": f"{name}, from {format_number(round(from_s - origin_s, 3))} s",
            "from": from_s - origin_s,
            "to": to_s - origin_s,
            **_columns(exchanges, from_s, lane, addresses, context),
        }
        for name, from_s, to_s, exchanges in context.spells
    ]
    data = {
        "lanes": [escape_controls(context.name.of_radio(station) if station else UNKNOWN) for station in lane] + others,
        "names": [escape_controls(context.name(address)) for address in addresses.texts],
        "classes": [
            {"name": text, "color": class_colour(kind), "frame": FRAME_NAMES.get(kind, "DATA")}
            for kind, text in CLASSES.items()
        ],
        "span": [round(first_s - origin_s, 6), round(first_s - origin_s + bin_s * BINS, 6)],
        "bins": BINS,
        "spells": spells,
        **_overview(rows, lane, len(lane) + len(others)),
    }
    held, total = sum(len(spell["start"]) for spell in spells), int(rows["exchanges"].sum())
    notes = [f"{format_number(held)} of {format_number(total)} exchanges are held one by one, in the marked spells."]
    if any(station in context.name.radios for station in lane):
        notes.append("+n: the radio sends under n more BSSIDs; the fields of an exchange name its own.")
    notes += shown_view_note(source, rows["observer"][0], context)
    return Drawing(lanes=data, notes=notes)


def _overview(rows: pl.DataFrame, lane: dict[str | None, int], lanes: int) -> dict[str, str]:
    """Share of each bin in 255ths, and the class that takes most of it, an octet per lane and bin, in Base64."""
    shares, most, kinds = [0.0] * (lanes * BINS), [0.0] * (lanes * BINS), bytearray(lanes * BINS)
    numbers = {name: place for place, name in enumerate(CLASSES)}
    for sender, number, kind, share in rows.select("sender", "bin", "class", "share").iter_rows():
        place = lane.get(sender, lanes - 1) * BINS + min(number, BINS - 1)
        shares[place] += share
        if share > most[place]:
            most[place], kinds[place] = share, numbers.get(kind, 0)
    octets = bytes(min(max(round(255 * share), 1), 255) if share else 0 for share in shares)
    return {"shares": base64.b64encode(octets).decode(), "kinds": base64.b64encode(bytes(kinds)).decode()}


def _columns(
    rows: pl.DataFrame, from_s: float, lane: dict[str | None, int], addresses: Numbers, context: ReportContext
) -> dict[str, list[int | float]]:
    """The exchanges of a spell as columns: times in tenths of a microsecond, starts as differences, unknown -1."""
    numbers = {name: place for place, name in enumerate(CLASSES)}
    starts = [round(at / 100) for at in rows["start_ns"] - round(from_s * 1e9)]
    frames: list[int | float] = []
    for row in rows.iter_rows(named=True):
        for name in FRAMES:
            start, end = row[f"{name}_start_ns"], row[f"{name}_ns"]
            known = start is not None and end is not None and end > start
            frames += [round((start - row["start_ns"]) / 100), round((end - start) / 100)] if known else [-1, -1]

    def whole(name: str, unknown: int = -1) -> list[int | float]:
        return rows[name].fill_null(unknown).to_list()

    return {
        "start": [at - before for at, before in zip(starts, [0, *starts], strict=False)],
        "length": [round(length / 100) for length in rows["end_ns"] - rows["start_ns"]],
        "lane": [lane.get(context.name.radio(sender), len(lane)) for sender in rows["sender"]],
        "sender": [addresses(sender) for sender in rows["sender"]],
        "receiver": [addresses(receiver) for receiver in rows["receiver"]],
        "class": [numbers.get(kind, 0) for kind in rows["class"]],
        "rate": whole("rate_mbps", 0),
        "bytes": whole("length_bytes"),
        "mpdus": whole("mpdus", 0),
        "attempt": whole("attempt"),
        "complete": [int(done) for done in rows["complete"].fill_null(value=True)],
        "seq": whole("seq"),
        "number": whole("exchange_no"),
        "frames": frames,
    }
