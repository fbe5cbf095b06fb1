"""Odds ratio, Fisher's exact test and Wilson's interval against published and enumerated values."""

from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winf_analyzer._hidden.association import fisher, odds_ratio, wilson_lower

COUNTS = st.integers(0, 12)


def test_the_lady_tasting_tea():
    """R. A. Fisher, The Design of Experiments, 1935, chapter II: 1/70 for all right, 17/70 for three of four."""
    assert fisher(4, 0, 0, 4) == pytest.approx(1 / 70)
    assert fisher(3, 1, 1, 3) == pytest.approx(17 / 70)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_fisher_is_the_hypergeometric_tail(a, b, c, d):
    ways = sum(comb(a + b, k) * comb(c + d, a + c - k) for k in range(a, min(a + b, a + c) + 1))
    assert fisher(a, b, c, d) == pytest.approx(ways / comb(a + b + c + d, a + c), abs=1e-12)


def test_fisher_of_millions_is_quick_and_sane():
    assert fisher(1000, 999_000, 1000, 999_000) == pytest.approx(0.5, abs=0.02)
    assert fisher(1000, 0, 0, 10**7) == 0
    assert fisher(0, 10**6, 10**6, 10**7) == 1


def test_odds_ratio():
    assert odds_ratio(10, 5, 5, 10) == pytest.approx(10.5**2 / 5.5**2)
    assert odds_ratio(5, 0, 0, 5) == pytest.approx(121)


def test_wilsons_interval():
    """E. B. Wilson, 1927; 81 of 263 with z = 1.96: 0.2553 (R. G. Newcombe, Stat. in Medicine 17, 1998, table I)."""
    assert wilson_lower(81, 263, z=1.959964) == pytest.approx(0.2553, abs=5e-5)
    assert wilson_lower(0, 0) == 0
    assert all(0 <= wilson_lower(k, n) <= k / n for k, n in product(range(4), range(3, 9)))


@pytest.mark.parametrize("cells", [(-1, 0, 0, 0), (1, 2, 3, -4)])
def test_negative_counts_are_refused(cells):
    with pytest.raises(ValueError, match="negative"):
        fisher(*cells)
