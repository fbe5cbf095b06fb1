"""Senders that do not hear one another, recorded by a third station: a simulation of two, and planted counts."""

from __future__ import annotations

import heapq
import math
import random
from itertools import combinations, count
from pathlib import Path

import polars as pl
import pytest
from air import DIFS_US, SIFS_US, Air, airtime_us, mac
from answers import answer_of
from finding_scenes import AP, A, B
from pcaps import ack

from winf_analyzer._models.saturation.unheard import hidden_pairs, hidden_senders

SLOT_US, WINDOW, BODY = 20, 32, bytes(1000)
DATA_US, ACK_US = airtime_us(len(BODY) + 28, 11), airtime_us(14, 1)
TIMEOUT_US = SIFS_US + ACK_US
LIMIT = 7


def send(arrivals: tuple[float, float], seconds: float, seed: int = 1) -> list[tuple[float, int, bool, bool, int]]:
    """DCF of two stations that hear the receiver alone: start, station, whether it met a frame of the other, retry,
    number of the packet.

    An implementation of its own. Backoff stands still while the receiver sends an ACK.
    """
    draw, order = random.Random(seed), count()
    coming = [draw.expovariate(rate / 1e6) for rate in arrivals]
    ready, attempts, numbers = [0.0, 0.0], [1, 1], [0, 0]
    last = [[-1e9, False], [-1e9, False]]  # the last frame of each: its start, and whether it met another
    starts: list[tuple[float, int, int]] = []
    acks: list[float] = []
    sent = []

    def contend(station: int) -> None:
        """When the station sends next: at once where its packet comes later."""
        slots = draw.randrange(min(WINDOW << (attempts[station] - 1), 1024))
        waited = coming[station] <= ready[station] or attempts[station] > 1
        at = ready[station] + DIFS_US + SLOT_US * slots if waited else max(coming[station], ready[station]) + DIFS_US
        heapq.heappush(starts, (at, next(order), station))

    contend(0), contend(1)
    while starts[0][0] < 1e6 * seconds:
        at, _, station = heapq.heappop(starts)
        busy = [begin for begin in acks[-2:] if begin - SIFS_US <= at < begin + ACK_US]
        if busy:
            heapq.heappush(starts, (busy[0] + ACK_US + DIFS_US + SLOT_US * draw.randrange(4), next(order), station))
            continue
        other = last[1 - station]
        met = at < other[0] + DATA_US
        other[1] |= met
        last[station] = [at, met]
        end = at + DATA_US
        # The other may still begin within this frame: its start is known, as both count down regardless.
        met |= any(begin < end for begin, _, who in starts if who != station)
        sent.append((at, station, met, attempts[station] > 1, numbers[station]))
        ready[station] = end + TIMEOUT_US
        if not met:
            acks.append(end + SIFS_US)
        if not met or attempts[station] == LIMIT:
            attempts[station], numbers[station] = 1, numbers[station] + 1
            coming[station] += draw.expovariate(arrivals[station] / 1e6)
        else:
            attempts[station] += 1
        contend(station)
    return sent


def recorded(sent: list[tuple], folder: Path) -> dict[str, object]:
    """The answer about the first station, of who hears both and decodes what does not overlap."""
    air = Air()
    for start_us, station, met, retry, number in sent:
        if met:
            continue
        ta = (A, B)[station]
        air.until(start_us)
        air.send(mac(0x08, AP, ta, AP, BODY, seq=number, flags=0x01 | 0x08 * retry, nav_us=314), 11)
        air.wait(SIFS_US)
        air.send(ack(ta), 1)
    return answer_of(air, A, folder)


@pytest.mark.parametrize("others", [150, 250])
def test_a_third_station_tells_that_two_senders_do_not_hear_each_other(others, tmp_path):
    """Truth: what the same station delivers with its queue full, less what it sends anyway."""
    answer = recorded(send((40, others), 20), tmp_path)
    full = sum(station == 0 and not met for _, station, met, *_ in send((10_000, others), 20)) / 20
    truth = 8 * len(BODY) * (full - 40)
    assert answer["available_low_bps"] <= truth <= answer["available_high_bps"]
    assert answer["available_bps"] == pytest.approx(truth, rel=0.25)


