"""Flows whose packets take several links, one after the other or at once."""

from __future__ import annotations

import polars as pl
import pytest
from exchange_builder import A, B, C

from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.flows.studied import engine_flow, select_flows
from winf_analyzer._schema import complete

MS = 1_000_000
D = "02:00:00:00:00:0d"


def flow_over(*links, name="udp 10.0.0.1:9 10.0.0.2:9", destination="10.0.0.2", octets=1036, every_ns=10 * MS):
    """The flow of 40 packets, 10 ms apart, each of which goes over the links of its turn."""
    row = {"source": "s", "layer": "mac", "kind": "data", "is_group": False, "payload_bytes": octets, "retry": False}
    row |= {"flow": name, "proto": "udp", "src_ip": "10.0.0.1", "dst_ip": destination}
    rows = [
        row | {"ta": ta, "ra": ra, "start_ns": every_ns * number + hop}
        for number in range(40)
        for hop, (ta, ra) in enumerate(links[number // 10 % len(links)])
    ]
    hops = conversations.conversation_hops(complete(pl.DataFrame(rows).lazy(), "frames"))
    (flow,) = select_flows(hops, None, "run.winf")
    return flow


@pytest.mark.parametrize("ends", [((A, C), (B, C)), ((C, B), (C, A))])
def test_a_flow_that_moved_between_access_points_is_replayed_whole(ends):
    flow = flow_over(*([link] for link in ends))
    assert (flow.path, flow.elsewhere) == (ends[0], (ends[1],))
    declared, notes = engine_flow(flow, None, None, None, 0, 400 * MS)
    assert (declared["start_ns"], declared["stop_ns"]) == (0, 390 * MS + 1)
    assert declared["source"]["cbr"]["rate_bps"] == 1000 * 8 * 100
    own, other = (f"{sender} > {receiver}" for sender, receiver in ends)
    assert f"udp 10.0.0.1:9 10.0.0.2:9: moved between {own} and {other}; replayed over {own}" in notes


@pytest.mark.parametrize(
    ("octets", "every_ns", "constant"), [(161, MS * 1000, True), (160, MS * 1000, False), (37, MS, True)]
)
def test_a_flow_of_less_than_a_world_declares_sends_the_packets_that_were_recorded(octets, every_ns, constant):
    """1 kbit/s is the least: 125 octets a second, besides 36 of LLC, IP and UDP."""
    declared, _ = engine_flow(flow_over([(A, B)], octets=octets, every_ns=every_ns), None, None, None, 0, 41 * every_ns)
    if constant:
        assert declared["source"] == {"cbr": {"rate_bps": 8 * (octets - 36) * 10**9 // every_ns}}
    else:
        assert declared["source"] == {"scheduled": [[number * every_ns, octets - 36] for number in range(40)]}


@pytest.mark.parametrize(
    "links",
    [
        [[(A, B), (C, D)]],  # both ends of a wire
        [[(A, B), (B, C)]],  # a station that forwards
    ],
)
def test_links_that_carry_the_same_packets_count_once(links):
    flow = flow_over(*links)
    assert flow.elsewhere == ()
    assert flow.first["packets"] == 40


def test_copies_to_the_stations_of_a_group_count_once():
    flow = flow_over([(A, B), (A, C)], name="udp 10.0.0.1:9 224.0.0.251:9", destination="224.0.0.251")
    assert flow.elsewhere == ()
    assert flow.first["packets"] == 40
