"""The collision correction: worked numbers, what tells loss from collision, and the running failure share."""

import polars as pl
import pytest
from exchange_builder import BACKOFF, DIFS, A, B, C, busy_second, exchange, one, table

from winf_analyzer._models import bianchi
from winf_analyzer.estimators import Settings, estimate

SECOND = {"window_start_ns": 10**9, "sender": A, "receiver": B}


def corrected(rows, **settings):
    return estimate(table(rows), ["collision"], ["corrected"], Settings(**settings))


def contenders(p):
    return pl.select(bianchi.contenders(pl.lit(p), pl.lit(bianchi.WINDOW), pl.lit(bianchi.STAGES))).item()


def mixed(failed, *, of=100, kind="basic", **columns):
    """Attempts in the window [1 s, 2 s) of which the first `failed` are not answered, and a third station's."""
    loss = "rts_failed" if kind == "rts" else kind
    outcomes = [(loss, False)] * failed + [(kind, True)] * (of - failed)
    rows = [
        exchange(1_000_500 + n * 1e6 / of, kind=form, complete=done, **columns)
        for n, (form, done) in enumerate(outcomes)
    ]
    return [exchange(500_000, sender=C), *rows, exchange(2_500_000, sender=C)]


@pytest.mark.parametrize(("drawn", "overhead"), [(0.0, 0.023932), (310.0, 0.150045), (620.0, 0.247299)])
def test_the_paper_takes_k_off(drawn, overhead):
    """V-C1."""
    exchanges = table(busy_second(backoff_us=drawn))
    winf = one(estimate(exchanges, ["rt_winf"], ["paper"]), state="sender", **SECOND)
    row = one(estimate(exchanges, ["collision"], ["paper"]), **SECOND)
    assert row["available_bps"] == pytest.approx(winf["available_bps"] * (1 - overhead), rel=1e-5)
    assert row["collision_probability"] == pytest.approx(1 - overhead, abs=1e-6)
    assert row["capacity_bps"] == winf["capacity_bps"]


def test_without_failures_the_corrected_form_is_rt_winfs():
    exchanges = table(busy_second())
    winf = one(estimate(exchanges, ["rt_winf"], ["corrected"]), state="sender", **SECOND)
    row = one(corrected(busy_second()), **SECOND)
    assert (row["collision_probability"], row["loss_probability"], row["contenders"]) == (0, 0, 1)
    assert row["capacity_bps"] == pytest.approx(winf["capacity_bps"])
    assert row["available_bps"] == pytest.approx(winf["available_bps"])
    assert row["expected_backoff_us"] == BACKOFF


@pytest.mark.parametrize(("failed", "slots"), [(10, 19.4437), (30, 37.7929)])
def test_failures_cost_attempts_and_backoff(failed, slots):
    """V-C3 in the cycle of V-W1: C = (1-p) 8S/(DIFS + E[BO|p] + T_X)."""
    row = one(corrected(mixed(failed, kind="rts")), **SECOND)
    p = failed / 100
    assert row["collision_probability"] == pytest.approx(p)
    assert row["expected_backoff_us"] == pytest.approx(20 * slots, rel=1e-5)
    assert row["capacity_bps"] == pytest.approx((1 - p) * 8 * 1500e6 / (DIFS + 20 * slots + 2293.273), rel=1e-4)
    assert row["available_bps"] == pytest.approx(row["capacity_bps"] * row["idle_ratio"])
    assert row["contenders"] == pytest.approx(contenders(p))


def test_losses_at_the_only_rate_count_as_collisions():
    row = one(corrected(mixed(20)), **SECOND)
    assert (row["collision_probability"], row["loss_probability"]) == pytest.approx((0.2, 0))


def test_what_fails_only_at_the_higher_rate_is_lost():
    robust = mixed(5, rate_mbps=2.0)
    fast = [row | {"rate_mbps": 11.0} for row in mixed(65)[1:-1]]
    row = one(corrected([*robust, *fast]), **SECOND)
    assert (row["collision_probability"], row["loss_probability"]) == pytest.approx((0.05, 0.30))


def test_two_stations_alone_cannot_collide_if_one_is_silent():
    alone = [row for row in mixed(20) if row["sender"] == A]
    row = one(corrected(alone), **SECOND)
    assert (row["collision_probability"], row["loss_probability"]) == pytest.approx((0, 0.2))


def test_a_recorder_that_missed_an_attempt_is_told_by_its_repetition():
    """Ten of a hundred are repetitions of something that was not heard: eleven in 110 attempts failed."""
    rows = mixed(0)
    for row in rows[5:15]:
        row["attempt"] = 2
    row = one(corrected(rows), **SECOND)
    assert row["collision_probability"] == pytest.approx(10 / 110)
    own = one(corrected([row | {"observer": A} for row in rows]), **SECOND)
    assert own["collision_probability"] == 0


