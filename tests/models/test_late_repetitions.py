"""Repetitions that are later than their backoff: planted counts, and two stations of which one is recorded."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from air import DIFS_US, SIFS_US, Air, airtime_us, mac
from answers import answer_of
from finding_scenes import AP, A
from pcaps import ack

from winf_analyzer._models.saturation.waits import late_repetitions
from winf_analyzer._models.saturation.waits.late_repetitions import STEP_US, probable

SLOT_US, WINDOW, BODY = 20, 32, bytes(1000)
DATA_US, ACK_US = airtime_us(len(BODY) + 28, 11), airtime_us(14, 1)
BITS = 8 * len(BODY)
BESIDE = [(0.1, 5.0), (0.3, 15.0), (0.5, 25.0)]
"""Airtime shares, and collisions beside each."""
KNOWN, NOTHING_KNOWN = late_repetitions.KnownMissing(0.0, 0.3), late_repetitions.KnownMissing(0.0, 0.0)
"""Frames that are known to be missing: a third of all attempts, and none."""


def contend(arrivals: tuple[float, float], seconds: float, *, loss: float = 0.0, seed: int = 1) -> list[tuple]:
    """DCF of two stations with packets at random, `arrivals` per second: start, whether answered, retry, of the first.

    An implementation of its own, as 10.3.4 has it: backoff stands still while the medium is busy.
    """
    draw = random.Random(seed)
    coming = [draw.expovariate(rate / 1e6) if rate else float("inf") for rate in arrivals]
    queued, slots, attempts, sent = [0, 0], [0, 0], [1, 1], []
    free_us = 0.0
    while free_us < 1e6 * seconds:
        for station in (0, 1):
            while coming[station] <= free_us:
                if not queued[station]:
                    slots[station] = draw.randrange(WINDOW)
                queued[station] += 1
                coming[station] += draw.expovariate(arrivals[station] / 1e6)
        starts = [
            (free_us if queued[station] else max(coming[station], free_us))
            + DIFS_US
            + SLOT_US * slots[station] * bool(queued[station])
            for station in (0, 1)
        ]
        first_us = min(starts)
        senders = [station for station in (0, 1) if starts[station] - first_us < SLOT_US]
        for station in {0, 1} - set(senders):
            if queued[station]:
                slots[station] -= int((first_us - free_us - DIFS_US) // SLOT_US)
        fails = len(senders) > 1 or (senders == [0] and draw.random() < loss)
        for station in senders:
            if not queued[station]:
                queued[station] = 1
                coming[station] += draw.expovariate(arrivals[station] / 1e6)
            if station == 0:
                sent.append((first_us, not fails, attempts[0] > 1))
            given_up = fails and attempts[station] == 7
            attempts[station] = attempts[station] + 1 if fails and not given_up else 1
            queued[station] -= not fails or given_up
            slots[station] = draw.randrange(min(WINDOW << (attempts[station] - 1), 1024))
        free_us = first_us + DATA_US + (SIFS_US + ACK_US)
    return sent


def recorded(sent: list[tuple], folder: Path, *, failed_heard: bool = True, missing: float = 0.0) -> dict[str, object]:
    """The answer for a third station's recording of the first station alone, less frames that are missing at random.

    Packets have a number each, or the one that is `sent` with them.
    """
    air, number, draw = Air(), 0, random.Random(2)
    for start_us, answered, retry, *numbers in sent:
        number = numbers[0] if numbers else number + (not retry)
        if not (answered or failed_heard):
            continue
        air.until(start_us)
        if draw.random() < missing:
            air.wait(DATA_US)
        else:
            air.send(mac(0x08, AP, A, AP, BODY, seq=number, flags=0x01 | 0x08 * retry, nav_us=314), 11)
        if answered and draw.random() >= missing:
            air.wait(SIFS_US)
            air.send(ack(A), 1)
    return answer_of(air, A, folder)


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_a_load_that_nobody_heard_is_told_from_repetitions(share, tmp_path):
    """Truth: what the same station delivers beside the same load with its queue full, less what it sends anyway."""
    exchange_us = DIFS_US + DATA_US + SIFS_US + ACK_US
    others = share * 1e6 / exchange_us
    answer = recorded(contend((60, others), 20), tmp_path)
    full = sum(answered for _, answered, _ in contend((10_000, others), 20)) / 20
    assert answer["available_low_bps"] <= BITS * (full - 60) <= answer["available_high_bps"]
    assert answer["available_bps"] == pytest.approx(BITS * (full - 60), rel=0.3)
    assert "others_unheard" in answer["reasons"]
    assert answer["grade"] in {"fair", "poor"}


def test_frames_lost_by_the_channel_are_repeated_in_time(tmp_path):
    answer = recorded(contend((60, 0), 40, loss=0.1), tmp_path)
    assert "others" not in answer["reasons"]


def test_idle_time_behind_an_attempt_that_was_not_heard_is_no_wait(tmp_path):
    """As a third station hears neither of two frames that collide: what it hears next was sent for the second time."""
    answer = recorded(contend((60, 0), 30, loss=0.03), tmp_path, failed_heard=False)
    assert "others_unheard" not in answer["reasons"]


def test_a_few_frames_of_which_none_failed_say_nothing_of_what_a_third_station_does_not_hear(tmp_path):
    answer = recorded(contend((30, 0), 5), tmp_path)
    assert "others_unbounded" in answer["reasons"]
    assert answer["available_bps"] is None
    assert answer["available_low_bps"] < 0.5 * answer["available_high_bps"]


@pytest.mark.parametrize(("late", "share"), [(2, 0.1), (5, 0.3), (9, 0.5)])
def test_the_more_are_late_the_more_was_unheard(late, share):
    found = probable(late, BESIDE, otherwise=0.0, presumed=0.2)
    assert found.share == pytest.approx(share, abs=0.15)
    assert 0.05 < found.deviation < 0.2


def test_what_is_late_anyway_is_none():
    assert probable(2, BESIDE, otherwise=2.0, presumed=0.01).share < 0.02
    assert probable(0, BESIDE, otherwise=0.0, presumed=0.2).share < 0.05


def test_more_late_ones_than_any_load_explains_are_a_driver_that_waits():
    assert probable(200, BESIDE, otherwise=0.0, presumed=0.2) is None


def test_a_medium_without_room_for_one_more_has_none():
    assert probable(4, [], otherwise=0.0, presumed=0.2) is None


def senders(**columns: list[float]) -> pl.DataFrame:
    """Stations a and b of one medium."""
    each = {"accesses": [10.0, 5.0], "first_s": [0.001, 0.001], "heard_share": [1.0, 1.0]} | columns
    fixed = {"medium": [0, 0], "sender": ["a", "b"], "aggregates": [False, False], "air_ns": [1.0, 1.0]}
    fixed |= {"answer_missed": [0.0, 0.0], "answer_off": [0.0, 0.0], "access_s": [0.001, 0.002]}
    fixed |= {"aifs_s": [5e-5, 5e-5], "window": [16.0, 32.0], "slot_s": [2e-5, 2e-5]}
    return pl.DataFrame(fixed | each, schema_overrides={"medium": pl.Int32})


def longest(**steps: int) -> pl.DataFrame:
    """The longest frame of each of these, each shorter in an earlier chunk."""
    rows = [(0, sender, step - by) for sender, step in steps.items() for by in (1, 0)]
    schema = {"medium": pl.Int32, "sender": pl.String, "steps": pl.Int64}
    return pl.DataFrame(rows, schema, orient="row")


def told_of(
    stations: pl.DataFrame, rows: pl.DataFrame, observer: str | None = None, **steps: int
) -> late_repetitions.Told | None:
    media = pl.DataFrame({"medium": [0], "observer": [observer]}, {"medium": pl.Int32, "observer": pl.String})
    return late_repetitions.told(stations, rows.with_columns(medium=pl.lit(0)), longest(**steps), media).get(0)


def test_the_frame_that_it_collided_with_may_have_been_longer():
    rows = pl.DataFrame({"sender": ["a"] * 3, "steps": [0, 10, 40], "repetitions": [5, 3, 2]})
    others = [1e-6 * 15 * STEP_US, 1e-6 * 5 * STEP_US]
    found = [told_of(senders(first_s=[0.01, first_s]), rows) for first_s in others]
    assert [(each.late, each.within) for each in found] == [(2, 8), (5, 5)]
    # Where frames are not all as long it may have been the longest of them.
    found = [told_of(senders(first_s=[0.0005, 0.0003]), rows, a=a, b=b) for a, b in ((50, 15), (15, 50), (50, 9))]
    assert [(each.late, each.within) for each in found] == [(2, 8), (0, 10), (5, 5)]


def test_the_longest_frame_of_each_sender_is_kept():
    rows = pl.DataFrame(
        [
            ("a", "basic", 1_010),
            ("a", "broadcast", 2_000),
            ("a", "rts", 9_000),
            ("b", "basic", None),
            (None, "basic", 7),
        ],
        {"sender": pl.String, "kind": pl.String, "data_us": pl.Int64},
        orient="row",
    )
    rows = rows.with_columns(data_ns=pl.col("data_us") * 1000, data_start_ns=pl.lit(0), medium=pl.lit(0))
    rows = rows.with_columns(air_start_ns=pl.lit(0), end_ns=pl.lit(500_000), t_rts=pl.lit(352_000))
    found = late_repetitions._longest(SimpleNamespace(uses=rows.lazy()))
    assert sorted(found.select("sender", "steps").rows()) == [("a", 40), ("b", 10)]


def test_a_pause_of_a_driver_is_no_repetition():
    rows = pl.DataFrame({"sender": ["a"], "steps": [late_repetitions.LATEST_STEP + 1], "repetitions": [7]})
    found = told_of(senders(first_s=[0.001, 0.001]), rows)
    assert (found.late, found.within) == (0, 0)


def test_of_a_third_station_all_senders_tell_and_of_a_recorder_itself():
    rows = pl.DataFrame({"sender": ["a", "b"], "steps": [100, 100], "repetitions": [7, 3]})
    both, own = (told_of(senders(accesses=[30.0, 20.0]), rows, observer) for observer in (None, "b"))
    assert (both.attempts, both.of_all, both.late, both.window) == (50, 50, 10, 16)
    assert (own.attempts, own.of_all, own.late, own.window) == (20, 50, 3, 32)


def test_senders_most_of_whose_frames_are_missing_tell_nothing():
    rows = pl.DataFrame({"sender": ["a", "b"], "steps": [100, 100], "repetitions": [7, 3]})
    found = told_of(senders(accesses=[30.0, 20.0], heard_share=[0.4, 1.0]), rows)
    assert (found.attempts, found.of_all, found.late, found.missing) == (20, 50, 3, 0)
    assert told_of(senders(heard_share=[0.4, 0.4]), rows) is None
    some = told_of(senders(accesses=[30.0, 20.0], heard_share=[0.9, 1.0]), rows)
    assert (some.attempts, some.late, some.missing) == (50, 10, pytest.approx(0.06))


def test_behind_a_missing_attempt_the_next_seems_late():
    found = late_repetitions.Told(100.0, 200.0, 0.001, 5e-5, 16.0, 2e-5, late=4, within=16, missing=0.1)
    assert late_repetitions.late_anyway(found, "a", KNOWN) == pytest.approx(20 * 0.1)
    assert late_repetitions.late_anyway(found, None, KNOWN) == pytest.approx(20 * 0.3)


def test_media_tell_the_same_alone_and_among_others():
    rows = pl.DataFrame({"sender": ["a", "b"], "steps": [100, 3], "repetitions": [7, 3]})
    media = [senders(accesses=[30.0 + number, 20.0]) for number in range(20)]
    alone = [told_of(each, rows) for each in media]
    together = late_repetitions.told(
        pl.concat(each.with_columns(medium=pl.lit(number)) for number, each in enumerate(media)),
        pl.concat(rows.with_columns(medium=pl.lit(number)) for number in range(20)),
        longest(),
        pl.DataFrame({"medium": range(20), "observer": [None] * 20}, schema_overrides={"observer": pl.String}).cast(
            {"medium": pl.Int32}
        ),
    )
    assert [together[number] for number in range(20)] == alone


def test_what_seems_late_behind_a_missing_attempt_is_no_load_to_a_third_station():
    found = late_repetitions.Told(2000.0, 2000.0, 0.001, 5e-5, 16.0, 2e-5, late=4, within=150)
    beside = senders(accesses=[1000.0, 1000.0]).with_columns(packets_per_s=100.0)

    def share(observer: str | None, known_share: float, monkeypatch: pytest.MonkeyPatch) -> float:
        monkeypatch.setattr(late_repetitions, "collisions", lambda *_: BESIDE)
        load = late_repetitions.unheard(
            found, lambda: beside, observer, late_repetitions.KnownMissing(0.0, known_share)
        )
        return load.share if load else 0.0

    with pytest.MonkeyPatch.context() as patched:
        assert share(None, 0.0, patched) > 0.1
        assert share(None, 0.03, patched) < 0.03
        assert share("a", 0.03, patched) == share("a", 0.0, patched) > 0.1


def test_without_a_contention_window_nothing_is_told():
    found = late_repetitions.Told(7.0, 7.0, 0.001, 5e-5, 0.0, 2e-5, late=0, within=0)
    assert late_repetitions.unheard(found, lambda: pl.DataFrame(), None, NOTHING_KNOWN) is None
    told = late_repetitions.unheard(found._replace(window=16.0), lambda: pl.DataFrame(), None, NOTHING_KNOWN)
    assert told is not None
