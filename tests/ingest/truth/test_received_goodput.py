"""Goodput out of simulators' traces against what the simulators' own sinks counted."""

from __future__ import annotations

import polars as pl
import pytest
from folders import SAMPLES

import winf_analyzer
from winf_analyzer._ingest.truth import read_truth
from winf_analyzer._ingest.truth.received_goodput import received_goodput
from winf_analyzer._schema import schema


def counted(name: str) -> pl.DataFrame:
    """What the sinks of a sample counted."""
    return pl.read_csv(SAMPLES / name / "truth_goodput.csv")


def assert_goodput(found: pl.DataFrame, name: str) -> None:
    sinks = counted(name)
    compared = sinks.join(found, on=["flow", "start_ns", "window_ns"], how="left", suffix="_found")
    compared = compared.with_columns(pl.col("throughput_bps_found").fill_null(0.0))
    wrong = compared.filter(pl.col("throughput_bps") != pl.col("throughput_bps_found"))
    assert wrong.is_empty(), wrong
    covered = found.filter(pl.col("start_ns") <= sinks["start_ns"].max())
    assert covered["throughput_bps"].sum() == sinks["throughput_bps"].sum() > 0


@pytest.mark.parametrize("name", ["ns2_rts_link", "ns2_basic_link", "ns2_hidden", "ns2_chain3"])
def test_ns2_sinks(name):
    (trace,) = (SAMPLES / name / "recording").iterdir()
    found = read_truth(trace)
    assert found.schema == schema("truth")
    assert_goodput(found, name)


@pytest.mark.parametrize("name", ["ns3_rts_link", "ns3_basic_link", "ns3_basic_link_b", "ns3_hidden", "ns3_chain3"])
def test_ns3_nodes(name):
    """The captures of all nodes together say the same as a trace of the simulation."""
    files = sorted((SAMPLES / name / "recording").iterdir())
    frames = pl.concat([pl.DataFrame(winf_analyzer.read_frames(path)) for path in files])
    assert_goodput(received_goodput(frames, tool="ns-3"), name)


def test_a_trace_without_traffic_has_no_truth(tmp_path):
    trace = tmp_path / "quiet.tr"
    trace.write_text("s 1.013198267 _2_ MAC  --- 0 RTS 44 [36b 3 2 0] \n")
    assert read_truth(trace).is_empty()


def test_a_stamp_that_is_centuries_ahead_does_not_fill_memory(tmp_path):
    (sound,) = (SAMPLES / "ns2_basic_link" / "recording").iterdir()
    trace = tmp_path / "late.tr"
    trace.write_text(
        sound.read_text() + "s 9000000000.0 _2_ AGT  --- 0 cbr 1500 [0 0 0 0] ------- [2:0 3:0 32 0] [0] 0 0\n"
    )
    found = read_truth(trace)
    assert 0 < found.height < 100
    assert found["throughput_bps"].sum() == counted("ns2_basic_link")["throughput_bps"].sum()


def carried(trace, lines):
    """Octets per flow that arrived in a trace of these lines."""
    trace.write_text("".join(f"{line}\n" for line in lines))
    found = read_truth(trace)
    octets = (pl.col("throughput_bps") * pl.col("window_ns") / 8e9).sum()
    return dict(found.group_by("flow").agg(octets.round().cast(pl.Int64)).rows())


def over_the_air(uid, kind, at_agent, on_air, *, at_router=True):
    """Lines of a packet from node 0 to node 1 in a trace without agents; the router adds its header to some."""
    mac, ends = f"{uid} {kind} {{}} [13a 1 0 800]", f"------- [0:0 1:0 32 1] [{uid} 0] 0 0"
    lines = [f"r 0.10{uid}000000 _0_ RTR  --- {uid} {kind} {at_agent} [0 0 0 0] {ends}"] if at_router else []
    lines += [
        f"s 0.10{uid}000100 _0_ MAC  --- {mac.format(on_air + 58)} {ends}",
        f"r 0.10{uid}900000 _1_ MAC  --- {mac.format(on_air)} {ends}",
    ]
    return lines


