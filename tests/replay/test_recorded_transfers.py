"""Which traffic of a recording becomes bulk transfers, and what their full queues do."""

from __future__ import annotations

import struct
import zlib

import polars as pl
import pytest
from air import FROM_DS, TO_DS, Air, airtime_us, mac
from exchange_builder import A, B, C
from pcaps import AP, STATION, ack, radiotap

import winf_analyzer
from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.flows.studied import select_flows
from winf_analyzer._replay.worlds import _going_on, world_for
from winf_analyzer._schema import complete


@pytest.mark.parametrize(
    ("columns", "is_transfer"),
    [
        ({"sa": A, "da": "02:00:00:00:00:09"}, True),
        ({"sa": A, "da": "ff:ff:ff:ff:ff:ff"}, False),
        ({"sa": A, "da": "09:00:07:ff:ff:ff"}, False),
        ({"da": C, "flow": "udp 10.0.0.1:9 224.0.0.251:9", "src_ip": "10.0.0.1", "dst_ip": "224.0.0.251"}, False),
        ({"da": C, "flow": "udp [fe80::1]:9 [ff02::fb]:9", "src_ip": "fe80::1", "dst_ip": "ff02::fb"}, False),
        ({"da": C, "flow": "udp 10.0.0.1:9 10.0.0.2:9", "src_ip": "10.0.0.1", "dst_ip": "10.0.0.2"}, True),
        ({"da": "n1", "flow": "udp 0:1 1:1", "src_ip": "0", "dst_ip": "1"}, True),
    ],
)
def test_what_goes_to_a_group_is_no_bulk_transfer(columns, is_transfer):
    """A station sends it to its access point, which acknowledges it."""
    row = {"source": "s", "layer": "mac", "kind": "data", "is_group": False, "payload_bytes": 200, "ta": A, "ra": B}
    rows = [row | columns | {"retry": False, "start_ns": number} for number in range(20)]
    hops = conversations.conversation_hops(complete(pl.DataFrame(rows).lazy(), "frames"))
    (flow,) = select_flows(hops, None, "run.winf", transfers=True)
    assert (flow.transfer, flow.fills) == (is_transfer, is_transfer)
    assert flow.links == ({(A, B), (B, A)} if is_transfer else {(A, B)})


def test_a_flow_may_carry_more_than_a_number_of_32_bits_holds():
    """Two segments of 1.5 GiB, in place of a million of them."""
    row = {"source": "s", "layer": "mac", "kind": "data", "is_group": False, "sa": A, "da": B, "ta": A, "ra": B}
    row |= {"proto": "tcp", "payload_bytes": 3 << 29, "tcp_payload_bytes": 3 << 29, "retry": False}
    rows = [row | {"start_ns": number, "transport_seq": number} for number in range(2)]
    octets = dict.fromkeys(("payload_bytes", "tcp_payload_bytes"), pl.Int32)
    frames = complete(pl.LazyFrame(rows, schema_overrides=octets), "frames")
    hops = conversations.conversation_hops(frames)
    assert hops["data_bytes"].to_list() == [3 << 30]


MCS7_US = 36 + 4 * 31
"""Of 1000 octets in 20 MHz, long guard interval (IEEE 802.11-2020, 19.4.3)."""


def ht(frame, tsft_us):
    """A frame and its FCS behind TSFT, flags, channel, signal and an MCS field: MCS 7 in 20 MHz."""
    fields = struct.pack("<QBxHHbBBB", tsft_us, 0x10, 5180, 0x0140, -40, 0b111, 0, 7)
    return struct.pack("<BBHI", 0, 0, 8 + len(fields), 0x8002B) + fields + frame + struct.pack("<I", zlib.crc32(frame))


