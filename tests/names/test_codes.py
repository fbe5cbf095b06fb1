"""Reason and status codes in words."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from winf_analyzer import _core
from winf_analyzer._names import reason_text, status_text


def test_a_code_has_its_number_and_its_meaning():
    assert reason_text(7) == "7 (class 3 frame from a station that is not associated)"
    assert reason_text(65535) == "65535 (reserved)"
    assert status_text(0) == "0 (successful)"
    assert status_text(9999) == "9999 (not of authentication or association)"


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize(
    ("field", "codes"), [("reason_code", _core.reason_codes()), ("status_code", _core.status_codes())]
)
def test_codes_are_those_that_wireshark_knows(field, codes):
    values = subprocess.run(["tshark", "-G", "values"], capture_output=True, text=True, check=True).stdout
    rows = (line.split("\t") for line in values.splitlines())
    known = {row[2]: row[-1] for row in rows if row[0] == "V" and row[1] == f"wlan.fixed.{field}"}
    assert {str(code) for code, _ in codes} <= {code for code, text in known.items() if text != "Reserved"}
