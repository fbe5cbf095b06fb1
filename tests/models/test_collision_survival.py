"""How many collisions destroy, by failures and collisions expected."""

import math
import statistics

import polars as pl
import pytest

from winf_analyzer._models.saturation.failures import shown_collisions
from winf_analyzer._models.saturation.failures.collision_survival import (
    PRIOR_COLLISIONS,
    PRIOR_DESTROYED,
    destroyed_apart,
    destroyed_share,
    presumed_apart,
    told_losses,
)
from winf_analyzer._models.saturation.failures.shown_collisions import EXPECTED_WITHIN


def share(failures: float, collisions: float, presumed: float) -> float:
    """Of two stations whose packets come at random."""
    one = destroyed_share(*(pl.lit(value) for value in (failures, collisions, presumed, EXPECTED_WITHIN)))
    return float(pl.select(one).item())


@pytest.mark.parametrize("presumed", [0.0, 0.5, 1.0])
def test_without_a_collision_it_is_what_is_presumed(presumed: float) -> None:
    assert share(0, 0, presumed) == presumed


def test_half_of_the_collisions_expected_are_enough_for_all_to_destroy() -> None:
    assert share(50, 100, 1.0) == 1
    assert share(25, 100, 0.5) == pytest.approx(0.5)
    assert share(50, 97, 0.0) == 1


def test_where_all_are_presumed_to_destroy_few_collisions_without_a_failure_do_not_refute_it() -> None:
    """As many as are presumed do not, twice as many do."""
    assert share(0, PRIOR_COLLISIONS, PRIOR_DESTROYED) == 1
    assert share(0, 2 * PRIOR_COLLISIONS, PRIOR_DESTROYED) == pytest.approx(2 / 3)


def test_what_is_presumed_counts_as_so_many_collisions() -> None:
    assert share(0, PRIOR_COLLISIONS, 0.5) == pytest.approx(0.25)
    assert PRIOR_COLLISIONS == 3


@pytest.mark.parametrize(
    ("mbps", "signal_db", "destroyed"),
    [(1.0, -4.5, 0.04), (11.0, 6.6, 0.33), (20.0, 10.0, 0.5), (36.0, 13.9, 0.70), (54.0, 17.4, 0.83)],
)
def test_a_fast_frame_needs_more_signal_than_a_slow_one_beside_another(
    mbps: float, signal_db: float, destroyed: float
) -> None:
    """Shannon's bound and 10 dB, which a normal distribution of 10 and 8 dB exceeds or not."""
    assert 10 * math.log10(2 ** (mbps / 20) - 1) + 10 == pytest.approx(signal_db, abs=0.1)
    normal = statistics.NormalDist(10.0, 8.0).cdf(signal_db)
    assert pl.select(destroyed_apart(pl.lit(mbps))).item() == pytest.approx(destroyed, abs=0.01)
    assert normal == pytest.approx(destroyed, abs=0.015)


@pytest.mark.parametrize(
    ("carried", "aggregating", "mbps", "destroyed"),
    [(10, 0, 54.0, 0.83), (10, 10, 54.0, 0.5), (10, 0, 0.0, 0.5), (0, 0, 0.0, 0.5)],
)
def test_the_rate_tells_of_single_frames_alone(carried: int, aggregating: int, mbps: float, destroyed: float) -> None:
    link = pl.DataFrame({"carried": [carried], "aggregating": [aggregating], "rate_bps": [carried * mbps * 1e6]})
    assert link.select(presumed_apart()).item() == pytest.approx(destroyed, abs=0.01)


@pytest.mark.parametrize(
    ("mpdus", "missing", "together", "survived"),
    [(1000, 40, 0, 40), (2000, 80, 0, 40), (1000, 0, 0, 0), (1000, 75, 0, 37.5), (1000, 120, 0, 0), (1000, 40, 1, 0)],
)
def test_numbers_that_never_came_were_of_frames_that_survived(
    mpdus: int, missing: int, together: float, survived: float
) -> None:
    """Also of senders of aggregates, by as many as an exchange holds; more than collisions can be were missed."""
    row = {"sender": "a", "observer": "b", "accesses": 1000, "done": 1000, "carried": 1000, "mpdus": mpdus}
    row |= {"with_rts": 0, "retries": 30, "lost": 0, "rts_lost": 0, "advanced": 2000, "advanced_heard": 2000 - missing}
    row |= {
        "rts_unheard": 0,
        "aggregating": 1000,
        "heard_share": 0.97,
        "answer_missed": 0.0,
        "collisions": 50.0,
        "together": together,
    }
    found = shown_collisions._failed_and_survived(pl.DataFrame([row])).row(0, named=True)
    assert found["survived"] == pytest.approx(survived)


