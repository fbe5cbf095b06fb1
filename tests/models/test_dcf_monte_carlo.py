"""The simulation against the fixed point where both hold, and what it adds."""

import time

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from test_fixed_point import MANY, STATIONS, of_subject, solved, station

from winf_analyzer._models.saturation.solvers import dcf_monte_carlo
from winf_analyzer._models.saturation.solvers.dcf_monte_carlo import CONTENDERS

BITS = 12e-3
DATA_S = 1303.273e-6
BASIC = {"access_s": DATA_S + 364e-6, "first_s": DATA_S + 364e-6, "tail_s": 364e-6, "rts": False}


def contenders(*stations):
    """Rows of stations, with what the simulation knows besides."""
    more = {"hidden": False, "rts": True, "sifs_s": 10e-6, "txop_s": 0.0}
    rows = [more | {"unanswered_s": row["first_s"]} | row for row in stations]
    flags, numbers = ("hidden", "rts"), ("unanswered_s", "sifs_s", "txop_s")
    schema = STATIONS | dict.fromkeys(flags, pl.Boolean) | dict.fromkeys(numbers, pl.Float64)
    return pl.DataFrame(rows, schema=schema).select(CONTENDERS)


def simulated(*others, subject=None, first=1.0, answered=1.0, **options):
    table = contenders(station(subject=True) | (subject or {}), *others)
    found = dcf_monte_carlo.of_subject(
        table, first_destroyed=pl.lit(first), answered_destroyed=pl.lit(answered), **options
    )
    return found.row(0, named=True)


@pytest.mark.parametrize("rates", [(), (100.0,), (MANY,), (30.0, 30.0, 30.0)])
def test_it_agrees_with_the_fixed_point_where_all_hear_one_another(rates):
    others = [station(packets_per_s=rate) for rate in rates]
    assert simulated(*others)["delivered_per_s"] * BITS == pytest.approx(of_subject(solved(*others)), rel=0.04)


def test_the_same_seed_gives_the_same_result():
    others = [station(packets_per_s=80.0)] * 2
    assert simulated(*others) == simulated(*others)
    assert simulated(*others) != simulated(*others, seed=2)


def test_a_station_that_is_not_backlogged_sends_what_it_has():
    outcome = simulated(subject={"packets_per_s": 40.0}, backlogged=False)
    assert outcome["delivered_per_s"] == pytest.approx(40, rel=0.03)
    assert outcome["first_failed"] == outcome["answered_failed"] == 0


def test_loss_shows_in_the_failures():
    assert simulated(subject={"loss": 0.2})["answered_failed"] == pytest.approx(0.2, abs=0.02)


def test_hidden_stations_cost_more_without_rts():
    other = station(packets_per_s=150.0)
    in_range = simulated(other | BASIC, subject=BASIC)["delivered_per_s"]
    hidden = simulated(other | BASIC | {"hidden": True}, subject=BASIC)["delivered_per_s"]
    with_rts = simulated(other | {"hidden": True})["delivered_per_s"]
    assert hidden < 0.6 * in_range
    assert with_rts > 1.15 * hidden


@pytest.mark.parametrize(("share", "most"), [(0.0, 0.1), (0.5, 0.8)])
def test_what_is_lost_of_frames_that_overlap_is_each_station_s_own(share, most):
    """The subject loses all that overlaps a hidden station's frames; that one a share."""
    table = contenders(station(subject=True) | BASIC, station(packets_per_s=150.0) | BASIC | {"hidden": True})

    def failed(hidden, subject=1.0):
        beside = pl.when("subject").then(pl.lit(subject)).otherwise(pl.lit(hidden))
        rows = table.with_columns(beside_lost=beside)
        found = dcf_monte_carlo.simulate(rows, first_destroyed=pl.lit(1.0), answered_destroyed=pl.lit(1.0))
        return dict(found.select("subject", "first_failed").rows())

    usual, less, neither = failed(1.0), failed(share), failed(share, subject=share)
    assert usual == dict(
        dcf_monte_carlo.simulate(table, first_destroyed=pl.lit(1.0), answered_destroyed=pl.lit(1.0))
        .select("subject", "first_failed")
        .rows()
    ), "without it all are lost"
    assert usual[False] > 0.4
    assert less[False] < most * usual[False]
    assert less[True] > 0.1, "the subject's are lost as before"
    assert neither[True] < less[True] - 0.02, "its own frames that begin later survive as well"


