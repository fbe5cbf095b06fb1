"""K and E[BO|p] against worked numbers, 1500 bytes at 11 Mb/s, with numbers and with expressions."""

import polars as pl
import pytest

from winf_analyzer._models import backoff

DATA = 192 + 8 * 1528 / 11
EXCHANGE = 352 + 304 + DATA + 304 + 3 * 10


@pytest.mark.parametrize(
    ("drawn", "paper", "corrected"), [(0, 0.023932, 0.021338), (310, 0.150045, 0.135681), (620, 0.247299, 0.226101)]
)
def test_overhead(drawn, paper, corrected):
    """V-C1."""
    access, cycle = backoff.paper_cycle(50, 10, drawn, 352, 304, DATA)
    assert access / cycle == pytest.approx(paper, abs=1e-6)
    assert 1 - backoff.share_left(0, EXCHANGE, 50 + drawn) == pytest.approx(corrected, abs=1e-6)


@pytest.mark.parametrize(
    ("p", "factor", "available"),
    [(0, 0.864319, 2592955.5), (0.1, 0.777887, 2333660.0), (0.3, 0.605023, 1815068.9)],
)
def test_correction_of_a_bandwidth_that_counts_data_only(p, factor, available):
    """V-C2."""
    found = backoff.share_left(p, EXCHANGE, 50 + 310)
    assert found == pytest.approx(factor, abs=1e-6)
    assert 3e6 * found == pytest.approx(available, abs=0.1)


@pytest.mark.parametrize(("p", "slots"), [(0, 15.5), (0.1, 19.4437), (0.3, 37.7929)])
def test_expected_slots(p, slots):
    """V-C3."""
    assert backoff.expected_slots(p, 31) == pytest.approx(slots, abs=1e-4)
    row = pl.select(backoff.expected_slots(pl.lit(p, pl.Float64), pl.lit(31)))
    assert row.item() == pytest.approx(slots, abs=1e-4)


def test_the_window_stops_at_its_limit():
    """16, 32, .. 1024 for OFDM; a seventh attempt that fails for sure still draws from 1024."""
    assert backoff.expected_slots(1, 15) == sum((2**k - 1) / 2 for k in (4, 5, 6, 7, 8, 9, 10))
    assert backoff.expected_slots(1, 31) == sum((2**k - 1) / 2 for k in (5, 6, 7, 8, 9, 10, 10))