def told(beside: float = 5.0, observer: str | None = None, piled_up: float = 0.0, **changed: list) -> list[int]:
    """`unaware` of two senders, each with 200 repetitions of frames that were not heard, among 1000 packets."""
    each = {"accesses": [1000.0, 1000.0], "carried": [1000.0, 1000.0], "retries": [200.0, 200.0]}
    each |= {"silent": [2.0, 2.0], "with_rts": [0.0, 0.0], "aggregating": [0.0, 0.0], "heard_share": [0.97, 0.97]}
    each |= {"receiver": ["r", "r"], "sender": ["a", "b"], "medium": [0, 0], "window_start_ns": [0, 0]}
    each |= {"unheard_before": [0.0, 0.0], "unheard": [0.0, 0.0], "silent_behind": [0.0, 0.0]}
    each |= {"carried_air_ns": [5e8, 5e8], "covered_ns": [5e9, 5e9], "unaware": [0, 0]}
    links = pl.DataFrame(each | changed)
    collided = links.select("medium", "sender", collided=pl.lit(beside), piled_up=pl.lit(piled_up))
    links = links.with_columns(window_slots=16 * pl.col("accesses"))
    media = pl.DataFrame({"medium": [0], "observer": [observer]}, {"medium": pl.Int64, "observer": pl.String})
    return hidden_senders.told(links, collided, media)["unaware"].to_list()


def apart(unaware: list[int]) -> set[tuple[int, int]]:
    """The pairs, by their places, that do not hear each other."""
    pairs = combinations(range(len(unaware)), 2)
    return {(one, other) for one, other in pairs if unaware[one] & unaware[other]}


def test_many_repetitions_of_frames_that_were_not_heard_tell_it():
    assert apart(told()) == {(0, 1)}


@pytest.mark.parametrize(
    "changed",
    [
        {"beside": 190.0},
        {"observer": "a"},
        {"retries": [200.0, 8.0]},
        {"silent": [150.0, 150.0]},
        {"heard_share": [0.97, 0.6]},
        {"with_rts": [0.0, 1000.0]},
        {"aggregating": [1000.0, 0.0]},
        {"receiver": ["r", "s"]},
        {"aggregating": [1000.0, 1000.0], "unheard_before": [100.0, 100.0]},
        {"aggregating": [1000.0, 1000.0], "unheard_before": [190.0, 190.0], "heard_share": [0.97, 0.4]},
        {"aggregating": [1000.0, 1000.0], "unheard_before": [190.0, 190.0], "heard_share": [0.97, 0.7]}
        | {"unheard": [0.0, 400.0]},
        {"sender": ["a", "node-1"]},
        {"accesses": [20.0, 20.0], "carried": [20.0, 20.0], "carried_air_ns": [1e7, 1e7], "retries": [4.0, 4.0]},
    ],
)
def test_nothing_is_told_where_something_else_may_be_the_cause(changed):
    assert not any(told(**changed))


def test_packets_that_pile_up_would_overlap_more_often_than_they_failed():
    assert apart(told(60.0)) == {(0, 1)}
    assert told(60.0, piled_up=55.0) == [0, 0]


@pytest.mark.parametrize("heard", [0.97, 0.7])
def test_of_aggregates_repetitions_count_of_which_nothing_was_heard_before(heard):
    """What is given up is never heard, though answers show that all was heard that arrived."""
    aggregates = {"aggregating": [1000.0, 1000.0], "unheard_before": [190.0, 190.0], "heard_share": [0.97, heard]}
    assert apart(told(**aggregates)) == {(0, 1)}


def test_what_the_receiver_sends_all_of_them_hear():
    each = {"accesses": [1000.0, 1000.0, 300.0], "carried": [1000.0, 1000.0, 300.0], "retries": [200.0, 200.0, 9.0]}
    each |= {"silent": [2.0, 2.0, 9.0], "heard_share": [1.0, 1.0, 1.0], "carried_air_ns": [5e8, 5e8, 3e7]}
    each |= {
        name: [0.0] * 3 for name in ("with_rts", "aggregating", "unheard_before", "unheard", "unaware", "silent_behind")
    }
    each |= {"receiver": ["r", "r", "a"], "sender": ["a", "b", "r"], "medium": [0] * 3, "window_start_ns": [0] * 3}
    assert apart(told(**each, covered_ns=[5_000_000_000] * 3)) == {(0, 1)}


