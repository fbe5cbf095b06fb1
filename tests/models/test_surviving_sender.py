"""A sender whose own failures are surely fewer than collisions that destroy."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.failures import surviving_sender


def share(presumed: float, failures: float, collisions: float, within: float = 1.0) -> float:
    values = (pl.lit(value) for value in (presumed, failures, collisions, within))
    return float(pl.select(surviving_sender.with_survivors(*values)).item())


def test_one_failure_where_22_collisions_were_expected_counts_alone() -> None:
    """Laplace's rule: 2 of 24."""
    assert share(0.3, 1, 22) == pytest.approx(2 / 24)


@pytest.mark.parametrize(("failures", "collisions"), [(16, 22), (0, 3), (33, 50), (5, 11)])
def test_what_chance_explains_changes_nothing(failures: float, collisions: float) -> None:
    assert share(1.0, failures, collisions) == 1.0


def test_between_the_two_where_it_is_not_quite_sure() -> None:
    """None of 4: chance explains 3, and one less is half of what is asked for."""
    assert share(0.6, 0, 4) == pytest.approx(0.6 + 0.5 * (1 / 6 - 0.6))


def test_failures_never_raise_the_share() -> None:
    assert share(0.02, 1, 22) == 0.02


def test_a_number_that_is_trusted_to_a_factor_of_two_needs_twice_as_many() -> None:
    assert share(1.0, 1, 16, within=2.0) < 1.0
    assert share(1.0, 1, 10, within=2.0) == 1.0
    assert share(1.0, 1, 10, within=1.0) < 1.0


def within(*senders: tuple[float | None, float | None, bool]) -> list[float]:
    rows = [
        {"medium": 0, "sender": str(place), "failures": failures, "collisions": collisions, "corrected": corrected}
        for place, (failures, collisions, corrected) in enumerate(senders)
    ]
    schema = {"failures": pl.Float64, "collisions": pl.Float64}
    return pl.DataFrame(rows, schema_overrides=schema).select(surviving_sender.trusted_within()).to_series().to_list()


def test_the_failures_of_others_show_how_good_the_expectation_is() -> None:
    """Of the first by 150 of 150 that were expected; of the others also by the first, which hardly ever fails."""
    first, second, _ = within((1, 22, False), (75, 75, False), (75, 75, False))
    assert first == pytest.approx(160 / 155)
    assert second == pytest.approx((22 + 75 + 10) / (1 + 75 + 5))


def test_without_others_it_is_trusted_to_a_factor_of_two() -> None:
    assert within((1, 22, False)) == [2.0]
    assert within((1, 22, False), (None, None, False), (40, 100, True))[0] == 2.0, "what survived set these"


def test_more_failures_than_expected_are_no_more_trust() -> None:
    assert within((1, 22, False), (300, 100, False))[0] == 1.0
