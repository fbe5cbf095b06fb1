"""What an access of a station costs, from the sums of its exchanges."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.recorded import completeness, stations
from winf_analyzer._models.saturation.recorded.exchange_sums import SUMS

SIFS, SLOT, AIFS, RTS, ANSWER, DATA = 16e3, 9e3, 34e3, 44e3, 60e3, 200e3


def costs(txop_limit_ns=0.0, heard_share=1.0, **sums):
    """Of the exchanges of one sender, times in ns."""
    shares = dict.fromkeys(completeness.SHARES, 0.0) | {"heard_share": heard_share, "txop_limit_ns": txop_limit_ns}
    shares |= {"in_range": True, "one_by_one": False, "voice_agreed": False, "anonymous": False}
    shares["at_once"] = False
    row = dict.fromkeys(SUMS, 0.0) | shares | {"covered_ns": 1e9} | sums
    return stations.costs(pl.DataFrame([row])).row(0, named=True)


def test_voice_is_aggregated_once_a_block_ack_for_it_was_heard():
    voice = accesses(10) | {"carried": 10.0, "voice": 6.0, "aggregating": 1.0, "done": 10.0}
    assert [costs(**voice, voice_agreed=agreed)["aggregates"] for agreed in (False, True)] == [False, True]


def accesses(count, **more):
    parameters = {"sifs_ns": SIFS, "slot_ns": SLOT, "aifs_ns": AIFS, "first_ns": DATA, "answer_ns": ANSWER}
    return {"accesses": float(count)} | {name: count * value for name, value in (parameters | more).items()}


def in_txops(again):
    """Hundred TXOPs of three frames each, with RTS before the first, or before each."""
    handshake = RTS + ANSWER + SIFS
    exchange, going_on = DATA + ANSWER, 200 * SIFS
    once = {"whole_rts": 100.0, "rts_air_ns": 100 * (handshake + exchange)}
    once |= {"whole": 200.0, "whole_air_ns": 200 * exchange + going_on}
    carried = {"carried": 300.0, "continued": 200.0, "continued_rts": 200.0 * again, "with_rts": 100.0, "done": 100.0}
    return costs(
        2_080_000.0,
        **accesses(100, first_ns=RTS),
        **carried,
        **({"whole_rts": 300.0, "rts_air_ns": 300 * (handshake + exchange) + going_on} if again else once),
        rate_bps=300 * 54e6,
    )


def test_a_txop_holds_fewer_frames_that_each_begin_with_rts():
    once, each = in_txops(again=False), in_txops(again=True)
    assert once["packet_s"] == pytest.approx((DATA + ANSWER + SIFS) / 1e9)
    assert each["packet_s"] == pytest.approx((RTS + ANSWER + SIFS + DATA + ANSWER + SIFS) / 1e9)
    assert (once["packets_max"], each["packets_max"]) == (7, 5)
    # The handshake is counted once, wherever it is.
    assert each["access_s"] + each["packet_s"] == pytest.approx(once["access_s"] + once["packet_s"])


@pytest.mark.parametrize("seen_to_go_on", [0, 3, 6])
def test_frames_of_a_txop_are_one_sifs_apart_however_many_went_on(seen_to_go_on):
    """The mean of the exchanges holds the SIFS before those that did."""
    air_ns = 8 * (DATA + ANSWER) + seen_to_go_on * SIFS
    carried = {"carried": 8.0, "continued": float(seen_to_go_on), "done": 8.0 - seen_to_go_on, "rate_bps": 8 * 54e6}
    found = costs(3_008_000.0, **accesses(8 - seen_to_go_on), **carried, whole=8.0, whole_air_ns=air_ns)
    assert found["packet_s"] == pytest.approx((DATA + ANSWER + SIFS) / 1e9)
    assert found["access_s"] + found["packet_s"] == pytest.approx((DATA + ANSWER + AIFS) / 1e9)


@pytest.mark.parametrize(
    ("limit", "mpdus"),
    [({}, 29), ({"limit_mpdus": 10}, 10), ({"limit_bytes": 8_000}, 5), ({"limit_ns": 1_040_000}, 5)],
)
def test_an_aggregate_ends_at_the_first_limit_of_its_sender(limit, mpdus):
    """1500 octets and a delimiter at 65 Mb/s are 185.1 us: five in 1.04 ms, 29 in 5.484 ms less a preamble of 40 us."""
    of_one = {"psdu_bytes": 1500, "rate_bps": 65e6, "window_mpdus": 64, "ampdu_bytes": 65_535, "plcp_ns": 40_000}
    of_one |= {"limit_mpdus": 1024, "limit_bytes": 1 << 24, "limit_ns": 5_484_000, "mpdus": 1, "aggregating": 1} | limit
    sums = {name: 100.0 * value for name, value in of_one.items()}
    assert costs(**accesses(100), **sums, carried=100.0, done=100.0)["packets_max"] == mpdus


def test_one_access_carries_all_fragments():
    """Hundred MSDUs, half of them in three fragments, SIFS apart."""
    of_exchange = DATA + ANSWER
    carried = {"carried": 200.0, "continued": 100.0, "fragments": 100.0, "done": 100.0, "bits": 200 * 4096.0}
    air_ns = 200 * of_exchange + 100 * SIFS
    found = costs(**accesses(100), **carried, whole=200.0, whole_air_ns=air_ns)
    assert found["packets_per_s"] == pytest.approx(100)
    assert found["packet_bits"] == pytest.approx(2 * 4096)
    assert found["access_s"] == pytest.approx((air_ns / 100 + AIFS) / 1e9)
    assert found["first_s"] == pytest.approx((of_exchange + AIFS) / 1e9)
    assert (found["packets_max"], found["aggregates"]) == (1, False)


def test_frames_that_carry_nothing_take_their_time():
    """Null frames, which save power."""
    found = costs(**accesses(100), done=100.0, whole=100.0, whole_air_ns=100 * (DATA + ANSWER))
    assert found["access_s"] == pytest.approx((DATA + ANSWER + AIFS) / 1e9)


def test_beacons_say_nothing_of_how_long_data_takes_whose_answers_are_not_heard():
    beacons = {"to_groups": 10.0, "to_groups_air_ns": 10 * 900e3, "done": 10.0, "air_ns": 10 * 900e3}
    sums = accesses(1010) | beacons | {"first_ns": 1000 * DATA + 10 * 900e3}
    assert costs(**sums)["access_s"] == pytest.approx((DATA + ANSWER + AIFS) / 1e9)
    of_beacons_alone = accesses(10) | beacons
    assert costs(**of_beacons_alone)["access_s"] == pytest.approx((900e3 + AIFS) / 1e9)
