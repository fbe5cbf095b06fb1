"""What recordings hold stays text: in HTML, and in a script element."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winf_analyzer._report import report
from winf_analyzer._report.sanitize import escape_controls, round_significant, script_json

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "{{ 7 * 7 }}",
    "<!--<script>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_names_from_recordings_stay_text(synthetic, tmp_path, text):
    dataset = synthetic(source=text, ssid=text, message=text, seconds=2)
    html = report(dataset, tmp_path / "r.html").read_text(encoding="utf-8")
    if "<" in text:
        assert text not in html
    else:
        assert text in html


def test_direction_overrides_and_control_characters_are_spelled():
    assert escape_controls("cap\u202egnp.pcap") == "cap\\u202egnp.pcap"
    assert escape_controls("a\x1b[31mb\x00") == "a\\x1b[31mb\\x00"
    assert escape_controls("größe 😀\u202f1") == "größe 😀\u202f1"


@given(st.recursive(st.text() | st.integers() | st.none(), st.lists, max_leaves=5))
def test_script_json_is_json_that_cannot_end_its_element(value):
    text = str(script_json(value))
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == value


def test_numbers_are_rounded_and_never_infinite():
    assert round_significant(4.5227163) == 4.5227
    assert round_significant(123456.0) == 123460
    assert round_significant(float("nan")) is None
    assert round_significant(float("inf")) is None
