"""A-MPDUs in the world of a recording, on small tables made by hand."""

from __future__ import annotations

import polars as pl
import pytest
from exchange_builder import A, B, exchange, table

from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.flows import cross_traffic
from winf_analyzer._replay.recorded.links.airtimes import size_airtimes
from winf_analyzer._replay.recorded.mac.aggregation import aggregates
from winf_analyzer._schema import complete

OVERHEAD_US = 36 + 6
MPDU_US = 330.0


def ppdu(number, mpdus, **columns):
    """One HT PPDU of so many packets of 1000 bytes."""
    row = exchange(1e4 * number, kind="basic", payload=1000 * mpdus)
    shown = {"mpdus": mpdus, "phy": "ht", "rate_mbps": 26.0, "length_bytes": 1070 * mpdus, "observer": A}
    return row | shown | {"data_airtime_us": OVERHEAD_US + mpdus * MPDU_US} | columns


def frames_of(retries=0):
    row = {"source": "s", "observer": A, "ta": A, "ra": B, "kind": "qos_data", "retry": True}
    return complete(pl.DataFrame([row] * retries or [row | {"retry": False}]).lazy(), "frames")


def found(rows, retries=0):
    exchanges = table(rows)
    return aggregates(frames_of(retries), exchanges, views.links(exchanges))


def test_single_frames_are_no_aggregation():
    assert found([ppdu(number, 1) for number in range(200)]) is None
    # A recorder may take two frames for one PPDU.
    assert found([ppdu(number, 1 + (number == 7)) for number in range(200)]) is None


def test_limits_are_those_of_the_standard_unless_many_ppdus_end_at_a_shorter_one():
    # 16 MPDUs take 5.322 ms; one more would be longer than 5.484 ms.
    full = found([ppdu(number, 16) for number in range(50)])
    assert full.parameters["max_ampdu_ns"] == 5_484_000
    assert "assumed" in full.note
    short = found([ppdu(number, 8) for number in range(50)])
    assert short.parameters["max_ampdu_ns"] == pytest.approx(1e3 * (OVERHEAD_US + 8 * MPDU_US + 4))
    assert "observed" in short.note
    mixed = found([ppdu(number, 1 + number % 12) for number in range(48)])
    assert mixed.parameters["max_ampdu_ns"] == 5_484_000, "a twelfth ended at the longest: what was queued"
    assert mixed.parameters | {"max_ampdu_ns": 0} == {
        "max_ampdu_bytes": 65_535,
        "max_ampdu_ns": 0,
        "block_ack_window": 64,
        "preamble_ns": 36_000,
        "block_ack_request": False,
    }


def test_longer_a_mpdus_than_those_of_ht():
    assert found([ppdu(0, 80), ppdu(1, 3)]).parameters["max_ampdu_bytes"] == 131_071
    assert found([ppdu(0, 80), ppdu(1, 3)]).parameters["block_ack_window"] == 80


def test_block_ack_requests_follow_unanswered_a_mpdus():
    rows = [ppdu(number, 16, complete=number % 2 == 0) for number in range(40)]
    asked = [
        ppdu(100 + number, 0, data_kind="block_ack_req", payload_bytes=None, data_airtime_us=None)
        for number in range(20)
    ]
    assert not found(rows).parameters["block_ack_request"]
    assert found([*rows, *asked]).parameters["block_ack_request"]
    heard = [row for row in rows if row["complete"]]
    assert found([*heard, *asked]).parameters["block_ack_request"], "A-MPDUs that collided were not heard"
    assert not found([*heard, *asked[:9]]).parameters["block_ack_request"], "too few"


def test_losses_are_mpdus_repeated_though_their_a_mpdu_was_answered():
    rows = [ppdu(number, 10, complete=number > 0) for number in range(20)]
    assert found(rows, retries=10).losses == {(A, B): 0.0}
    assert found(rows, retries=30).losses == {(A, B): 0.1}


@pytest.mark.parametrize(
    ("numbers", "lost"),
    [
        ([*range(100, 110), *range(100, 110)], 0.05),
        (range(100, 120), 0.0),
        ([*range(2000), *range(10)], 0.0),
    ],
    ids=["heard twice", "first heard when repeated", "numbers of other MPDUs, long ago"],
)
def test_only_mpdus_whose_earlier_copy_was_heard_are_losses(numbers, lost):
    rows = [ppdu(number, 10) for number in range(20)]
    seen = [
        {
            "source": "s",
            "observer": A,
            "ta": A,
            "ra": B,
            "kind": "qos_data",
            "retry": place >= len(numbers) - 10,
            "tid": 0,
            "seq": number,
        }
        for place, number in enumerate(numbers)
    ]
    exchanges = table(rows)
    frames = complete(pl.DataFrame(seen).lazy(), "frames")
    assert aggregates(frames, exchanges, views.links(exchanges)).losses == {(A, B): lost}


def test_airtimes_of_packets_are_those_of_single_frames():
    exchanges = table([*(ppdu(number, 16) for number in range(50)), ppdu(60, 1)])
    (size,) = size_airtimes(exchanges, views.links(exchanges), OVERHEAD_US)[A, B]
    assert size.airtime_us == pytest.approx(OVERHEAD_US + MPDU_US)


def test_packets_of_other_flows_that_came_together_come_together():
    exchanges = table([ppdu(1, 3, flow="x"), ppdu(2, 1, flow="x")])
    others = cross_traffic.packets(exchanges, views.links(exchanges), [], 0, 0)
    assert [size for _, size in others[A, B]] == [1000] * 4
    assert len({at for at, _ in others[A, B]}) == 2
