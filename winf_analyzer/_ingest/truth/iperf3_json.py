"""iperf3 JSON: one object per test (``-J``), several in sequence or between lines of text, or a stream of events.

Of a truncated file the complete intervals are kept.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from winf_analyzer._ingest.truth.table import End, Interval, ParsedLog, concatenated, flow_name, table

if TYPE_CHECKING:
    import polars as pl

Json = dict[str, Any]

_DECODER = json.JSONDecoder()
_EVENT = re.compile(r'^\{\s*"event"\s*:\s*"(start|interval|end)"', re.MULTILINE)
_TEST = re.compile(r'\{\s*"start"\s*:\s*\{')
_START = re.compile(r'"start"\s*:\s*')
_BETWEEN = re.compile(r"[,\s]*")
_INTERVALS = re.compile(r'"intervals"\s*:\s*\[')


def looks_like(head: str) -> bool:
    """True for text that contains the start of a test or an event."""
    if _EVENT.search(head):
        return True
    return bool(_TEST.search(head)) and any(f'"{key}"' in head for key in ("test_start", "connected", "intervals"))


def read(text: str, source: str) -> ParsedLog:
    """Every interval of every test in ``text``, one row per stream.

    Totals are only included for a receiver at the other end, whose intervals are not in this log.
    """
    damage: list[str] = []
    tests = _tests_of_stream(text, damage) if _EVENT.search(text) else _tests(text, damage)
    rows = [_rows(test, source) for test in tests]
    return ParsedLog(concatenated(rows), damage)


def _tests(text: str, damage: list[str]) -> Iterator[Json]:
    """The test objects in ``text``; other text between them is skipped."""
    position = 0
    while match := _TEST.search(text, position):
        try:
            test, position = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            next_test = _TEST.search(text, match.end())
            position = next_test.start() if next_test else len(text)
            test = _intact_part(text[match.start() : position])
            damage.append(f"a test is cut short or damaged; {len(test['intervals'])} intervals of it were kept")
        if isinstance(test, dict):
            yield test


def _intact_part(text: str) -> Json:
    """The intact part of a damaged test: its start object and its first intervals."""
    test: Json = {"start": {}, "intervals": []}
    try:
        if match := _START.search(text):
            test["start"], _ = _DECODER.raw_decode(text, match.end())
        match = _INTERVALS.search(text)
        position = match.end() if match else len(text)
        while position < len(text):
            separator = _BETWEEN.match(text, position)
            interval, position = _DECODER.raw_decode(text, separator.end() if separator else position)
            test["intervals"].append(interval)
    except (ValueError, RecursionError):
        pass
    return test


def _tests_of_stream(text: str, damage: list[str]) -> Iterator[Json]:
    """Tests from lines of events (``--json-stream``); incomplete lines are skipped."""
    test: Json | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.startswith("{"):
            continue
        try:
            event = json.loads(line)
            kind, data = event["event"], event["data"]
        except (ValueError, KeyError, TypeError, RecursionError):
            damage.append(f"line {number} is cut short or damaged")
            continue
        if kind == "start":
            if test:
                yield test
            test = {"start": data, "intervals": []}
        elif kind == "interval":
            test = test or {"start": {}, "intervals": []}
            test["intervals"].append(data)
        elif kind == "end" and test:
            test["end"] = data
    if test:
        yield test


def _rows(test: Json, source: str) -> pl.DataFrame:
    start = _dict(test.get("start"))
    setup = _dict(start.get("test_start"))
    stamp = _dict(start.get("timestamp"))
    omitted_s = _number(setup.get("omit")) or 0.0
    seconds = _number(stamp.get("timemillisecs"))
    origin = seconds / 1000 if seconds else _number(stamp.get("timesecs"))
    connected = [_dict(each) for each in _list(start.get("connected"))]
    ends = {str(each.get("socket")): (_end(each, "local"), _end(each, "remote")) for each in connected}
    protocol = str(setup.get("protocol") or "tcp").lower()
    measurements = [
        measurement
        for interval in _list(test.get("intervals"))
        for stream in _list(_dict(interval).get("streams"))
        if (measurement := _measurement(_dict(stream), ends, protocol))
    ]
    measured = {(each.flow, each.side) for each in measurements}
    # A client that was interrupted never learns what arrived.
    ended = {} if test.get("error") else _dict(test.get("end"))
    totals = (each for total in _list(ended.get("streams")) for each in _totals(_dict(total)))
    if "accepted_connection" in start:  # a server never learns what arrived of what it sent, and says 0, or no loss
        totals = (each for each in totals if not each.get("sender", setup.get("reverse")))
    others = (_measurement(total, ends, protocol, "receiver") for total in totals)
    measurements += [each for each in others if each and (each.flow, each.side) not in measured]
    clock = "test" if origin is None else "epoch"
    return table(measurements, source=source, tool="iperf3", clock=clock, origin_s=(origin or 0.0) + omitted_s)


def _totals(total: Json) -> Iterator[Json]:
    """A stream's total at the receiver. UDP has only the sender's record, which includes the receiver's losses."""
    if record := _dict(total.get("receiver")):
        yield record
    udp = _dict(total.get("udp"))
    rate, lost, packets = (_number(udp.get(key)) for key in ("bits_per_second", "lost_packets", "packets"))
    if rate is not None and lost is not None and packets:
        yield {**udp, "bits_per_second": rate * max(0.0, 1 - lost / packets)}


def _measurement(
    stream: Json, ends: dict[str, tuple[End, End]], protocol: str, side: str | None = None
) -> Interval | None:
    """One stream in one interval; ``None`` for omitted (warm-up) intervals, and if numbers are missing."""
    start, end, rate = (_number(stream.get(key)) for key in ("start", "end", "bits_per_second"))
    if start is None or end is None or rate is None or stream.get("omitted"):
        return None
    sends = bool(stream.get("sender"))
    side = side or ("sender" if sends else "receiver")
    flow = sender = None
    if pair := ends.get(str(stream.get("socket"))):
        local, remote = pair
        flow, sender = flow_name(protocol, local, remote), str(local if sends else remote)
    rtt_us = _number(stream.get("rtt"))
    lost = _number(stream.get("lost_packets"))
    received = side == "receiver"
    return Interval(
        flow=flow,
        sender=sender,
        side=side,
        start_s=start,
        length_s=end - start,
        throughput_bps=rate,
        jitter_ms=_number(stream.get("jitter_ms")) if received else None,
        lost=int(lost) if received and lost is not None else None,
        rtt_ms=rtt_us / 1000 if rtt_us else None,
    )


def _end(connection: Json, which: str) -> End:
    port = _number(connection.get(f"{which}_port"))
    return End(str(connection.get(f"{which}_host")), int(port or 0))


def _dict(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> float | None:
    """The value if it is a finite number of plausible size; logs are untrusted input."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) and abs(value) < 1e18 else None