@pytest.mark.parametrize(("aggregating", "survived"), [(1000, 20), (0, 40)])
def test_who_misses_answers_misses_mpdus_of_aggregates(aggregating: int, survived: float) -> None:
    row = {"sender": "a", "observer": "b", "accesses": 1000, "done": 1000, "carried": 1000, "mpdus": 1000}
    row |= {
        "with_rts": 0,
        "retries": 30,
        "lost": 0,
        "rts_lost": 0,
        "advanced": 2000,
        "advanced_heard": 1960,
        "heard_share": 0.97,
    }
    row |= {"rts_unheard": 0, "aggregating": aggregating, "answer_missed": 0.01, "collisions": 50.0, "together": 0.0}
    found = shown_collisions._failed_and_survived(pl.DataFrame([row])).row(0, named=True)
    assert found["survived"] == pytest.approx(survived)


@pytest.mark.parametrize(
    ("missing", "rts_unheard", "aggregating", "survived", "failures"),
    [
        (40, 0, 0, 40, 10),
        (60, 0, 0, 48, 2),
        (40, 20, 0, 20, 30),  # the data of one RTS in fifty was missed, and as much where no RTS was heard
        (0, 0, 0, 0, None),
        (120, 0, 0, 0, None),
        (40, 0, 1000, 0, None),
    ],
)
def test_behind_rts_what_is_not_missing_of_the_collisions_failed(
    missing: int, rts_unheard: int, aggregating: int, survived: float, failures: float | None
) -> None:
    """Of 50 that are expected; without a number that is missing nothing shows, and of aggregates it does not."""
    row = {"sender": "a", "observer": "b", "accesses": 1000, "done": 1000, "carried": 1000, "mpdus": 1000}
    row |= {"with_rts": 1000, "rts_unheard": rts_unheard, "retries": 0, "lost": 0, "rts_lost": 0, "together": 0.0}
    row |= {"advanced": 1000, "advanced_heard": 1000 - missing, "aggregating": aggregating, "collisions": 50.0}
    row |= {"unheard": 0, "heard_share": 0.97, "answer_missed": 0.0}
    found = shown_collisions._failed_and_survived(pl.DataFrame([row])).row(0, named=True)
    assert found["survived"] == pytest.approx(survived)
    assert found["failures"] == (None if failures is None else pytest.approx(failures))


@pytest.mark.parametrize("observer", ["a", None])
def test_behind_rts_the_recorder_knows_its_own_failures(observer: str | None) -> None:
    row = {"sender": "a", "observer": observer, "accesses": 1000, "done": 970, "carried": 1000, "mpdus": 1000}
    row |= {"with_rts": 1000, "rts_unheard": 0, "retries": 0, "lost": 0, "rts_lost": 0, "together": 0.0}
    row |= {"advanced": 1000, "advanced_heard": 960, "aggregating": 0, "collisions": 50.0}
    row |= {"unheard": 0, "heard_share": 1.0, "answer_missed": 0.0}
    found = shown_collisions._failed_and_survived(pl.DataFrame([row])).row(0, named=True)
    assert (found["failures"], found["survived"]) == ((30, 0) if observer else (10, 40))


@pytest.mark.parametrize(("collide", "with_rts", "told"), [(0.05, 0, 0.06), (0.2, 0, 0.0), (0.2, 1000, 0.06)])
def test_losses_are_told_from_many_collisions_behind_a_cts_alone(collide: float, with_rts: int, told: float) -> None:
    sums = {"accesses": 1000, "lost": 48.0, "exposed": 800}
    row = pl.DataFrame([sums | {"share": collide, "with_rts": with_rts}])
    assert row.select(told_losses()).item() == pytest.approx(told)
