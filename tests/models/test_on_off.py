"""Bursts and pauses of a sender, from when its packets were delivered: drawn sources, and what they are in windows."""

import random

import polars as pl
import pytest
from one_chunk import chunk

from winf_analyzer._models.saturation.recorded import on_off

SECONDS = 60


def times(peak_per_s, burst_s, pause_s, seed=1):
    """When packets come of a source that is on and off for exponential times."""
    draw, now, found = random.Random(seed), 0.0, []
    while now < SECONDS:
        ends = now + draw.expovariate(1 / burst_s)
        at = now + draw.expovariate(peak_per_s)
        while at < ends:
            found.append(at)
            at += draw.expovariate(peak_per_s)
        now = ends + (draw.expovariate(1 / pause_s) if pause_s else 0.0)
    return [at for at in found if at < SECONDS]


def frame(at, **changed):
    """A single frame that was acknowledged; `at`: seconds."""
    exchange = {"medium": 0, "sender": "a", "air_start_ns": int(at * 1e9), "unicast": True, "heard_data": True}
    exchange |= {"complete": True, "kind": "basic", "family": "erp", "data_kind": "data", "access_category": "be"}
    exchange |= {"rate_mbps": 54.0}
    return exchange | {"mpdus": 1} | changed


def moments(arrivals, state=None, **edges):
    return on_off.BURSTS.function(
        chunk(pl.DataFrame(list(map(frame, arrivals))), {} if state is None else state, **edges)
    )


def sources(arrivals, heard_share=1.0):
    window = {"medium": [0], "window_start_ns": [0], "covered_ns": [SECONDS * 10**9], "sender": ["a"]}
    return on_off.sources(moments(arrivals), pl.DataFrame(window | {"heard_share": [heard_share]}))


@pytest.mark.parametrize(("burst_s", "pause_s"), [(0.05, 0.15), (0.2, 0.2), (0.03, 0.3)])
def test_bursts_and_pauses_are_told(burst_s, pause_s):
    found = sources(times(800, burst_s, pause_s)).row(0, named=True)
    assert found["peak_per_s"] == pytest.approx(800, rel=0.15)
    assert found["scale_s"] == pytest.approx(burst_s * pause_s / (burst_s + pause_s), rel=0.25)
    assert found["off_share"] == pytest.approx(pause_s / (burst_s + pause_s), abs=0.06)


@pytest.mark.parametrize("seed", range(5))
def test_packets_at_random_have_no_bursts(seed):
    assert sources(times(200, 1e3, 0, seed)).is_empty()


def test_of_few_packets_nothing_is_told():
    assert sources(times(10, 0.05, 0.5)).is_empty()


def test_what_was_missed_is_part_of_the_bursts():
    arrivals = times(800, 0.05, 0.15)
    draw = random.Random(2)
    heard = [at for at in arrivals if draw.random() < 0.5]
    assert sources(heard, heard_share=0.5)["peak_per_s"].item() == pytest.approx(800, rel=0.15)


def timed(**changed):
    station = {"medium": 0, "sender": "a", "packets_per_s": 200.0, "subject": False, "aggregates": False} | changed
    found = pl.DataFrame({"medium": [0], "sender": ["a"], "scale_s": [0.03], "peak_per_s": [800.0], "off_share": [0.5]})
    return on_off.with_times(pl.DataFrame([station]), found).select("burst_s", "pause_s").row(0)


def test_where_more_is_sent_a_source_is_on_for_longer():
    assert timed() == pytest.approx((0.04, 0.12))
    assert timed(packets_per_s=600.0) == pytest.approx((0.12, 0.04))


@pytest.mark.parametrize(
    "changed",
    [{"packets_per_s": 900.0}, {"packets_per_s": 0.0}, {"subject": True}, {"aggregates": True}, {"sender": "b"}],
)
def test_others_send_at_random(changed):
    assert timed(**changed) == (0, 0)


def test_single_frames_that_were_answered_count_of_hidden_stations_as_well():
    answered = {"unicast": False, "heard_data": False, "data_kind": None}
    rows = [frame(0), frame(0, **answered), frame(0, complete=False), frame(0, sender=None)]
    rows += [frame(0, unicast=False), frame(0, family="ht", data_kind="qos_data"), frame(0.016)]
    found = on_off.counts(chunk(pl.DataFrame(rows), {})).sort("bin")
    assert found.select("medium", "sender", "bin", "packets").rows() == [(0, "a", 0, 2), (0, "a", 1, 1)]


def test_pairs_of_packets_in_short_and_in_long_bins_are_counted():
    # Of 16 ms: three packets, one, and one in the next bin of 128 ms.
    assert moments([0.001, 0.002, 0.003, 0.017, 0.13]).row(0, named=True) == {
        "medium": 0,
        "sender": "a",
        "packets": 5,
        "pairs": 6,
        "long_pairs": 12,
    }


@pytest.mark.parametrize("cut", range(1, 40))
def test_bins_that_chunks_share_are_counted_as_one(cut):
    arrivals = sorted([*times(800, 0.05, 0.15)[:38], 0.0, 5.0])
    # One that began before the last of the first chunk ends in the second.
    ends_later = arrivals.pop(cut - 1)
    state = {}
    parts = [moments(arrivals[:cut], state, air_from_ns=int(ends_later * 1e9))]
    parts.append(moments([ends_later, *arrivals[cut:]], state))
    assert pl.concat(parts).group_by("medium", "sender").sum().equals(moments([ends_later, *arrivals]))
