"""What the world of a recording is put together from, on small tables made by hand."""

from __future__ import annotations

from random import Random

import polars as pl
import pytest
from exchange_builder import A, B, C, D, exchange, table

from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.declared_links import loss_either_way
from winf_analyzer._replay.recorded.flows import conversations, cross_traffic
from winf_analyzer._replay.recorded.flows.routes import route
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow, select_flows
from winf_analyzer._replay.recorded.flows.transport import acknowledges_two, transport
from winf_analyzer._replay.recorded.hearing.audibility import audibility_graph, heard_beside
from winf_analyzer._replay.recorded.hearing.unheard_cts import hidden_by_cts
from winf_analyzer._replay.recorded.links.airtimes import LARGEST_BYTES, SMALLEST_BYTES, points, size_airtimes
from winf_analyzer._replay.recorded.links.facts import link_facts
from winf_analyzer._replay.recorded.links.losses import channel_loss_rates, unheard_receivers
from winf_analyzer._replay.recorded.links.route_failures import route_repair_ns
from winf_analyzer._replay.recorded.mac.parameters import MacDialect, mac
from winf_analyzer._replay.recorded.mac.retries import repeated_shares, retry_limits
from winf_analyzer._schema import complete, schema
from winf_analyzer._util.errors import UnusableInput, UsageError

