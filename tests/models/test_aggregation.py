"""Whether a sender that could aggregate does, from what it sent together."""

import polars as pl
import pytest

from winf_analyzer._mac.sampling import access_category
from winf_analyzer._models.saturation.contention import batches, correction
from winf_analyzer._models.saturation.recorded import aggregation, ampdu, bursts


def of_sender(carried: float, mpdus: float, packets: float) -> dict[str, float]:
    return links_of(carried, mpdus, packets).row(0, named=True)


def links_of(carried: float, mpdus: float, packets: float, *, able: bool = True) -> pl.DataFrame:
    sender = {"medium": [0], "sender": ["02:00:00:00:00:0a"], "queue": [0]}
    simulated = pl.DataFrame(
        sender | {"carried": [carried], "mpdus": [mpdus], "packets": [packets], "aggregates": [True]}
    )
    link = sender | {"receiver": ["02:00:00:00:00:0b"], "mpdus": [mpdus]}
    links = pl.DataFrame(link | {"uneven": [0.0], "burst_per_s": [0.0], "heard_share": [0.5]})
    links = links.with_columns(
        in_aggregates=pl.lit(mpdus - carried), aggregating=pl.lit(carried if able else 0.0), voice=pl.lit(0.0)
    )
    links = links.with_columns(voice_agreed=pl.lit(value=False))
    rates = pl.DataFrame(sender | {"burst_per_s": [70.0]}).drop("queue")
    return aggregation.told(links, simulated, rates)


def told(carried: float, mpdus: float, packets: float) -> bool:
    return bool(of_sender(carried, mpdus, packets)["one_by_one"])


@pytest.mark.parametrize(
    ("carried", "mpdus", "packets", "single"),
    [
        (1000, 1003, 1.01, False),  # light traffic: nothing was waiting
        (5000, 5000, 1.012, False),  # packets at equal intervals, of which hardly one should have met another
        (1000, 1000, 3.0, True),  # two more were waiting on the average, and never went along
        (1000, 2900, 3.0, False),
        (10, 10, 3.0, False),  # too few to tell
    ],
)
def test_only_a_sender_whose_packets_queued_and_went_one_by_one_does_not_aggregate(
    carried: float, mpdus: float, packets: float, single: bool
) -> None:
    assert told(carried, mpdus, packets) == single


BLOCK_ACK = {"kind": "block_ack", "ra": "02:00:00:00:00:0a", "ta": "02:00:00:00:00:0b"}
"""An answer to the sender's A-MPDU, or to its request."""


@pytest.mark.parametrize(
    ("packets", "frame", "single", "presumed"),
    [
        (1.01, {}, False, True),  # nothing waited, nothing was seen: either
        (1.01, BLOCK_ACK, False, False),
        (1.01, {"kind": "block_ack_req", "ra": "02:00:00:00:00:0b", "ta": "02:00:00:00:00:0a"}, False, False),
        (1.01, {"kind": "ack"}, False, True),
        (1.01, {"source": "other.pcap"} | BLOCK_ACK, False, True),
        (1.01, {"kind": "block_ack", "ra": "02:00:00:00:00:0b", "ta": "02:00:00:00:00:0a"}, False, True),
        (3.0, {}, True, False),
        (3.0, BLOCK_ACK, False, False),  # what the simulation has waiting did not wait
        (3.0, BLOCK_ACK | {"ta": "02:00:00:00:00:0c"}, False, True),  # it can, with another receiver
    ],
)
def test_a_block_ack_tells_that_a_sender_aggregates(packets, frame, single, presumed):
    media = pl.DataFrame({"medium": [0], "source": ["a.pcap"], "observer": [None]})
    media = media.with_columns(pl.col("source").cast(pl.Categorical))
    links = links_of(1000, 1000, packets).with_columns(pl.col("sender", "receiver").cast(pl.Categorical))
    frames = frames_of({"ra": "02:00:00:00:00:0a", "kind": "ack"} | frame)
    found = aggregation.settled(links, media, frames).row(0, named=True)
    assert (found["one_by_one"], found["presumed"]) == (single, presumed)


def frames_of(frame):
    columns = dict.fromkeys(("source", "kind", "ra", "ta"), pl.String) | {"tid": pl.Int32}
    return pl.LazyFrame([{"source": "a.pcap", "ta": None, "tid": 0} | frame], schema=columns)


@pytest.mark.parametrize(("tid", "agreed"), [(0, False), (5, False), (6, True), (7, True), (None, False)])
def test_a_block_ack_for_voice_tells_that_voice_aggregates(tid, agreed):
    media = pl.DataFrame({"medium": [0], "source": ["a.pcap"], "observer": [None]})
    media = media.with_columns(pl.col("source").cast(pl.Categorical))
    links = links_of(1000, 1000, 1.01, able=False)
    links = links.with_columns(pl.col("sender", "receiver").cast(pl.Categorical), voice=40.0)
    found = aggregation.settled(links, media, frames_of(BLOCK_ACK | {"tid": tid})).row(0, named=True)
    assert found["voice_agreed"] == agreed


