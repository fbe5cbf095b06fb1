"""What recordings show of how stations contend, and of TCP's sources, on small tables made by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
from exchange_builder import DIFS, T_RTS, A, B, C, D, exchange, table

from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.flows.sources import SourceBehaviour, source_behaviour
from winf_analyzer._replay.recorded.flows.transport import transport
from winf_analyzer._replay.recorded.hearing.ack_only_stations import (
    inferred_observers,
    overheard_responders,
    with_inferred_observers,
)
from winf_analyzer._replay.recorded.hearing.audibility import audibility_graph
from winf_analyzer._replay.recorded.links.losses import on_air
from winf_analyzer._replay.recorded.mac.access import forwards_without_backoff
from winf_analyzer._replay.recorded.mac.capture import presumed_capture, rts_capture_db, spread_data_capture
from winf_analyzer._replay.recorded.mac.parameters import _usual_phy
from winf_analyzer._replay.recorded.mac.retries import missing_packets, rts_retry_limit
from winf_analyzer._schema import complete

FRAMES = {
    **dict.fromkeys(("source", "observer", "layer", "kind", "direction", "parse_error", "ta", "ra", "flow"), pl.String),
    **dict.fromkeys(("sa", "da", "src_ip", "proto"), pl.String),
    **dict.fromkeys(("tcp_payload_bytes", "tcp_flags"), pl.Int32),
    **dict.fromkeys(("start_ns", "end_ns", "transport_seq", "tcp_ack"), pl.Int64),
    "signal_dbm": pl.Int32,
    "retry": pl.Boolean,
}
FLOW = "tcp 10.0.0.1:1 10.0.0.2:2"


def frames(rows: list[dict[str, Any]]) -> pl.LazyFrame:
    """The columns of the `frames` table that are looked at."""
    stated = pl.LazyFrame([dict.fromkeys(FRAMES) | {"source": "s"} | row for row in rows], schema=FRAMES)
    return complete(stated, "frames")


def segment(at_ns: int, seq: int, **columns: Any) -> dict[str, Any]:
    """A data frame with 1000 bytes of TCP from A to B, as A recorded it."""
    known = {"observer": A, "layer": "mac", "kind": "data", "ta": A, "ra": B, "flow": FLOW, "proto": "tcp"}
    numbers = {"start_ns": at_ns, "end_ns": at_ns, "transport_seq": seq, "tcp_payload_bytes": 1000, "tcp_flags": 16}
    return known | numbers | columns


def acknowledgement(at_ns: int, number: int) -> dict[str, Any]:
    """One that A received."""
    return segment(at_ns, 1, ta=B, ra=A, tcp_payload_bytes=0, tcp_ack=number)


def tried(failures: int, steps: list[int]) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """So many unanswered RTS before each data frame, whose segments are so many apart."""
    rows, sent, at_us, seq = [], [], 0.0, 1
    for step in steps:
        for _ in range(failures):
            rows.append(exchange(at_us, kind="rts_failed", observer=A))
            at_us += 5000
        rows.append(exchange(at_us, observer=A))
        seq += step * 1000
        sent.append(segment(rows[-1]["data_start_ns"], seq))
        at_us += 5000
    return frames(sent), table(rows)


def limit(failures: int, steps: list[int]) -> int | None:
    data, exchanges = tried(failures, steps)
    return rts_retry_limit(data, exchanges, views.links(exchanges))


def test_packets_that_go_on_after_many_rts_show_that_they_were_not_given_up():
    assert limit(9, [1] * 5) == 255
    assert limit(6, [1] * 5) is None, "the default allows that"
    assert limit(7, [2] * 5) is None, "after each row a segment is missing: it was given up"


def test_a_station_beside_the_sender_tells_that_too():
    data, exchanges = tried(9, [1] * 5)
    nobody = pl.lit(None, pl.String)
    heard, around = data.with_columns(observer=nobody), exchanges.with_columns(observer=nobody)
    assert rts_retry_limit(heard, around, views.links(around)) == 255


def test_a_limit_shows_in_gaps_after_longer_rows():
    (few, exchanges), (many, later) = tried(9, [1] * 5), tried(15, [2] * 5)
    shift = 10**9
    moved = [name for name in later.collect_schema() if name.endswith("_ns")]
    both = pl.concat([exchanges, later.with_columns(pl.col(name) + shift for name in moved)])
    data = pl.concat([few, many.with_columns(pl.col("start_ns") + shift, pl.col("transport_seq") + 10**6)])
    assert rts_retry_limit(data, both, views.links(both)) == 10


def answered(backoffs_us: list[float]) -> pl.LazyFrame:
    """B receives from A and passes on to C, as B recorded it."""
    rows = []
    for n, backoff in enumerate(backoffs_us):
        rows.append(exchange(2e4 * n, observer=B))
        at = rows[-1]["end_ns"] / 1e3 + DIFS + backoff
        rows.append(exchange(at, sender=B, receiver=C, observer=B, idle_before_us=DIFS + backoff))
    return table(rows)


def forwards(exchanges: pl.LazyFrame, difs_us: float = DIFS) -> bool:
    return forwards_without_backoff(exchanges, 20_000, round(1e3 * difs_us))


def test_what_is_passed_on_without_a_backoff_shows():
    assert forwards(answered([0.0, 20.0, 0.0, 300.0] * 10))
    assert not forwards(answered([20.0 * n for n in range(32)]))
    assert not forwards(answered([0.0] * 10)), "too few"


def test_a_backoff_is_what_is_left_of_the_worlds_own_difs():
    """In 802.11g DIFS is 28 us or, where slots are long, 50 us."""
    assert forwards(answered([22.0, 42.0, 22.0, 302.0] * 10), DIFS + 22)
    assert not forwards(answered([22.0, 42.0, 22.0, 302.0] * 10))


def test_a_station_beside_them_sees_what_is_passed_on():
    beside, third = pl.lit(None, pl.String), pl.lit(C)
    assert forwards(answered([0.0, 20.0, 0.0, 300.0] * 10).with_columns(observer=beside))
    assert not forwards(answered([20.0 * n for n in range(32)]).with_columns(observer=beside))
    assert forwards(answered([0.0] * 40).with_columns(observer=third)), "B has not recorded"
    own = answered([20.0 * n for n in range(32)])
    both = pl.concat([own, answered([0.0] * 40).with_columns(observer=third, source=pl.lit("other.pcap"))])
    assert not forwards(both), "B's own counts"


def overlapping(received: int, lost: int) -> tuple[pl.LazyFrame, pl.DataFrame]:
    """RTS from A to B during which C, whom B hears, begins to send to D."""
    rows = []
    for n in range(received + lost):
        at = 1e4 * n
        rows.append(exchange(at, kind="rts" if n < received else "rts_failed", observer=A))
        if n < received:
            rows.append(exchange(at, observer=B))
        rows.append(exchange(at + T_RTS / 2, kind="rts_failed", sender=C, receiver=D, observer=C))
    return table(rows), on_air(table(rows))


def test_rts_that_outlast_others_show_the_ratio_they_need():
    powers = [{"from": A, "to": B, "dbm": -50.0}, {"from": C, "to": B, "dbm": -52.5}]
    heard_by = {B: {A, C}, A: {B}}
    assert rts_capture_db(*overlapping(20, 2), heard_by, powers) == 2.0
    assert rts_capture_db(*overlapping(2, 20), heard_by, powers) is None
    assert rts_capture_db(*overlapping(5, 0), heard_by, powers) is None, "too few"
    assert rts_capture_db(*overlapping(20, 2), heard_by, []) is None, "powers unknown"


def test_an_rts_at_1_mbps_is_robust_where_no_recording_tells_of_powers():
    graph = {"decodes": [[A, B], [B, A], [C, B]]}
    powers, mac, notes = presumed_capture(graph, {A: 1.0, B: 1.0}, 10.0)
    assert {(row["from"], row["to"]) for row in powers["powers"]} == {(A, B), (B, A), (C, B)}
    assert len({row["dbm"] for row in powers["powers"]}) == 1, "all are equally strong"
    assert powers["capture_db"] == 10.0, "a data frame does not survive"
    assert mac == {"control_capture_db": 0.0}
    assert len(notes) == 1
    assert presumed_capture(graph, {A: 1.0, B: 6.0}, 10.0) == ({}, {}, []), "nothing is spread at 6 Mbit/s"
    assert presumed_capture(graph, {}, 10.0) == ({}, {}, []), "nobody sends CTS"
    known = graph | {"powers": [{"from": A, "to": B, "dbm": -60.0}]}
    assert presumed_capture(known, {A: 1.0}, 10.0) == ({}, {}, []), "a recording tells"


def test_data_at_1_mbps_are_as_robust_where_no_rts_tells():
    graph = {"powers": [{"from": A, "to": B, "dbm": -60.0}]}
    assert spread_data_capture(graph, {}, [1.0, 5.5])[0] == {"control_capture_db": 0.0}
    assert spread_data_capture(graph, {}, [2.0, 5.5]) == ({}, [])
    assert spread_data_capture(graph, {}, []) == ({}, [])
    assert spread_data_capture({}, {}, [1.0]) == ({}, []), "powers unknown"
    assert spread_data_capture(graph, {"control_capture_db": 3.0}, [1.0]) == ({}, []), "RTS tell"


def test_sequence_numbers_tell_how_many_packets_were_not_heard():
    def sent(numbers, ta=A, **columns):
        rows = [segment(at, 0, ta=ta, observer=None) | columns for at, _ in enumerate(numbers)]
        return frames(rows).with_columns(seq=pl.Series(numbers, dtype=pl.Int32))

    whole = [n % 4096 for n in range(4000, 4300)]
    assert missing_packets(sent(whole), {A}) == {A: 0}
    assert missing_packets(sent([n for n in whole if n not in (4005, 10, 11)]), {A}) == {A: 3}
    repeated = sorted([*range(300), *range(0, 300, 2)])
    assert missing_packets(sent(repeated), {A}) == {A: 0}, "an attempt more is no packet"
    assert missing_packets(sent(whole[::2]), {A}) == {}, "a recorder that misses many does not know"
    assert missing_packets(sent(whole), {B}) == {}


def test_who_only_answers_is_known_by_the_signals_that_its_own_answers_lack():
    """B's recording calls nothing sent, as those of ns-3: what B receives has a signal, its own answers have none."""
    exchanges = table([exchange(0, source="b", observer=None)])
    row = exchanges.collect().row(0, named=True)
    answers = [{"kind": kind, "start_ns": row[f"{kind}_start_ns"], "source": "b"} for kind in ("cts", "ack")]
    asked = {"kind": "rts", "start_ns": row["start_ns"], "source": "b", "signal_dbm": -60}
    assert inferred_observers(frames([asked, *answers]), exchanges) == {"b": B}
    assert inferred_observers(frames([asked | {"signal_dbm": None}, *answers]), exchanges) == {}, "no signal at all"
    heard = [answer | {"signal_dbm": -60} for answer in answers]
    assert inferred_observers(frames([asked, *heard]), exchanges) == {}, "a station beside B"
    assert inferred_observers(frames([asked, answers[0], heard[1]]), exchanges) == {}, "B is heard"


