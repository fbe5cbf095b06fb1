"""Collisions that a trace shows: attempts of several nodes, and what is made of them."""

from __future__ import annotations

import polars as pl
import pytest
from exchange_builder import exchange
from exchange_builder import table as exchanges_of
from hypothesis import given
from hypothesis import strategies as st
from one_chunk import chunk
from properties import examples

from winf_analyzer._mac import PRESETS
from winf_analyzer._models.saturation.failures import collision_survival, traced_collisions
from winf_analyzer._models.saturation.recorded.completeness import SHARES
from winf_analyzer._models.saturation.recorded.exchange_sums import SUMS
from winf_analyzer.estimators import Settings, estimate

MEDIA = pl.DataFrame(
    {
        "medium": [0, 1, 2, 3],
        "source": ["one", "one", "one", "other"],
        "observer": ["node-0", "node-1", "node-2", "node-0"],
    },
    schema_overrides={"medium": pl.Int32},
)
ATTEMPTS = st.lists(
    st.tuples(st.sampled_from([0, 1, 2, 3]), st.integers(0, 40), st.booleans()),
    max_size=30,
    unique_by=lambda it: it[:2],
)
"""Medium of the sender, start in half slots, and whether it was answered."""
HALF_SLOT_NS, EXCHANGE_NS = 10_000, 1_000_000
SPREAD = 100
"""By which starts are farther apart where many exchanges shall not overlap: half a slot becomes 1 ms."""


def table(attempts: list[tuple[int, int, bool]]) -> pl.DataFrame:
    rows = [
        {
            "medium": medium,
            "sender": MEDIA["observer"][medium],
            "receiver": "node-9",
            "air_start_ns": HALF_SLOT_NS * start + medium,
            "end_ns": HALF_SLOT_NS * start + EXCHANGE_NS * (1 + answered),
            "complete": answered,
            "unicast": True,
            "kind": "basic",
        }
        for medium, start, answered in attempts
    ]
    schema = {
        "medium": pl.Int32,
        "sender": pl.String,
        "receiver": pl.String,
        "air_start_ns": pl.Int64,
        "end_ns": pl.Int64,
    }
    schema |= {"complete": pl.Boolean, "unicast": pl.Boolean, "kind": pl.String}
    return pl.DataFrame(rows, schema=schema).sort("end_ns")


def counted(rows: pl.DataFrame, *cuts_ns: int, names: tuple[str, ...] = ("met", "met_failed")) -> dict[int, tuple]:
    """The counts of these names per medium, where the first is not 0."""
    state: dict = {}
    found, begin = [], 0
    for end_ns in (*cuts_ns, None):
        end = rows.height if end_ns is None else rows["end_ns"].search_sorted(end_ns)
        part = chunk(rows[begin:end], state, media=MEDIA, to_ns=end_ns)
        found.append(traced_collisions.COLLISIONS.function(part))
        begin = end
    sums = pl.concat(found).group_by("medium").agg(pl.col(names).sum()).filter(pl.col(names[0]) > 0)
    return {medium: tuple(counts) for medium, *counts in sums.iter_rows()}


@given(ATTEMPTS, st.integers(0, 40))
@examples(60)
def test_frames_that_begin_at_once_collide(attempts, cut):
    """In one source; two sources are two networks."""
    expected: dict[int, tuple[int, int]] = {}
    for medium, start, answered in attempts:
        others = {other for other, when, _ in attempts if when == start and other != medium}
        if others & ({0, 1, 2} - {medium}) and medium < 3:
            met, failed = expected.get(medium, (0, 0))
            expected[medium] = (met + 1, failed + (not answered))
    rows = table(attempts)
    assert counted(rows) == expected
    assert counted(rows, HALF_SLOT_NS * cut + EXCHANGE_NS) == expected


