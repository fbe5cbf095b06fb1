"""First attempts of a link beside its repetitions."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.failures import first_and_later


def first_lost(first: tuple[int, int], later: tuple[int, int], aggregating: int = 0) -> list[float]:
    """Of attempts, and how many of them failed."""
    (tried, failed), (again, failed_again) = first, later
    row = {"medium": 0, "sender": "a", "receiver": "b", "aggregating": aggregating, "done": tried - failed}
    row |= {"first_alone": tried, "first_alone_failed": failed, "accesses": tried + again, "air_ns": 0, "slot_ns": 0}
    row |= {"alone": tried + again, "alone_failed": failed + failed_again, "window_slots": 0}
    return first_and_later.first_lost(pl.DataFrame([row]).cast({pl.Int64: pl.Float64}))["first_lost"].to_list()


def test_beside_a_hidden_station_repetitions_fail_more_often_than_first_attempts() -> None:
    assert first_lost((350, 52), (100, 68)) == [pytest.approx(52 / 350)]
    assert first_lost((350, 52), (100, 68), aggregating=300) == [pytest.approx(52 / 350)], "whoever aggregates besides"


@pytest.mark.parametrize(
    ("first", "later"),
    [((350, 52), (60, 12)), ((350, 52), (29, 25)), ((29, 2), (60, 50)), ((350, 100), (100, 10))],
    ids=["within chance", "few repetitions", "few first attempts", "later ones fail less"],
)
def test_what_the_channel_loses_it_loses_alike(first: tuple[int, int], later: tuple[int, int]) -> None:
    assert first_lost(first, later) == []