def test_the_running_share_forgets_by_an_eighth():
    """Two windows: eight answered after one failure, then one more failure."""
    rows = [exchange(1_000_500, kind="rts_failed"), *(exchange(1_010_500 + n * 5000) for n in range(8))]
    rows += [exchange(2_000_500, kind="rts_failed")]
    p = (1 / 8) * (7 / 8) ** 8
    found = corrected(rows)
    assert one(found, **SECOND)["failed_ewma"] == pytest.approx(p)
    assert one(found, **SECOND | {"window_start_ns": 2 * 10**9})["failed_ewma"] == pytest.approx(p + (1 - p) / 8)


def test_sliding_and_running_windows_count_the_attempts_they_hold():
    """The first 10 of 100 fail in one second, the first 30 of 100 in the next."""
    first, second = mixed(10, kind="rts"), mixed(30, kind="rts")
    later = [
        row | {name: value + 10**9 for name, value in row.items() if name.endswith("_ns") and value is not None}
        for row in second[1:]
    ]
    rows = [*first[:-1], *later]
    shares = {1_000: 0.1, 1_500: 0.3, 2_000: 0.3}
    sliding = corrected(rows, step_ns=500_000_000)
    for start_ms, share in shares.items():
        row = one(sliding, **SECOND | {"window_start_ns": start_ms * 1_000_000})
        assert row["collision_probability"] == pytest.approx(share)
        assert row["contenders"] == pytest.approx(contenders(share))
    running = one(corrected(rows, running=True), **SECOND | {"window_start_ns": 2 * 10**9})
    assert running["collision_probability"] == pytest.approx(0.2)
    assert running["exchanges"] == 160


def test_waiting_is_no_backoff():
    """A first attempt draws at most 31 slots of 20 us, a second one 63."""
    waits = [exchange(1_000_500 + n * 10_000, backoff_us=backoff) for n, backoff in enumerate([200.0, 400.0, 9000.0])]
    again = exchange(1_100_500, backoff_us=1200.0, attempt=2)
    heard = [exchange(500_000, sender=C), *waits, again]
    row = one(corrected([exchange_row | {"observer": A} for exchange_row in heard]), **SECOND)
    assert row["measured_backoff_us"] == pytest.approx((200 + 400 + 1200) / 3)


def test_there_are_sender_rows_only():
    found = estimate(table(busy_second()), ["collision"])
    assert found["state"].unique().to_list() == ["sender"]
    assert estimate(table([]), ["collision"]).is_empty()
    assert found.filter(pl.col("available_bps") > pl.col("capacity_bps")).is_empty()


@pytest.mark.parametrize("settings", [{}, {"step_ns": 500_000_000}, {"running": True}])
def test_the_interval_holds_the_value(settings):
    """Saturation's, which reckons with failures itself: rt-Winf's own value is no end of it."""
    rows = mixed(60, kind="rts")
    found = estimate(table(rows), ["collision", "rt_winf", "saturation"], ["corrected"], Settings(**settings))
    keys = ["node", "sender", "receiver", "state", "window_start_ns"]
    of = found.filter(estimator="collision").join(
        found.filter(estimator="saturation"), on=keys, nulls_equal=True, suffix="_of_saturation"
    )
    of = of.filter(pl.col("available_bps").is_not_null(), pl.col("receiver").is_not_null())
    assert not of.is_empty()
    low, value, high = (of[f"available_{name}bps"] for name in ("low_", "", "high_"))
    assert low.is_between(0, value).all()
    assert low.to_list() == of.select(pl.min_horizontal(value, "available_low_bps_of_saturation")).to_series().to_list()
    assert (
        high.to_list() == of.select(pl.max_horizontal(value, "available_high_bps_of_saturation")).to_series().to_list()
    )


@pytest.mark.parametrize(
    ("settings", "starts_ms"),
    [({"running": True}, [1000, 2000, 3000]), ({"step_ns": 500_000_000}, [500, 1000])],
)
def test_the_running_share_stays_while_a_link_is_silent(settings, starts_ms):
    """One failure and eight answers in 50 ms, then the other station only."""
    rows = [exchange(1_000_500, kind="rts_failed"), *(exchange(1_010_500 + n * 5000) for n in range(8))]
    rows += [exchange(at, sender=C) for at in (500_000.0, 1_700_500.0, 2_500_500.0, 3_500_500.0)]
    found = corrected(rows, **settings)
    for start_ms in starts_ms:
        row = one(found, **SECOND | {"window_start_ns": start_ms * 1_000_000})
        assert row["failed_ewma"] == pytest.approx((1 / 8) * (7 / 8) ** 8), start_ms