LEG = {
    "conversation": "tcp a b",
    "origin": "a",
    "proto": "tcp",
    "packets": 500,
    "data_bytes": 500_000,
    "payload_bytes": 1048.0,
    "mss": 1000,
    "header_bytes": 48,
    "ack_bytes": 48.0,
    "ack_bytes_max": 48,
    "segments": 500,
    "acks": 250,
    "ack_step": 2000.0,
    "ack_steps": 240,
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


def test_facts_of_a_link():
    exchanges = table([exchange(0, payload=100), exchange(1e4, payload=1500), exchange(2e4, kind="rts_failed")])
    row = link_facts(exchanges, views.links(exchanges)).row(0, named=True)
    assert (row["attempts"], row["failures"]) == (3, 1)


def airtimes_of(rows, airtimes_us, rates_mbps):
    exchanges = table(rows).with_columns(data_airtime_us=pl.Series(airtimes_us), rate_mbps=pl.Series(rates_mbps))
    return size_airtimes(exchanges, views.links(exchanges))[A, B]


def test_channels_of_10_mhz_have_their_own_parameters():
    exchanges = table([exchange(n * 9000, phy="ofdm", channel_mhz=5890, rate_mbps=6.0, seq=n) for n in range(20)])
    view = views.links(exchanges)
    unknown = pl.DataFrame(schema=schema("mac_parameters"))
    made, notes = mac(link_facts(exchanges, view), exchanges, view, {(A, B)}, MacDialect.of({}), unknown)
    assert (made["slot_ns"], made["sifs_ns"], made["difs_ns"]) == (13_000, 32_000, 58_000)
    assert (made["plcp_ns"], made["symbol_ns"], made["control_rate_bps"]) == (40_000, 8_000, 3_000_000)
    assert "assumed for ofdm_10mhz" in notes[0]


def test_each_size_has_the_airtime_of_its_own_rate():
    """An acknowledgement at 6 Mbit/s among data at 54 Mbit/s, of which a third is repeated at 24."""
    sizes = [48, 48, 1500, 1500, 1500]
    rows = [exchange(1e4 * n, kind="basic", payload=size) for n, size in enumerate(sizes)]
    found = airtimes_of(rows, [120.0, 120.0, 250.0, 250.0, 550.0], [6.0, 6.0, 54.0, 54.0, 24.0])
    assert [(size.packet_bytes, size.airtime_us) for size in found] == [(48, 120.0), (1500, pytest.approx(350.0))]
    assert found[1].rate_mbps == pytest.approx(3 / (2 / 54 + 1 / 24))
    assert (found[0].error_us, found[1].error_us) == (0.0, pytest.approx(100.0))
    line = {point["packet_bytes"]: point["airtime_ns"] for point in points(found)}
    assert line[48] == 120_000
    assert line[1500] == 350_000
    assert line[SMALLEST_BYTES] == pytest.approx(1e3 * (120 - 8 * 28 / 6), abs=1), "at the rate of the small"
    assert line[LARGEST_BYTES] > 350_000


def test_rare_sizes_have_no_airtime_of_their_own():
    rows = [exchange(1e4 * n, kind="basic", payload=1500) for n in range(200)]
    rows.append(exchange(1e7, kind="basic", payload=700))
    found = airtimes_of(rows, [250.0] * 200 + [9000.0], [54.0] * 201)
    assert [size.packet_bytes for size in found] == [1500]


def test_a_third_station_tells_failures_by_the_next_attempt():
    """It hears no response of B; the second of four attempts is repeated."""
    lost = {"kind": "basic", "complete": False, "ack_ns": None, "ack_start_ns": None}
    attempts = (1, 1, 2, 1, 1)
    rows = [exchange(10_000 * n, attempt=attempt, **lost) for n, attempt in enumerate(attempts)]
    exchanges = table(rows)
    assert link_facts(exchanges, views.links(exchanges))["failures"].to_list() == [2], "the last is unknown"
    assert channel_loss_rates(exchanges, {})[A, B] == pytest.approx(0.4)
    own = table([row | {"observer": A} for row in rows])
    assert link_facts(own, views.links(own))["failures"].to_list() == [5]


def test_attempts_that_met_another_frame_are_no_channel_losses():
    """A > B fails twice: once while C, whom B hears, sends to D, and once while nobody does."""
    lost = {"complete": False, "ack_ns": None, "ack_start_ns": None, "observer": A}
    rows = [
        exchange(0, kind="basic", **lost),
        exchange(500, kind="basic", sender=C, receiver=D),
        exchange(20_000, kind="basic", **lost),
        *(exchange(40_000 + 10_000 * n, kind="basic", observer=A) for n in range(8)),
    ]
    heard_by = {B: {A, C}, A: {B}}
    assert channel_loss_rates(table(rows), heard_by)[A, B] == pytest.approx(1 / 9), "one of those that met nobody"
    assert channel_loss_rates(table(rows), {B: {A}, A: {B}})[A, B] == pytest.approx(0.2)


def test_attempts_that_met_another_frame_do_not_hide_channel_losses():
    """Half of the attempts meet a frame that does no harm; of the others every fifth is lost, as of those."""
    rows = []
    for n in range(40):
        lost = {"complete": False, "ack_ns": None, "ack_start_ns": None} if n % 5 == 0 else {}
        rows.append(exchange(20_000 * n, kind="basic", observer=A, **lost))
        if n % 2:
            rows.append(exchange(20_000 * n + 100, kind="basic", sender=C, receiver=D, observer=C))
    assert channel_loss_rates(table(rows), {B: {A, C}, A: {B}})[A, B] == pytest.approx(0.2)


def test_a_retry_whose_first_attempt_was_not_heard_is_a_collision_of_one_that_was():
    """A third station hears A's of two frames that collide, and then B's packet as a retry alone."""
    lost = {"complete": False, "ack_ns": None, "ack_start_ns": None}
    rows = []
    for n in range(20):
        collides = n % 10 == 0
        rows += [
            exchange(20_000 * n, kind="basic", seq=n, **(lost if collides else {})),
            exchange(20_000 * n + 4_000, kind="basic", sender=B, receiver=A, seq=n, attempt=1 + collides),
        ]
        if collides:
            rows.append(exchange(20_000 * n + 8_000, kind="basic", seq=n, attempt=2))
    assert channel_loss_rates(table(rows), {A: {B}, B: {A}})[A, B] == 0
    # Where B was heard before, its packet was not on the air when A's failed.
    later = [row | ({"attempt": 1} if row["sender"] == B else {}) for row in rows]
    assert channel_loss_rates(table(later), {A: {B}, B: {A}})[A, B] == pytest.approx(2 / 22)
    # B's packet before this one was heard after A's failure, and so began after it.
    between = [
        exchange(row["start_ns"] / 1000 - 1_500, kind="basic", sender=B, receiver=A, seq=row["seq"] + 100)
        for row in rows
        if row["sender"] == B and row["attempt"] == 2
    ]
    assert channel_loss_rates(table([*rows, *between]), {A: {B}, B: {A}})[A, B] == pytest.approx(2 / 22)
    # C, which A does not hear, may have met B's frame.
    assert channel_loss_rates(table(rows), {A: {B}, B: {A, C}, C: {B}})[A, B] == pytest.approx(2 / 22)


def test_a_cts_that_a_sniffer_misses_shows_a_station_that_does_not_hear_the_sender():
    """In one of ten exchanges A > B, C's RTS begins during A's, and is on the air when B answers."""

    def rows(*, missed=("cts",), observer=None, count=300):
        unheard = {f"{frame}{point}_ns": None for frame in missed for point in ("_start", "")}
        ours = [exchange(20_000 * n, observer=observer, **({} if n % 10 else unheard)) for n in range(count)]
        return table([*ours, *(exchange(20_000 * n + 9_000, sender=C, observer=observer) for n in range(count))])

    pairs = [(A, B), (C, B)]
    assert hidden_by_cts(rows(), pairs) == {(A, C), (C, A)}
    assert hidden_by_cts(rows(missed=()), pairs) == set()
    assert hidden_by_cts(rows(missed=("cts", "ack")), pairs) == set(), "noise hits both answers"
    assert hidden_by_cts(rows(count=100), pairs) == set(), "ten may be chance"
    assert hidden_by_cts(rows(observer=A), pairs) == set(), "who sends knows whether it was answered"
    assert hidden_by_cts(rows(), [*pairs, (D, B)]) == set(), "it may have been D"


def test_a_receiver_that_nobody_hears_answers_rts_or_does_not():
    """A sniffer hears no CTS of B: an RTS without one is not lost for that."""
    unheard = {"cts_ns": None, "cts_start_ns": None, "ack_ns": None, "ack_start_ns": None, "complete": False}
    rows = [exchange(10_000 * n, **unheard) for n in range(4)]
    assert unheard_receivers(table(rows)) == {(A, B)}
    assert unheard_receivers(table([*rows, exchange(50_000)])) == set(), "it answered once"
    basic = [exchange(10_000 * n, kind="basic", **unheard) for n in range(4)]
    assert unheard_receivers(table(basic)) == set(), "repeated data frames tell"


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
        exchange(5000, sender=C, receiver=D, payload=800, idle_before_us=5000.0, attempt=2),
        exchange(9000, sender=C, receiver=D, payload=800, idle_before_us=30.0),
        exchange(20_000, flow="f"),
    ]
    exchanges = table(rows)
    sent = cross_traffic.packets(pl.LazyFrame(), exchanges, views.links(exchanges), [flow((A, B))], 0, 670_000)
    assert sent == {(C, D): [(800_000, 800), (8_970_000, 800)]}


