"""Whether a sender that could aggregate does, from what it sent together."""

import polars as pl
import pytest

from winf_analyzer._models.saturation import aggregation


def told(carried: float, mpdus: float, packets: float) -> bool:
    sender = {"medium": [0], "sender": ["02:00:00:00:00:0a"]}
    solved = pl.DataFrame(sender | {"carried": [carried], "mpdus": [mpdus], "packets": [packets], "aggregates": [True]})
    return bool(aggregation.told(pl.DataFrame(sender), solved)["one_by_one"].item())


@pytest.mark.parametrize(
    ("carried", "mpdus", "packets", "single"),
    [
        (1000, 1003, 1.08, False),  # light traffic: nothing was waiting
        (1000, 1000, 3.0, True),  # two more were waiting on the average, and never went along
        (1000, 2900, 3.0, False),
        (10, 10, 3.0, False),  # too few to tell
    ],
)
def test_only_a_sender_whose_packets_queued_and_went_one_by_one_does_not_aggregate(
    carried: float, mpdus: float, packets: float, single: bool
) -> None:
    assert told(carried, mpdus, packets) == single
