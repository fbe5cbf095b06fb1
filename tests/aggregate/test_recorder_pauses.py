"""Recorders that pause: what was not recorded is neither idle time nor frames that were missed."""

import random
from unittest import mock

import polars as pl
import pytest
from exchange_builder import A, B, exchange, table
from polars.testing import assert_frame_equal

from winf_analyzer._aggregate import recorder_pauses
from winf_analyzer._aggregate.chunks import EMPTY_STAYS, Context
from winf_analyzer._aggregate.reader import open_exchanges
from winf_analyzer.estimators import Settings, estimate

EVERY_US, MIN_US = 6_000, 3_000
"""How much later than the least a packet comes on average, and the least."""
PAUSE_US, RECORDED_US, UNTIL_US = 40_000, 60_000, 4_000_000
"""Of each tenth of a second six parts are recorded."""


def starts():
    """Of packets that come at random."""
    draws, at_us = random.Random(3), 1000
    while at_us < UNTIL_US:
        yield at_us
        at_us += MIN_US + round(draws.expovariate(1 / EVERY_US))


def recording(*, pauses):
    """A sends to B; a pause of the recorder hides what is in it."""
    rows, last_us = [], None
    for number, at_us in enumerate(starts()):
        if pauses and at_us % (PAUSE_US + RECORDED_US) > RECORDED_US:
            continue
        idle_us = None if last_us is None else at_us - last_us - 2800.0
        rows.append(exchange(1e6 + at_us, idle_before_us=idle_us, seq=number, attempt=1, sender=A, receiver=B))
        last_us = at_us
    return rows


def pauses_of(rows):
    """Where the recording has them: of numbers that go on by several."""
    times = pl.DataFrame(rows).select(
        "start_ns", after_ns=pl.col("start_ns").shift(-1), step=pl.col("seq").diff().shift(-1)
    )
    return times.filter(pl.col("step") > 1).select(pl.lit("s").alias("source"), from_ns="start_ns", to_ns="after_ns")


def found(*, pauses, known):
    rows = recording(pauses=pauses)
    settings = Settings(window_ns=8_000_000_000)
    estimates = estimate(
        table(rows), ["busy_share", "saturation"], ["corrected"], settings, pauses=pauses_of(rows) if known else None
    )
    return estimates.filter(pl.col("sender") == A, pl.col("receiver") == B, pl.col("state") == "sender")


def test_a_pause_is_no_idle_time():
    whole, paused = found(pauses=False, known=False), found(pauses=True, known=True)
    assert paused["idle_ratio"].to_list() == pytest.approx(whole["idle_ratio"].to_list(), abs=0.03)
    assert paused["available_bps"].to_list() == pytest.approx(whole["available_bps"].to_list(), rel=0.04)
    unknown = found(pauses=True, known=False)
    assert unknown["idle_ratio"].min() > whole["idle_ratio"].max() + 0.05


def test_windows_are_covered_while_something_was_recorded():
    rows = recording(pauses=True)
    context = open_exchanges(table(rows), Settings(), pauses=pauses_of(rows)).context
    recorded_ns = context.windows["covered_ns"].sum()
    assert recorded_ns / 1e9 == pytest.approx(0.6 * UNTIL_US / 1e6, rel=0.08)


def test_nothing_is_known_of_the_time_before_the_first_exchange_behind_a_pause():
    rows = recording(pauses=True)
    reader = open_exchanges(table(rows), Settings(), pauses=pauses_of(rows))
    idle = reader.whole.sort("start_ns")["idle_before_us"]
    behind = pl.DataFrame(rows)["seq"].diff() > 1
    assert idle.filter(behind.fill_null(value=False)).null_count() == behind.sum()
    assert idle.filter(~behind.fill_null(value=True)).null_count() == 0


def test_a_pause_before_or_after_all_that_was_recorded_changes_nothing():
    rows = table(recording(pauses=False))
    far = [("s", 0, 500_000_000), ("other", 1_100_000_000, 1_300_000_000)]
    far = pl.DataFrame(far, recorder_pauses.SCHEMA, orient="row")
    expected = estimate(rows, ["saturation"], ["corrected"])
    assert_frame_equal(estimate(rows, ["saturation"], ["corrected"], pauses=far), expected)


def test_numbers_are_followed_over_short_pauses_alone():
    """Of three stays the third is behind a pause of two seconds; of the first two 80 of 100 ms were recorded."""
    ms = 1_000_000
    times = [(0, 50, True), (70, 100, False), (2100, 2200, True)]
    stays = pl.DataFrame(
        [(0, since * ms, until * ms, since * ms, until * ms, apart) for since, until, apart in times],
        EMPTY_STAYS.schema,
        orient="row",
    )
    windows = [(0, 0, 0, 200 * ms, 80 * ms), (0, 2000 * ms, 2000 * ms, 2200 * ms, 100 * ms)]
    names = ("medium", "window_start_ns", "from_ns", "to_ns", "covered_ns")
    listed = pl.DataFrame(windows, dict(zip(names, [pl.UInt32, *[pl.Int64] * 4], strict=True)), orient="row")
    context = Context(Settings(window_ns=200 * ms), pl.DataFrame(), listed, pl.DataFrame(), stays=stays)
    assert recorder_pauses.followed_share(context)["followed"].to_list() == [0.8, 1.0]
    whole = context._replace(settings=Settings(window_ns=1 << 62))
    assert recorder_pauses.followed_share(whole)["followed"].to_list() == pytest.approx([0.9, 0.9])


def test_a_pause_of_more_than_a_second_sets_what_is_behind_it_apart():
    rows = recording(pauses=False)
    here = [(rows[first]["start_ns"], rows[first + 1]["start_ns"]) for first in (50, 100)]
    pauses = pl.DataFrame([("s", *pause) for pause in here], recorder_pauses.SCHEMA, orient="row")
    stays = open_exchanges(table(rows), Settings(), pauses=pauses).context.stays
    assert stays["is_apart"].to_list() == [True, False, False]
    with mock.patch.object(recorder_pauses, "LONG_NS", 0):
        stays = open_exchanges(table(rows), Settings(), pauses=pauses).context.stays
    assert stays["is_apart"].to_list() == [True, True, True]
