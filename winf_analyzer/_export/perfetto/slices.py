"""Exchanges and their frames as slices: a track per sender, an exchange on it, its frames within.

Exchanges and frames come in the order of their starts, from DuckDB, which sorts on disk what does not fit in memory. A
frame belongs to the last begun exchange that is on the air with it and has one of its addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from winf_analyzer._export.perfetto.writer import TraceWriter

if TYPE_CHECKING:
    import duckdb

MAX_OPEN = 256
"""Exchanges that wait for frames at a time; more are written without further frames."""

MAX_FRAMES = 1024
"""Frames drawn of one exchange: the longest A-MPDU of IEEE 802.11be."""

MAX_LANES = 8
"""Tracks of one station whose exchanges overlap, as merged or faulty recordings have them."""

FETCHED = 20_000
PIECE_ROWS = 100_000
"""Rows that are sorted at a time."""

PIECE_NS = 10**8
"""Pieces begin and end at multiples of this."""

EXCHANGE = (
    "exchange_no", "receiver", "kind", "data_kind", "attempt", "complete", "heard_rts", "heard_data", "hidden",
    "payload_bytes", "length_bytes", "mpdus", "phy", "rate_mbps", "data_airtime_us", "idle_before_us", "backoff_us",
    "queue_ns", "access_ns", "nav_rts_us", "nav_data_us", "tid", "seq", "bssid", "channel_mhz", "packet_uid", "flow",
)  # fmt: skip
"""Columns of `exchanges` that are arguments of its slice."""

FRAME = (
    "frame_no", "subtype", "ra", "ta", "bssid", "ssid", "seq", "frag", "tid", "retry", "length_bytes", "payload_bytes",
    "nav_us", "airtime_us", "phy", "rate_mbps", "mcs", "nss", "bandwidth_mhz", "guard_ns", "preamble", "ppdu_format",
    "ppdu_no", "signal_dbm", "noise_dbm", "fcs_ok", "assumptions", "parse_error", "flow", "transport_seq", "tcp_ack",
    "packet_uid",
)  # fmt: skip
"""Columns of `frames` that are arguments of its slice."""

Row = tuple[Any, ...]


@dataclass
class _Lane:
    track: int
    free_ns: int


@dataclass
class _Open:
    row: Row
    start_ns: int
    end_ns: int
    ends: tuple[str | None, str | None]
    frames: list[Row] = field(default_factory=list)


@dataclass
class Slices:
    """The slices of one view of a recording."""

    writer: TraceWriter
    parent: int
    label: Callable[[str], str]
    """What a track says of a station."""
    written: int = 0
    frames: int = 0
    alone: int = 0
    """Frames of no exchange, drawn as instants."""
    omitted: int = 0
    """Exchanges that overlap too many others of the same station, and frames beyond :data:`MAX_FRAMES`."""
    _lanes: dict[str | None, list[_Lane]] = field(default_factory=dict)

    def write(self, exchanges: Iterator[Row], frames: Iterator[Row]) -> None:
        """Write all exchanges and frames, both as `rows` gives them."""
        waiting: list[_Open] = []
        frame = next(frames, None)
        for row in exchanges:
            start_ns, end_ns, sender, receiver = row[:4]
            while frame is not None and frame[0] < start_ns:
                self._assign(frame, waiting)
                frame = next(frames, None)
            waiting = self._close(waiting, start_ns)
            waiting.append(_Open(row, start_ns, end_ns, (sender, receiver)))
            if len(waiting) > MAX_OPEN:
                self._draw(waiting.pop(0))
        while frame is not None:
            self._assign(frame, waiting)
            waiting = self._close(waiting, frame[0])
            frame = next(frames, None)
        self._close(waiting, None)

    def _assign(self, frame: Row, waiting: list[_Open]) -> None:
        start_ns, end_ns, ta, ra = frame[:4]
        address = ra if ta is None else ta
        for exchange in reversed(waiting):
            within = exchange.start_ns <= start_ns and end_ns <= exchange.end_ns
            if within and (address in exchange.ends or exchange.ends == (None, None)):
                if len(exchange.frames) < MAX_FRAMES:
                    exchange.frames.append(frame)
                else:
                    self.omitted += 1
                return
        self.alone += 1
        lane = self._lane(ta, None)
        if lane is not None:
            self.writer.instant(lane.track, start_ns, frame[4], zip(FRAME, frame[5:], strict=True))

    def _close(self, waiting: list[_Open], now_ns: int | None) -> list[_Open]:
        """Draw the exchanges that are over, and return those that are not."""
        over = [each for each in waiting if now_ns is None or each.end_ns <= now_ns]
        for each in over:
            self._draw(each)
        return [each for each in waiting if each not in over] if over else waiting

    def _draw(self, exchange: _Open) -> None:
        row, writer = exchange.row, self.writer
        lane = self._lane(exchange.ends[0], exchange.start_ns)
        if lane is None:
            self.omitted += 1
            return
        lane.free_ns = exchange.end_ns
        self.written += 1
        writer.begin(lane.track, exchange.start_ns, row[4], zip(EXCHANGE, row[5:], strict=True))
        within: list[int] = [exchange.end_ns]
        for frame in exchange.frames:
            start_ns, end_ns = frame[:2]
            while len(within) > 1 and within[-1] <= start_ns:
                writer.end(lane.track, within.pop())
            args = zip(FRAME, frame[5:], strict=True)
            self.frames += 1
            if end_ns > within[-1]:  # overlaps its neighbour partly, which slices of a track cannot
                writer.instant(lane.track, start_ns, frame[4], args)
                continue
            writer.begin(lane.track, start_ns, frame[4], args)
            within.append(end_ns)
        while within:
            writer.end(lane.track, within.pop())

    def _lane(self, station: str | None, start_ns: int | None) -> _Lane | None:
        """The first track of a station that is free; without a time its first one. None if it has too many."""
        lanes = self._lanes.setdefault(station, [])
        for lane in lanes:
            if start_ns is None or lane.free_ns <= start_ns:
                return lane
        if len(lanes) == MAX_LANES:
            return None
        name = "sender not known" if station is None else self.label(station)
        if lanes:
            name += f", overlapping {len(lanes)}"
        lanes.append(_Lane(self.writer.track(name, self.parent), 0))
        return lanes[-1]


def exchange_rows(connection: duckdb.DuckDBPyConnection, source: str, observer: str | None) -> Iterator[Row]:
    """Start, end, sender, receiver, name and :data:`EXCHANGE` of the exchanges, in the order of their starts."""
    name = "coalesce(data_kind, kind) || case when complete then '' else ', not answered' end"
    return _rows(
        connection,
        f"start_ns, end_ns, sender, receiver, {name}, {', '.join(EXCHANGE)}",
        "exchanges where source = ? and observer is not distinct from ? and end_ns >= start_ns",
        "exchange_no",
        [source, observer],
    )


def frame_rows(connection: duckdb.DuckDBPyConnection, source: str, observer: str | None) -> Iterator[Row]:
    """Start, end, transmitter, receiver, kind and :data:`FRAME` of the frames on the air, in order of their starts."""
    return _rows(
        connection,
        f"start_ns, end_ns, ta, ra, coalesce(kind, 'unreadable'), {', '.join(FRAME)}",
        "frames where source = ? and observer is not distinct from ? and layer = 'mac' and end_ns >= start_ns "
        "and coalesce(direction, 'rx') in ('rx', 'tx')",
        "frame_no",
        [source, observer],
    )


def _rows(
    connection: duckdb.DuckDBPyConnection, columns: str, of: str, number: str, parameters: list[str | None]
) -> Iterator[Row]:
    """Rows in the order of their starts, sorted in pieces of time: a whole recording would not fit into memory."""
    cursor = connection.cursor()
    query = f"select {columns} from {of} and start_ns >= ? and start_ns < ? order by start_ns, end_ns desc, {number}"  # noqa: S608
    for begin_ns, end_ns in _pieces(cursor, of, parameters):
        cursor.execute(query, [*parameters, begin_ns, end_ns])
        while rows := cursor.fetchmany(FETCHED):
            yield from rows


def _pieces(cursor: duckdb.DuckDBPyConnection, of: str, parameters: list[str | None]) -> list[tuple[int, int]]:
    """Beginnings and ends of times with about :data:`PIECE_ROWS` rows each."""
    within = f"(start_ns % {PIECE_NS} + {PIECE_NS}) % {PIECE_NS}"  # of times before 0 as well
    counts = f"select (start_ns - {within}) // {PIECE_NS}, count(*) from {of} group by 1 order by 1"  # noqa: S608
    pieces, rows = list[tuple[int, int]](), PIECE_ROWS
    for step, count in cursor.execute(counts, parameters).fetchall():
        end_ns = (step + 1) * PIECE_NS
        if rows + count > PIECE_ROWS:
            pieces.append((step * PIECE_NS, end_ns))
            rows = count
        else:
            pieces[-1] = (pieces[-1][0], end_ns)
            rows += count
    return pieces
