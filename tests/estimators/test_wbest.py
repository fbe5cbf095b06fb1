"""WBest: pairs for the capacity, trains for what is left of it."""

import polars as pl
import pytest
from exchange_builder import A, C, D, exchange, one, table

from winf_analyzer.estimators import Settings, estimate
from winf_analyzer.estimators.wbest import available, effective_capacity

DISPERSIONS = [0.0020, 0.0021, 0.0019, 0.0035, 0.0020]


def train(between_us, start_us=1000.0, **columns):
    """Exchanges with these gaps between them."""
    rows, at = [], start_us
    for gap in (0, *between_us):
        rows.append(exchange(at + gap, **columns))
        at = rows[-1]["end_ns"] / 1000
    return rows


def measured(rows, settings=Settings()):  # noqa: B008
    return estimate(table(rows), ["wbest"], ["corrected"], settings)


def available_bps(effective, rate, loss=0.0):
    row = pl.DataFrame({"capacity_bps": [float(effective)], "train_bps": [float(rate)], "loss": [float(loss)]})
    return row.select(available()).item()


def test_effective_capacity_is_the_median():
    pairs = pl.DataFrame({"dispersion_ns": [round(s * 1e9) for s in DISPERSIONS], "payload_bytes": 1500})
    assert pairs.select(effective_capacity()).item() == pytest.approx(6e6, rel=1e-12)


@pytest.mark.parametrize(
    ("rate", "loss", "left"), [(6e6, 0, 6e6), (4.5e6, 0, 4e6), (4.5e6, 0.1, 3.6e6), (2.9e6, 0, 0), (7e6, 0, 6e6)]
)
def test_available_bandwidth_of_a_train(rate, loss, left):
    assert available_bps(6e6, rate, loss) == pytest.approx(left, rel=1e-12)


def test_an_undisturbed_train_leaves_everything():
    row = one(measured(train([350] * 5)), state="sender", sender=A)
    expected = 12_000e6 / (2293.273 + 350)
    assert (row["capacity_bps"], row["available_bps"]) == pytest.approx((expected, expected), rel=1e-6)
    assert row["exchanges"] == 5


def test_cross_traffic_between_the_packets_takes_its_share():
    rows = train([350, 350, 350 + 2293.273 + 50, 350], complete=True)
    between = rows[2]["end_ns"] / 1000 + 50
    rows.append(exchange(between, sender=C, receiver=D))
    row = one(measured(rows), state="sender", sender=A)
    pair, disturbed = 2293.273 + 350, 2 * 2293.273 + 400
    effective, rate = 12_000e6 / pair, 4 * 12_000e6 / (3 * pair + disturbed)
    assert row["capacity_bps"] == pytest.approx(effective, rel=1e-6)
    assert row["available_bps"] == pytest.approx(available_bps(effective, rate), rel=1e-6)
    assert row["available_bps"] < row["capacity_bps"]


def test_packets_given_up_are_loss():
    rows = train([350] * 8)
    lost = exchange(rows[-1]["end_ns"] / 1000 + 350, kind="basic", complete=False)
    row = one(measured([*rows, lost]), state="sender", sender=A)
    assert row["available_bps"] == pytest.approx(row["capacity_bps"] * 0.9, rel=1e-6)


def test_a_repetition_that_gets_through_is_no_loss():
    rows = train([350] * 3)
    failed = exchange(rows[-1]["end_ns"] / 1000 + 350, kind="basic", complete=False)
    again = exchange(failed["end_ns"] / 1000 + 350, attempt=2)
    row = one(measured([*rows, failed, again]), state="sender", sender=A)
    assert row["exchanges"] == 4
    rate = 4 * 12_000e6 / (3 * 2643.273 + (again["data_ns"] - rows[-1]["data_ns"]) / 1000)
    assert row["available_bps"] == pytest.approx(available_bps(12_000e6 / 2643.273, rate), rel=1e-6)


def test_running_goes_on_from_window_to_window():
    rows = [*train([350] * 3, 1e5), *train([100] * 3, 1.1e6)]
    found = measured(rows, Settings(running=True)).filter(state="sender", sender=A).sort("window_start_ns")
    assert found["exchanges"].to_list() == [3, 6]
    single = [12_000e6 / (2293.273 + gap) for gap in (350, 100)]
    assert found["capacity_bps"].to_list() == pytest.approx([single[0], sum(single) / 2], rel=1e-6)
