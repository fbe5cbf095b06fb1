"""What the world of a recording is put together from, on small tables made by hand."""

from __future__ import annotations

import polars as pl
import pytest
from exchange_builder import A, B, C, D, exchange, table

from winf_analyzer._replay.recorded import _loss_either_way, conversations, cross_traffic, links, views
from winf_analyzer._replay.recorded.audibility import audibility_graph
from winf_analyzer._replay.recorded.flows import StudiedFlow, select_flows
from winf_analyzer._replay.recorded.losses import channel_loss_rates
from winf_analyzer._replay.recorded.mac import MacDialect
from winf_analyzer._replay.recorded.retries import retry_limits
from winf_analyzer._replay.recorded.routes import route
from winf_analyzer._replay.recorded.transport import transport
from winf_analyzer._schema import complete
from winf_analyzer._util.errors import UnusableInput, UsageError

LEG = {
    "conversation": "tcp a b",
    "origin": "a",
    "proto": "tcp",
    "packets": 500,
    "payload_bytes": 1048.0,
    "mss": 1000,
    "header_bytes": 48,
    "ack_bytes": 48.0,
    "ack_bytes_max": 48,
    "segments": 500,
    "acks": 250,
}


def test_a_route_follows_most_packets():
    assert route([("a", "b", 90), ("b", "c", 80), ("b", "d", 10), ("c", "e", 80)]) == ("a", "b", "c", "e")
    assert route([]) == ()


def test_a_route_does_not_run_in_circles():
    assert route([("a", "b", 9), ("b", "a", 5), ("b", "c", 4), ("c", "a", 3)]) == ("a", "b", "c")


def test_the_sender_speaks_for_its_link():
    rows = [exchange(n * 1e4, observer=A) for n in range(2)] + [exchange(n * 1e4, observer=B) for n in range(5)]
    assert views.links(table(rows))["observer"].to_list() == [A]
    assert views.answers(table(rows))["observer"].to_list() == [B]


def test_airtimes_are_a_line_over_sizes():
    exchanges = table([exchange(0, payload=100), exchange(1e4, payload=1500), exchange(2e4, kind="rts_failed")])
    row = links.facts(exchanges, views.links(exchanges)).row(0, named=True)
    assert row["attempts"] == 3
    assert row["failures"] == 1
    assert row["per_byte_us"] == pytest.approx(8 / 11)
    assert row["overhead_us"] == pytest.approx(192 + 28 * 8 / 11)


def test_one_size_is_extended_by_its_rate():
    exchanges = table([exchange(0, payload=1500)])
    row = links.facts(exchanges, views.links(exchanges)).row(0, named=True)
    assert row["per_byte_us"] == pytest.approx(8 / 11)


def test_attempts_that_met_another_frame_are_no_channel_losses():
    """A > B fails twice: once while C, whom B hears, sends to D, and once while nobody does."""
    lost = {"complete": False, "ack_ns": None, "ack_start_ns": None}
    rows = [
        exchange(0, kind="basic", **lost),
        exchange(500, kind="basic", sender=C, receiver=D),
        exchange(20_000, kind="basic", **lost),
        *(exchange(40_000 + 10_000 * n, kind="basic") for n in range(8)),
    ]
    heard_by = {B: {A, C}, A: {B}}
    assert channel_loss_rates(table(rows), heard_by, 500_000)[A, B] == pytest.approx(0.1)
    assert channel_loss_rates(table(rows), {B: {A}, A: {B}}, 500_000)[A, B] == pytest.approx(0.2)


def test_retry_limits_grow_with_what_was_seen():
    exchanges = table([exchange(1e4 * n, kind="basic") for n in range(10)])
    numbered = exchanges.with_columns(seq=pl.Series([7] * 9 + [8]))
    assert retry_limits(numbered, views.links(exchanges)) == (9, 4)
    assert retry_limits(numbered.head(3), views.links(exchanges)) == (7, 4)


def flow(path: tuple[str, ...], name: str = "f") -> StudiedFlow:
    return StudiedFlow(name, name, path, path[::-1], {"packets": 1}, None, tcp=False)


def test_packets_of_others_come_up_before_their_first_attempt():
    rows = [
        exchange(1000, kind="rts_failed", sender=C, receiver=D, idle_before_us=200.0),
        exchange(5000, sender=C, receiver=D, payload=800, idle_before_us=5000.0),
        exchange(9000, sender=C, receiver=D, payload=800, idle_before_us=30.0),
        exchange(20_000, flow="f"),
    ]
    exchanges = table(rows)
    sent = cross_traffic.packets(exchanges, views.links(exchanges), [flow((A, B))], 0, 670_000)
    assert sent == {(C, D): [(800_000, 800), (8_970_000, 800)]}


