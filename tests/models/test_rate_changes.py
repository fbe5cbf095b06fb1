"""Senders whose rate changes: between the mix of rates and their mean."""

import polars as pl
import pytest
from test_fixed_point import STATIONS, station

from winf_analyzer._models.saturation.interval import bounds
from winf_analyzer._models.saturation.recorded import rate_changes
from winf_analyzer._models.saturation.solvers.fixed_point import solve

KINDS = STATIONS | {"aggregates": pl.Boolean, "rts": pl.Boolean}
LINK = pl.DataFrame({"case": [0], "rate_excess_s": [400e-6], "access_s": [2293e-6], "packet_s": [0.0]})


def stations(**columns):
    more = {"aggregates": False, "rts": False}
    subject = station(subject=True) | {"first_s": 2000e-6} | more | columns
    other = station(packets_per_s=30.0) | more
    return pl.DataFrame([subject, other], schema=KINDS)


def changed(rows, link=LINK):
    return rate_changes.at_the_mean_rate(rows, link)


def test_the_excess_is_what_slow_packets_take_on_top_of_the_mean_rate():
    # Of ten packets of 1500 octets one goes at 1 Mb/s, nine at 11 Mb/s.
    sums = pl.DataFrame({"carried": [10.0], "payload_ns": [8e3 * 1500 * (1 + 9 / 11)], "psdu_bytes": [15_000.0]})
    excess = rate_changes.excess_ns(pl.col("carried"), pl.lit(1e6), pl.lit(0.3))
    assert sums.select(excess).item() == 0.0
    excess = rate_changes.excess_ns(pl.col("carried"), pl.lit(10e6), pl.lit(0.3))
    assert sums.select(excess).item() == pytest.approx(2_181_818 - 1_200_000)
    assert sums.select(rate_changes.excess_ns(pl.col("carried"), pl.lit(10e6), pl.lit(0.0))).item() == 0.0


def test_only_the_subject_is_shorter_and_only_what_its_data_takes():
    before, after = stations(), changed(stations())
    assert after["access_s"][0] == pytest.approx(before["access_s"][0] - 400e-6)
    assert after["first_s"][0] == pytest.approx(before["first_s"][0] - 400e-6)
    assert after[1].equals(before[1])
    with_rts = changed(stations(rts=True))
    assert with_rts["first_s"][0] == before["first_s"][0]


def test_in_a_txop_each_packet_is_shorter():
    after = changed(stations(packet_s=1000e-6, packets_max=3.0))
    assert after["packet_s"][0] == pytest.approx(600e-6)
    assert after["access_s"][0] == stations()["access_s"][0]


def test_a_link_with_one_reading_has_no_other():
    assert changed(stations(), LINK.with_columns(rate_excess_s=pl.lit(0.0))).is_empty()


def test_the_answer_is_between_both_and_their_difference_a_doubt():
    delivered = pl.DataFrame({"case": [0, 1], "delivered_per_s": [100.0, 50.0]})
    otherwise = pl.DataFrame({"case": [0], "mean_rate_per_s": [140.0], "own_per_s": [5.0]})
    two, one = rate_changes.settled(delivered, otherwise).to_dicts()
    answer = two["delivered_per_s"]
    # Time of packets at the mean rate, and what slow ones take on top: sqrt(5 x) of them in place of x.
    assert answer / 140 + (1 / 100 - 1 / 140) * (5 * answer) ** 0.5 == pytest.approx(1)
    assert (two["rate_factor"], two["rate_factor_most"]) == pytest.approx((answer / 100, 1.4))
    assert two["rate_doubt"] == pytest.approx(20 / answer)
    assert (one["delivered_per_s"], one["rate_doubt"]) == (50.0, 0.0)
    assert rate_changes.settled(delivered, None)["delivered_per_s"].to_list() == [100.0, 50.0]


@pytest.mark.parametrize(("own", "factor"), [(0.0, 1.4), (1.0, 1.0)])
def test_a_sender_that_is_saturated_already_has_the_mix_and_one_that_sent_nothing_the_mean_rate(own, factor):
    row = pl.DataFrame({"ratio": [1.4], "own": [own]})
    assert row.select(rate_changes.between(pl.col("ratio"), pl.col("own"))).item() == pytest.approx(factor)


def test_the_other_reading_is_the_faster():
    mix, faster = (solve(rows).filter("subject")["delivered_per_s"][0] for rows in (stations(), changed(stations())))
    assert 1.05 * mix < faster < 1.3 * mix


@pytest.mark.parametrize(
    ("changed", "doubt"),
    [
        ({}, (0.2 / 0.8 / 7) ** 0.5),
        ({"loss": 0.1}, (0.3 / 0.7 / 7) ** 0.5),
        ({"rts": True}, 0.0),
        ({"rts": True, "loss": 0.1}, (0.1 / 0.9 / 7) ** 0.5),
        ({"rate_spread": 0.0}, 0.0),
        # 100 aggregates that succeed per second are 6.25 attempts per interval.
        ({"aggregates": True}, (0.2 / 0.8 / 7 / 6.25) ** 0.5),
    ],
)
def test_collisions_that_rate_control_takes_for_losses_are_a_doubt(changed, doubt):
    """The variance of an average of draws that each weigh a quarter: a seventh of theirs."""
    sender = {"rate_spread": 0.1, "collision": 0.2, "loss": 0.0, "rts": False, "aggregates": False}
    row = pl.DataFrame([sender | {"margin_covered_s": 1.0, "margin_accesses": 100.0, "packets_max": 1.0} | changed])
    assert row.select(bounds.terms()["mistaken"]).item() == pytest.approx(doubt)


@pytest.mark.parametrize(
    ("changed", "left"),
    [
        ({}, 1 - 0.75 * 0.2),
        ({"loss": 0.1}, 1 - 0.75 * 0.3),
        ({"packets_per_s": 50.0}, 1 - 0.75 * 0.2 / 2),
        ({"packets_per_s": 110.0}, 1.0),
        ({"rts": True}, 1.0),
        ({"aggregates": False}, 1.0),
        ({"rate_spread": 0.0}, 1.0),
    ],
)
def test_a_sender_of_aggregates_falls_back_to_slower_rates_where_it_collides(changed, left):
    """Others try their rates often enough for collisions to hit all of them alike."""
    sender = {"rate_spread": 0.1, "collision": 0.2, "loss": 0.0, "rts": False, "aggregates": True}
    row = pl.DataFrame([sender | {"packets_per_s": 0.0, "delivered_per_s": 100.0} | changed])
    assert row.select(rate_changes.mistaken()).item() == pytest.approx(left)


def test_how_many_frames_to_groups_come_is_a_doubt():
    """A count is as unsure as its root: 250 of 2 ms in a second are a half, give or take 3 % of the second."""
    row = pl.DataFrame([{"to_groups_share": 0.5, "to_groups_s": 2e-3, "margin_covered_s": 1.0}])
    assert row.select(bounds.terms()["to_groups"]).item() == pytest.approx(250**0.5 * 2e-3 / 0.5)
