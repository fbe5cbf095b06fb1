"""Worlds of the bundled samples: their nodes, paths and rates, and that replays in them come near the recording."""

from __future__ import annotations

import sys

import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._replay import recorded
from winf_analyzer._replay.recorded import declared_flows, medium_of, world_of
from winf_analyzer._replay.recorded.queues.limits import QueueLimit
from winf_analyzer._util.errors import UnusableInput, UsageError

NODE = "00:00:00:00:00:0{}".format


@pytest.fixture(scope="module")
def ingested(sample, tmp_path_factory):
    """A sample by name, ingested once."""
    folder, known = tmp_path_factory.mktemp("recorded"), {}

    def get(name: str) -> winf_analyzer.Dataset:
        if name not in known:
            known[name] = winf_analyzer.ingest([sample(name) / "recording"], folder / f"{name}.winf")
        return known[name]

    return get


def foreground(world):
    return [flow for flow in world["flows"] if not flow.get("background")]


def test_chain_recorded_by_every_node(ingested):
    world, origin_ns, notes, *_ = world_of(ingested("ns3_chain3"), None)
    (flow,) = foreground(world)
    assert flow["path"] == [NODE(n) for n in (1, 2, 3, 4)]
    assert flow["source"]["cbr"]["rate_bps"] == pytest.approx(800_000, rel=0.03)
    assert (flow["payload_bytes"], flow["header_bytes"]) == (1472, 36)
    assert world["mac"]["rts_threshold_bytes"] is not None
    decodes = {tuple(pair) for pair in world["hearing"]["graph"]["decodes"]}
    assert decodes == {(NODE(a), NODE(b)) for a in range(1, 5) for b in range(1, 5) if abs(a - b) == 1}
    assert {link["medium"]["wireless"]["rate_bps"] for link in world["links"]} == {11_000_000}
    assert origin_ns == 118_770_000, "the first frame on the air"
    assert notes


def test_tcp_heard_by_its_sender_alone(ingested):
    world, _, notes, *_ = world_of(ingested("ns3_tcp"), None)
    (flow,) = foreground(world)
    assert flow["path"] == [NODE(n) for n in (1, 2, 3)]
    assert flow["source"] == {"bytes": 80_000}
    assert flow["transport"]["delayed_ack_ns"] is not None
    decodes = {tuple(pair) for pair in world["hearing"]["graph"]["decodes"]}
    assert (NODE(3), NODE(1)) not in decodes
    assert any("assumed to sense" in note for note in notes)


def test_flows_not_lifted_contend_again(ingested):
    dataset = ingested("ns3_rts_link")
    name = "udp 10.0.0.1:5000 10.0.0.2:5000"
    world, *_ = world_of(dataset, [name])
    assert [flow["name"] for flow in foreground(world)] == [name]
    others = {tuple(flow["path"]): flow for flow in world["flows"] if flow.get("background")}
    assert len(others[NODE(3), NODE(4)]["source"]["scheduled"]) == pytest.approx(76, abs=3)
    assert sum(len(flow["source"]["scheduled"]) for flow in others.values()) < 85, "no lifted packet is among them"


def test_ns2_trace(ingested):
    world, *_ = world_of(ingested("ns2_chain3"), None)
    (flow,) = foreground(world)
    assert flow["path"] == ["node-0", "node-1", "node-2", "node-3"]
    assert world["mac"]["access"] == "always_back_off"
    decodes = {tuple(pair) for pair in world["hearing"]["graph"]["decodes"]}
    assert ("node-0", "node-1") in decodes
    assert ("node-0", "node-2") not in decodes


def test_flow_that_is_not_there(ingested):
    with pytest.raises(UsageError, match="no flow 'tcp nobody'"):
        world_of(ingested("ns3_chain3"), ["tcp nobody"])


def test_recording_without_flows(ingested, tmp_path):
    empty = winf_analyzer.Dataset(tmp_path, {})
    source = ingested("ns3_chain3")
    for table in ("frames", "exchanges", "neighbours"):
        (tmp_path / table).mkdir()
        pl.read_parquet(source.parts(table)[0]).clear().write_parquet(tmp_path / table / "part-00000.parquet")
    with pytest.raises(UnusableInput, match="no flow"):
        world_of(empty, None)