def test_of_a_sender_whose_phy_does_not_aggregate_nothing_is_presumed():
    assert not links_of(1000, 1000, 1.01, able=False)["presumed"].any()


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
    assert row["burst_per_s"] == pytest.approx(140.0)  # of which half were heard


def test_a_batch_is_one_longer_packet():
    stations = pl.DataFrame(
        {
            **{"subject": [True, False], "aggregates": [True, True], "batch": [5.2, 5.2], "packets_max": [30.0, 30.0]},
            **{"packets_per_s": [400.0, 400.0], "packet_s": [1e-4, 1e-4], "first_packet_s": [1e-4, 1e-4]},
            **{"case": [0, 0], "access_s": [1e-3, 1e-3], "burst_per_s": [0.0, 0.0]},
        }
    )
    subject, other = batches.applied(stations).iter_rows(named=True)
    assert subject == stations.row(0, named=True) | {"batch": 1.0}
    assert (other["packets_per_s"], other["packets_max"], other["packet_s"]) == (
        80.0,
        6.0,
        5e-4,
    )  # a whole number of batches


def test_what_comes_in_bursts_comes_together_beside_a_long_exchange_of_the_subject():
    rows = {
        **{
            "subject": [True, False, False],
            "aggregates": [True, True, True],
            "batch": [1.0, 2.0, 2.0],
            "case": [0] * 3,
        },
        **{"packets_max": [30.0] * 3, "packets_per_s": [0.0, 400.0, 400.0], "packet_s": [1e-4] * 3},
        **{"first_packet_s": [1e-4] * 3, "access_s": [1e-3] * 3, "burst_per_s": [5e3, 1400.0, 5e4]},
    }
    found = batches.applied(pl.DataFrame(rows))["batch"].to_list()
    # At 1400 per second (1 + 1.4 * 5) / (1 - 0.14) come, at 400 (1 + 0.4 * 5) / (1 - 0.04): six more than usual, some
    # quarter of an aggregate; at 50 000 an aggregate is always full.
    assert found == pytest.approx([1.0, 30 / 4, 30.0])


def test_the_rate_of_a_burst_is_that_around_its_packets():
    def rate(*bins: list[int]) -> float:
        rows = [(0, "a", number, sum(ppdus), sum(count**2 for count in ppdus)) for number, ppdus in enumerate(bins)]
        counts = pl.DataFrame(rows, ["medium", "sender", "bin", "packets", "square"], orient="row")
        return float(bursts.rates(counts)["burst_per_s"].item())

    assert rate(*[[1] * 16] * 50) == pytest.approx(15 / 0.016)
    assert rate(*[[1] * 32, []] * 25) == pytest.approx(31 / 0.016)
    # What went together says nothing: an exchange of others may have kept it waiting.
    assert rate(*[[16], []] * 25) == 0.0


def test_voice_counts_as_aggregating_only_where_it_was_seen_to():
    rows = {"family": ["ht"] * 4, "data_kind": ["qos_data"] * 4, "tid": [0, 6, 7, 6], "mpdus": [1, 1, 1, 2]}
    known = pl.DataFrame(rows | {"rate_mbps": [65.0] * 4}).with_columns(access_category=access_category())
    assert known.select(ampdu.aggregates()).to_series().to_list() == [True, False, False, True]
    assert known.select(ampdu.is_voice()).to_series().to_list() == [False, True, True, False]


def test_a_rate_that_only_ht_has_tells_what_no_header_does():
    rows = {"family": [None, None, "ofdm"], "rate_mbps": [54.0, 58.5, 54.0], "data_kind": ["qos_data"] * 3}
    known = pl.DataFrame(rows | {"access_category": ["be"] * 3, "mpdus": [1] * 3})
    assert known.select(ampdu.aggregates()).to_series().to_list() == [False, True, False]


def test_a_sender_with_a_longer_aifs_than_a_busy_neighbour_is_simulated():
    def preceded(aifs_us: float, packets_per_s: float) -> bool:
        station = {"case": [0, 0], "subject": [True, False], "slot_s": [9e-6] * 2, "access_s": [3e-4] * 2}
        station |= {"aifs_s": [79e-6, aifs_us * 1e-6], "packets_per_s": [100.0, packets_per_s], "packet_s": [0.0] * 2}
        return bool(pl.DataFrame(station).select(correction._is_preceded().any()).item())

    assert preceded(43.0, 500.0)
    assert not preceded(70.0, 500.0)
    assert not preceded(79.0, 500.0)
    assert not preceded(43.0, 5.0)