def test_who_only_answers_is_heard_and_known():
    """C overhears A and B, and B's own recording holds nothing that names it."""
    overheard = exchange(0, source="c", observer=C)
    own = exchange(0, source="b", observer=None)
    stamps = [overheard["cts_start_ns"], overheard["ack_start_ns"]]
    rows = [{"kind": kind, "start_ns": at} for kind, at in zip(("cts", "ack"), stamps, strict=True)]
    heard = [row | {"source": "c", "observer": C, "direction": "rx", "signal_dbm": -60} for row in rows]
    sent = [row | {"source": "b", "direction": "tx"} for row in rows]
    air, exchanges = frames([*heard, *sent]), table([overheard, own])

    stations = inferred_observers(air, exchanges)
    assert stations == {"b": B}
    assert set(with_inferred_observers(exchanges, stations).collect()["observer"]) == {B, C}
    assert with_inferred_observers(exchanges, {}) is exchanges
    answering = overheard_responders(air, exchanges)
    assert answering.row(0, named=True) == {
        "node": C,
        "neighbour": B,
        "heard": 1,
        "delivery_ratio": 1.0,
        "signal_dbm": -60.0,
    }
    graph, notes, _ = audibility_graph([B, C], [], [], answering, set(), set())
    assert {"from": C, "to": B, "dbm": -60.0} in graph["graph"]["powers"], "as the other way"
    assert any("assumed equal to the opposite direction" in note for note in notes)