@pytest.fixture(scope="module")
def light(tmp_path_factory):
    """A station that sends its access point a frame of 802.11n every 10 ms; what it gets is none of 802.11n."""
    air = Air()
    body = b"\xaa\xaa\x03\0\0\0\x88\xb5" + bytes(962)
    for number in range(100):
        begun_us = 1_000_000 + 10_000 * number
        up = mac(0x88, AP, STATION, AP, bytes(2) + body, seq=number, flags=TO_DS)
        down = mac(0x08, STATION, AP, AP, body, seq=number, flags=FROM_DS)
        sent = [(begun_us, ht(up, begun_us), MCS7_US, STATION)]
        if number % 5 == 0:
            at_us = begun_us + 5000
            octets = radiotap(down, tsft_us=at_us, rate_mbps=24, channel_mhz=5180)
            sent.append((at_us, octets, airtime_us(len(down) + 4, 24) - 6, AP))
        for at_us, octets, us, sender in sent:
            answered_us = at_us + us + 16
            answer = radiotap(ack(sender), tsft_us=answered_us, rate_mbps=24, channel_mhz=5180)
            air.records += [(1000 * at_us, octets), (1000 * answered_us, answer)]
    folder = tmp_path_factory.mktemp("light")
    (folder / "light.pcap").write_bytes(air.capture())
    return winf_analyzer.ingest([folder / "light.pcap"], folder / "light.winf")


def limits(world):
    return {(link["from"], link["to"]): link["medium"]["wireless"].get("max_ampdu_bytes") for link in world["links"]}


@pytest.mark.parametrize("spec", [f"{STATION}>{AP}", f"{STATION}>{AP},rate=50M", f"{AP}>{STATION}"])
def test_links_of_added_flows_aggregate_where_they_may(light, spec):
    assert "aggregation" not in world_for(light, None).world["mac"]
    made = world_for(light, None, add_flows=[spec])
    assert made.world["mac"]["aggregation"]["max_ampdu_bytes"] == 65_535
    assert limits(made.world) == {(STATION, AP): None, (AP, STATION): 0}
    assert made.unknowns.presumed_aggregation == ((STATION, AP),)
    assert any("A-MPDUs of at most 5.48 ms" in note for note in made.notes)
    assert any(f"{STATION} > {AP}: aggregates with a full queue" in note for note in made.notes)


def test_what_a_scenario_sets_of_a_mpdus_stays(light):
    changes = {"mac.aggregation.max_ampdu_bytes": 8191}
    made = world_for(light, None, add_flows=[f"{STATION}>{AP}"], changes=changes)
    assert made.world["mac"]["aggregation"]["max_ampdu_bytes"] == 8191


def test_added_flows_leave_other_links_as_they_are(light):
    assert "aggregation" not in world_for(light, None, add_flows=[f"{AP}>{STATION},rate=1M"]).world["mac"]


def test_an_added_transfer_delivers_what_a_transfer_in_place_of_a_flow_does(light):
    asked = {"controllers": ["new_reno"], "draws": 0}
    names = [flow["name"] for flow in world_for(light, None).world["flows"]]
    (up,) = (name for name in names if name.endswith(f"from {STATION}"))
    replaced = winf_analyzer.replay(light, transfers=True, flows=[up], **asked).summary
    added = winf_analyzer.replay(light, without=names, add_flows=[f"{STATION}>{AP}"], **asked).summary
    assert added["throughput_bps"][0] == pytest.approx(replaced["throughput_bps"][0], rel=0.2)


def test_a_longer_run_goes_on_with_what_was_sent_until_the_end(light):
    """The recording has 1 s, in which both ends send to the last moment."""
    result = winf_analyzer.replay(light, transfers=True, controllers=["new_reno"], draws=0, duration="3s")
    assert set(result.summary["end_ns"]) == {3_000_000_000}
    late = result.flows.filter(pl.col("t_ns") >= 2_500_000_000).collect()
    assert late["received_packets"].sum() > 100
    assert sum("was sending until the end" in note for note in result.notes) == result.summary.height


def test_what_ended_before_the_recording_ends_in_a_longer_run():
    flows = [
        {"name": "until the end", "start_ns": 0, "stop_ns": 9_900_000_000},
        {"name": "silent for 1 s", "start_ns": 0, "stop_ns": 8_900_000_000},
        {"name": "short", "start_ns": 9_000_000_000, "stop_ns": 9_400_000_000},
        {"name": "bulk", "start_ns": 0},
    ]
    world, lasting = _going_on({"duration_ns": 10_000_000_000, "flows": flows})
    assert lasting == ["until the end"]
    assert [flow.get("stop_ns") for flow in world["flows"]] == [None, 8_900_000_000, 9_400_000_000, None]
