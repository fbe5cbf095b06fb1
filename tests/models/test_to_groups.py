"""Frames to groups: who sends them without a backoff, that none is repeated, and what they take of others."""

import polars as pl
import pytest
from test_fixed_point import MANY, STATIONS, solved, station
from test_stations import costs

from winf_analyzer._models.saturation.contention import correction
from winf_analyzer._models.saturation.interval import bounds
from winf_analyzer._models.saturation.recorded import to_groups
from winf_analyzer._models.saturation.solvers import dcf_monte_carlo

SLOT, SIFS = 20e-6, 10e-6
PIFS = SIFS + SLOT


def sender(name="ap", *, first=0.0, soon=0.0, behind=0.0, groups=60.0, answers=0.0, off=0.0):
    return {
        **{"medium": 0, "sender": name, "groups_first": first, "groups_soon": soon, "groups_behind": behind},
        **{"to_groups": groups, "answers": answers, "answers_off": off},
        **{"at_once": False, "in_burst": 0.0, "groups_unknown": False},
    }


def told(*senders):
    return to_groups.told(pl.DataFrame(list(senders)))


@pytest.mark.parametrize(("first", "at_once"), [(4.0, False), (5.0, False), (6.0, True)])
def test_who_starts_in_the_first_slot_has_no_backoff(first, at_once):
    found = told(sender(first=first, soon=10.0)).row(0, named=True)
    assert (found["at_once"], found["groups_unknown"]) == (at_once, False)


def test_of_a_sender_whose_beacons_hardly_waited_the_others_tell():
    """Two of two in the first slot are little beside forty that are not; three are enough."""
    others = sender("other", first=2.0, soon=40.0)
    assert [told(sender(first=own, soon=own), others)["at_once"].to_list() for own in (2.0, 3.0)] == [
        [False, False],
        [True, False],
    ]


@pytest.mark.parametrize(
    "changed", [{"first": 0.0, "soon": 2.0}, {"first": 0.0, "soon": 9.0, "answers": 10.0, "off": 4.0}]
)
def test_where_hardly_one_waited_or_stamps_are_coarse_it_is_presumed(changed):
    found = told(sender(**changed)).row(0, named=True)
    assert (found["at_once"], found["groups_unknown"]) == (True, True)


def test_without_frames_to_groups_nothing_is_told():
    table = pl.DataFrame([sender(groups=0.0)])
    assert to_groups.told(table).equals(table)


@pytest.mark.parametrize(("groups", "window"), [(60.0, 1.0), (40.0, 16.0)])
def test_a_sender_of_mostly_frames_to_groups_has_no_backoff_if_these_have_none(groups, window):
    sums = {"accesses": 100.0, "sifs_ns": 100 * 16e3, "slot_ns": 100 * 9e3, "aifs_ns": 100 * 34e3}
    found = costs(**sums, window_slots=1600.0, to_groups=groups, done=100.0, air_ns=100 * 200e3, at_once=True)
    assert found["window"] == window
    assert found["aifs_s"] == pytest.approx(25e-6 if window == 1 else 34e-6)


@pytest.mark.parametrize("groups", [0.0, 50.0])
def test_frames_to_groups_are_in_the_mean_of_their_senders_accesses(groups):
    """Multicast at 1 Mb/s, of a station whose own frames were all heard: it takes the time of others, and its own."""
    sums = {"carried": 100.0, "accesses": 100 + groups, "done": 100 + groups, "whole": 100.0, "fresh": 100.0}
    times = {"aifs_ns": (100 + groups) * 34e3, "whole_air_ns": 100 * 200e3, "air_ns": 100 * 200e3 + groups * 8e6}
    found = costs(**sums, **times, to_groups=groups, to_groups_air_ns=groups * 8e6)
    assert found["access_s"] == pytest.approx((100 * 200e-6 + groups * 8e-3) / (100 + groups) + 34e-6)


def beacons(per_s, air_s=1e-3, **columns):
    """Of a station without a backoff."""
    times = {"aifs_s": PIFS, "access_s": air_s + PIFS, "first_s": air_s + PIFS, "tail_s": PIFS}
    return station(packets_per_s=per_s, vulnerable=0.0, window=1.0, **(times | columns))


