"""How much loss makes what is delivered vary: against senders that are simulated packet by packet."""

from __future__ import annotations

import random
import statistics

import polars as pl
import pytest

from winf_analyzer._models.saturation.interval import repetitions

EXCHANGE_S, SLOT_S, WINDOW, ATTEMPTS, BLOCK_ACK_WINDOW = 300e-6, 9e-6, 16, 7, 64


def row(**values: float | bool) -> pl.DataFrame:
    single = {"aggregates": False, "access_s": EXCHANGE_S, "packet_s": 0.0, "packets_max": 1.0}
    return pl.DataFrame([single | {"window": float(WINDOW), "collision": 0.0, "loss": 0.0, "ba_window": 64.0} | values])


def packet_times(failing: float, slot_s: float, packets: int = 40_000) -> list[float]:
    """Of packets that are sent up to seven times, with a mean backoff each time."""
    draw, times = random.Random(1), []
    for _ in range(packets):
        time_s, attempt, again = 0.0, 0, True
        while again and attempt < ATTEMPTS:
            time_s += EXCHANGE_S + (WINDOW * 2**attempt - 1) / 2 * slot_s
            attempt, again = attempt + 1, draw.random() < failing
        times.append(time_s)
    return times


@pytest.mark.parametrize("loss", [0.05, 0.2, 0.4])
@pytest.mark.parametrize("slot_s", [SLOT_S, 5 * SLOT_S])
def test_single_frames_vary_as_renewals_do(loss: float, slot_s: float) -> None:
    """Idle slots that others send in are worth more, and repetitions wait for more of them."""
    times, accesses = packet_times(loss, slot_s), 100.0
    mean = statistics.fmean(times)
    expected = statistics.pstdev(times) / mean / accesses**0.5
    found = repetitions.variation(row(loss=loss), pl.lit(accesses), pl.lit(accesses * mean)).item()
    assert found == pytest.approx(expected, rel=0.05)


def test_without_loss_collisions_are_not_counted_here() -> None:
    assert repetitions.variation(row(collision=0.2), pl.lit(100.0), pl.lit(0.05)).item() == pytest.approx(0.0, abs=1e-6)


def test_of_an_aggregate_each_mpdu_is_lost_by_itself() -> None:
    sender = row(aggregates=True, packets_max=40.0, packet_s=200e-6, loss=0.2)
    found = repetitions.variation(sender, pl.lit(20.0), pl.lit(0.2)).item()
    draw = random.Random(1)
    shares = [statistics.fmean(draw.random() >= 0.2 for _ in range(1000)) for _ in range(1000)]
    assert found == pytest.approx(statistics.pstdev(shares) / 0.8, rel=0.1)


def carried_over(loss: float, most: int, aggregates: int = 10_000) -> list[int]:
    """MPDUs that wait at the receiver for one before them, after each aggregate of a backlogged sender."""
    draw, missing, waiting, begin, new, found = random.Random(1), set(), set(), 0, 0, []
    for _ in range(aggregates):
        sent = sorted(missing)[:most]
        while len(sent) < most and new < begin + BLOCK_ACK_WINDOW:
            sent.append(new)
            new += 1
        for number in sent:
            if draw.random() < loss:
                missing.add(number)
            else:
                missing.discard(number)
                waiting.add(number)
        while begin in waiting:
            waiting.discard(begin)
            begin += 1
        found.append(len(waiting))
    return found


@pytest.mark.parametrize(("loss", "most"), [(0.05, 42), (0.2, 42), (0.2, 20), (0.35, 20), (0.05, 64)])
def test_what_waits_for_a_lost_mpdu_goes_over_to_the_next_window(loss: float, most: int) -> None:
    """At two edges, of an aggregate and of what waits, each anywhere between none and all."""
    expected = statistics.pstdev(carried_over(loss, most)) * 2**0.5
    sender = row(aggregates=True, packets_max=float(most), loss=loss)
    found = most * (2 / 12) ** 0.5 * sender.select(repetitions.in_order()).item()
    assert found == pytest.approx(expected, rel=0.35)
    assert row(loss=loss).select(repetitions.in_order()).item() == 1.0