def test_frames_that_survive_later_ones_help():
    other = station(packets_per_s=150.0) | {"hidden": True}
    chances = [(1.0, 1.0), (0.0, 1.0), (0.0, 0.0)]
    fragile, rts_survives, robust = (simulated(other, first=first, answered=answered) for first, answered in chances)
    assert robust["delivered_per_s"] > max(fragile["delivered_per_s"], rts_survives["delivered_per_s"])
    # Who did not hear the CTS sends into the data: a RTS that survives only moves the loss there.
    assert rts_survives["first_failed"] < fragile["first_failed"]
    assert rts_survives["answered_failed"] > fragile["answered_failed"]
    assert robust["answered_failed"] == 0


def test_cases_are_simulated_apart():
    one, two = contenders(station(subject=True)), contenders(station(case=7, subject=True, loss=0.1))
    both = dcf_monte_carlo.of_subject(
        pl.concat([two, one]), first_destroyed=pl.lit(1.0), answered_destroyed=pl.lit(1.0)
    )
    assert both["case"].to_list() == [7, 0]
    assert both["delivered_per_s"][1] == simulated()["delivered_per_s"]


def test_cases_that_are_alike_cost_one_simulation():
    """As many short recordings of one network do. What comes out is the same as alone, whatever the order."""

    def seconds(table):
        began = time.process_time()
        found = dcf_monte_carlo.of_subject(table, first_destroyed=pl.lit(1.0), answered_destroyed=pl.lit(1.0))
        return time.process_time() - began, found.drop("case")

    other = station(packets_per_s=80.0)
    one = contenders(station(subject=True), other)
    alike = pl.concat([one.with_columns(case=pl.lit(case, pl.Int64)) for case in range(50)])
    differs = contenders(station(case=50, subject=True), other | {"case": 50, "loss": 0.1})
    alone_s, alone = seconds(one)
    together_s, together = seconds(pl.concat([alike[:60], differs, alike[60:]]))
    assert together_s < 20 * alone_s
    assert together.filter(pl.int_range(pl.len()) != 30).unique().equals(alone)
    assert not together[30].equals(alone)


def test_cases_that_differ_in_anything_are_simulated_apart():
    base = contenders(station(subject=True, request_s=1e-3), station(packets_per_s=80.0, request_s=1e-3))
    cases = [base]
    for name in CONTENDERS:
        if name in ("case", "subject", "hidden", "rts"):
            continue
        other = (pl.col(name) * 0.7 + 0.1).cast(base.schema[name])
        cases.append(base.with_columns(pl.when("subject").then(name).otherwise(other).alias(name)))
    cases += [base.with_columns(pl.col(name) ^ ~pl.col("subject")) for name in ("hidden", "rts")]
    cases.append(base.with_columns(request_s=pl.when("subject").then("request_s")))
    cases = [rows.with_columns(case=pl.lit(case, pl.Int64)) for case, rows in enumerate(cases)]
    certain = {"first_destroyed": pl.lit(1.0), "answered_destroyed": pl.lit(1.0)}
    alone = pl.concat(dcf_monte_carlo.simulate(rows, **certain) for rows in cases)
    assert dcf_monte_carlo.simulate(pl.concat(cases), **certain).equals(alone)


@examples(20)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "packets_per_s": st.floats(0, 1e9),
                "packets_max": st.floats(1, 1024),
                "packet_s": st.floats(0, 1),
                "access_s": st.floats(1e-6, 10),
                "unanswered_s": st.floats(1e-6, 10),
                "tail_s": st.floats(0, 1),
                "request_s": st.none() | st.floats(1e-6, 1),
                "loss": st.floats(0, 0.95),
                "window": st.floats(2, 1024),
                "hidden": st.booleans(),
                "rts": st.booleans(),
            }
        ),
        max_size=4,
    )
)
def test_whatever_the_stations_it_ends_within_its_bounds(others):
    outcome = simulated(*(station() | other for other in others))
    assert 0 <= outcome["delivered_per_s"] < 5000
    assert 0 <= outcome["first_failed"] <= 1
    assert 0 <= outcome["answered_failed"] <= 1


def test_what_cw_does_at_the_retry_limits_matters_beside_hidden_stations_that_aggregate():
    aggregates = {"packets_max": 28.0, "access_s": 200e-6, "packet_s": 190e-6, "first_packet_s": 190e-6}
    aggregates |= {"first_s": 200e-6, "tail_s": 90e-6, "request_s": 150e-6, "rts": False}
    hidden = station(packets_per_s=300.0) | aggregates | {"hidden": True}
    reset, kept = (simulated(hidden, subject=aggregates, persistent=kept)["delivered_per_s"] for kept in (False, True))
    assert kept > 1.1 * reset
    plain = station(packets_per_s=100.0)
    assert simulated(plain, persistent=False) == simulated(plain, persistent=True)
