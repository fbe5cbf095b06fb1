"""Time that something holds which is no Wi-Fi: planted counts, and stations in range that wait for an oven."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from air import DIFS_US, RETRY, SIFS_US, TO_DS, Air, airtime_us, mac
from answers import answer_of
from finding_scenes import AP, A, B, C
from one_chunk import chunk
from pcaps import ack

from winf_analyzer._aggregate.chunks import ORDER
from winf_analyzer._models.saturation.interval import blocked
from winf_analyzer._models.saturation.interval.refusals import MEDIUM_BLOCKED
from winf_analyzer._models.saturation.waits import blackouts

SLOT_US, WINDOW, BODY, LIMIT = 20, 32, bytes(1000), 7
DATA_US, ACK_US = airtime_us(len(BODY) + 28, 11), airtime_us(14, 1)
SENDERS = (A, B, C)
PERIOD_US, ON_US = 20_000, 10_000
SECONDS = 20


def free_from(at_us: float, oven: bool) -> float:
    """When the medium is free of the oven from `at_us` on."""
    within = at_us % PERIOD_US
    return at_us - within + ON_US if oven and within < ON_US else at_us


def on_the_air(per_s: tuple[float, ...], oven: bool, air: Air | None = None, backlogged: bool = False) -> int:
    """DCF of stations that send to an access point; how many packets the first one delivers.

    Backoffs stand still while the oven is on, and what it begins in is lost.
    """
    draw, numbers = random.Random(4), [0, 0, 0]
    due = [draw.expovariate(rate / 1e6) for rate in per_s]
    queued, slots, tried = [0, 0, 0], [0, 0, 0], [0, 0, 0]
    idle_us, delivered = 0.0, 0
    while idle_us < 1e6 * SECONDS:
        idle_us = free_from(idle_us, oven)
        for k, rate in enumerate(per_s):
            while due[k] <= idle_us:
                if not queued[k]:
                    slots[k] = draw.randrange(WINDOW)
                queued[k] += 1
                due[k] += draw.expovariate(rate / 1e6)
        queued[0] = queued[0] or backlogged
        at = [(idle_us + SLOT_US * slots[k] if queued[k] else due[k]) + DIFS_US for k in range(3)]
        start = min(at)
        if free_from(start, oven) > start or (oven and start // PERIOD_US > idle_us // PERIOD_US):
            idle_us = free_from(math.ceil(idle_us / PERIOD_US) * PERIOD_US, oven)
            continue
        sending = [k for k in range(3) if at[k] < start + SLOT_US / 4]
        passed = max(0, int((start - idle_us - DIFS_US) // SLOT_US))
        cut = oven and (start + DATA_US + SIFS_US + ACK_US) // PERIOD_US > start // PERIOD_US
        for k in range(3):
            if k not in sending:
                slots[k] = max(0, slots[k] - passed) if queued[k] else 0
                continue
            if not queued[k]:
                queued[k], due[k] = 1, due[k] + draw.expovariate(per_s[k] / 1e6)
            arrives = len(sending) == 1 and not cut
            if air is not None and len(sending) == 1:
                flags = TO_DS | RETRY * (tried[k] > 0)
                air.until(start)
                air.send(mac(0x08, AP, SENDERS[k], AP, BODY, seq=numbers[k], flags=flags, nav_us=314), 11)
                if arrives:
                    air.wait(SIFS_US)
                    air.send(ack(SENDERS[k]), 1)
            tried[k] = 0 if arrives else tried[k] + 1
            if arrives or tried[k] == LIMIT:
                tried[k], queued[k], numbers[k] = 0, queued[k] - 1, numbers[k] + 1
                delivered += arrives and k == 0
            slots[k] = draw.randrange(min(WINDOW << tried[k], 1024))
        idle_us = start + DATA_US + SIFS_US + ACK_US
    return delivered


@pytest.mark.parametrize("oven", [True, False])
def test_what_is_left_beside_an_oven(oven: bool, tmp_path: Path) -> None:
    """Truth: what a station delivers with its queue full, less what it sends anyway."""
    loads, air = (40.0, 60.0, 60.0), Air()
    own = on_the_air(loads, oven, air)
    truth = 8 * len(BODY) * (on_the_air(loads, oven, backlogged=True) - own) / SECONDS
    answer = answer_of(air, A, tmp_path)
    assert answer["available_low_bps"] <= truth <= answer["available_high_bps"]
    assert answer["available_bps"] == pytest.approx(truth, rel=0.3)
    assert (MEDIUM_BLOCKED in answer["reasons"]) == oven


def test_counts_do_not_depend_on_chunks() -> None:
    draw = random.Random(1)
    rows = pl.DataFrame(
        [
            {"medium": draw.randrange(2), "sender": draw.choice("abc"), "receiver": draw.choice("abcd")}
            | {"unicast": draw.random() < 0.9, "end_ns": 10**6 * at, "t_difs": 34_000, "cw_min": 15, "t_slot": 9_000}
            | {"idle_before_us": draw.choice([50.0, 700.0, 2500.0, 9000.0, 80_000.0])}
            for at in range(300)
        ],
        schema_overrides={"medium": pl.Int32},
    )

    def counted(*cuts: int) -> pl.DataFrame:
        state: dict = {}
        edges = [0, *cuts, rows.height]
        parts = [blackouts._counts(chunk(rows[a:b].sort(ORDER[:2]), state)) for a, b in pairwise(edges)]
        keys = list(blackouts._KEYS)
        return pl.concat(parts).group_by(keys).agg(pl.all().sum()).sort(keys, nulls_last=True)

    assert counted().equals(counted(1, 150, 151))
    assert counted()["followed"].sum() > 0
    # Who came behind whom is kept of the long ones alone, all of it.
    behind_long = counted().filter(pl.col("step") >= blackouts.LONG_NS // blackouts.STEP_NS)
    assert behind_long.drop_nulls("next")["followed"].sum() == behind_long["followed"].sum() > 0
    assert counted().filter(pl.col("step") < blackouts.SHORT_NS // blackouts.STEP_NS)["next"].drop_nulls().is_empty()


def found(
    long: tuple[int, int], short: tuple[int, int] = (200, 20), longest: int = 20, turned: float = 0.5
) -> pl.DataFrame:
    """Of silences of 10 ms and of 1 ms, how many there were in 5 s and behind how many another station came next.

    `turned`: in what share of the long ones that was b behind a; in the rest a came behind b.
    """
    ba = round(turned * long[1])
    rows = {
        "medium": [0] * 5,
        "cell": [150, 150, 150, 0, 0],
        "step": [10, 10, 10, 1, -1],
        "first": ["a", "b", None, None, None],
        "next": ["b", "a", None, None, None],
        "silent_ns": [10_500_000 * each for each in (ba, long[1] - ba, long[0] - long[1])] + [1_500_000 * short[0], 0],
        "by_others": [ba, long[1] - ba, long[0] * 6 // 10 - long[1], short[0] * 6 // 10, 1000],
        "followed": [ba, long[1] - ba, 0, short[1], 0],
        "accesses": [ba, long[1] - ba, long[0] - long[1], short[0], 1700],
    }
    steps = pl.DataFrame({"medium": [0], "sender": ["a"], "steps": [longest], "chunks": [1]})
    links = pl.DataFrame({"medium": [0], "window_start_ns": [0], "covered_ns": [5_000_000_000]})
    return blackouts.found(pl.DataFrame(rows), steps, links)


def test_silences_behind_which_others_wait_are_blackouts() -> None:
    row = found((200, 120)).row(0, named=True)
    assert row["blocked"] == pytest.approx(200 * 0.0105 / 5, rel=0.15)
    assert row["blackouts_per_s"] == pytest.approx(40, rel=0.05)
    # A frame of 10 ms, as 1 Mb/s has them: two that collide are a silence of as long.
    assert found((200, 120), longest=200).is_empty()


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ((200, 20), (200, 20)),
        ((200, 0), (200, 20)),
        ((10, 8), (200, 20)),
        ((200, 90), (200, 80)),
        ((200, 120), (10, 1)),
    ],
    ids=["as often", "never: bursts of one station", "too few", "hardly more often", "nothing to compare with"],
)
def test_other_silences_are_none(long: tuple[int, int], short: tuple[int, int]) -> None:
    assert found(long, short).is_empty()


def test_stations_that_follow_each_other_in_one_order_did_not_wait() -> None:
    """Cameras whose phases are less than a backoff apart; video that comes before data is both ways now and then."""
    assert found((200, 120), turned=1).is_empty()
    assert found((200, 120), turned=0.95).is_empty()
    video = found((200, 120), turned=0.83)
    assert video["blocked"].item() == pytest.approx(found((200, 120))["blocked"].item())


def test_an_answer_is_of_the_time_that_is_left() -> None:
    window = {"medium": [0], "window_start_ns": [0]}
    rows = {"capacity_bps": 20e6, "available_bps": 10e6, "available_low_bps": 9e6, "available_high_bps": 11e6}
    rows |= {"reason": None, "covered_ns": 3_000_000_000, "exchange_s": 1e-3, "aggregates": False}
    held = pl.DataFrame(window | {"blocked": [0.4], "blocked_doubt": [0.05], "blackouts_per_s": [50.0]})
    rows = pl.DataFrame(window | rows, schema_overrides={"reason": pl.Categorical})
    row = blocked.applied(rows, held).row(0, named=True)
    # Of every blackout half an exchange: 25 ms a second.
    assert row["available_bps"] == pytest.approx(10e6 * 0.6 - 0.025 * 20e6)
    assert row["capacity_bps"] == pytest.approx(12e6)
    assert row["covered_ns"] == 5_000_000_000
    assert row["available_high_bps"] - row["available_bps"] > math.hypot(0.6e6, 1.645 * 0.05 * 20e6)
    assert row["reason"] == MEDIUM_BLOCKED
