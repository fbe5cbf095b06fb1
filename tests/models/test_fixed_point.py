"""The fixed point against the theoretical maximum, Bianchi's model and its own properties."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from winf_analyzer import _core
from winf_analyzer._models.saturation.solvers.fixed_point import STATIONS, solve

T_X, DIFS, SLOT, T_RTS, T_CTS = 2293.273e-6, 50e-6, 20e-6, 352e-6, 304e-6
BITS = 12_000
MANY = 1e6


def station(**columns):
    """A station with RTS/CTS, 1500 octets at 11 Mb/s."""
    return {
        "case": 0,
        "subject": False,
        "packets_per_s": 0.0,
        "packets_max": 1.0,
        "count": 1.0,
        "aifs_s": DIFS,
        "access_s": T_X + DIFS,
        "packet_s": 0.0,
        "first_s": T_RTS + 10e-6 + T_CTS + DIFS,
        "first_packet_s": 0.0,
        "tail_s": 10e-6 + T_CTS + DIFS,
        "request_s": None,
        "loss": 0.0,
        "rts_loss": 0.0,
        "vulnerable": 1.0,
        "window": 32.0,
        "slot_s": SLOT,
    } | columns


def solved(*others, **subject):
    rows = [station(subject=True, **subject), *others]
    return solve(pl.DataFrame(rows, schema=STATIONS))


def megabits(table):
    return table["delivered_per_s"].sum() * BITS / 1e6


def of_subject(table):
    return megabits(table.filter("subject"))


def test_a_sender_alone_gets_the_theoretical_maximum():
    assert megabits(solved()) == pytest.approx(4.522716, rel=1e-6)


@pytest.mark.parametrize(("stations", "bianchi"), [(2, 4.7605), (5, 4.8674), (10, 4.8529), (20, 4.7947)])
def test_backlogged_stations_agree_with_bianchi_within_four_per_cent(stations, bianchi):
    bianchis = {"first_s": T_RTS + DIFS}  # no timeout after a collision
    table = solved(*(station(packets_per_s=MANY, **bianchis) for _ in range(stations - 1)), **bianchis)
    assert megabits(table) == pytest.approx(bianchi, rel=0.04)
    assert of_subject(table) == pytest.approx(megabits(table) / stations, rel=1e-3)


def test_who_wants_less_than_its_share_gets_what_it_wants():
    table = solved(station(packets_per_s=100.0))
    assert table.filter(~pl.col("subject"))["delivered_per_s"][0] == pytest.approx(100, rel=1e-3)
    assert of_subject(table) == pytest.approx(4.76 - 1.2, rel=0.05)


@examples(8)
@given(
    st.lists(st.floats(0, 2000), min_size=1, max_size=7),
    st.floats(0, 0.5),
    st.sampled_from([16.0, 32.0]),
    st.floats(1.0, 40.0),
)
def test_nobody_gets_more_than_alone_and_the_iteration_settles(rates, loss, window, most):
    others = [station(packets_per_s=rate) for rate in rates]
    table = solved(*others, loss=loss, window=window, packets_max=most, packet_s=1e-4)
    alone = solved(loss=loss, window=window, packets_max=most, packet_s=1e-4)
    assert 0 < of_subject(table) <= of_subject(alone) * 1.001
    assert table["collision"].is_between(0, 1).all()
    wanted = [pl.Series(rates).sum() * 1.001, table.filter(~pl.col("subject"))["delivered_per_s"].sum()]
    assert wanted[1] <= wanted[0] + 1e-6


def test_the_more_the_others_want_the_less_is_left():
    left = [
        of_subject(solved(*(station(packets_per_s=rate) for _ in range(3)))) for rate in (0, 20, 50, 100, 200, MANY)
    ]
    assert left == sorted(left, reverse=True)


def test_an_aggregating_station_sends_what_came_in_meanwhile():
    other = station(packets_per_s=500.0, packets_max=64.0, access_s=200e-6, packet_s=190e-6)
    table = solved(other, access_s=200e-6, packet_s=190e-6, packets_max=28.0)
    row = table.filter(~pl.col("subject")).row(0, named=True)
    assert row["delivered_per_s"] == pytest.approx(500, rel=1e-3)
    assert 1.5 < row["packets"] < 10


@pytest.mark.parametrize(
    ("stations", "reason"),
    [
        (pl.DataFrame(schema=STATIONS).drop("loss"), "loss .* missing"),
        (pl.DataFrame([station(window=None)], schema=STATIONS), "window .* nulls"),
        (pl.DataFrame([station()], schema=STATIONS).cast({"slot_s": pl.Int64}), "slot_s .* another type"),
    ],
)
def test_a_table_that_is_none_of_stations_is_refused(stations, reason):
    with pytest.raises(ValueError, match=reason):
        _core.solve_stations(stations)
