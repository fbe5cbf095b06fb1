"""Field numbers of Perfetto's messages (protos/perfetto/trace), those that are used; a test compares them with its own.

Names are those of the messages and fields there.
"""

from __future__ import annotations


class Trace:
    """perfetto.protos.Trace."""

    packet = 1


class TracePacket:
    """perfetto.protos.TracePacket."""

    clock_snapshot = 6
    timestamp = 8
    trusted_packet_sequence_id = 10
    track_event = 11
    interned_data = 12
    sequence_flags = 13
    track_descriptor = 60


class TrackEvent:
    """perfetto.protos.TrackEvent."""

    debug_annotations = 4
    type = 9
    name_iid = 10
    track_uuid = 11
    name = 23
    double_counter_value = 44


class DebugAnnotation:
    """perfetto.protos.DebugAnnotation."""

    name_iid = 1
    bool_value = 2
    int_value = 4
    double_value = 5
    string_value = 6
    name = 10


class InternedData:
    """perfetto.protos.InternedData."""

    event_names = 2
    debug_annotation_names = 3


class EventName:
    """perfetto.protos.EventName, and DebugAnnotationName, which has the same fields."""

    iid = 1
    name = 2


class TrackDescriptor:
    """perfetto.protos.TrackDescriptor."""

    uuid = 1
    name = 2
    parent_uuid = 5
    counter = 8
    child_ordering = 11
    sibling_order_rank = 12
    description = 14


class CounterDescriptor:
    """perfetto.protos.CounterDescriptor."""

    unit_name = 6
    y_axis_share_key = 7


class ClockSnapshot:
    """perfetto.protos.ClockSnapshot."""

    clocks = 1


class Clock:
    """perfetto.protos.ClockSnapshot.Clock."""

    clock_id = 1
    timestamp = 2


SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4
"""TrackEvent.Type."""

INCREMENTAL_STATE_CLEARED, NEEDS_INCREMENTAL_STATE = 1, 2
"""TracePacket.SequenceFlags."""

EXPLICIT = 3
"""TrackDescriptor.ChildTracksOrdering: by `sibling_order_rank`."""

REALTIME, BOOTTIME = 1, 6
"""BuiltinClock: time since 1970, and the clock of time stamps that name none."""
