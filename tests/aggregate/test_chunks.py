"""A recording cut into chunks of time, against the same in one piece."""

import random
from unittest import mock

import polars as pl
import pytest
from exchange_builder import A, B, C, D, exchange, table
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from winf_analyzer._aggregate import chunks
from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.reader import ExchangeReader, open_exchanges
from winf_analyzer.estimators import Settings, estimate

MS = 1_000_000
WINDOWS = {
    "tumbling": Settings(window_ns=20 * MS),
    "sliding": Settings(window_ns=20 * MS, step_ns=5 * MS),
    "running": Settings(window_ns=20 * MS, running=True),
    "per exchange": Settings(window_ns=20 * MS, per_exchange=True),
    "per exchange, running": Settings(window_ns=20 * MS, per_exchange=True, running=True),
    "apart": Settings(window_ns=20 * MS, cooperate=False),
    "probes": Settings(window_ns=20 * MS, probe="subtype_1001"),
}
KEYS = ["estimator", "mode", "source", "observer", "node", "peer", "sender", "receiver", "path", "state"]


def assert_cuts_change_nothing(rows, chosen, *, most, cell_ns, frames=None):
    """The estimates of all estimators, cut into chunks of `most` exchanges at multiples of `cell_ns`."""
    whole = estimate(table(rows), settings=chosen, frames=frames)
    with mock.patch.multiple(chunks, ROWS=most, CELL_NS=cell_ns):
        cut = estimate(table(rows), settings=chosen, frames=frames)
    assert cut.height == whole.height
    both = whole.join(cut, on=[*KEYS, "window_start_ns"], nulls_equal=True, suffix="_cut")
    assert both.height == whole.height
    for name in whole.columns:
        if f"{name}_cut" in both.columns:
            expected, found = both[name], both[f"{name}_cut"]
            assert found.is_null().to_list() == expected.is_null().to_list(), name
            wanted = expected.drop_nulls().to_list()
            wanted = pytest.approx(wanted, rel=1e-9) if expected.dtype.is_numeric() else wanted
            assert found.drop_nulls().to_list() == wanted, name


