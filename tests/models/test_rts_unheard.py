"""Stations whose RTS are not heard: in range or hidden, by the failures that each reading would have."""

import polars as pl
import pytest
from test_expected_collisions import senders

from winf_analyzer._models.saturation.contention import expected_collisions
from winf_analyzer._models.saturation.unheard import rts_unheard

MEDIA = pl.DataFrame({"medium": [0, 1], "observer": ["20", None]})


def collided(hidden):
    """Share of the recorder's attempts that collide beside a station that sends RTS."""
    rows = senders(20.0, 120.0).with_columns(hidden=(pl.col("sender") == "120") & pl.lit(hidden))
    found = expected_collisions.shares(rows, MEDIA.drop_nulls().cast({"medium": pl.Int64}))
    return dict(found.select("sender", "collision").iter_rows())["20"]


def test_rts_of_a_hidden_station_overlap_more_often_than_those_of_one_in_range_collide():
    assert collided(hidden=True) > 2 * collided(hidden=False) > 0


@pytest.mark.parametrize("sender", ["20", "120"])
def test_nothing_is_told_of_stations_of_a_trace(sender, monkeypatch):
    senders = ["20", "120"] if sender == "20" else ["20", "node-1"]
    heard = in_range(110, 109, 395, monkeypatch, sender=senders)
    assert heard == [False, sender == "20"]


def in_range(failed, beside, overlapped, monkeypatch, **changed):
    """What is told of a station of which only answers are heard, beside a recorder of so many failures."""
    links = pl.DataFrame(
        {
            "medium": [0, 0],
            "sender": ["20", "120"],
            "accesses": [1000.0, 500.0],
            "done": [1000.0 - failed, 500.0],
            "with_rts": [1000.0, 500.0],
            "unheard": [0.0, 500.0],
            "in_range": [False, False],
        }
        | changed
    )

    def simulated(count):
        return pl.DataFrame({"medium": [0], "sender": ["20"], "accesses": [1000.0], "collision": [count / 1000]})

    monkeypatch.setattr(expected_collisions, "as_recorded", lambda links, recorders: simulated(overlapped))
    return rts_unheard.told(links, simulated(beside), MEDIA)["in_range"].to_list()


@pytest.mark.parametrize(
    ("failed", "beside", "overlapped", "heard"),
    [
        (110, 109, 395, True),
        (360, 6, 280, False),
        (60, 20, 100, False),
        (30, 20, 100, True),
        (2, 1, 4, False),
        (2, 0.3, 12, False),
    ],
)
def test_the_reading_counts_whose_collisions_are_nearer(failed, beside, overlapped, heard, monkeypatch):
    assert in_range(failed, beside, overlapped, monkeypatch) == [False, heard]


@pytest.mark.parametrize(
    "changed", [{"unheard": [0.0, 0.0]}, {"with_rts": [1000.0, 0.0]}, {"medium": [1, 1]}, {"medium": [2, 2]}]
)
def test_nothing_is_told_of_data_without_rts_nor_by_a_third_station(changed, monkeypatch):
    assert in_range(110, 109, 395, monkeypatch, **changed) == [False, False]
