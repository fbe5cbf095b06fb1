"""Findings in words: what is not known, and what is too little to matter."""

from __future__ import annotations

import pytest

from winf_analyzer._findings.wording import effect_sentence, sentence


def test_an_unknown_rate_reads_as_such():
    assert sentence("most of them at {rate:rate}", {"rate": None}) == "most of them at an unknown rate"
    assert sentence("most of them at {rate:rate}", {"rate": 6.0}) == "most of them at 6 Mb/s"


@pytest.mark.parametrize(
    ("share", "said"), [(0.00005, "less than 0.1 %"), (0.0015, "0.15 %"), (0.001, "0.1 %"), (0.25, "25 %")]
)
def test_shares_of_time(share, said):
    row = {"effect_bps": None, "airtime_share": share}
    assert effect_sentence(row, "these losses") == f"Without these losses, {said} of the time would be free."
