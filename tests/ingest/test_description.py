"""The lines of `winf info` about clocks and audit."""

from __future__ import annotations

import pytest

from benchmarks.made_captures import capture
from winf_analyzer._ingest import description
from winf_analyzer._ingest.description import audit_text, container_text, convention_text, tells
from winf_analyzer._ingest.inspection import recording_facts


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


def test_of_channels_as_many_as_frames_some_are_named(tmp_path):
    path = tmp_path / "one.pcap"
    capture(path, 2, range(4))
    entry = recording_facts(path, "one")
    entry["counts"]["channels"] = {str(number): 1 + (number == 500) for number in range(1000)}
    named = dict(description.describe(entry))["channels"]
    assert named.startswith("500 MHz: 2  0 MHz: 1  ")
    assert named.endswith(f"  and {1000 - description.COUNTED} more; --to json lists them")
    entry["counts"]["channels"] = {str(number): 1 for number in range(description.COUNTED)}
    assert "more" not in dict(description.describe(entry))["channels"]