def test_a_source_that_waits_shows_its_initial_window():
    ms = 1_000_000
    burst = [segment(n * ms, 1 + 1000 * n) for n in range(4)]
    assert source_behaviour(frames([*burst, acknowledgement(60 * ms, 2001)]), {FLOW: A}, {FLOW: 0})[
        FLOW
    ] == SourceBehaviour(4, None)
    assert (
        source_behaviour(frames([*burst, acknowledgement(5 * ms, 2001)]), {FLOW: A}, {FLOW: 0})[FLOW]
        == SourceBehaviour()
    ), "more may have been queued"
    assert (
        source_behaviour(frames([*burst, acknowledgement(60 * ms, 1)]), {FLOW: A}, {FLOW: 0})[FLOW] == SourceBehaviour()
    ), "a segment was lost"
    assert (
        source_behaviour(frames([segment(0, 1), acknowledgement(0, 1001)]), {FLOW: A}, {FLOW: 0})[FLOW]
        == SourceBehaviour()
    ), "at one instant"
    assert source_behaviour(frames([]), {FLOW: A}, {FLOW: 0}) == {}


def test_a_repetition_after_silence_bounds_the_least_timeout():
    ms = 1_000_000
    rows = [segment(0, 1), acknowledgement(30 * ms, 1001), segment(40 * ms, 1001), segment(340 * ms, 1001)]
    assert source_behaviour(frames(rows), {FLOW: A}, {FLOW: 0})[FLOW].timeout_ns == 310 * ms
    doubled = [*rows, segment(940 * ms, 1001)]
    assert source_behaviour(frames(doubled), {FLOW: A}, {FLOW: 0})[FLOW].timeout_ns == 310 * ms
    repaired = [*rows[:3], acknowledgement(330 * ms, 1001), segment(340 * ms, 1001)]
    assert source_behaviour(frames(repaired), {FLOW: A}, {FLOW: 0})[FLOW].timeout_ns is None, (
        "an acknowledgement asked for it"
    )


