"""iperf2 CSV reports (``-y C``): time, end points, stream, interval, octets, bit/s, and losses for UDP."""

from __future__ import annotations

import csv
import io
import math
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from winf_analyzer._ingest.truth.table import End, Interval, ParsedLog, concatenated, flow_name, table

if TYPE_CHECKING:
    import polars as pl

_ROW = re.compile(r"^\d{14}(?:\.\d+)?(?:[+-]\d{4})?,[^,]*,\d+,[^,]*,\d+,-?\d+,\d+\.\d+-\d+\.\d+,\d+,\d+")
_TCP_FIELDS = 9
_UDP_FIELDS = 14


def looks_like(head: str) -> bool:
    """True for text whose first line is a row of such a report."""
    return bool(_ROW.match(head.lstrip()))


def read(text: str, source: str) -> ParsedLog:
    """One row per interval and stream, without sums over streams (-1) and totals over intervals.

    The report does not say which end wrote it, so ``side`` is null in rows without loss counts. Time stamps mark the
    end of an interval, in whole seconds; without a zone they are read as UTC.
    """
    damage: list[str] = []
    tests: dict[str, list[tuple[float, Interval]]] = {}
    for number, row in enumerate(csv.reader(io.StringIO(text)), start=1):
        try:
            parsed = _parse_row(row)
        except (ValueError, IndexError, OverflowError):
            damage.append(f"line {number} is cut short or damaged")
            continue
        if parsed:
            tests.setdefault(parsed[1].flow or "", []).append(parsed)
    rows = [_rows(intervals, source) for intervals in tests.values()]
    return ParsedLog(concatenated(rows), damage)


def _parse_row(row: list[str]) -> tuple[float, Interval] | None:
    """The time stamp of a row and its interval; None for sums over streams."""
    if not row:
        return None
    if len(row) < _TCP_FIELDS:
        raise ValueError("too few fields")
    stamp, host, port, peer, peer_port, stream, interval, _, rate, *udp = row
    if int(stream) < 0:
        return None
    one, other = End(host, int(port)), End(peer, int(peer_port))
    start, end = map(float, interval.split("-"))
    jitter = lost = None
    counts = False
    if len(row) >= _UDP_FIELDS:
        total = int(udp[2])
        counts = total >= 0 and (float(udp[0]) > 0 or int(udp[1]) > 0)
        jitter, lost = (float(udp[0]), int(udp[1])) if counts else (None, None)
    if jitter is not None and not math.isfinite(jitter):
        raise ValueError("not a number")
    return _epoch_s(stamp), Interval(
        flow=flow_name("udp" if udp else "tcp", one, other),
        sender=str(one),
        side="receiver" if counts else None,
        start_s=start,
        length_s=end - start,
        throughput_bps=float(rate),
        jitter_ms=jitter,
        lost=lost,
    )


def _rows(intervals: list[tuple[float, Interval]], source: str) -> pl.DataFrame:
    kept = [intervals[0], *(each for each in intervals[1:] if each[1].start_s > 0)]
    origin = max(stamp - each.start_s - each.length_s for stamp, each in kept)
    measurements = [each for _, each in kept]
    return table(measurements, source=source, tool="iperf2", clock="epoch", origin_s=origin)


def _epoch_s(stamp: str) -> float:
    at = datetime.strptime(stamp[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    rest = re.fullmatch(r"(\.\d+)?(?:([+-])(\d\d)(\d\d))?", stamp[14:])
    if rest is None:
        raise ValueError("not a time")
    if rest[2]:
        zone = timedelta(hours=int(rest[3]), minutes=int(rest[4]))
        at += -zone if rest[2] == "+" else zone
    return at.timestamp() + float(rest[1] or 0)
