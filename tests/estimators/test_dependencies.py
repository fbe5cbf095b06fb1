"""Estimators that take the rows of others: each runs once, in whatever order they are named."""

from collections import Counter
from dataclasses import replace
from unittest import mock

import polars as pl
import pytest
from exchange_builder import B, C, busy_second, exchange, table

from winf_analyzer._aggregate.reader import ExchangeReader
from winf_analyzer.estimators import ESTIMATORS, MODES, Estimator, Method, Settings, _run, estimate

ROWS = [*busy_second(30), *(exchange(1_005_000 + n * 30_000, sender=B, receiver=C, flow="f") for n in range(20))]
NAMES = ("collision", "rt_winf", "saturation", "busy_share")
ORDERS = [NAMES, NAMES[::-1], ("rt_winf", "busy_share", "collision", "saturation")]
KEYS = ["estimator", "mode", "source", "node", "sender", "receiver", "path", "state", "window_start_ns"]


@pytest.fixture
def calls(monkeypatch):
    """How often each estimator's functions are called."""
    found = Counter()

    def counted(name, mode, method):
        def finish(context, **taken):
            found[name, mode] += 1
            return method.finish(context, **taken)

        return replace(method, finish=finish)

    rows = {
        row.name: replace(row, **{mode: counted(row.name, mode, row.method(mode)) for mode in MODES})
        for row in ESTIMATORS.values()
    }
    monkeypatch.setattr(_run, "registry", lambda: rows)
    return found


@pytest.mark.parametrize("names", ORDERS)
def test_any_order_of_names_gives_the_same_rows_at_the_same_cost(names, calls):
    expected = estimate(table(ROWS), NAMES).sort(KEYS)
    cost = dict(calls)
    calls.clear()
    found = estimate(table(ROWS), names)
    assert list(dict.fromkeys(found["estimator"])) == list(names)
    assert found.sort(KEYS).equals(expected)
    assert dict(calls) == cost
    # busy_share takes the rows of theoretical_maximum.
    assert cost == {(name, mode): 1 for name in (*NAMES, "theoretical_maximum") for mode in MODES}


@pytest.fixture(scope="module")
def together():
    """The rows of all estimators in one run."""
    return estimate(table(ROWS))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_says_the_same_alone(name, together):
    assert estimate(table(ROWS), [name]).equals(together.filter(estimator=name))


def test_a_name_given_twice_counts_once(calls):
    assert estimate(table(ROWS), ["rt_winf", "rt_winf"]).equals(estimate(table(ROWS), ["rt_winf"]))


def inputs_computed(*asked, **settings):
    """How many aggregates an estimate works out of the exchanges, each once."""
    counts = []
    real = ExchangeReader.aggregate

    def counted(self, aggregates):
        counts.append(len(aggregates))
        assert len(set(aggregates)) == len(aggregates)
        return real(self, aggregates)

    with mock.patch.object(ExchangeReader, "aggregate", counted):
        estimate(table(ROWS), *asked, **settings)
    (count,) = counts
    return count


@pytest.fixture(scope="module")
def of_all():
    return inputs_computed()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_only_what_is_asked_for_is_computed(name, of_all):
    assert 0 < inputs_computed([name]) < of_all


def test_without_rows_of_single_exchanges_nothing_is_computed():
    assert inputs_computed(["saturation"], settings=Settings(per_exchange=True)) == 0


def test_what_one_does_to_the_rows_of_another_nobody_sees(monkeypatch):
    def spoils(context, rt_winf):
        rt_winf.insert_column(0, pl.lit(0.0).alias("spoilt"))
        rt_winf.drop_in_place("capacity_bps")
        return rt_winf

    mine = Estimator("mine", "", "", Method(spoils, after=("rt_winf",)), Method(spoils, after=("rt_winf",)))
    monkeypatch.setattr(_run, "registry", lambda: {**ESTIMATORS, "mine": mine})
    expected = estimate(table(ROWS), ["rt_winf", "collision"])
    found = estimate(table(ROWS), ["mine", "rt_winf", "collision"])
    assert found.filter(pl.col("estimator") != "mine").equals(expected)
