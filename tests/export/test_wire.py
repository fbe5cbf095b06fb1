"""The encoding of protobuf messages, beside the encoding documentation's examples and Perfetto's own messages."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winf_analyzer._export.perfetto import schema, wire
from winf_analyzer._export.perfetto.writer import MARK, TraceWriter
from winf_analyzer._export.targets import target


def test_examples_of_the_encoding_documentation():
    assert wire.unsigned(1, 150) == bytes.fromhex("089601")
    assert wire.text(2, "testing") == bytes.fromhex("120774657374696e67")
    assert wire.signed(1, -2) == bytes.fromhex("08feffffffffffffffff01")
    assert wire.double(1, 1.0) == bytes.fromhex("09000000000000f03f")


@given(st.integers(0, 2**64 - 1))
def test_varints_have_seven_bits_per_octet(value):
    octets = wire.varint(value)
    assert sum((octet & 0x7F) << 7 * place for place, octet in enumerate(octets)) == value
    assert [octet >> 7 for octet in octets] == [1] * (len(octets) - 1) + [0]


@pytest.mark.parametrize(
    "numbers",
    [each for each in vars(schema).values() if isinstance(each, type)],
)
def test_field_numbers_are_those_of_perfetto(numbers):
    pb2 = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="perfetto is not installed")
    name = "ClockSnapshot" if numbers is schema.Clock else numbers.__name__
    message = pb2.DESCRIPTOR.message_types_by_name[name]
    if numbers is schema.Clock:
        message = message.nested_types_by_name["Clock"]
    stated = {name: number for name, number in vars(numbers).items() if not name.startswith("_")}
    assert stated
    assert stated == {name: message.fields_by_name[name].number for name in stated}


def test_constants_are_those_of_perfetto():
    pb2 = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="perfetto is not installed")
    event, packet, track = pb2.TrackEvent, pb2.TracePacket, pb2.TrackDescriptor
    assert (schema.SLICE_BEGIN, schema.SLICE_END, schema.INSTANT, schema.COUNTER) == (
        event.TYPE_SLICE_BEGIN,
        event.TYPE_SLICE_END,
        event.TYPE_INSTANT,
        event.TYPE_COUNTER,
    )
    assert schema.INCREMENTAL_STATE_CLEARED == packet.SEQ_INCREMENTAL_STATE_CLEARED
    assert schema.NEEDS_INCREMENTAL_STATE == packet.SEQ_NEEDS_INCREMENTAL_STATE
    assert schema.EXPLICIT == track.EXPLICIT
    assert (schema.REALTIME, schema.BOOTTIME) == (pb2.BUILTIN_CLOCK_REALTIME, pb2.BUILTIN_CLOCK_BOOTTIME)


def test_a_trace_begins_with_the_mark_that_lets_force_replace_it():
    file = io.BytesIO()
    TraceWriter(file).close()
    assert file.getvalue().startswith(target("perfetto").signature)
    assert MARK.encode() in target("perfetto").signature


def test_events_before_time_zero_are_counted():
    file = io.BytesIO()
    writer = TraceWriter(file)
    writer.count(writer.counter_track("share", 1, unit="1"), -1, 0.5)
    writer.count(2, 0, 0.5)
    assert writer.dropped == 1


def test_more_names_than_are_remembered_are_written_in_full(monkeypatch):
    pb2 = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="perfetto is not installed")
    monkeypatch.setattr("winf_analyzer._export.perfetto.writer.MAX_NAMES", 3)
    file = io.BytesIO()
    writer = TraceWriter(file)
    track = writer.track("station")
    for number in range(6):
        writer.instant(track, number, f"name {number}", [("field", number), (f"other {number}", "text")])
    writer.close()
    trace = pb2.Trace.FromString(file.getvalue())
    names = {name.iid: name.name for packet in trace.packet for name in packet.interned_data.event_names}
    keys = {name.iid: name.name for packet in trace.packet for name in packet.interned_data.debug_annotation_names}
    events = [packet.track_event for packet in trace.packet if packet.HasField("track_event")]
    assert [event.name or names[event.name_iid] for event in events] == [f"name {number}" for number in range(6)]
    for number, event in enumerate(events):
        told = [arg.name or keys[arg.name_iid] for arg in event.debug_annotations]
        assert told == ["field", f"other {number}"]
