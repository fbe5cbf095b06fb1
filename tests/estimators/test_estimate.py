"""The table that comes out, whatever goes in."""

import polars as pl
import pytest
from exchange_builder import STAMPS, A, B, C, busy_second, exchange, table
from hypothesis import example, given
from hypothesis import strategies as st
from properties import examples

from winf_analyzer.estimators import ESTIMATES, ESTIMATES_SCHEMA, ESTIMATORS, MODES, Settings, estimate


def test_nothing_in_gives_an_empty_table():
    estimates = estimate(table([]))
    assert estimates.height == 0
    assert estimates.schema == ESTIMATES_SCHEMA


def test_every_row_of_the_registry_fills_the_table():
    pair = [exchange(3_100_000), exchange(3_102_600)]
    estimates = estimate(table([*busy_second(5), *pair]))
    assert estimates.schema == ESTIMATES_SCHEMA
    assert set(estimates.select("estimator", "mode").iter_rows()) == {(e, m) for e in ESTIMATORS for m in MODES}
    assert all(e.name == name and e.description and e.source for name, e in ESTIMATORS.items())
    assert all(column.meaning for column in ESTIMATES)


def test_rows_are_identified_by_their_keys():
    estimates = estimate(table([*busy_second(), *busy_second(sender=C), *busy_second(observer=B)]))
    keys = ["estimator", "mode", "source", "observer", "node", "sender", "receiver", "state", "window_start_ns", "path"]
    assert not estimates.select(pl.struct(keys).is_duplicated().any()).item()


def test_column_types_of_the_parsers_are_accepted():
    narrow = table(busy_second(3)).with_columns(
        pl.col("nav_rts_us", "nav_cts_us").cast(pl.UInt16),
        pl.col("payload_bytes", "length_bytes", "mpdus", "attempt").cast(pl.UInt32),
        pl.col("rate_mbps").cast(pl.Float32),
        pl.col("source", "kind", "sender").cast(pl.Categorical),
        extra=pl.lit(1),
    )
    wide = estimate(table(busy_second(3)).with_columns(pl.col("nav_rts_us", "nav_cts_us").floor()))
    assert estimate(narrow).equals(wide)


@pytest.mark.parametrize("wrong", [{"names": ["rt_wimf"]}, {"modes": ["exact"]}])
def test_a_name_that_does_not_exist_lists_those_that_do(wrong):
    with pytest.raises(ValueError, match=r"rt_winf|corrected"):
        estimate(table([]), **wrong)


@pytest.mark.parametrize("wrong", [{"window_ns": 0}, {"min_cover": 2.0}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Settings(**wrong)


ANYTHING = st.integers(-(2**63), 2**63 - 1)
NEAR = st.integers(0, 3 * 10**9)
LIKELY_ROWS = st.builds(
    exchange,
    st.floats(0, 3e6),
    kind=st.sampled_from(["rts", "basic", "cts_self", "broadcast", "rts_failed", "unknown"]),
    payload=st.integers(0, 65_535),
    sender=st.sampled_from([A, B, C, None]),
    receiver=st.sampled_from([A, B, C, None, "ff:ff:ff:ff:ff:ff"]),
    observer=st.sampled_from([None, None, A, B]),
    source=st.sampled_from(["s", "t"]),
    hidden=st.booleans(),
    complete=st.booleans(),
    backoff_us=st.none() | st.floats(-10, 1000),
    idle_before_us=st.none() | st.floats(-10, 1000),
    attempt=st.none() | st.integers(0, 9),
    flow=st.sampled_from(["udp a b", "tcp a b", None]),
    packet_uid=st.none() | st.integers(0, 3),
    queue_ns=st.none() | st.integers(-10, 10**7),
    access_ns=st.none() | st.integers(-10, 10**7),
)
DAMAGE = st.dictionaries(st.sampled_from([*STAMPS, "start_ns", "end_ns"]), st.none() | NEAR | ANYTHING, max_size=6) | (
    st.dictionaries(
        st.sampled_from(
            ["nav_rts_us", "nav_cts_us", "data_airtime_us", "ack_airtime_us", "idle_before_us", "rate_mbps"]
        ),
        st.none() | st.floats(),
        max_size=3,
    )
)
ROWS = st.builds(lambda row, damage: row | damage, LIKELY_ROWS, st.just({}) | DAMAGE)


KINDS = st.sampled_from(
    [
        {},
        {"probe": "subtype_1001"},
        {"running": True},
        {"per_exchange": True},
        {"per_exchange": True, "running": True},
        {"step_ns": 250_000},
    ]
)


@examples(25)
@example([exchange(0, kind="rts") | {"rts_start_ns": -(2**63), "rts_ns": 2**63 - 1}], False, {}, 10**8)
@given(st.lists(ROWS, max_size=12), st.booleans(), KINDS, st.sampled_from([10**6, 10**8]))
def test_estimates_stay_within_their_bounds(rows, cooperate, kind, window_ns):
    chosen = Settings(window_ns=window_ns, cooperate=cooperate, min_cover=0, **kind)
    estimates = estimate(table(rows), settings=chosen)
    floats = [name for name, dtype in ESTIMATES_SCHEMA.items() if dtype == pl.Float64()]
    assert estimates.select(pl.col(floats).drop_nulls().is_finite().all()).row(0) == (True,) * len(floats)
    assert estimates.select(pl.col(floats).drop_nulls().ge(0).all()).row(0) == (True,) * len(floats)
    ratios = estimates.select(pl.col("idle_ratio", "collision_probability").drop_nulls().le(1).all())
    assert ratios.row(0) == (True, True)
    assert estimates.filter(pl.col("available_bps") > pl.col("capacity_bps")).height == 0
    assert (
        estimates.filter(
            pl.col("state") == "onlooker", pl.col("node").is_null(), pl.col("observer").is_not_null()
        ).height
        == 0
    )