@given(ATTEMPTS, st.integers(0, 40))
@examples(60)
def test_what_failed_while_nobody_else_sent_was_lost(attempts, cut):
    """Whatever began first; starts are so far apart here that many exchanges are clear of others."""
    rows = table(attempts)
    spread = rows.with_columns(
        air_start_ns=pl.col("air_start_ns") * SPREAD,
        end_ns=pl.col("air_start_ns") * SPREAD + pl.col("end_ns") - pl.col("air_start_ns"),
    ).sort("end_ns")
    expected: dict[int, tuple[int, int, int]] = {}
    for medium, start, end, answered in spread.select("medium", "air_start_ns", "end_ns", "complete").iter_rows():
        source = MEDIA["source"][medium]
        of_others = spread.filter(
            pl.col("medium").replace_strict(dict(enumerate(MEDIA["source"]))) == source,
            (pl.col("air_start_ns") != start) | (pl.col("medium") != medium),
        )
        if of_others.filter(pl.col("air_start_ns") < end, pl.col("end_ns") > start).is_empty():
            clear, unanswered, failed = expected.get(medium, (0, 0, 0))
            expected[medium] = (clear + 1, unanswered, failed + (not answered))
    names = ("clear", "clear_unanswered", "clear_failed")
    assert counted(spread, names=names) == expected
    assert counted(spread, HALF_SLOT_NS * SPREAD * cut + EXCHANGE_NS, names=names) == expected


def test_an_rts_that_nobody_answered_is_told_from_data():
    rows = table([(0, 0, False), (0, 1000, False), (0, 2000, True)])
    rows = rows.with_columns(kind=pl.Series(["rts_failed", "rts", "rts"]))
    assert counted(rows, names=("clear", "clear_unanswered", "clear_failed")) == {0: (3, 1, 1)}


def test_a_radio_s_recording_has_none():
    rows = table([(0, 1, True), (1, 1, False)]).with_columns(sender=pl.lit("00:00:00:00:00:01"))
    assert counted(rows) == {}


def test_every_node_s_view_has_them_all():
    counts = pl.DataFrame({"medium": [0, 1], "sender": ["node-0", "node-1"], "met": [3, 2], "met_failed": [1, 2]})
    others = (*traced_collisions.COUNTS[2:], *traced_collisions.ORDERS)
    counts = counts.with_columns(pl.lit(0).alias(name) for name in others)
    counts = counts.with_columns(receiver=pl.Series(["node-1", "node-0"]))
    counts = counts.with_columns(pl.col("medium").cast(pl.Int32))
    known = known_to_all(counts)
    found = traced_collisions.of_media(counts, MEDIA, known)
    assert found["receiver"].null_count() * 2 == found.height, "of each sender together as well"
    found = found.filter(pl.col("receiver").is_null()).drop("receiver")
    assert sorted(row[:4] for row in found.rows()) == [
        (m, *node) for m in (0, 1, 2) for node in (("node-0", 3, 1), ("node-1", 2, 2))
    ]
    # Of a node that knows one link, of which it is the sender, there are two rows: not as many as the trace has links.
    own = known.filter(pl.col("medium") == 1, pl.col("sender") == "node-1")
    assert set(traced_collisions.of_media(counts, MEDIA, own)["sender"]) == {"node-1"}
    assert traced_collisions.of_media(counts, MEDIA, own).height == 2


def known_to_all(counts):
    """The links as each node knows them."""
    return MEDIA.select("medium").join(counts.select("sender", "receiver"), how="cross")


def destroyed(met: int | None, failed: int, orders: tuple[int, ...] = (0, 0, 0, 0)) -> tuple[float, float, float]:
    """Of two nodes with 100 accesses each, of which 10 collisions were expected and none failed by the sums.

    What destroys collisions, the same one standard deviation off, and what is lost of what overlaps.
    """
    links = {name: [0.0, 0.0] for name in SUMS} | {name: [1.0, 1.0] for name in SHARES}
    links |= {"accesses": [100.0] * 2, "done": [100.0] * 2, "carried": [100.0] * 2, "rate_bps": [2e9] * 2}
    ends = {"medium": [0, 0], "sender": ["node-0", "node-1"], "receiver": ["node-2", "node-3"]}
    traced = pl.DataFrame(
        {"medium": [0, 0], "sender": ["node-0", "node-1"], "met": [met] * 2, "met_failed": [failed] * 2},
        schema_overrides={"medium": pl.Int32},
    ).with_columns(**dict(zip(traced_collisions.ORDERS, map(pl.lit, orders), strict=True)))
    found = collision_survival.destroyed(
        pl.DataFrame(ends | links, schema_overrides={"medium": pl.Int32}),
        pl.DataFrame({**ends, "loss": [0.0, 0.0], "rts_loss": [0.0, 0.0]}, schema_overrides={"medium": pl.Int32}),
        pl.DataFrame(
            {"medium": [0, 0], "sender": ["node-0", "node-1"], "collisions": [10.0] * 2, "share": [0.1] * 2},
            schema_overrides={"medium": pl.Int32},
        ),
        traced.filter(pl.col("met").is_not_null()).with_columns(receiver=pl.lit(None, pl.String)),
        MEDIA,
    )
    return found.select("vulnerable", "vulnerable_otherwise", "beside_lost").row(0)


