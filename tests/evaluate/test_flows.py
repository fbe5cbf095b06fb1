"""Which of the numbers in logs are goodput, and what an MSDU holds besides."""

from __future__ import annotations

import polars as pl
import pytest
from folders import LOGS

from winf_analyzer._evaluate.align import LocatedFlow
from winf_analyzer._evaluate.flows import Flow, hosts, measured_flows
from winf_analyzer._ingest.truth import read_truth
from winf_analyzer._schema import schema
from winf_analyzer._util.durations import parse_offset_ns

S = 10**9


def truth(*rows, flow="udp 10.0.0.1:5000 10.0.0.2:5001", source="log") -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "source": source,
                "tool": "iperf3",
                "flow": flow,
                "sender": "10.0.0.1:5000",
                "side": side,
                "clock": "epoch",
                "start_ns": start_s * S,
                "window_ns": length_s * S,
                "throughput_bps": rate,
                "lost": lost,
            }
            for side, start_s, length_s, rate, lost in rows
        ],
        schema=schema("truth"),
    )


def made(name: str | None) -> Flow:
    rows = pl.DataFrame({"t_ns": [0], "window_ns": [S], "value": [8e6]})
    return Flow("log", name, None, "epoch", "receiver", rows, rows, 250)


def test_of_udp_the_receiver_counts_and_the_senders_intervals_align():
    (flow,) = measured_flows(
        truth(("sender", 0, 1, 9e6, None), ("sender", 1, 1, 9e6, None), ("receiver", 0, 2, 5e6, 40))
    )
    assert (flow.side, flow.rows["value"].to_list(), flow.lost) == ("receiver", [5e6], 40)
    assert flow.shape["value"].to_list() == [9e6, 9e6]


def test_of_tcp_the_senders_intervals_stand_in_for_a_total():
    rows = truth(
        ("sender", 0, 1, 9e6, None), ("sender", 1, 1, 7e6, None), ("receiver", 0, 2, 8e6, None), flow="tcp a:1 b:2"
    )
    (flow,) = measured_flows(rows)
    assert (flow.side, flow.rows["value"].to_list()) == ("sender", [9e6, 7e6])


def test_of_the_logs_of_both_ends_the_receivers_counts():
    client = truth(("sender", 0, 1, 9e6, None), source="client")
    server = truth(("receiver", 0, 1, 5e6, 3), source="server")
    assert [flow.log for flow in measured_flows(pl.concat([client, server]))] == ["server"]
    assert [flow.log for flow in measured_flows(client)] == ["client"]


def test_a_total_behind_its_intervals_is_left_out():
    (flow,) = measured_flows(
        truth(("receiver", 0, 1, 4e6, 0), ("receiver", 1, 1, 6e6, 0), ("receiver", 0, 2, 5e6, 0), flow="udp a:1 b:2")
    )
    assert flow.rows["value"].to_list() == [4e6, 6e6]


@pytest.mark.parametrize("name", sorted(path.name for path in LOGS.iterdir()))
def test_every_kind_of_log_gives_flows_without_overlaps(name):
    flows = measured_flows(read_truth(LOGS / name))
    assert flows
    for flow in flows:
        ends = flow.rows["t_ns"] + flow.rows["window_ns"]
        assert (flow.rows["t_ns"][1:] >= ends[:-1] - flow.rows["window_ns"][:-1] // 2).all()
        assert flow.last_ns > flow.first_ns
        assert flow.bits >= 0


@pytest.mark.parametrize(
    ("name", "octets"),
    [
        ("udp 10.0.0.1:5000 10.0.0.2:5001", 8 + 20 + 8),
        ("tcp 10.0.0.1:5000 10.0.0.2:5001", 8 + 20 + 32),
        ("udp [2001:db8::1]:5000 [2001:db8::2]:5001", 8 + 40 + 8),
        ("cbr node-0:0 node-1:0", 0),
        (None, 8 + 20 + 8),
    ],
)
def test_headers(name, octets):
    assert made(name).header_bytes == octets


def test_hosts_are_ends_without_ports():
    assert hosts("udp 10.0.0.2:5001 10.0.0.1:5000") == ("10.0.0.1", "10.0.0.2")
    assert hosts("tcp [2001:db8::1]:5000 [2001:db8::2]:1") == ("[2001:db8::1]", "[2001:db8::2]")
    assert hosts("icmp node-0 node-1") == ("node-0", "node-1")


def test_what_was_lost_is_a_share_of_what_was_sent():
    placed = LocatedFlow(made("udp 10.0.0.1:1 10.0.0.2:2"), ("a", "b"), "", "", 5, None, None, 1036.0)
    # 8 Mb/s for a second in datagrams of 1000 octets: 1000 arrived, 250 did not.
    assert placed.lost_share == pytest.approx(0.2)
    assert placed.rows.row(0) == (5, S, pytest.approx(8e6 * 1.036))


@pytest.mark.parametrize(
    ("text", "ns"),
    [("2.5s", 2_500_000_000), ("-300ms", -300_000_000), ("+1s", S), ("0", 0), ("-0", 0), ("+0s", 0), (-7, -7)],
)
def test_offsets(text, ns):
    assert parse_offset_ns(text) == ns


@pytest.mark.parametrize("text", ["", "soon", "--1s", "+-1s", "1", "1s2"])
def test_what_is_no_offset(text):
    with pytest.raises(ValueError, match="write for example"):
        parse_offset_ns(text)
