"""Stations whose data is not recorded: hidden from the recorder, or waiting for it."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.recorded import audibility

OWN, UNHEARD = "02:00:00:00:00:01", "02:00:00:00:00:02"


def heard(*, failed: int, repeated: int) -> bool:
    """Whether the station is told to hear a recorder of whose 400 attempts so many failed."""
    counts = {"accesses": [400, 1300], "unheard": [0, 1300], "done": [400 - failed, 1300], "with_rts": [0, 0]}
    counts |= {"first_ns": [400 * 300_000, 0], "carried_air_ns": [400 * 350_000, 0], "carried": [400, 1300]}
    counts |= {"silent_numbered": [failed, 0], "retries": [repeated, 0]}
    names = {"medium": 0, "window_start_ns": 0, "covered_ns": 5_000_000_000, "sender": [OWN, UNHEARD]}
    links = pl.DataFrame(names | counts)
    media = pl.DataFrame({"medium": [0], "observer": [OWN]}, schema_overrides={"medium": pl.Int64})
    rows = audibility.in_range(links, media)
    return rows.filter(sender=UNHEARD)["in_range"].item()


@pytest.mark.parametrize(("failed", "repeated", "hears"), [(2, 2, True), (120, 120, False), (40, 2, True)])
def test_who_waits_for_the_recorder_makes_few_of_its_attempts_fail(failed, repeated, hears):
    """Those that were not repeated had an answer, which is missing."""
    assert heard(failed=failed, repeated=repeated) == hears