def test_spans_last_as_long_as_was_announced():
    heard = exchange(1000, sender=C, receiver=None, complete=False, kind="rts", payload=1500) | {"end_ns": 1_700_000}
    spans = cross_traffic.spans(table([heard, exchange(9000, flow="f")]), [flow((A, B))])
    assert spans["start"].to_list() == [1_000_000]
    assert spans["end"][0] == pytest.approx(heard["ack_ns"], abs=1000), "Duration fields are whole microseconds"


def test_who_is_not_heard_in_a_recording_of_its_own_is_not_heard():
    schema = {"node": pl.String, "neighbour": pl.String, "heard": pl.Int64, "delivery_ratio": pl.Float64}
    rows = [("a", "b", 9, 0.9), ("b", "a", 9, 0.9), ("a", "d", 3, 0.01)]
    neighbours = pl.DataFrame(rows, schema=schema, orient="row").with_columns(signal_dbm=pl.lit(None, pl.Float64))
    graph, notes = audibility_graph(["a", "b", "c", "d"], [("b", "c")], [("a", "b", "c")], neighbours, set(), set())
    decodes = {tuple(pair) for pair in graph["graph"]["decodes"]}
    assert decodes == {("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "c")}
    assert "2 directed pairs" in notes[0]


def test_constants_of_tcp_are_seen_or_presumed():
    declared, notes = transport(LEG, LEG)
    assert declared["transport"]["delayed_ack_ns"] == 200_000_000
    assert (declared["payload_bytes"], declared["header_bytes"], declared["ack_bytes"]) == (1000, 48, 48)
    assert transport(LEG, LEG | {"acks": 480, "ack_bytes_max": 60})[0]["transport"]["delayed_ack_ns"] is None
    assert "no acknowledgement recorded" in transport(LEG, None)[1][0]
    assert any("initial window" in note for note in notes)


def test_unknown_flows_are_named_with_those_there_are():
    empty = conversations.conversation_hops(complete(pl.LazyFrame(schema=FRAMES), "frames"))
    with pytest.raises(UnusableInput, match="no flow of more than 10 packets"):
        select_flows(empty, None, "run.winf")
    with pytest.raises(UsageError, match="no flow 'x'; it has none"):
        select_flows(empty, ["x"], "run.winf")
    assert select_flows(empty, None, "run.winf", may_be_none=True) == []


def test_other_formats_have_no_dialect():
    assert MacDialect.of({}).mac == {}
    assert MacDialect.of({"inputs": [{"container": {"format": "ns-2 wireless trace"}}]}).addressed_only


FRAMES = {
    **dict.fromkeys(("source", "observer", "layer", "kind", "direction", "parse_error", "ta", "ra", "flow"), pl.String),
    **dict.fromkeys(("sa", "da", "src_ip", "proto"), pl.String),
    **dict.fromkeys(("payload_bytes", "tcp_payload_bytes", "tcp_flags"), pl.Int32),
    **dict.fromkeys(("start_ns", "ts_ns", "packet_uid", "transport_seq", "tcp_ack"), pl.Int64),
    "fcs_ok": pl.Boolean,
    "retry": pl.Boolean,
}


def test_losses_of_a_link_that_was_hardly_tried_are_those_of_the_way_back():
    losses = {(A, B): 2 / 3, (B, A): 0.1, (C, D): 0.5}
    tried = {way: {"attempts": attempts} for way, attempts in {(A, B): 3, (B, A): 500, (C, D): 19}.items()}
    assert _loss_either_way((A, B), losses, tried) == 0.1
    assert _loss_either_way((B, A), losses, tried) == 0.1
    assert _loss_either_way((C, D), losses, tried) is None


def test_airtimes_do_not_fall_with_size():
    rows = [exchange(1e4 * n, kind="basic", payload=size) for n, size in enumerate((100, 1000))]
    airtimes = pl.Series([900.0, 400.0])
    exchanges = table(rows).with_columns(data_airtime_us=airtimes, rate_mbps=pl.lit(11.0))
    (row,) = links.facts(exchanges, views.links(exchanges)).rows(named=True)
    assert row["per_byte_us"] == pytest.approx(8 / 11)
    assert row["overhead_us"] > 0
