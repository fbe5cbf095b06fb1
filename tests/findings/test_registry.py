"""The declarations: complete, with thresholds that a test knows, and filters that Wireshark understands."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from folders import ROOT, SAMPLES

import winf_analyzer
from winf_analyzer._findings import questions
from winf_analyzer._findings.evidence import display_filter
from winf_analyzer._findings.registry import findings_registry
from winf_analyzer._findings.wording import sentence
from winf_analyzer._schema import tables

REGISTRY = findings_registry()
TSHARK = shutil.which("tshark")

THRESHOLDS = {
    "bufferbloat": 100,
    "bulk_in_voice": 0.05,
    "channel_hopping": 3,
    "channel_switch": 1,
    "deauthentication_flood": 10,
    "deauthentication_loop": 3,
    "edca_misuse": 0.05,
    "falling_rate": 3,
    "far_client": 75,
    "group_traffic": 0.1,
    "hidden_pair": 0.5,
    "management_overhead": 0.1,
    "missing_aggregation": 0.05,
    "overlapping_bss": 0.1,
    "power_save": 0.05,
    "protection_overhead": 0.1,
    "rate_anomaly": 3,
    "recording_unfit": 1,
    "retry_storm": 0.25,
    "roaming": 3,
    "saturated_channel": 0.9,
    "silent_interference": 0.3,
    "sticky_client": 8,
    "switch_announced": 1,
    "tcp_losses_elsewhere": 0.005,
    "tcp_stalls": 0.05,
    "unfair_share": 4,
}
"""Those that docs/findings.md was made with: who changes one makes the study again."""


def test_thresholds_are_those_of_the_study():
    assert {name: each.threshold for name, each in REGISTRY.items()} == THRESHOLDS


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_a_declaration_is_complete(name):
    each = REGISTRY[name]
    text = (ROOT / "findings" / f"{name}.sql").read_text(encoding="utf-8")
    assert all(len(line) <= 120 for line in text.splitlines())
    for said in (each.means, each.says, each.remedy):
        assert said.endswith((".", "}.")), said
    assert not each.title.endswith(".")
    for parameter, (_, meaning) in each.parameters.items():
        assert f"${parameter}" in each.sql or parameter == "threshold", parameter
        assert len(meaning) > 10
    assert all(each.needs.values()), "needs without lacks"
    assert not each.has_counterfactual or each.without
    assert bool(each.frames) == bool(each.filter)


def test_questions_read_the_tables_that_are_there_for_them():
    text = "\n".join([*questions.PRELUDE.values(), *(each.sql for each in REGISTRY.values())])
    words = set(re.findall(r"\w+", re.sub("--.*|'[^']*'", "", text)))
    assert words.intersection(table.name for table in tables()) == set(questions.TABLES)


def test_the_most_frequent_value_is_defined_where_several_are():
    texts = {each.name: each.sql for each in REGISTRY.values()}
    undefined = {name: re.findall(r"\bmode\((\w+)\)", text) for name, text in texts.items()}
    assert not {name: columns for name, columns in undefined.items() if columns}


def test_listing_has_every_finding():
    listed = winf_analyzer.list("findings")
    assert listed["finding"].to_list() == sorted(REGISTRY)
    assert listed.columns == ["finding", "title", "threshold", "threshold_is", "remedy", "meaning", "implemented_in"]


def test_a_filter_takes_addresses_and_numbers_only():
    finding = REGISTRY["far_client"]
    assert (
        display_filter(finding, {"sender": "02:00:00:00:00:0a"}) == "wlan.ta == 02:00:00:00:00:0a && wlan.fc.type == 2"
    )
    for other in ("node-3", '02" || 1', "a\nb"):
        assert display_filter(finding, {"sender": other}) is None


def test_texts_escape_what_a_terminal_obeys():
    assert sentence("{name} of {count:count}", {"name": "a\x1b[2J", "count": 3}) == "a\\x1b[2J of 3"
    assert sentence("{share:percent}, {rate:rate}", {"share": 0.123, "rate": None}) == "12 %, an unknown rate"


@pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")
@pytest.mark.parametrize("name", sorted(name for name, each in REGISTRY.items() if each.filter))
def test_wireshark_understands_the_filter(name):
    finding = REGISTRY[name]
    names = set(re.findall(r"\{(\w+)\}", finding.filter))
    row = {each: "10.0.0.1" if each.endswith("_ip") else "02:00:00:00:00:0a" for each in names}
    capture = next((SAMPLES / "ns3_sniffer" / "recording").iterdir())
    command = [TSHARK, "-r", str(capture), "-c", "1", "-Y", display_filter(finding, row)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