@pytest.mark.parametrize("contending", [0, 5])
def test_what_has_no_backoff_takes_time_and_meets_nobody(contending):
    """Also of many, whose AIFS is a slot shorter than the others': these slots are nobody's."""
    others = [station(packets_per_s=MANY) for _ in range(contending)]
    alone, beside = solved(*others), solved(*others, *(beacons(10.0) for _ in range(20)))
    left = 1 - 20 * 10 * (1e-3 + PIFS)
    assert beside["delivered_per_s"][0] == pytest.approx(left * alone["delivered_per_s"][0], rel=1e-4)
    met = [alone["collision"][0]] * (1 + contending)
    assert beside["collision"].to_list() == pytest.approx([*met, *[0.0] * 20])


def simulated(*others, **subject):
    rows = [station(subject=True, **subject), *others]
    stations = pl.DataFrame(rows, schema=STATIONS).with_columns(
        hidden=pl.lit(False), rts=pl.lit(False), unanswered_s="first_s", sifs_s=pl.lit(SIFS), txop_s=pl.lit(0.0)
    )
    one = pl.lit(1.0)
    return dcf_monte_carlo.simulate(stations, first_destroyed=one, answered_destroyed=one)


def test_those_that_waited_for_one_exchange_go_together():
    """Behind exchanges of 20 ms most of 200 in a second meet another, and hardly any data."""
    long = {"access_s": 20e-3, "first_s": 20e-3}
    beside, alone = simulated(*(beacons(10.0) for _ in range(20)), **long), simulated(**long)
    left = beside["delivered_per_s"][0] / alone["delivered_per_s"][0]
    assert 0.9 < left < 0.97
    assert beside["first_failed"][0] < 0.01


def test_a_beacon_is_not_repeated_whatever_it_met():
    """Two in three of its frames are to groups."""
    rows = pl.DataFrame({"to_groups": [20.0, 60.0, 0.0], "accesses": [30.0, 60.0, 30.0]})
    assert rows.select(to_groups.repeated()).to_series().to_list() == pytest.approx([1 / 3, 0.0, 1.0])


def test_in_a_burst_those_that_begin_it_take_the_time_of_all():
    columns = {"window_start_ns": [0, 0, 0], "window": [1.0, 1.0, 16.0], "in_burst": [0.0, 0.75, 0.5]}
    senders = pl.DataFrame(columns | {"packets_per_s": [10.0, 10.0, 50.0], "access_s": 1e-3, "first_s": 1e-3})
    found = to_groups.in_bursts(senders, ["window_start_ns"])
    assert found["packets_per_s"].to_list() == [10.0, 2.5, 50.0]
    assert found["access_s"].to_list() == pytest.approx([1.6e-3, 1.6e-3, 1e-3])
    assert found["first_s"].to_list() == found["access_s"].to_list()
    unchanged = senders.with_columns(in_burst=pl.lit(0.0))
    assert to_groups.in_bursts(unchanged, ["window_start_ns"]).equals(unchanged)


@pytest.mark.parametrize(("unknown", "least", "most"), [(True, 0.1, 0.3), (False, 0.0, 0.0)])
def test_where_it_is_unknown_the_doubt_is_what_contention_would_take(unknown, least, most):
    """A sender of long aggregates would meet a tenth of 400 short beacons a second."""
    rows = [station(subject=True, access_s=5e-3, first_s=5e-3), *(beacons(20.0, 0.2e-3) for _ in range(20))]
    more = {"hidden": False, "rts": False, "sifs_s": SIFS, "txop_s": 0.0, "aggregates": False, "kept": 0.5}
    more |= {"first_destroyed": 1.0, "answered_destroyed": 1.0, "medium": 0, "groups_unknown": unknown}
    stations = pl.DataFrame(rows, schema=STATIONS).with_columns(
        **{name: pl.lit(value) for name, value in more.items()}, sender=pl.int_range(pl.len()), unanswered_s="first_s"
    )
    acks = pl.DataFrame(schema={"medium": pl.Int64, "sender": pl.Int64, "leader": pl.Int64, "share": pl.Float64})
    found = correction._with_contending(stations.cast({"medium": pl.Int64}), acks)
    assert least <= found["contending"].item() <= most


def surroundings(*others):
    rows = [station(subject=True), *others]
    more = {"sender": "a", "heard_share": 1.0, "doubt": 0.0, "uneven": 0.0, "hidden": False, "data_unheard": False}
    table = pl.DataFrame(rows, schema=STATIONS).with_columns(**{name: pl.lit(value) for name, value in more.items()})
    return bounds.surroundings(table).row(0, named=True)


def test_those_without_a_backoff_are_one_other_and_none_of_another_category():
    found = surroundings(*(beacons(10.0) for _ in range(20)), station(packets_per_s=10.0))
    assert (found["others"], found["apart_load"]) == (2, 0)
    assert surroundings(station(packets_per_s=10.0))["others"] == 1
