"""Tracks, slices, instants and counters into a trace file, packet by packet.

Names of events and of their arguments are written once and then named by a number, which the format calls interning.
What is remembered is bounded: as many names as :data:`MAX_NAMES`, as many encoded arguments as :data:`MAX_ENCODED`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from winf_analyzer._export.perfetto import schema, wire
from winf_analyzer._export.perfetto.schema import (
    Clock,
    ClockSnapshot,
    CounterDescriptor,
    DebugAnnotation,
    EventName,
    InternedData,
    Trace,
    TracePacket,
    TrackDescriptor,
    TrackEvent,
)

Value = str | int | float | bool | None
Args = Iterable[tuple[str, Value]]

MAX_NAMES = 65_536
MAX_ENCODED = 65_536
FLUSH_BYTES = 1 << 20
SEQUENCE = 1
"""All packets are of one writer, so that names are interned once."""

FIRST_TRACK = 1

MARK = "winf_analyzer"
"""A name in the first packet, which tells traces of winf from others."""


class TraceWriter:
    """Writes one trace. Times are in ns; events before time 0 cannot be written and are counted in `dropped`."""

    def __init__(self, file: BinaryIO) -> None:
        self.dropped = 0
        self._file = file
        self._buffer = bytearray()
        self._next_track = FIRST_TRACK
        self._names: dict[tuple[int, str], bytes] = {}
        self._encoded: dict[tuple[str, Value, type], bytes] = {}
        self._sequence = wire.unsigned(TracePacket.trusted_packet_sequence_id, SEQUENCE)
        self._flags = wire.unsigned(TracePacket.sequence_flags, schema.NEEDS_INCREMENTAL_STATE)
        self._next_name = 1
        self._packet(_FIRST + self._interning(InternedData.event_names, MARK))

    def snapshot_clock(self, now_ns: int) -> None:
        """Say that time stamps count from 1970."""
        clocks = b"".join(
            wire.message(
                ClockSnapshot.clocks, wire.unsigned(Clock.clock_id, number) + wire.unsigned(Clock.timestamp, now_ns)
            )
            for number in (schema.BOOTTIME, schema.REALTIME)
        )
        self._packet(wire.unsigned(TracePacket.timestamp, now_ns) + wire.message(TracePacket.clock_snapshot, clocks))

    def track(self, name: str, parent: int | None = None, *, description: str = "") -> int:
        """Declare a track of slices, or a group of tracks; returns its number."""
        return self._track(name, parent, description, b"")

    def counter_track(
        self, name: str, parent: int | None, *, unit: str, shares_axis: str = "", description: str = ""
    ) -> int:
        """Declare a track of a counter; those that share an axis have the same key."""
        counter = wire.text(CounterDescriptor.unit_name, unit)
        if shares_axis:
            counter += wire.text(CounterDescriptor.y_axis_share_key, shares_axis)
        return self._track(name, parent, description, wire.message(TrackDescriptor.counter, counter))

    def begin(self, track: int, start_ns: int, name: str, args: Args) -> None:
        """Begin a slice; slices of a track lie beside or within one another."""
        self._event(schema.SLICE_BEGIN, track, start_ns, self._described(name, args))

    def end(self, track: int, end_ns: int) -> None:
        """End the slice of this track that began last."""
        self._event(schema.SLICE_END, track, end_ns, b"")

    def instant(self, track: int, time_ns: int, name: str, args: Args) -> None:
        """Write an event without duration."""
        self._event(schema.INSTANT, track, time_ns, self._described(name, args))

    def count(self, track: int, time_ns: int, value: float) -> None:
        """Write the value that a counter has from this time on."""
        self._event(schema.COUNTER, track, time_ns, wire.double(TrackEvent.double_counter_value, value))

    def close(self) -> None:
        """Write what is left."""
        self._file.write(self._buffer)
        self._buffer.clear()

    def _track(self, name: str, parent: int | None, description: str, counter: bytes) -> int:
        number = self._next_track
        self._next_track += 1
        content = wire.unsigned(TrackDescriptor.uuid, number) + wire.text(TrackDescriptor.name, name)
        if parent is not None:
            content += wire.unsigned(TrackDescriptor.parent_uuid, parent)
        content += wire.unsigned(TrackDescriptor.sibling_order_rank, number)
        content += wire.unsigned(TrackDescriptor.child_ordering, schema.EXPLICIT)
        if description:
            content += wire.text(TrackDescriptor.description, description)
        self._packet(wire.message(TracePacket.track_descriptor, content + counter))
        return number

    def _event(self, kind: int, track: int, time_ns: int, content: bytes) -> None:
        if time_ns < 0:
            self.dropped += 1
            return
        event = _KIND[kind] + _TRACK + wire.varint(track) + content
        self._packet(b"".join((_TIME, wire.varint(time_ns), self._flags, _EVENT, wire.varint(len(event)), event)))

    def _described(self, name: str, args: Args) -> bytes:
        parts = [self._name(name)]
        parts += [self._argument(key, value) for key, value in args if value is not None]
        return b"".join(parts)

    def _name(self, name: str) -> bytes:
        iid = self._interned(InternedData.event_names, name)
        return wire.text(TrackEvent.name, name) if iid is None else wire.key(TrackEvent.name_iid, wire.VARINT) + iid

    def _argument(self, name: str, value: Value) -> bytes:
        key = (name, value, type(value))
        known = self._encoded.get(key)
        if known is None:
            if len(self._encoded) >= MAX_ENCODED:
                self._encoded.clear()
            iid = self._interned(InternedData.debug_annotation_names, name)
            named = (
                wire.text(DebugAnnotation.name, name)
                if iid is None
                else wire.key(DebugAnnotation.name_iid, wire.VARINT) + iid
            )
            known = self._encoded[key] = wire.message(TrackEvent.debug_annotations, named + _value(value))
        return known

    def _interned(self, field: int, name: str) -> bytes | None:
        """The number of a name as a varint; None once there are too many names."""
        known = self._names.get((field, name))
        if known is None and len(self._names) < MAX_NAMES:
            known = self._names[field, name] = wire.varint(self._next_name)
            self._packet(self._flags + self._interning(field, name))
        return known

    def _interning(self, field: int, name: str) -> bytes:
        """Give a name the next number."""
        entry = wire.unsigned(EventName.iid, self._next_name) + wire.text(EventName.name, name)
        self._next_name += 1
        return wire.message(TracePacket.interned_data, wire.message(field, entry))

    def _packet(self, content: bytes) -> None:
        self._buffer += wire.message(Trace.packet, self._sequence + content)
        if len(self._buffer) >= FLUSH_BYTES:
            self.close()


def _value(value: Value) -> bytes:
    if isinstance(value, bool):
        return wire.unsigned(DebugAnnotation.bool_value, value)
    if isinstance(value, int):
        return wire.signed(DebugAnnotation.int_value, value)
    if isinstance(value, float):
        return wire.double(DebugAnnotation.double_value, value)
    return wire.text(DebugAnnotation.string_value, str(value))


_FIRST = wire.unsigned(TracePacket.sequence_flags, schema.INCREMENTAL_STATE_CLEARED)
_KIND = {kind: wire.unsigned(TrackEvent.type, kind) for kind in range(1, 5)}
_TRACK = wire.key(TrackEvent.track_uuid, wire.VARINT)
_TIME = wire.key(TracePacket.timestamp, wire.VARINT)
_EVENT = wire.key(TracePacket.track_event, wire.LENGTH)