def test_what_acknowledgements_ask_for_is_no_timeout_however_late_it_is():
    """It waits in its station's queue behind packets of others."""
    ms = 1_000_000
    rows = [segment(n * ms, 1 + 1000 * n) for n in range(6)]
    rows += [acknowledgement((10 + n) * ms, 1001) for n in range(4)]
    late = [*rows, segment(310 * ms, 1001)]
    assert source_behaviour(frames(late), {FLOW: A}, {FLOW: 0})[FLOW].timeout_ns is None
    few = [*rows[:-1], segment(310 * ms, 1001)]
    assert source_behaviour(frames(few), {FLOW: A}, {FLOW: 0})[FLOW].timeout_ns == 300 * ms, (
        "two duplicates ask nothing"
    )
    partial = [*late, acknowledgement(330 * ms, 3001), segment(640 * ms, 3001)]
    assert source_behaviour(frames(partial), {FLOW: A}, {FLOW: 0})[FLOW].timeout_ns is None, (
        "the next one that is missing"
    )


def test_a_wire_takes_its_time_of_a_timeout():
    ms = 1_000_000
    rows = [segment(0, 1), acknowledgement(30 * ms, 1001), segment(40 * ms, 1001), segment(340 * ms, 1001)]

    def timeout_ns(wire_ns):
        return source_behaviour(frames(rows), {FLOW: A}, {FLOW: wire_ns})[FLOW].timeout_ns

    assert timeout_ns(100 * ms) == 210 * ms
    assert timeout_ns(250 * ms) is None, "what is asked for takes nearly as long"
    assert timeout_ns(None) is None


def test_what_a_source_shows_is_declared_and_said():
    leg = {"mss": 1000, "header_bytes": 48, "ack_bytes": 48.0, "ack_bytes_max": 68, "ack_step": 1000.0, "ack_steps": 9}
    leg |= {"data_bytes": 9000, "packets": 9}
    declared, notes = transport(leg, leg, SourceBehaviour(4, 310_000_000))
    assert declared["transport"]["initial_window_segments"] == 4
    assert declared["transport"]["minimum_timeout_ns"] == 310_000_000
    assert any("(observed" in note for note in notes)
    presumed, notes = transport(leg, leg, SourceBehaviour(None, 5_000_000_000))
    assert presumed["transport"]["minimum_timeout_ns"] == 1_000_000_000
    assert "minimum timeout of 1 s" in notes[-1]


def test_answers_have_the_preamble_of_the_data_under_study_not_of_the_beacons_around_it():
    band = {"channel_mhz": 2437, "observer": A}
    beacons = [exchange(1e4 * n, phy="dsss", data_kind="beacon", **band) for n in range(50)]
    idle = [exchange(1e4 * n + 3e3, phy="dsss", data_kind="null", **band) for n in range(50)]
    data = [exchange(1e4 * n + 5e3, phy="ht", data_kind="qos_data", **band) for n in range(5)]
    assert _usual_phy(table([*beacons, *idle, *data]), {(A, B)}) == ("ht", True)
    assert _usual_phy(table([*beacons, *idle, *data]), {(C, D)}) == ("dsss", True), "no data under study"
    assert _usual_phy(table([]), {(A, B)}) == ("hr_dsss", True)