def test_nulls_everywhere_are_an_error_and_no_crash(ingested, tmp_path):
    source = ingested("ns3_chain3")
    for table in ("frames", "exchanges", "neighbours"):
        (tmp_path / table).mkdir()
        rows = pl.read_parquet(source.parts(table)[0])
        keep = {
            "layer",
            "kind",
            "ta",
            "ra",
            "flow",
            "payload_bytes",
            "src_ip",
            "sender",
            "receiver",
            "proto",
            "is_group",
        }
        nulled = rows.with_columns(pl.lit(None, dtype).alias(n) for n, dtype in rows.schema.items() if n not in keep)
        nulled.write_parquet(tmp_path / table / "part-00000.parquet")
    with pytest.raises(UnusableInput, match="no exchange has known times"):
        world_of(winf_analyzer.Dataset(tmp_path, {}), None)


@pytest.mark.parametrize(
    ("name", "goodput_bps", "tolerance"),
    [
        ("ns3_chain3", 793_000, 0.05),
        # Offered at 2 Mbit/s; the truth's mean while both flows are on.
        ("ns3_rts_link", 2_000_000, 0.05),
        # Queues of 4 packets are not seen by the sender: presumed ones are longer, and lose less.
        ("ns3_tcp", 1_080_000, 0.6),
    ],
)
def test_replay_is_near_the_recording(ingested, name, goodput_bps, tolerance):
    result = winf_analyzer.replay(ingested(name), controllers=["new_reno"], seeds=2)
    first = result.summary.filter(pl.col("flow").str.contains("10.0.0.1:"))
    assert first["throughput_bps"].mean() == pytest.approx(goodput_bps, rel=tolerance)
    assert result.notes
    assert "conditions" in ingested(name).tables


def test_transfers_take_the_place_of_datagrams(ingested):
    dataset = ingested("ns3_chain3")
    (flow,) = foreground(world_of(dataset, None, transfers=True).world)
    assert "source" not in flow, "it always has data to send"
    assert flow["ack_bytes"] > 0, "so controllers have a say"
    assert (flow["payload_bytes"], flow["header_bytes"]) == (1460, 48), "full segments, whatever the datagrams' size"
    links = {(link["from"], link["to"]) for link in world_of(dataset, None, transfers=True).world["links"]}
    assert {(b, a) for a, b in links} == links, "acknowledgements go back the same way"


def test_bulk_transfers_are_not_what_was_recorded(ingested, monkeypatch):
    monkeypatch.setattr(recorded, "outcomes", lambda *_: {"f": 1})
    dataset = ingested("ns3_chain3")
    assert world_of(dataset, None).unknowns.recorded == {"f": 1}
    assert world_of(dataset, None, transfers=True).unknowns.recorded == {}, "in place of datagrams"


def test_a_third_station_s_recording_is_compared_as_it_was_recorded(ingested):
    dataset = ingested("ns3_sniffer")
    plain, transfers = (world_of(dataset, None, transfers=transfers) for transfers in (False, True))
    assert plain.unknowns.flows_as_recorded == ()
    as_recorded = {"flows": transfers.unknowns.flows_as_recorded}
    assert foreground(as_recorded) == foreground(plain.world) != foreground(transfers.world)


@pytest.mark.parametrize("waited", [True, False])
def test_a_greedy_source_is_a_bulk_transfer_already(ingested, monkeypatch, waited):
    module = sys.modules[recorded.declared_flows.__module__]
    recording = recorded.Recording.of(ingested("ns3_tcp"))
    traffic = recorded.traffic_of(recording, None, transfers=True, lifted=())
    written = {traffic.tcp[0].name: [(0, 500), (10**9, 500)]} if waited else {}
    monkeypatch.setattr(module, "writes", lambda *_: written)
    found = recorded.declared_flows(recording, traffic, 300_000, 50, transfers=True)
    assert (found.as_recorded is not None) is waited
    assert ("scheduled" in str(found.as_recorded)) is waited
    assert "scheduled" not in str(found.flows)


