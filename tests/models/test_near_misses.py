"""Packets that pile up meet more often than random ones: planted counts, and a simulation of stations in range."""

from __future__ import annotations

import math
import random
from itertools import count
from pathlib import Path

import polars as pl
import pytest
from air import DIFS_US, FROM_DS, RETRY, SIFS_US, TO_DS, Air, airtime_us, mac
from answers import answer_of
from finding_scenes import AP, A, B, C
from pcaps import ack

from winf_analyzer._models.saturation.recorded import near_misses

SLOT_US, WINDOW, BODY, LIMIT = 20, 32, bytes(1000), 7
DATA_US, ACK_US = airtime_us(len(BODY) + 28, 11), airtime_us(14, 1)
SENDERS = (AP, A, B, C)


def more(expected: float = 10.0, **changed: float) -> float:
    """How many times as many collisions as expected, beside a sender that a hundred accesses came soon behind."""
    sums = {"accesses": 1000.0, "waited": 400.0, "behind_other": 20.0, "soon_behind_other": 120.0}
    sums |= {"long_idle_ns": 6e9, "aifs_ns": 1000 * 37e3, "slot_ns": 1000 * 9e3, "window_slots": 1000 * 16.0} | changed
    rows = [{"medium": 0, "sender": sender, **sums} for sender in ("a", "b")]
    collided = pl.DataFrame({"medium": [0], "sender": ["a"], "collided": [expected]})
    return near_misses.counted(collided, pl.DataFrame(rows))["collided"].item() / expected


def test_accesses_that_were_almost_collisions_tell_how_many_there_were():
    # 80 more in each of two slots than in the first, a sixteenth less in each; 6 came within AIFS to an idle medium.
    idle = 2 * 1000 * 28e3 * 600 / 12e9
    assert more() == pytest.approx((240 / 2 - 40 + idle) * 16 / 14.5 / 10)


@pytest.mark.parametrize(
    "changed",
    [{"expected": 75.0}, {"soon_behind_other": 60.0}, {"expected": 0.5, "soon_behind_other": 8.0, "behind_other": 0.0}],
    ids=["as many as expected", "as many in the first slot", "a handful"],
)
def test_no_more_than_were_expected_without_being_sure(changed):
    assert more(**changed) == 1.0


def test_half_as_many_again_as_were_simulated_or_none():
    """At least 69 collided: of nearly saturated stations the simulation is off by less than a half."""
    assert more(50.0) == 1.0
    assert more(45.0) == pytest.approx(2, abs=0.1)


def test_no_more_than_twenty_times_as_many():
    assert more(0.01) == pytest.approx(near_misses.MAX_RATIO)


def on_the_air(seconds: float, backlogged: bool, air: Air | None = None, seed: int = 1) -> int:
    """DCF of an access point and three stations in range of one another; how many packets the first station delivers.

    Each has some packets at random; all stations have one at the same time, while the access point sends.
    """
    draw, numbers = random.Random(seed), [count() for _ in SENDERS]
    due = [[at + draw.random() * 9e5 for at in range(0, int(1e6 * seconds), 45_000)] for _ in SENDERS]
    together = [at + 100.0 for at in range(0, int(1e6 * seconds), 20_000)]
    due = [sorted([*own, *([at - 100 for at in together] if not k else together)]) for k, own in enumerate(due)]
    slots: list[int | None] = [None] * len(SENDERS)
    tried, idle_us, delivered = [0] * len(SENDERS), 0.0, 0

    def packet(k: int) -> float:
        return 0.0 if backlogged and k == 1 else due[k][0] if due[k] else math.inf

    while idle_us < 1e6 * seconds:
        for k in range(len(SENDERS)):
            if slots[k] is None and packet(k) < idle_us:
                slots[k] = draw.randrange(min(WINDOW << tried[k], 1024))
        at = [
            max(idle_us + DIFS_US, packet(k)) if left is None else idle_us + DIFS_US + SLOT_US * left
            for k, left in enumerate(slots)
        ]
        start = min(at)
        if start >= 1e6 * seconds:
            break
        sending = [k for k, each in enumerate(at) if each < start + SLOT_US / 4]
        passed = max(0, math.ceil((start - idle_us - DIFS_US) / SLOT_US))
        slots = [None if k in sending or left is None else max(0, left - passed) for k, left in enumerate(slots)]
        idle_us = start + DATA_US + SIFS_US + ACK_US
        for k in sending:
            met = len(sending) > 1
            if not met and air is not None:
                recorded(air, start, k, tried[k] > 0, next(numbers[k]))
            tried[k] = tried[k] + 1 if met else 0
            if not met or tried[k] == LIMIT:
                tried[k], delivered = 0, delivered + (k == 1 and not met)
                if not (backlogged and k == 1):
                    due[k].pop(0)
            slots[k] = draw.randrange(min(WINDOW << tried[k], 1024)) if tried[k] or packet(k) < idle_us else None
    return delivered


def recorded(air: Air, start_us: float, station: int, retry: bool, number: int) -> None:
    ta, ra = SENDERS[station], AP if station else A
    air.until(start_us)
    flags = (TO_DS if station else FROM_DS) | RETRY * retry
    air.send(mac(0x08, ra, ta, AP, BODY, seq=number, flags=flags, nav_us=314), 11)
    air.wait(SIFS_US)
    air.send(ack(ta), 1)


def test_stations_whose_packets_come_at_once_hear_each_other(tmp_path: Path):
    """Truth: what a station delivers with its queue full, less what it sends anyway.

    A third station hears none of their collisions, but frames sent again.
    """
    air = Air()
    own = on_the_air(20, False, air)
    answer = answer_of(air, A, tmp_path)
    truth = 8 * len(BODY) * (on_the_air(20, True) - own) / 20
    assert answer["available_low_bps"] <= truth <= answer["available_high_bps"]
    assert answer["available_bps"] == pytest.approx(truth, rel=0.1)
