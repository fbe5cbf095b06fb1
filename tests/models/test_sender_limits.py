"""Limits that senders set their own A-MPDUs, from aggregates that are never longer though more was waiting."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from one_chunk import chunk

from winf_analyzer._models.saturation.recorded import aggregation, sender_limits

A, B, C = "02:00:00:00:00:0a", "02:00:00:00:00:0b", "02:00:00:00:00:0c"
SLOT_NS, AIFS_NS, CW_MIN = 9_000, 43_000, 15
AT_ONCE_US, LATER_US = 60.0, 2_000.0
OCTETS = 1_496
SUBFRAME = 1_500


def exchange(mpdus: int | None, idle_us: float | None = LATER_US, **other: object) -> dict[str, object]:
    """From A to B, `mpdus` of one size; None: it failed."""
    row = {"medium": 0, "sender": A, "receiver": B, "mpdus": mpdus, "idle_before_us": idle_us, "rate_mbps": 65.0}
    row |= {"family": "ht", "data_kind": "qos_data", "access_category": "be", "header_bytes": 36}
    row |= {"length_bytes": OCTETS * (mpdus or 0), "payload_bytes": 1_460 * (mpdus or 0), "sample": mpdus is not None}
    return row | {"t_difs": AIFS_NS, "t_slot": SLOT_NS, "cw_min": CW_MIN} | other


def lengths(rows: list[dict[str, object]], *cuts: int) -> pl.DataFrame:
    """What the aggregate makes of them, in chunks that are cut there."""
    types = {"medium": pl.UInt32, "mpdus": pl.Int64, "idle_before_us": pl.Float64, "rate_mbps": pl.Float64}
    frame = pl.DataFrame(rows, schema_overrides=types, infer_schema_length=None)
    state: dict[Any, Any] = {}
    ends = [0, *cuts, len(rows)]
    parts = [sender_limits._lengths(chunk(frame[begin:end], state)) for begin, end in pairwise(ends)]
    return pl.concat(parts).group_by(sender_limits._KEYS).agg(pl.col("count").sum())


def limits(rows: list[dict[str, object]], *cuts: int) -> dict[str, float | None]:
    found = sender_limits.found(lengths(rows, *cuts)).filter(sender=A, presumed=False, possible=False)
    return found.select(sender_limits.UNITS).row(0, named=True) if found.height else dict.fromkeys(sender_limits.UNITS)


def queue(limit: int, *, batch: int = 1, load: float = 0.6, accesses: int = 3_000) -> list[dict[str, object]]:
    """What a sender does whose packets come at random, so many at once, to an empty queue after a wait for others."""
    draws, waiting, rows, idle_us = random.Random(1), 0, [], LATER_US
    for _ in range(accesses):
        waiting += batch * sum(draws.random() < load / 20 for _ in range(20))
        if waiting == 0:
            waiting, idle_us = batch, LATER_US
        sent = min(waiting, limit)
        rows.append(exchange(sent, idle_us))
        waiting, idle_us = waiting - sent, AT_ONCE_US
        # What comes during the exchange is sent at once as well.
        waiting += batch * (draws.random() < load / 4)
    return rows


@pytest.mark.parametrize("limit", [2, 3])
def test_aggregates_pile_up_at_a_limit_of_their_sender(limit: int) -> None:
    found = limits(queue(limit))
    assert found["mpdus"] == limit + 0.5
    assert found["octets"] == (limit + 0.5) * SUBFRAME
    assert found["airtime_ns"] == pytest.approx((limit + 0.5) * SUBFRAME * 8e3 / 65, rel=1e-5)


@pytest.mark.parametrize("load", [0.1, 0.3, 0.6, 1.2])
def test_the_longest_that_happened_to_wait_is_no_limit(load: float) -> None:
    assert limits(queue(64, load=load))["mpdus"] is None


@pytest.mark.parametrize("load", [0.02, 0.1, 0.3, 0.6])
def test_packets_that_come_five_at_a_time_are_no_limit(load: float) -> None:
    assert limits(queue(64, batch=5, load=load))["mpdus"] is None


def test_batches_that_a_limit_divides_show_it() -> None:
    assert limits(queue(5, batch=12, load=0.1))["mpdus"] == 5.5


def test_a_sender_that_always_has_more_shows_its_limit() -> None:
    assert limits([exchange(10, AT_ONCE_US)] * 20)["mpdus"] == 10.5
    assert limits([exchange(10, AT_ONCE_US)] * 5)["mpdus"] is None  # too few
    assert limits([exchange(10, LATER_US)] * 200)["mpdus"] is None  # nothing was waiting
    assert limits([exchange(10, None)] * 200)["mpdus"] is None
    assert limits([*[exchange(10, AT_ONCE_US)] * 20, exchange(11)])["mpdus"] is None


@pytest.mark.parametrize(("times", "possible"), [(3, False), (4, True), (9, True), (10, False)])
def test_some_full_aggregates_make_a_limit_possible(times: int, *, possible: bool) -> None:
    """Of 9, all followed at once but the last, more should have been waiting 3.6 times; of 3, 0.7."""
    found = sender_limits.found(lengths([exchange(10, AT_ONCE_US)] * times))
    assert found.filter("possible").select("sender", "mpdus", "presumed").rows() == [(A, 10.5, False)] * possible
    assert found.filter(~pl.col("possible")).height == (times == 10)


@pytest.mark.parametrize(("longer", "possible"), [(0, True), (1, True), (2, False)])
def test_what_is_possible_of_one_is_of_others_unless_more_have_longer_ones(longer: int, *, possible: bool) -> None:
    one = [exchange(10, AT_ONCE_US)] * 5
    others = [exchange(12, sender=f"02:00:00:00:00:1{number}") for number in range(longer)]
    found = sender_limits.found(lengths([*one, *others, exchange(2, sender=C)]))
    assert found.filter(sender=C).select("mpdus", "presumed", "possible").rows() == [(10.5, False, True)] * possible


def test_what_the_receiver_asked_for_was_not_waiting() -> None:
    """As acknowledgments of TCP do for the next segments; exchanges of others make the sender wait, no more."""
    answers = [exchange(10, AT_ONCE_US), exchange(1, AT_ONCE_US, sender=B, receiver=A)] * 200
    assert limits(answers)["mpdus"] is None
    beside = [exchange(10, 50.0), exchange(1, 50.0, sender=C)] * 200
    assert limits(beside)["mpdus"] == 10.5
    # The backoff goes on where it was.
    slow = [exchange(10, 150.0), exchange(1, 150.0, sender=C)] * 200
    assert limits(slow)["mpdus"] is None


def test_octets_and_airtime_are_limited_whatever_an_aggregate_holds() -> None:
    draws = random.Random(2)

    def of(size: int, rate_mbps: float, most: int) -> dict[str, object]:
        length = {"length_bytes": most * (size - 4), "payload_bytes": most * (size - 40)}
        return exchange(most, AT_ONCE_US, rate_mbps=rate_mbps) | length

    def rows(fits: Callable[[int, float], int]) -> list[dict[str, object]]:
        kinds = [(size, rate) for size in (300, 1_500) for rate in (13.0, 26.0, 65.0)]
        drawn = draws.choices(kinds, k=400)
        return [of(size, rate, fits(size, rate)) for size, rate in drawn]

    octets = limits(rows(lambda size, rate: 8_000 // size))["octets"]
    assert octets == pytest.approx(8_000, rel=0.06)
    airtime = limits(rows(lambda size, rate: int(4e6 * rate / (8e3 * size))))["airtime_ns"]
    assert airtime == pytest.approx(4e6, rel=0.06)


def test_a_slow_single_frame_is_no_limit_of_airtime() -> None:
    slow = [exchange(1, AT_ONCE_US, rate_mbps=6.5)] * 200
    assert limits([*slow, *[exchange(2, AT_ONCE_US), exchange(1, AT_ONCE_US)] * 20])["airtime_ns"] is None


def test_attempts_that_failed_hold_nothing_but_follow() -> None:
    rows = [exchange(10, AT_ONCE_US), exchange(None, AT_ONCE_US)] * 30
    assert limits(rows)["mpdus"] == 10.5


@pytest.mark.parametrize("cuts", [(1,), (2, 3), (100,), (1_000, 2_500)])
def test_chunks_make_no_difference(cuts: tuple[int, ...]) -> None:
    rows = [exchange(1), *queue(3), exchange(1, AT_ONCE_US, sender=C, receiver=A), *queue(4, accesses=50)]
    keys = sender_limits._KEYS

    def near(rows: pl.DataFrame) -> pl.DataFrame:
        """Without what the whole recording shows to be short: each chunk knows only itself."""
        longest = pl.col("length").max().over(*sender_limits.LINK, "unit")
        long = (pl.col("length") + 2 * pl.col("step") > longest) | (pl.col("followed") > longest)
        return rows.filter(long).sort(keys)

    whole, parts = lengths(rows), lengths(rows, *cuts)
    assert near(parts).equals(near(whole))
    assert limits(rows, *cuts) == limits(rows)


def test_without_aggregates_nothing_is_kept() -> None:
    assert lengths([exchange(1)] * 5).is_empty()


def test_sums_have_the_limits_of_their_links() -> None:
    link = {"medium": [0, 0], "sender": [A, C], "receiver": [B, B], "carried": [100.0, 10.0]}
    presumed = {"limit_mpdus": [102_400.0, 10_240.0], "limit_ns": [5e8, 5e7], "limit_bytes": [1e9, 1e8]}
    types = dict.fromkeys(("sender", "receiver"), pl.Categorical) | {"medium": pl.UInt32}
    sums = pl.DataFrame(link | presumed, schema_overrides=types)
    counted = lengths(queue(3)).with_columns(pl.col("sender", "receiver", "unit").cast(pl.Categorical))
    limits = sender_limits.found(counted)
    found = aggregation.with_limits(sums, limits)
    assert found.columns == sums.columns
    limited, other = found.iter_rows(named=True)
    assert (limited["limit_mpdus"], limited["limit_bytes"]) == (350.0, 350 * SUBFRAME)
    assert limited["limit_ns"] == pytest.approx(350 * SUBFRAME * 8e3 / 65, rel=1e-5)
    assert other == sums.row(1, named=True)
    assert aggregation.with_limits(sums, limits.clear()).equals(sums)


@pytest.mark.parametrize(
    ("mpdus", "times", "known", "doubtful"),
    [
        (3, 3, True, False),  # full, and none is longer: as the others
        (3, 2, False, True),
        (2, 9, False, True),
        (1, 9, False, True),
        (4, 1, False, False),
    ],
)
def test_a_limit_that_others_have_may_be_that_of_a_light_sender(
    mpdus: int, times: int, *, known: bool, doubtful: bool
) -> None:
    light = [exchange(mpdus, sender=C)] * times
    others = [row | {"sender": sender} for sender in (A, B) for row in queue(3)]
    found = sender_limits.found(lengths([*others, *light]))
    assert found.filter(~pl.col("presumed")).height == 2 + known
    presumed = found.filter("presumed").select("sender", "mpdus").rows()
    assert presumed == [(C, 3.5)] * doubtful


def test_what_links_show_whose_longest_are_alike_is_added() -> None:
    few = [row | {"sender": sender} for sender in (A, B, C) for row in [exchange(10, AT_ONCE_US)] * 6]
    assert sender_limits.found(lengths(few)).height == 3
    assert sender_limits.found(lengths(few[:6]))["possible"].to_list() == [True]
    # Single frames have no limit, and tell of none.
    single = [exchange(1, AT_ONCE_US, sender=sender) for sender in (A, B, C)] * 50
    assert sender_limits.found(lengths([*single, *few[:6]]))["possible"].all()


def test_a_limit_of_few_among_longer_ones_is_nobody_elses() -> None:
    longer = [exchange(12, sender=sender) for sender in (B, "02:00:00:00:00:0d")]
    found = sender_limits.found(lengths([*queue(3), *longer, exchange(2, sender=C)]))
    assert found["sender"].to_list() == [A]