def test_packets_of_others_whose_answers_are_not_heard_are_packets():
    """A station beside the link hears no ACK: what is not sent again arrived, what is sent again is one packet."""
    unheard = {"sender": C, "receiver": D, "payload": 800, "kind": "basic", "complete": False, "idle_before_us": 0.0}
    rows = [exchange(1e4 * n, **unheard, attempt=attempt) for n, attempt in enumerate([1, 1, 2, 1, 1])]
    exchanges = table([*rows, exchange(90_000, flow="f")])
    beside = exchanges.with_columns(observer=pl.lit(A, pl.String))
    sent = cross_traffic.packets(pl.LazyFrame(), beside, views.links(beside), [flow((A, B))], 0, 0)
    assert [at for at, _ in sent[C, D]] == [0, 10_000_000, 30_000_000, 40_000_000]


def test_spans_last_as_long_as_was_announced():
    heard = exchange(1000, sender=C, receiver=None, complete=False, kind="rts", payload=1500) | {"end_ns": 1_700_000}
    spans = cross_traffic.spans(table([heard, exchange(9000, flow="f")]), [flow((A, B))])
    assert spans["start"].to_list() == [1_000_000]
    assert spans["end"][0] == pytest.approx(heard["ack_ns"], abs=1000), "Duration fields are whole microseconds"