@pytest.mark.parametrize(("met", "failed", "share"), [(100, 100, 1.0), (100, 50, 0.5), (100, 0, 0.0), (1000, 500, 0.5)])
def test_what_came_of_them_is_the_share_that_destroys(met, failed, share):
    value, otherwise, _ = destroyed(met, failed)
    assert value == pytest.approx(share, abs=0.03)
    # A binomial share of so many, and nothing for how many there were.
    assert abs(otherwise - value) == pytest.approx((share * (1 - share) / met) ** 0.5, abs=0.02)


def test_without_them_as_many_are_trusted_as_were_expected():
    value, otherwise, beside = destroyed(None, 0)
    assert beside == 1, "nothing shows what becomes of frames that overlap"
    assert 0 < value < 0.3
    assert otherwise > value


def test_what_becomes_of_frames_that_overlap_is_what_became_of_them():
    assert destroyed(0, 0, (30, 30, 18, 18))[2] == 1
    assert destroyed(0, 0, (30, 0, 18, 0))[2] == pytest.approx(2 / 50)
    assert destroyed(0, 0, (30, 10, 18, 4))[2] == pytest.approx(16 / 50)
    assert destroyed(0, 0, (0, 0, 0, 0))[2] == 1


def test_which_of_two_that_meet_was_first():
    """A node that was answered, and one that begins while that is under way; cut anywhere it is the same."""
    attempts = table([(0, 0, True), (1, 50, False), (2, 1000, True)])
    for cuts in ((), (HALF_SLOT_NS * 60,), (HALF_SLOT_NS * 1100,)):
        first = counted(attempts, *cuts, names=("first", "first_failed", "second"))
        second = counted(attempts, *cuts, names=("second", "second_failed", "first"))
        assert (first, second) == ({0: (1, 0, 0)}, {1: (1, 1, 0)})


@pytest.mark.parametrize(
    ("second", "first", "clear", "undecided"),
    [
        pytest.param((40, 36), (14, 0), 45, True, id="who comes first wins"),
        pytest.param((78, 78), (36, 36), 47, True, id="most are lost to one another"),
        pytest.param((20, 20), (15, 15), 300, False, id="both are lost, and few of all"),
        pytest.param((40, 10), (14, 3), 45, False, id="most survive"),
        pytest.param((8, 8), (9, 0), 45, False, id="too few"),
    ],
)
def test_losses_of_light_traffic_that_are_not_those_of_a_saturated_sender(second, first, clear, undecided) -> None:
    counts = dict.fromkeys(traced_collisions.COUNTS, 0) | {"clear": clear}
    counts |= dict(zip(traced_collisions.ORDERS, (*second, *first), strict=True))
    row = pl.DataFrame([{"medium": 0, "sender": "node-0", "receiver": "node-9"} | counts])
    row = row.cast({"medium": pl.Int32})
    found = traced_collisions.undecided(row, MEDIA, known_to_all(row))
    assert found.height == (3 if undecided else 0), "in the view of every node of the source"


def test_a_link_whose_attempts_are_lost_to_who_is_never_heard_has_bounds_alone() -> None:
    """Each sender's view holds its own frames alone: neither hears the other, and where they overlap both are lost."""
    rows = []
    for number in range(200):
        at_us = 1_000_000 + 5_000 * number
        failed = number % 3 > 0
        state = {"complete": False, "ack_ns": None, "ack_start_ns": None} if failed else {}
        parties = [("node-1", "node-2", at_us), ("node-4", "node-5", at_us + (300 if number % 2 else -300))]
        for sender, receiver, begins_us in parties if failed else parties[:1]:
            ends = {"sender": sender, "receiver": receiver, "observer": sender, "source": "trace.tr", "kind": "basic"}
            rows.append(exchange(begins_us, **ends, **state))
    found = estimate(exchanges_of(rows), ["saturation"], ["corrected"], Settings(mac=PRESETS["hr_dsss"]))
    row = found.filter(pl.col("sender") == "node-1", state="sender").row(0, named=True)
    assert "others_unbounded" in row["reason"]
    assert row["available_low_bps"] == 0