@st.composite
def traffic(draw):
    """Exchanges of a chain A > B > C, of D beside it, and of failures; some overlap, some reach over many cuts."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    numbered, recorded = draw(st.booleans()), draw(st.booleans())
    observer = draw(st.sampled_from([None, A]))
    rows, at_us = [], 1000.0
    for number in range(draw(st.integers(1, 25))):
        at_us += chance.choice([-1000, 400, 3000, 3000, 9000, 40_000])
        sender, receiver = chance.choice([(A, B), (A, B), (B, C), (B, A), (D, B)])
        told = {"packet_uid": number // 3} if numbered else {}
        told |= {"queue_ns": chance.randint(0, MS), "access_ns": chance.randint(0, 5 * MS)} if recorded else {}
        rows.append(
            exchange(
                max(0.0, at_us),
                kind=chance.choice(["rts", "basic", "basic", "broadcast", "rts_failed"]),
                payload=chance.choice([200, 1500, 1500]),
                sender=sender,
                receiver=receiver,
                observer=observer,
                attempt=chance.choice([1, 1, 2]),
                idle_before_us=chance.choice([None, 50.0, 170.0, 400.0]),
                flow=chance.choice(["udp 10.0.0.1:1 10.0.0.3:1", None]),
                **told,
            )
        )
    return rows


@examples(6)
@given(traffic(), st.sampled_from(sorted(WINDOWS)), st.integers(3, 12), st.sampled_from([MS, 7 * MS, 50 * MS]))
def test_cuts_change_nothing(rows, kind, most, cell_ns):
    assert_cuts_change_nothing(rows, WINDOWS[kind], most=most, cell_ns=cell_ns)


@pytest.mark.parametrize("kind", WINDOWS)
def test_cuts_change_nothing_of_any_kind_of_window(kind):
    rows = [exchange(n * 2700.0, sender=A if n % 3 else D, kind="rts" if n % 5 else "basic") for n in range(48)]
    assert_cuts_change_nothing(rows, WINDOWS[kind], most=10, cell_ns=3 * MS)


def test_an_exchange_over_several_chunks_keeps_the_medium_busy_in_all():
    long = exchange(10_000.0, end_ns=90 * MS, sender=C, receiver=D)
    rows = [exchange(n * 4000.0) for n in range(30)]
    assert_cuts_change_nothing([*rows, long], WINDOWS["tumbling"], most=3, cell_ns=2 * MS)


def test_sources_side_by_side_are_cut_at_the_same_times():
    rows = [exchange(n * 3000.0, source=source, observer=A) for source in ("s", "t") for n in range(20)]
    assert_cuts_change_nothing(rows, WINDOWS["tumbling"], most=7, cell_ns=MS)


def test_a_table_in_no_order_is_read_all_the_same():
    rows = [exchange(n * 3000.0, sender=A if n % 2 else C) for n in range(30)]
    random.Random(4).shuffle(rows)
    assert_cuts_change_nothing(rows, WINDOWS["tumbling"], most=7, cell_ns=MS)


def test_packets_are_followed_over_cuts():
    """TCP segments of one flow, the second hop 30 ms after the first, told by their sequence numbers."""
    flow = "tcp 10.0.0.1:1 10.0.0.3:1"
    hops = [(n, sender, receiver) for n in range(12) for sender, receiver in ((A, B), (B, C))]
    starts = [n * 8000.0 + (30_000.0 if sender == B else 0) for n, sender, _ in hops]
    rows = [exchange(at, sender=s, receiver=r, flow=flow) for at, (_, s, r) in zip(starts, hops, strict=True)]
    rows.sort(key=lambda row: row["start_ns"])
    frames = pl.DataFrame(
        {
            "source": "s",
            "observer": None,
            "layer": "mac",
            "ta": sender,
            "ra": receiver,
            "start_ns": exchange(at)["data_start_ns"],
            "subtype": 0b10_0000,
            "flow": flow,
            "src_ip": "10.0.0.1",
            "transport_seq": number * 1460,
            "tcp_ack": 1,
        }
        for at, (number, sender, receiver) in zip(starts, hops, strict=True)
    ).lazy()
    chosen = WINDOWS["tumbling"]
    assert_cuts_change_nothing(rows, chosen, most=3, cell_ns=MS, frames=frames)
    whole = estimate(table(rows), ["c3tcp"], settings=chosen, frames=frames)
    assert whole.filter(path=f"{A}>{B}>{C}", mode="paper")["exchanges"].sum() == 12


def test_a_number_that_comes_again_later_is_another_packet():
    flow, minute = "udp 10.0.0.1:1 10.0.0.3:1", 60_000_000.0
    rows = [
        exchange(start + 4000 * hop, sender=s, receiver=r, flow=flow, packet_uid=7)
        for start in (0.0, minute)
        for hop, (s, r) in enumerate(((A, B), (B, C)))
    ]
    found = estimate(table(rows), ["c3tcp"], ["paper"]).filter(pl.col("path").is_not_null())
    assert found.sort("window_start_ns").select("window_start_ns", "exchanges").rows() == [(0, 1), (60 * 10**9, 1)]
    assert_cuts_change_nothing(rows, Settings(), most=1, cell_ns=10**9)


def test_one_pass_does_for_all_estimators():
    rows = [exchange(n * 3000.0) for n in range(40)]
    passes = []
    real = ExchangeReader.aggregate

    def counted(self, aggregates):
        passes.append(len(aggregates))
        return real(self, aggregates)

    with mock.patch.multiple(chunks, ROWS=7, CELL_NS=MS), mock.patch.object(ExchangeReader, "aggregate", counted):
        estimate(table(rows))
    assert len(passes) == 1


def test_chunks_hold_no_more_than_they_should():
    rows = [exchange(n * 3000.0) for n in range(100)]
    height = Aggregate(lambda chunk: pl.DataFrame({"rows": [chunk.rows.height]}), keys=None)
    with mock.patch.multiple(chunks, ROWS=10, CELL_NS=MS):
        heights = open_exchanges(table(rows), Settings()).aggregate([height]).combined(height)["rows"]
    assert heights.sum() == 100
    assert heights.max() <= 10


def test_rows_that_share_their_keys_are_added():
    rows = [exchange(n * 3000.0) for n in range(40)]
    count = Aggregate(lambda chunk: chunk.per_link(chunk.uses, exchanges=pl.len().cast(pl.Int64)))
    with mock.patch.multiple(chunks, ROWS=7, CELL_NS=MS):
        found = open_exchanges(table(rows), Settings(window_ns=50 * MS)).aggregate([count]).combined(count)
    assert dict(found.select("window_start_ns", "exchanges").iter_rows()) == {0: 16, 50 * MS: 17, 100 * MS: 7}


def test_an_aggregate_that_fails_raises_where_it_is_wanted():
    fails = Aggregate(lambda chunk: 1 / 0, keys=None)
    count = Aggregate(lambda chunk: pl.DataFrame({"rows": [chunk.rows.height]}), keys=None)
    partials = open_exchanges(table([exchange()]), Settings()).aggregate([fails, count])
    assert partials.combined(count).item() == 1
    with pytest.raises(ZeroDivisionError):
        partials.combined(fails)