def test_who_is_not_heard_in_a_recording_of_its_own_is_not_heard():
    schema = {"node": pl.String, "neighbour": pl.String, "heard": pl.Int64, "delivery_ratio": pl.Float64}
    rows = [("a", "b", 9, 0.9), ("b", "a", 9, 0.9), ("a", "d", 3, 0.01)]
    neighbours = pl.DataFrame(rows, schema=schema, orient="row").with_columns(signal_dbm=pl.lit(None, pl.Float64))
    graph, notes, presumed = audibility_graph(
        ["a", "b", "c", "d"], [("b", "c")], [("a", "b", "c")], neighbours, set(), set()
    )
    decodes = {tuple(pair) for pair in graph["graph"]["decodes"]}
    assert decodes == {("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "c")}
    assert "2 directed pairs" in notes[0]
    assert presumed == [("c", "d"), ("d", "c")]
    everyone = audibility_graph(["a", "b", "d"], [("a", "b")], [("a", "b")], neighbours.clear(), set(), {("a", "d")})
    assert everyone[2] == [("b", "d"), ("d", "b")]


def test_constants_of_tcp_are_seen_or_presumed():
    declared, notes = transport(LEG, LEG)
    assert declared["transport"]["delayed_ack_ns"] == 200_000_000
    assert (declared["payload_bytes"], declared["header_bytes"], declared["ack_bytes"]) == (1000, 48, 48)
    assert transport(LEG, LEG | {"ack_step": 1000.0, "ack_bytes_max": 60})[0]["transport"]["delayed_ack_ns"] is None
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
    assert loss_either_way((A, B), losses, tried) == 0.1
    assert loss_either_way((B, A), losses, tried) == 0.1
    assert loss_either_way((C, D), losses, tried) is None


@pytest.mark.parametrize("lost", [0.0, 0.3])
@pytest.mark.parametrize("delayed", [False, True])
def test_delayed_acknowledgements_are_told_from_losses(delayed, lost):
    """Of 400 segments some are lost, so that the receiver repeats itself; then some acknowledgements are lost too."""
    random = Random(7)
    numbers, expected, above, held = [], 0, set(), 0
    waiting = list(range(400))
    while waiting:
        segment = waiting.pop(0)
        if random.random() < lost / 3:
            waiting.insert(min(5, len(waiting)), segment)
            continue
        in_order = segment == expected and not above
        above.add(segment)
        while expected in above:
            above.remove(expected)
            expected += 1
        held = held + 1 if in_order else 2
        if not delayed or held >= 2:
            numbers.append(1000 * expected)
            held = 0
    kept = [number for number in numbers if random.random() >= lost]
    frames = pl.DataFrame(
        {
            "layer": "mac", "kind": "data", "is_group": False, "payload_bytes": 48, "ta": "b", "ra": "a",
            "flow": "tcp a b", "src_ip": "b", "proto": "tcp", "tcp_payload_bytes": 0, "tcp_flags": 16, "source": "s",
            "retry": False, "start_ns": list(range(len(kept))), "tcp_ack": kept,
        }
    )  # fmt: skip
    schema = FRAMES | {"is_group": pl.Boolean}
    rows = frames.cast({name: kind for name, kind in schema.items() if name in frames.columns})
    back = conversations.conversation_hops(complete(rows.lazy(), "frames")).row(0, named=True)
    assert acknowledges_two(LEG, back) is delayed


def test_few_acknowledgements_do_not_tell():
    assert acknowledges_two(LEG, LEG | {"ack_steps": 3}) is None
    assert acknowledges_two(LEG, None) is None
    notes = transport(LEG, LEG | {"ack_steps": 3})[1]
    assert any("too few acknowledgements" in note for note in notes)


@pytest.mark.parametrize(
    ("name", "origin", "ends"),
    [
        ("tcp 10.0.0.1:5001 10.0.0.2:49153", "10.0.0.2", ("10.0.0.2:49153", "10.0.0.1:5001")),
        ("tcp 10.0.0.1:49153 10.0.0.2:5001", "10.0.0.1", None),
        ("tcp [fe80::1]:80 [fe80::2]:49153", "fe80::2", ("[fe80::2]:49153", "[fe80::1]:80")),
        ("data 00:00:00:00:00:01 00:00:00:00:00:02", "00:00:00:00:00:01", None),
        ("tcp 127.0.0.1:80 127.0.0.1:5000", "127.0.0.1", None),
        ("f", "10.0.0.1", None),
    ],
)
def test_a_flow_against_the_order_of_its_name_is_told(name, origin, ends):
    hop = {"packets": 1, "origin": origin}
    assert StudiedFlow(name, name, (A, B), (B, A), hop, None, tcp=True).against_its_name == ends


def test_a_flow_named_after_its_sender_needs_no_note():
    name, hop = "udp 10.0.0.1:5001 10.0.0.2:5001", {"packets": 1, "origin": "10.0.0.2"}
    named = StudiedFlow(f"{name} from 10.0.0.2", name, (A, B), (B, A), hop, None, tcp=False)
    assert named.against_its_name is None


def test_a_route_is_looked_for_once_a_packet_needs_it():
    """Node a's route to z fails; a packet for y goes on, one for z comes after 50 ms and waits for 110."""
    ms = 1_000_000
    common = {"source": "trace", "observer": "a", "proto": "tcp", "kind": "data"}

    def event(at_ms, layer, direction, to, reason=None):
        return common | {
            "ts_ns": at_ms * ms,
            "layer": layer,
            "direction": direction,
            "dst_ip": to,
            "drop_reason": reason,
        }

    def failure(at_ms):
        return [
            event(at_ms, "router", "drop", "z", "CBK"),
            event(at_ms + 1, "router", "drop", "z", "CBK"),
            event(at_ms + 2, "mac", "tx", "y"),
            event(at_ms + 50, "router", "rx", "z"),
            event(at_ms + 160, "mac", "tx", "z"),
        ]

    rows = pl.DataFrame([*failure(1000), *failure(2000)], infer_schema_length=None)
    assert route_repair_ns(complete(rows.lazy(), "frames")) == 110 * ms
    assert route_repair_ns(complete(rows.filter(pl.col("drop_reason").is_null()).lazy(), "frames")) is None


def test_what_a_station_beside_the_others_heard_of_them():
    rows = [("s", A, 5), ("s", B, 0), ("s", "elsewhere", 9), (A, B, 7)]
    neighbours = pl.DataFrame(rows, schema=["node", "neighbour", "heard"], orient="row")
    found = heard_beside(neighbours, [A, B, C], {A, B})
    assert found == {"s": {A: True, B: False}}, "C only answers, and a node's own recording tells by itself"
    assert heard_beside(neighbours.filter(pl.col("node") == A), [A, B], {A, B}) == {}


def test_the_share_of_repetitions_is_that_of_the_frames_that_were_heard():
    def sent(number, every, **columns):
        return [
            exchange(n * 1e4, kind="basic", attempt=2 if n % every == 0 else 1, observer=None) | columns
            for n in range(number)
        ]

    view = views.links(table(sent(200, 4)))
    assert repeated_shares(table(sent(200, 4)), view) == {(A, B): 0.25}
    assert repeated_shares(table(sent(99, 4)), view) == {}, "too few"
    assert repeated_shares(table([*sent(200, 4), exchange(3e6, kind="rts", observer=None)]), view) == {}
    assert repeated_shares(table(sent(200, 4, mpdus=3)), view) == {}, "A-MPDUs repeat a part"
