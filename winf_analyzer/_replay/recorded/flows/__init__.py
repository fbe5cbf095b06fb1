"""Flows of a recording: who talks to whom, over which path, and how their TCP behaves.

::

    conversations  end points, packet counts and packet sizes
    routes         the path of packets
    studied        a flow, and as the engine declares it
    cross_traffic  traffic of other flows
    packet_events  what a source sends, and what acknowledges it
    transport      TCP constants, observed or assumed
    sources        initial window and minimum timeout of a TCP source
    pauses         what applications wrote, where a source waited for them
    reductions     how windows go down in fast recovery
    wires          hosts behind the stations at the ends
"""
