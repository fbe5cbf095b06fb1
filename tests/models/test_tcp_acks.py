"""TCP ACKs are told by their sizes and numbers, and follow the data that they acknowledge."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.contention import tcp_acks

SINGLE = {"carried": 500.0, "aggregating": 0.0}
DATA = SINGLE | {"sender": "a", "receiver": "b", "mpdus": 1000.0, "bits": 1000 * 1508 * 8.0}
ACKS = SINGLE | {"sender": "b", "receiver": "a", "mpdus": 500.0, "bits": 500 * 60 * 8.0}

STATION = {
    "case": 0,
    "medium": 0,
    "sender": "probe",
    "subject": False,
    "packets_per_s": 0.0,
    "packets_max": 1.0,
    "count": 1.0,
    "aifs_s": 34e-6,
    "access_s": 350e-6,
    "packet_s": 0.0,
    "first_s": 350e-6,
    "first_packet_s": 0.0,
    "tail_s": 78e-6,
    "request_s": None,
    "loss": 0.0,
    "rts_loss": 0.0,
    "vulnerable": 1.0,
    "window": 16.0,
    "slot_s": 9e-6,
    "aggregates": False,
    "batch": 1.0,
}


FOLLOWED = ("mpdus", "bits", "carried", "aggregating", "accesses", "unheard", "fresh", "first_ns")


def links(*rows):
    none = dict.fromkeys((*FOLLOWED, "unaware"), 0.0)
    return pl.DataFrame([none | {"medium": 0, "window_start_ns": 0, "queue": 0, **row} for row in rows])


def test_acks_are_told_by_sizes_and_numbers():
    found = tcp_acks.followers(links(DATA, ACKS))
    of_data = {"data_share": 1.0, "data_together": 2.0}
    assert found.to_dicts() == [{"medium": 0, "sender": "b", "leader": "a", "share": 1.0, "together": 1.0, **of_data}]


def test_the_share_is_that_of_all_packets_of_the_sender():
    other = SINGLE | {"sender": "b", "receiver": "c", "mpdus": 1500.0, "bits": 1500 * 1508 * 8.0}
    assert tcp_acks.followers(links(DATA, ACKS, other))["share"].to_list() == [0.25]


def test_video_of_the_same_station_waits_in_a_queue_of_its_own():
    video = SINGLE | {"sender": "b", "receiver": "c", "mpdus": 1500.0, "bits": 1500 * 1508 * 8.0, "queue": 2}
    assert tcp_acks.followers(links(DATA, ACKS, video))["share"].to_list() == [1.0]
    assert tcp_acks.followers(links(DATA, ACKS | {"queue": 2})).is_empty()


@pytest.mark.parametrize(
    "changed",
    [
        {"bits": 500 * 400 * 8.0},  # too large for ACKs
        {"mpdus": 100.0, "bits": 100 * 60 * 8.0},  # too few
        {"mpdus": 2000.0, "bits": 2000 * 60 * 8.0},  # too many
        {"receiver": "c"},  # to somebody else
    ],
)
def test_other_traffic_is_none(changed):
    assert tcp_acks.followers(links(DATA, ACKS | changed)).is_empty()


def test_a_subject_that_acknowledges_has_fewer_acks_to_send():
    found = tcp_acks.followers(links(DATA, ACKS))
    rows = [
        STATION | {"sender": "b", "subject": True, "packets_per_s": 900.0, "delivered_per_s": 1500.0},
        STATION | {"sender": "a", "packets_per_s": 1800.0, "delivered_per_s": 1350.0},
        STATION | {"case": 1, "sender": "c", "subject": True, "packets_per_s": 900.0, "delivered_per_s": 1500.0},
        STATION | {"case": 1, "sender": "a", "packets_per_s": 1800.0, "delivered_per_s": 1350.0},
    ]
    left = tcp_acks.left_of_own(pl.DataFrame(rows, schema_overrides={"request_s": pl.Float64}), found)
    assert left.rows() == [(0, 0.75)]


HIDDEN = {"sender": "a", "receiver": None, "unheard": 1000.0, "fresh": 0.0, "first_ns": 0.0, "accesses": 1000.0}
TO_HIDDEN = {"sender": "b", "receiver": "a", "unheard": 0.0, "fresh": 500.0, "first_ns": 5e7, "accesses": 500.0}
OWN = {"sender": "c", "receiver": "b", "unheard": 0.0, "fresh": 300.0, "first_ns": 1.5e8, "accesses": 300.0}


def of_hidden(**changed):
    rows = [HIDDEN | {"carried": 0.0}, TO_HIDDEN | {"carried": 0.0} | changed, OWN | {"carried": 300.0}]
    return tcp_acks.of_hidden(links(*rows)).rows()


def test_short_frames_to_a_hidden_station_are_acks_of_what_it_sends():
    """Of 0.1 ms where data takes 0.5, one for each second frame."""
    assert of_hidden() == [(0, "b", "a", 1.0)]


def test_of_flows_that_a_sniffer_hears_those_count_whose_senders_are_apart():
    heard = links(DATA, ACKS)
    assert tcp_acks.of_hidden(heard).is_empty()
    apart = heard.with_columns(unaware=pl.when(pl.col("sender") == DATA["sender"]).then(2.0).otherwise(0.0))
    assert tcp_acks.of_hidden(apart).rows() == [(0, ACKS["sender"], DATA["sender"], 1.0)]


@pytest.mark.parametrize("changed", [{"first_ns": 2e8}, {"fresh": 100.0}, {"fresh": 1500.0}, {"receiver": "d"}])
def test_long_or_few_ones_are_not(changed):
    assert of_hidden(**changed) == []


def test_a_flow_is_silent_for_longer_the_more_it_loses_but_not_for_more_than_half():
    lost = pl.DataFrame({"lost": [0.0, 0.01, 0.03, 0.1, 0.5]})
    silent = lost.select(silent=tcp_acks.silent(pl.col("lost")))["silent"].to_list()
    assert silent[0] == 0
    assert silent == sorted(silent)
    # Of windows of 9.4 packets each loss ends 0.32 times in a timeout of two round-trip times.
    assert silent[2] == pytest.approx(0.0196 / (0.0196 + 0.1414), rel=0.05)
    assert silent[-1] == 0.5
