"""Which time stamps name a date."""

from __future__ import annotations

import pytest

from winf_analyzer._util.clocks import date_text, has_date

DAY_NS = 86_400 * 10**9


@pytest.mark.parametrize(
    ("ts_ns", "is_date"),
    [(None, False), (0, False), (365 * DAY_NS, False), (10 * 365 * DAY_NS, True), (253_402_300_800 * 10**9, False)],
    ids=["none", "simulation", "a year since the start", "1979", "year 10000"],
)
def test_a_stamp_of_a_clock_that_was_set_names_a_date(ts_ns, is_date):
    assert has_date(ts_ns) is is_date


def test_a_date_is_in_utc():
    assert date_text(951_782_400 * 10**9 + 999_999_999) == "2000-02-29 00:00:00 UTC"
    assert has_date(2**63 - 1)
    assert date_text(2**63 - 1) == "2262-04-11 23:47:16 UTC"
