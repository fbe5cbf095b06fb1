"""Text output of iperf3 and iperf2, with or without time stamps in front of the lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from winf_analyzer._ingest.truth.table import End, Interval, ParsedLog, concatenated, flow_name, table

if TYPE_CHECKING:
    import polars as pl

_BANNER = re.compile(r"(?:Server listening on|Client connecting to|Connecting to host|Accepted connection from)")
_CONNECTION = re.compile(
    r"\[ *(?P<id>\d+)\](?:\[[^\]]*\])? local (?P<local>[^\s%]+)\S* port (?P<local_port>\d+)"
    r" connected (?P<how>to|with) (?P<remote>\S+) port (?P<remote_port>\d+)"
)
_CONNECTED_AT = re.compile(r" on (?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \((?:UTC|GMT)\)")
_INTERVAL = re.compile(
    r"^(?P<stamp>[^\[]{0,60})\[ *(?P<id>\d+)\](?:\[(?P<role>[RT]X)-[CS]\])?"
    r" +(?P<start>\d+\.\d+)- *(?P<end>\d+\.\d+) +sec +[\d.]+ [KMGT]?Bytes"
    r" +(?P<rate>\d+(?:\.\d+)?) (?P<unit>[KMGT]?)(?P<of>bits|Bytes)/sec(?P<rest>.*)$"
)
_RECEIVED = re.compile(r"(?P<jitter>\d+\.\d+) ms +(?P<lost>\d+)/ *\d+")
_RTT = re.compile(r"/(?P<rtt>\d+)\(\d+\) us")
_STAMPS = ("%a %b %d %H:%M:%S %Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z")
_BITS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_BYTES = {"": 8.0, "K": 8 * 2.0**10, "M": 8 * 2.0**20, "G": 8 * 2.0**30, "T": 8 * 2.0**40}


def looks_like(head: str) -> bool:
    """True for text that contains a connection or an interval of iperf."""
    return any(_CONNECTION.search(line) or _INTERVAL.match(line) for line in head.splitlines())


def read(text: str, source: str) -> ParsedLog:
    """Every interval of every test in ``text``, one row per stream, without sums over streams and totals.

    A total is included if there are no intervals of its side: the receiver's report at the end of a sender's log, or a
    test without intervals. Time stamps without a zone are read as UTC. Lines of other programs are skipped.
    """
    rows = [_rows(test, source) for test in _tests(text)]
    return ParsedLog(concatenated(rows))


@dataclass
class _Test:
    """The lines of one test, from its banner to the next one."""

    is_client: bool = False
    is_reverse: bool = False
    is_udp: bool = False
    tool: str = "iperf3"
    header: str = ""
    reports_server: bool = False
    started_s: float | None = None
    ends: dict[str, tuple[End, End]] = field(default_factory=dict)
    intervals: list[tuple[str, Interval]] = field(default_factory=list)
    totals: list[Interval] = field(default_factory=list)

    def read_context(self, line: str) -> None:
        """Read a line that describes the intervals after it."""
        if "[ ID]" in line:
            self.header = line
            self.is_udp |= "Datagrams" in line
        elif "Server Report:" in line:
            self.reports_server = True
        elif "Reverse mode" in line:
            self.is_reverse = True
        elif match := _CONNECTION.search(line):
            local, remote = (End(match[end], int(match[f"{end}_port"])) for end in ("local", "remote"))
            self.ends[match["id"]] = (local, remote)
            self.tool = "iperf2" if match["how"] == "with" else "iperf3"
            if at := _CONNECTED_AT.search(line):
                self.started_s = _date_s(at["at"])

    def read_interval(self, match: re.Match[str]) -> None:
        """Read a line with an interval."""
        rest = match["rest"]
        if "(omitted)" in rest:
            return
        side, sends = self._side(match)
        flow = sender = None
        if pair := self.ends.get(match["id"]):
            flow, sender = flow_name("udp" if self.is_udp else "tcp", *pair), str(pair[0] if sends else pair[1])
        received = _RECEIVED.search(rest) if side == "receiver" else None
        rtt = _RTT.search(rest)
        start, end = float(match["start"]), float(match["end"])
        measurement = Interval(
            flow=flow,
            sender=sender,
            side=side,
            start_s=start,
            length_s=end - start,
            throughput_bps=float(match["rate"]) * (_BITS if match["of"] == "bits" else _BYTES)[match["unit"]],
            jitter_ms=float(received["jitter"]) if received else None,
            lost=int(received["lost"]) if received else None,
            rtt_ms=int(rtt["rtt"]) / 1000 if rtt else None,
        )
        earlier = any(each.flow == flow and each.side == side for _, each in self.intervals)
        is_total = rest.rstrip().endswith(("sender", "receiver")) or self.reports_server or (start == 0 and earlier)
        self.reports_server = False
        if is_total:
            self.totals.append(measurement)
        else:
            self.intervals.append((match["stamp"], measurement))

    def _side(self, match: re.Match[str]) -> tuple[str, bool]:
        """The side where an interval was measured, and whether this end sends."""
        rest = match["rest"].rstrip()
        if match["role"]:
            sends = match["role"] == "TX"
        elif "Retr" in self.header or "Total Datagrams" in self.header.replace("Lost/Total", ""):
            sends = True
        else:
            sends = self.is_client != self.is_reverse
        if rest.endswith(("sender", "receiver")):
            return rest.split()[-1], sends
        if self.reports_server:
            return "receiver", sends
        return ("sender" if sends else "receiver"), sends


def _tests(text: str) -> Iterator[_Test]:
    test = _Test()
    for line in text.splitlines():
        if match := _INTERVAL.match(line):
            test.read_interval(match)
        elif _BANNER.search(line):
            if test.intervals or test.totals:
                yield test
                test = _Test()
            test.is_client |= "onnecting to" in line
            test.is_udp |= "UDP port" in line
        else:
            test.read_context(line)
    yield test


def _rows(test: _Test, source: str) -> pl.DataFrame:
    measured = {(each.flow, each.side) for _, each in test.intervals}
    totals = [each for each in test.totals if each.side == "receiver" and (each.flow, each.side) not in measured]
    # A client that is interrupted never learns what arrived, and says 0, and of UDP nothing lost.
    sent = {each.flow for _, each in test.intervals if each.side == "sender" and each.throughput_bps > 0}
    totals = [each for each in totals if each.throughput_bps > 0 or each.lost or each.flow not in sent]
    stamps = [(_epoch_s(stamp), each.start_s + each.length_s) for stamp, each in test.intervals]
    # A line is printed at the end of its interval, and its time stamp is rounded down.
    starts = [stamp - end for stamp, end in stamps if stamp is not None]
    origin = max(starts, default=test.started_s)
    measurements = [each for _, each in test.intervals] + totals
    clock = "test" if origin is None else "epoch"
    return table(measurements, source=source, tool=test.tool, clock=clock, origin_s=origin or 0.0)


def _epoch_s(stamp: str) -> float | None:
    """Seconds since 1970 of the time stamp in front of a line; None if there is none."""
    stamp = stamp.strip()
    if stamp.isdecimal() and len(stamp) <= 11:
        return float(stamp)
    for form in _STAMPS:
        try:
            at = datetime.strptime(stamp, form)
        except ValueError:
            continue
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    return None


def _date_s(text: str) -> float | None:
    """Seconds since 1970 of a date and time in UTC; None if it is not a valid date."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