def told_of(missed: list[float], sent: list[float], beside: float = 5.0) -> list[int]:
    """`unaware` of senders of so many frames of 0.5 ms in five seconds, of which so many were missed."""
    count = len(sent)
    heard = [frames - gone for frames, gone in zip(sent, missed, strict=True)]
    each = {
        "accesses": heard,
        "carried": heard,
        "retries": missed,
        "carried_air_ns": [5e5 * frames for frames in heard],
    }
    none = ("silent", "silent_behind", "with_rts", "aggregating", "unaware", "unheard_before", "unheard")
    each |= {name: [0.0] * count for name in none}
    each |= {"heard_share": [1.0] * count, "receiver": ["r"] * count, "sender": list("abcd"[:count])}
    return told(beside, **each, medium=[0] * count, window_start_ns=[0] * count, covered_ns=[5_000_000_000] * count)


def met(sent: float, others: float) -> float:
    """Attempts that overlap one of these of hidden stations: frames of 0.5 ms in five seconds."""
    return sent * (1 - math.exp(-others / 5 * 1e-3))


def test_of_three_senders_one_may_not_hear_the_others():
    """The others collide with it alone: what was missed of them is less than if all were hidden from one another."""
    unaware = told_of([met(500, 2000), met(1000, 500), met(1000, 500)], [500.0, 1000.0, 1000.0])
    assert apart(unaware) == {(0, 1), (0, 2)}


def test_all_may_be_hidden_from_one_another():
    unaware = told_of([met(500, 2000), met(1000, 1500), met(1000, 1500)], [500.0, 1000.0, 1000.0])
    assert apart(unaware) == {(0, 1), (0, 2), (1, 2)}


def test_two_and_two_may_hear_each_other():
    unaware = told_of(
        [met(900, 2000), met(1100, 2000), met(1200, 2000), met(800, 2000)], [900.0, 1100.0, 1200.0, 800.0]
    )
    assert apart(unaware) == {(0, 2), (0, 3), (1, 2), (1, 3)}


def test_of_three_senders_in_range_nothing_is_told():
    assert not any(told_of([6.0, 5.0, 4.0], [500.0, 1000.0, 1000.0]))


def test_a_sender_between_two_hidden_ones_hears_both():
    """It collides with neither; what was missed of them is what the two overlap."""
    assert apart(told_of([met(500, 1000), met(1000, 500), 4.0], [500.0, 1000.0, 1500.0])) == {(0, 1)}


def test_losses_that_are_not_as_many_as_overlap_are_no_hidden_stations():
    """A third of what would overlap of each, beside one that hardly ever fails."""
    assert not any(told_of([met(500, 1000) / 3, met(1000, 500) / 3, 4.0], [500.0, 1000.0, 1500.0]))


def test_four_of_whom_two_are_hidden_from_each_other():
    assert apart(told_of([3.0, met(900, 1100), 5.0, met(1100, 900)], [2000.0, 900.0, 1000.0, 1100.0])) == {(1, 3)}


def test_two_pairs_are_no_groups():
    """Each hears the others; what was missed of each is what it overlaps with its own."""
    missed = [met(300, 350), met(350, 300), met(1500, 1600), met(1600, 1500)]
    assert apart(told_of(missed, [300.0, 350.0, 1500.0, 1600.0])) == {(0, 1), (2, 3)}


def test_seven_failures_of_which_one_is_explained_tell_of_a_pair():
    unaware = told_of([7.0, 8.0, 1.0, 0.0], [180.0, 170.0, 200.0, 300.0], beside=1.0)
    assert apart(unaware) == {(0, 1)}
    assert not any(told_of([4.0, 3.0, 1.0, 0.0], [180.0, 170.0, 200.0, 300.0], beside=1.0)), "chance has as many"


def sender(sent: float, missed: float, *, beside: float = 1.0, hardly_fails: bool = False) -> hidden_pairs.Sender:
    """Of frames of 0.5 ms in five seconds."""
    return hidden_pairs.Sender(sent, 5e5, missed, beside, 0.0, 16.0, may=True, hardly_fails=hardly_fails)


def groups(*senders: hidden_pairs.Sender) -> list[hidden_pairs.Pair]:
    return hidden_pairs._of_groups(senders, 5e9)


def test_groups_differ_by_ten_failures():
    assert groups(sender(260, met(260, 260)), sender(260, met(260, 260))) == [(0, 1)]
    assert groups(sender(200, met(200, 200)), sender(200, met(200, 200))) == []


def test_who_hears_all_fails_hardly_ever():
    hidden = (sender(500, met(500, 1000)), sender(1000, met(1000, 500)))
    assert groups(*hidden, sender(1500, 4, hardly_fails=True)) == [(0, 1)]
    assert groups(*hidden, sender(1500, 12)) == []
