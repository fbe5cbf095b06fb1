"""The rehearsal against the fixed point where both hold, and what it adds."""

import pytest
from test_fixed_point import MANY, of_subject, solved, station

from winf_analyzer.estimators.saturation.rehearsal import rehearse

BITS = 12e-3


def rows(*stations):
    return [{**row, "request_s": row["request_s"] or 0.0} for row in stations]


def played(*others, hidden=False, **options):
    subject = station(subject=True, **options.pop("subject", {}))
    out = [False, *(hidden for _ in others)]
    return rehearse(rows(subject, *others), out, **options)


@pytest.mark.parametrize("rates", [(), (100.0,), (MANY,), (30.0, 30.0, 30.0)])
def test_it_agrees_with_the_fixed_point_where_all_hear_one_another(rates):
    others = [station(packets_per_s=rate) for rate in rates]
    assert played(*others).delivered_per_s * BITS == pytest.approx(of_subject(solved(*others)), rel=0.04)


def test_the_same_seed_gives_the_same_result():
    others = [station(packets_per_s=80.0)] * 2
    assert played(*others) == played(*others)
    assert played(*others) != played(*others, seed=2)


def test_a_station_that_is_not_backlogged_sends_what_it_has():
    outcome = played(subject={"packets_per_s": 40.0}, backlogged=False)
    assert outcome.delivered_per_s == pytest.approx(40, rel=0.05)
    assert outcome.failed_share == 0


def test_loss_shows_in_the_failures():
    assert played(subject={"loss": 0.2}).failed_share == pytest.approx(0.2, abs=0.02)


def test_hidden_stations_cost_more_without_rts():
    data_s = 1303.273e-6
    basic = {"access_s": data_s + 364e-6, "first_s": data_s + 364e-6, "tail_s": 364e-6}
    other = {"packets_per_s": 150.0}
    in_range = played(station(**basic, **other), subject=basic).delivered_per_s
    hidden = played(station(**basic, **other), subject=basic, hidden=True).delivered_per_s
    with_rts = played(station(**other), hidden=True).delivered_per_s
    assert hidden < 0.6 * in_range
    assert with_rts > 1.2 * hidden


def test_frames_that_survive_later_ones_help():
    others = [station(packets_per_s=150.0)]
    fragile, robust = (played(*others, hidden=True, later_destroys=chance).delivered_per_s for chance in (1.0, 0.0))
    assert robust > fragile