def test_without_agents_packets_have_the_size_that_the_source_gave_to_its_router(tmp_path):
    lines = [*over_the_air(1, "cbr", 512, 532), *over_the_air(2, "tcp", 1040, 1040), *over_the_air(3, "ack", 40, 40)]
    assert carried(tmp_path / "t.tr", lines) == {"cbr node-0:0 node-1:0": 512, "tcp node-0:0 node-1:0": 1000}


def test_without_routers_too_the_size_is_not_known(tmp_path):
    lines = [*over_the_air(1, "cbr", 512, 532, at_router=False), *over_the_air(2, "cbr", 512, 532)]
    assert carried(tmp_path / "t.tr", lines) == {"cbr node-0:0 node-1:0": 512}


def test_tcp_on_wired_links(tmp_path):
    lines = []
    for uid, kind, size in ((1, "tcp", 1040), (2, "cbr", 700)):
        packet = f"{kind} {size} ------- 0 0.0 2.0 {uid} {uid}"
        hops = ((f"0.0{uid}", "0 1"), (f"0.1{uid}", "1 2"))
        lines += [f"{what} {at} {link} {packet}" for at, link in hops for what in "+-r"]
    assert carried(tmp_path / "t.tr", lines) == {"tcp node-0:0 node-2:0": 1000, "cbr node-0:0 node-2:0": 700}


def fragment(at, number, more, seq, octets, retry=0):
    """A received fragment of a packet of 1000 octets that node 1 gets in ns-3."""
    ip = "ns3::Ipv4Header (tos 0x0 ttl 64 id 0 protocol 17 offset (bytes) 0 flags [none] length: 1028"
    first = f"ns3::LlcSnapHeader (type 0x800) {ip} 10.0.0.1 > 10.0.0.2) ns3::UdpHeader (length: 1008 49153 > 5000) "
    body = f"{'' if number else first}Payload Fragment [0:{octets}] "
    bits = f"ToDS=0, FromDS=0, MoreFrag={more}, Retry={retry}, MoreData=0 Duration/ID=213us"
    ends = "DA=00:00:00:00:00:02, SA=00:00:00:00:00:01, BSSID=00:00:00:00:00:01"
    path = "/NodeList/1/DeviceList/0/$ns3::WifiNetDevice/Phy/State/RxOk"
    header = f"ns3::WifiMacHeader (DATA {bits}, {ends}, FragNumber={number}, SeqNumber={seq})"
    return f"r {at} DsssRate11Mbps {path} {header} {body}"


ANSWER = (
    "t 0.5 /NodeList/1/DeviceList/0/$ns3::WifiNetDevice/Phy/State/Tx DsssRate1Mbps "
    "ns3::WifiMacHeader (CTL_RTS Duration/ID=1503us, RA=00:00:00:00:00:01, TA=00:00:00:00:00:02) "
)
"""Tells the address of node 1."""


def test_a_fragmented_packet_counts_as_a_whole_once_and_only_if_all_of_it_arrived(tmp_path):
    whole = [fragment(0.51, 0, 1, 1, 364), fragment(0.52, 1, 1, 1, 400), fragment(0.53, 2, 0, 1, 236)]
    repeated = [*whole[:2], fragment(0.525, 1, 1, 1, 400, retry=1), whole[2]]
    half = [fragment(0.61, 0, 1, 2, 364), fragment(0.62, 1, 1, 2, 400)]
    flow = "udp 10.0.0.1:49153 10.0.0.2:5000"
    for lines in (whole, repeated, [*whole, *half]):
        assert carried(tmp_path / "t.tr", [ANSWER, *lines]) == {flow: 1000}
    assert carried(tmp_path / "t.tr", [ANSWER, *half]) == {}
