"""The lines of `winf info` about clocks and audit."""

from __future__ import annotations

import pytest

from winf_analyzer._ingest.description import audit_text, container_text, convention_text, tells


def test_a_check_without_cases_says_something_where_it_makes_times_unusable():
    check = {
        "check": "sifs",
        "pairs": 0,
        "value": None,
        "verdict": "unusable",
        "consequence": "timing unusable: no gaps",
    }
    assert tells(check)
    assert audit_text(check) == "answers within 4 us of SIFS: none, unusable (timing unusable: no gaps)"
    assert not tells(check | {"verdict": "doubtful"})
    assert tells(check | {"verdict": "doubtful", "pairs": 3})


@pytest.mark.parametrize(
    ("pairs", "said"), [(1, "100.0 % of 1 SIFS-spaced pair agrees"), (2, "of 2 SIFS-spaced pairs agree")]
)
def test_one_pair_is_one(pairs, said):
    group = {"direction": "rx", "phy": "vht", "convention": "start", "ambiguous": False, "pairs": pairs}
    assert said in convention_text(group | {"explained_share": 1.0})


def test_the_container_is_named_once():
    assert container_text({"container": "pcap 2.4", "link type": "802.11 (105)"}) == "pcap 2.4  link type 802.11 (105)"