def test_controllers_have_a_say_in_transfers_only(ingested):
    dataset = ingested("ns3_chain3")
    asked = {"controllers": ["new_reno", "cbr"], "duration": "2s"}
    datagrams = winf_analyzer.replay(dataset, **asked)
    assert any("congestion control does not affect" in note for note in datagrams.notes)
    assert datagrams.summary["throughput_bps"].n_unique() == 1
    transfers = winf_analyzer.replay(dataset, **asked, transfers=True)
    assert not any("congestion control does not affect" in note for note in transfers.notes)
    assert transfers.summary["throughput_bps"].n_unique() == 2


def test_what_waits_above_a_queue_is_at_every_node(ingested, monkeypatch):
    plain, *_ = world_of(ingested("ns3_tcp"), None)
    assert not any("fq_codel" in node for node in plain["nodes"])
    limit = QueueLimit(77, (70, 80), "a limit")
    monkeypatch.setattr("winf_analyzer._replay.recorded.queueing.limit_below", lambda waits, mss: limit)
    world, _, notes, unknowns, *_ = world_of(ingested("ns3_tcp"), None)
    assert all(node["fq_codel"] == {} and node["interface_queue"]["packets"] == 77 for node in world["nodes"])
    assert {link["queue"]["packets"] for link in world["links"]} == {77}
    assert unknowns.queue_packets == (70, 80)
    assert any("FQ-CoDel" in note for note in notes)


@pytest.mark.parametrize(("waits", "cw_min"), [(True, 31), (False, 127)])
def test_what_sources_that_wait_leave_idle_is_no_backoff(ingested, monkeypatch, waits, cw_min):
    def medium(*arguments):
        found = medium_of(*arguments)
        return found._replace(parameters=found.parameters | {"cw_min": 127})

    def flows(*arguments, **options):
        return declared_flows(*arguments, **options)._replace(waits_for_applications=waits)

    monkeypatch.setattr(recorded, "medium_of", medium)
    monkeypatch.setattr(recorded, "declared_flows", flows)
    world, *_ = world_of(ingested("ns3_tcp"), None)
    assert world["mac"]["cw_min"] == cw_min


def test_queues_hold_what_was_seen_to_wait(ingested, monkeypatch):
    def flows(*arguments, **options):
        return declared_flows(*arguments, **options)._replace(waiting=700)

    monkeypatch.setattr(recorded, "declared_flows", flows)
    world, _, notes, unknowns, *_ = world_of(ingested("ns3_tcp"), None)
    assert unknowns.queue_packets == (700, 1000)
    assert all(700 < link["queue"]["packets"] < 1000 for link in world["links"] if "wireless" in link["medium"])
    assert any("700 were seen to wait" in note for note in notes)


def test_data_at_1_mbps_withstand_others_as_strong(ingested, monkeypatch):
    plain, *_ = world_of(ingested("ns3_tcp"), None)
    assert plain["mac"].get("control_capture_db") is None
    shown = ({"control_capture_db": 0.0}, ["they do"])
    monkeypatch.setattr("winf_analyzer._replay.recorded.medium.spread_data_capture", lambda *_: shown)
    world, _, notes, *_ = world_of(ingested("ns3_tcp"), None)
    assert world["mac"]["control_capture_db"] == 0.0
    assert "they do" in notes


def test_stations_that_missed_cts_show_to_be_hidden_do_not_hear_each_other(ingested, monkeypatch):
    pair = (NODE(2), NODE(3))
    plain, _, _, unknowns, *_ = world_of(ingested("ns3_sniffer"), None)
    assert list(pair) in plain["hearing"]["graph"]["decodes"]
    assert pair in unknowns.assumed_pairs
    monkeypatch.setattr("winf_analyzer._replay.recorded.medium.hidden_by_cts", lambda exchanges, links: {pair})
    world, _, _, unknowns, *_ = world_of(ingested("ns3_sniffer"), None)
    kept = world["hearing"]["graph"]["decodes"]
    assert list(pair) not in kept
    assert list(pair[::-1]) not in kept
    assert pair not in unknowns.assumed_pairs
