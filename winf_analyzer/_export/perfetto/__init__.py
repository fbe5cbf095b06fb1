"""A dataset as a trace of Perfetto (https://perfetto.dev), in its protobuf format, written in bounded memory.

::

    wire        the encoding of protobuf messages
    schema      the field numbers of Perfetto's messages that are used
    writer      tracks, slices and counters into a file
    slices      exchanges and their frames on the tracks of their senders
    counters    busy share, retries, available bandwidth, replays
    trace       the whole trace
"""
