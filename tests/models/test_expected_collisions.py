"""Expected collisions beside those that a simulator had, and beside the fixed point's."""

import polars as pl
import pytest
from folders import ROOT
from test_fixed_point import STATIONS, station

import winf_analyzer
from winf_analyzer._models.saturation.contention import contention_domain, expected_collisions
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.solvers import dcf_monte_carlo, fixed_point

SAMPLE = ROOT / "tests/benchmarks/sample"


def senders(*rates, variation=1.0, mean=50.0):
    """Senders of one level of load, with RTS/CTS."""
    more = {"medium": 0, "level": 0, "queue": 0, "rts": True, "sifs_s": 10e-6, "txop_s": 0.0, "first_s": 416e-6}
    more |= {
        "accesses": 100.0,
        "to_groups": 0.0,
        "gaps": 100,
        "gap_ticks": 100 * mean,
        "gap_square": 100 * mean**2 * (1 + variation),
    }
    rows = [station(packets_per_s=rate) | more | {"sender": f"{rate:g}"} for rate in rates]
    kinds = {
        "medium": pl.Int64,
        "level": pl.Int64,
        "queue": pl.Int64,
        "rts": pl.Boolean,
        "sifs_s": pl.Float64,
        "txop_s": pl.Float64,
        "sender": pl.String,
    }
    kinds |= dict.fromkeys((*completeness.GAPS, "accesses", "to_groups"), pl.Float64)
    return pl.DataFrame(rows, schema=STATIONS | kinds).drop(
        "case", "subject", "loss", "rts_loss", "vulnerable", "count"
    )


def shares(*rates, **options):
    return dict(expected_collisions.shares(senders(*rates, **options)).select("sender", "collision").iter_rows())


def test_a_station_alone_collides_with_none():
    assert shares(100.0) == {"100": 0.0}


def test_they_grow_with_the_load_of_others():
    light, heavy = shares(20.0, 30.0), shares(20.0, 120.0)
    assert heavy["20"] > 2 * light["20"] > 0
    assert heavy["20"] > 2 * heavy["120"]


def test_packets_that_wait_for_the_same_exchange_meet_more_often_than_independent_ones():
    rates = [20.0, 40.0, 60.0, 80.0]
    rows = [station(packets_per_s=rate, first_s=416e-6) for rate in rates]
    solved = fixed_point.solve(pl.DataFrame(rows, schema=STATIONS))
    independent = dict(zip(shares(*rates), solved["collision"], strict=True))
    for sender, share in shares(*rates).items():
        assert share > 1.2 * independent[sender]


def test_packets_at_even_intervals_meet_less_often():
    random, even = (shares(80.0, 81.0, 82.0, variation=variation) for variation in (1.0, 0.05))
    assert sum(even.values()) < 0.8 * sum(random.values())


def independent_collisions(senders):
    """Attempts that collide by the fixed point of the senders of each window, none of them backlogged."""
    plain = {"subject": pl.lit(False), "loss": pl.lit(0.0), "rts_loss": pl.lit(0.0)}
    plain |= {"vulnerable": pl.lit(1.0), "count": pl.lit(1.0)}
    cases = senders.select("medium", "window_start_ns").unique().with_row_index("case")
    rows = senders.join(cases, on=["medium", "window_start_ns"]).with_columns(pl.col("case").cast(pl.Int64), **plain)
    typed = [fixed_point.sane(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items()]
    solved = fixed_point.solve(fixed_point.in_order(rows.select("medium", *typed, "accesses")))
    return (solved["accesses"] * solved["collision"]).sum()


def test_packets_that_waited_go_together():
    alone, busy = (
        dict(expected_collisions.shares(together(rate)).select("sender", "packets").iter_rows())["aggregating"]
        for rate in (1.0, 300.0)
    )
    assert 1.0 <= alone < 1.05
    assert busy > alone + 0.2


def together(others_per_s):
    """A sender of 150 MPDUs per second, which it may send 30 at a time, beside one of single frames."""
    rows = senders(150.0, others_per_s).with_columns(sender=pl.Series(["aggregating", "other"]))
    aggregating = pl.col("sender") == "aggregating"
    costs = {"packets_max": 30.0, "access_s": 300e-6, "packet_s": 100e-6}
    return rows.with_columns(
        pl.when(aggregating).then(cost).otherwise(name).alias(name) for name, cost in costs.items()
    )


@pytest.mark.slow("an estimate of a recording with many stations")
def test_they_are_about_as_many_as_a_simulator_had(tmp_path, monkeypatch):
    """Four stations of 802.11n and one receiver: a collision destroys, and the recorder sees that each is repeated."""
    kept = []

    def spy(links):
        kept.append((links, real(links)))
        return kept[-1][1]

    real = expected_collisions.as_recorded
    monkeypatch.setattr(expected_collisions, "as_recorded", spy)
    dataset = winf_analyzer.ingest([SAMPLE / "n.pcap.gz"], tmp_path / "run.winf")
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected", window="1s")
    links, simulated = kept[0]
    collided = expected_collisions.collided(simulated)
    repeated = links["retries"].sum()
    independent = independent_collisions(contention_domain.per_sender(links, ("medium", "window_start_ns")))
    assert independent < 0.6 * repeated
    assert repeated > 20
    assert collided["collided"].sum() == pytest.approx(repeated, rel=0.4)


def test_stations_that_are_alike_have_the_same_result():
    rows = senders(50.0, 50.0, 50.0, 80.0).with_columns(sender=pl.Series(["a", "b", "c", "d"]))
    found = expected_collisions.shares(rows).sort("sender")["collision"]
    assert found[0] == found[1] == found[2] > 0
    assert expected_collisions.shares(rows[::-1]).sort("sender")["collision"].equals(found)


def levels(**changed):
    """Levels of two windows of 1 s: in the first a link of 0.5 ms exchanges, in the second one more in addition."""
    own = {"medium": 0, "covered_ns": 10**9, "air_ns": 2e8, "done": 400.0, "unheard": 0.0}
    rows = [own | {"window_start_ns": start} for start in (0, 10**9)]
    rows += [own | {"window_start_ns": 10**9} | changed]
    return dict(expected_collisions.load_levels(pl.DataFrame(rows)).select("window_start_ns", "level").iter_rows())


def test_an_exchange_of_which_the_answer_alone_is_heard_takes_as_long_as_another():
    heard, unheard = {"air_ns": 5e8, "done": 1000.0}, {"air_ns": 0.0, "done": 1000.0, "unheard": 1000.0}
    assert levels(**heard) == levels(**unheard) == {0: 1, 10**9: 3}


def test_of_any_number_of_stations_that_are_alike_no_more_are_simulated_than_of_others(monkeypatch):
    simulated = []
    simulate = dcf_monte_carlo.simulate

    def counted(stations, **options):
        simulated.append(stations.group_by("case").len()["len"].max())
        return simulate(stations, **options)

    monkeypatch.setattr(dcf_monte_carlo, "simulate", counted)
    many = senders(80.0, *[1.0] * 1000).with_columns(
        sender=pl.format("{}", pl.int_range(pl.len())), attempts=pl.lit(1), bits=pl.lit(800)
    )
    found = expected_collisions.shares(many)
    assert simulated == [expected_collisions.MAX_STATIONS] == [found.height]
    assert "0" in found["sender"], "the one with the most airtime"
    shuffled = expected_collisions.shares(many.sample(fraction=1, shuffle=True, seed=1))
    assert found.sort("sender").equals(shuffled.sort("sender"))
