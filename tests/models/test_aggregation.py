"""Whether a sender that could aggregate does, from what it sent together."""

import polars as pl
import pytest

from winf_analyzer._models.saturation import aggregation, ampdu, contention_domain, correction


def of_sender(carried: float, mpdus: float, packets: float) -> dict[str, float]:
    sender = {"medium": [0], "sender": ["02:00:00:00:00:0a"]}
    simulated = pl.DataFrame(
        sender | {"carried": [carried], "mpdus": [mpdus], "packets": [packets], "aggregates": [True]}
    )
    return aggregation.told(pl.DataFrame(sender | {"uneven": [0.0]}), simulated).row(0, named=True)


def told(carried: float, mpdus: float, packets: float) -> bool:
    return bool(of_sender(carried, mpdus, packets)["one_by_one"])


@pytest.mark.parametrize(
    ("carried", "mpdus", "packets", "single"),
    [
        (1000, 1003, 1.01, False),  # light traffic: nothing was waiting
        (1000, 1000, 3.0, True),  # two more were waiting on the average, and never went along
        (1000, 2900, 3.0, False),
        (10, 10, 3.0, False),  # too few to tell
    ],
)
def test_only_a_sender_whose_packets_queued_and_went_one_by_one_does_not_aggregate(
    carried: float, mpdus: float, packets: float, single: bool
) -> None:
    assert told(carried, mpdus, packets) == single


@pytest.mark.parametrize(
    ("carried", "mpdus", "packets", "batch"),
    [
        (1000, 1300, 1.3, 1.0),
        (1000, 3900, 1.3, 3.0),
        (1000, 1000, 1.3, 1.0),  # never less than at random
    ],
)
def test_packets_that_go_together_more_often_than_at_random_come_in_batches(carried, mpdus, packets, batch):
    row = of_sender(carried, mpdus, packets)
    assert row["batch"] == pytest.approx(batch)
    assert row["uneven"] == pytest.approx(1 - 1 / batch)


def test_a_batch_is_one_longer_packet():
    stations = pl.DataFrame(
        {
            **{"subject": [True, False], "aggregates": [True, True], "batch": [4.0, 4.0], "packets_max": [30.0, 30.0]},
            **{"packets_per_s": [400.0, 400.0], "packet_s": [1e-4, 1e-4], "first_packet_s": [1e-4, 1e-4]},
        }
    )
    subject, other = contention_domain._batched(stations).iter_rows(named=True)
    assert subject == stations.row(0, named=True) | {"batch": 1.0}
    assert (other["packets_per_s"], other["packets_max"], other["packet_s"]) == (100.0, 7.5, 4e-4)


def test_voice_counts_as_aggregating_only_where_it_was_seen_to():
    rows = {"family": ["ht"] * 4, "data_kind": ["qos_data"] * 4, "tid": [0, 6, 7, 6], "mpdus": [1, 1, 1, 2]}
    assert pl.DataFrame(rows).select(ampdu.aggregates()).to_series().to_list() == [True, False, False, True]


def test_a_sender_with_a_longer_aifs_than_a_busy_neighbour_is_simulated():
    def preceded(aifs_us: float, packets_per_s: float) -> bool:
        station = {"case": [0, 0], "subject": [True, False], "slot_s": [9e-6] * 2, "access_s": [3e-4] * 2}
        station |= {"aifs_s": [79e-6, aifs_us * 1e-6], "packets_per_s": [100.0, packets_per_s], "packet_s": [0.0] * 2}
        return bool(pl.DataFrame(station).select(correction._is_preceded().any()).item())

    assert preceded(43.0, 500.0)
    assert not preceded(70.0, 500.0)
    assert not preceded(79.0, 500.0)
    assert not preceded(43.0, 5.0)
