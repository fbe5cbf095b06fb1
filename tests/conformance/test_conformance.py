"""The samples, and a few third-party captures, agree with tshark but for the known differences."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from sampled import one_of_each

from winf_analyzer import _core

from . import captures, oracle
from .comparison import compare
from .differences import DIFFERENCES

THIRD_PARTIES = (
    "rmallensb__802.11_Distribution/phelpsEdu_00001_20180308162621_K",
    "npapoutsakis__wifi-doctor/60_80.pcap",
    "ehn1225__airodump/80211-icmp.pcap",
    "realjimmy__sample-captures/http_PPI.cap",
    "realjimmy__sample-captures/wpa-Induction.pcap",
    "aircrack-ng__aircrack-ng/wpa.cap",
    "npapoutsakis__wifi-doctor/home_8.pcap",
    "rmaratos__networks744/phoneidle1.pcap",
    "drivers/mesh.pcap",
    "vanhoefm__fragattacks/ping_I_E_R_E-fromclient.pcapng",
)
"""Different encapsulations, PHYs, and kinds of damage; the others are for ``make conformance``."""

needs_tshark = pytest.mark.skipif(not oracle.is_installed(), reason="tshark is not installed")


def assert_agreement(capture: Path) -> None:
    outcome = compare(capture)
    assert outcome is not None
    assert outcome.equal > outcome.frames
    with pl.Config(tbl_rows=30):
        assert outcome.unexplained.is_empty(), outcome.unexplained


@needs_tshark
@pytest.mark.parametrize(
    "capture",
    one_of_each(captures.samples(), lambda path: path.parents[1].name),
    ids=lambda path: f"{path.parents[1].name}/{path.name}",
)
def test_samples_agree(capture):
    assert_agreement(capture)


@needs_tshark
@pytest.mark.shared
@pytest.mark.parametrize("name", THIRD_PARTIES)
def test_third_party_captures_agree(shared_captures, name):
    capture = shared_captures / name
    if _core.recognize(capture) is None:
        pytest.skip("not a format that is read")
    assert_agreement(capture)


@needs_tshark
def test_a_wrong_value_is_found(monkeypatch):
    """The comparison is no tautology: one value changed on one side is one unexplained difference."""
    frames = oracle.frames
    wrong = pl.when(pl.int_range(pl.len()) == 7).then(4095 - pl.col("seq")).otherwise(pl.col("seq"))
    monkeypatch.setattr(oracle, "frames", lambda *a, **k: frames(*a, **k).with_columns(wrong.alias("seq")))
    outcome = compare(captures.ROOT / "sample_captures/ns3_ht/recording/node-0.pcap")
    assert outcome is not None
    assert outcome.unexplained["column"].to_list() == ["seq"]
    assert outcome.unexplained["frame_no"].to_list() == [8]


def test_every_difference_has_its_reason():
    text = (Path(__file__).parent / "DIFFERENCES.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (.+)$", text, re.MULTILINE) == [difference.name for difference in DIFFERENCES]
