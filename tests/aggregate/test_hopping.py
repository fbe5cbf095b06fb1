"""Radios that hop: each channel is a medium of its own, of which only what was listened to counts."""

from unittest import mock

import polars as pl
import pytest
from exchange_builder import A, B, C, D, exchange, table
from polars.testing import assert_frame_equal

from winf_analyzer._aggregate import chunks, hopping
from winf_analyzer._aggregate.reader import open_exchanges
from winf_analyzer._recommended import channels
from winf_analyzer.estimators import Settings, estimate

STAY_US, STAYS = 100_000, 20
EVERY_US = {2412: 10_000, 2462: 4_000}
"""How often an exchange begins on each of two channels."""


def radio(*, stays=STAYS, hears=(2412, 2462)):
    """A radio that changes between two channels every 100 ms; A sends to B on the one, C to D on the other."""
    links = {2412: {"sender": A, "receiver": B}, 2462: {"sender": C, "receiver": D}}
    rows = []
    for stay in range(stays):
        mhz = (2412, 2462)[stay % 2]
        starts = range(stay * STAY_US + 1000, (stay + 1) * STAY_US - 3500, EVERY_US[mhz])
        if mhz in hears:
            idle = [None, *[EVERY_US[mhz] - 2800.0] * len(starts)]
            rows += [
                exchange(1e6 + at, channel_mhz=mhz, idle_before_us=before, attempt=1, **links[mhz])
                for at, before in zip(starts, idle, strict=False)
            ]
    return rows


def test_stays_reach_as_far_as_the_next_record_would_have_come():
    found = hopping.found(table(radio(stays=3)), ["s"])
    assert found.stays["channel_mhz"].to_list() == [2412, 2462, 2412]
    first, second, third = found.stays.select("from_ns", "to_ns").rows()
    assert first[0] == 1_001_000_000
    # To half way where the next record is near, as far as records are apart where it is not.
    assert second[0] - first[1] in (0, 1)
    assert second[1] <= third[0]
    lengths = [(to_ns - from_ns) / 1e6 for from_ns, to_ns in (first, second, third)]
    assert lengths == pytest.approx([100, 100, 100], abs=8)


def test_a_recording_of_one_channel_has_no_stays():
    reader = open_exchanges(table(radio(hears=(2412,))), Settings())
    assert reader.context.stays.is_empty()
    assert reader.context.media["channel_mhz"].to_list() == [None]


def test_media_are_covered_while_they_were_listened_to():
    context = open_exchanges(table(radio()), Settings()).context
    assert context.media.sort("medium").select("source", "channel_mhz").rows() == [("s", 2412), ("s", 2462)]
    covered = context.windows.sort("medium", "window_start_ns")["covered_ns"] / 1e9
    assert covered.to_list() == pytest.approx([0.5] * 4, abs=0.03)
    halves = open_exchanges(table(radio()), Settings(window_ns=100_000_000)).context.windows
    assert halves["covered_ns"].max() <= 100_000_000
    assert halves.group_by("medium").agg(pl.col("covered_ns").sum())["covered_ns"].sum() <= 2_000_000_000


def test_what_other_channels_carry_is_no_load():
    """Half of the time knows the idle share of the channel, and what the link may have, as well as all of it."""
    whole = [exchange(1e6 + at, idle_before_us=7200.0) for at in range(1000, 2_000_000, 10_000)]
    expected = of_link(estimate(table(whole), ["busy_share", "saturation"], ["corrected"]))
    found = of_link(estimate(table(radio()), ["busy_share", "saturation"], ["corrected"]))
    assert found["idle_ratio"] == pytest.approx(expected["idle_ratio"], abs=0.03)
    assert found["available_bps"] == pytest.approx(expected["available_bps"], rel=0.06)


def of_link(estimates):
    rows = estimates.filter(pl.col("sender") == A, pl.col("receiver") == B, pl.col("state") == "sender")
    assert rows.group_by("estimator", "window_start_ns").len()["len"].max() == 1
    first = rows.filter(pl.col("window_start_ns") == 1_000_000_000)
    return first.select(pl.col("idle_ratio").max(), pl.col("available_bps").max()).row(0, named=True)


def test_a_link_has_one_row_though_it_is_heard_beside_its_channel():
    leaks = [exchange(1e6 + at, channel_mhz=2462) for at in range(102_000, 190_000, 20_000)]
    # Who roams, or probes, has links on several channels.
    roams = [exchange(1e6 + at, channel_mhz=2462, sender=D, receiver=A) for at in range(302_000, 390_000, 20_000)]
    rows = [*radio(), *leaks, *roams]
    homes = hopping.found(table(rows), ["s"]).homes.filter(sender=A, receiver=B)
    assert homes["channel_mhz"].to_list() == [2412]
    estimates = estimate(table(rows))
    keys = ["estimator", "mode", "source", "observer", "node", "peer", "sender", "receiver", "path", "state"]
    of_links = estimates.filter(pl.col("sender").is_not_null(), pl.col("receiver").is_not_null())
    assert of_links.group_by(*keys, "window_start_ns").len()["len"].max() == 1
    others = estimates.filter(pl.col("sender").is_null(), pl.col("node").is_not_null())
    assert others.group_by(*keys, "window_start_ns").len()["len"].max() == 1
    # There it is load beside the link of that channel.
    quiet, loaded = (
        estimate(table(some), ["busy_share"], ["corrected"]).filter(pl.col("sender") == C)["idle_ratio"].min()
        for some in (radio(), rows)
    )
    assert loaded < quiet


def test_few_stays_that_are_alike_may_differ_as_usual():
    """Two of a channel, alike, beside three that differ as is usual."""
    media = pl.DataFrame({"source": ["s", "s"], "channel_mhz": [2412, 2462]})
    deviation = channels.found(table(radio(stays=4)), media).usual["deviation"]
    assert deviation.to_list() == pytest.approx([0.15 * (3 / 4) ** 0.5] * 2, rel=0.02)


def test_cuts_change_nothing():
    chosen = Settings(window_ns=50_000_000)
    whole = estimate(table(radio()), settings=chosen)
    with mock.patch.multiple(chunks, ROWS=10, CELL_NS=10_000_000):
        cut = estimate(table(radio()), settings=chosen)
    assert_frame_equal(whole, cut, check_row_order=False, rel_tol=1e-9)


def test_a_frame_without_a_channel_is_of_the_first():
    rows = radio()
    rows[0] |= {"channel_mhz": None}
    context = open_exchanges(table(rows), Settings()).context
    assert context.media["channel_mhz"].sort().to_list() == [2412, 2462]
