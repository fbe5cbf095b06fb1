"""Recordings held against what the simulators themselves say was on the air.

With the native decoder: `test_decoders.py` shows that tshark fills the same tables of the same recordings.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

import polars as pl
import pytest
from folders import SAMPLES

import winf_analyzer

NAMES = sorted(path.parent.name for path in SAMPLES.glob("*/truth_transmissions.csv"))
GROUPED = {
    "qos_data": "data",
    **dict.fromkeys(("assoc_req", "assoc_resp", "reassoc_req", "reassoc_resp", "auth", "action"), "mgmt_other"),
}
"""Kinds that not every truth tells apart."""


def truth(name: str) -> tuple[pl.DataFrame, dict]:
    facts = json.loads((SAMPLES / name / "truth.json").read_text(encoding="utf-8"))
    rows = pl.read_csv(SAMPLES / name / "truth_transmissions.csv", infer_schema_length=None)
    return rows.with_row_index("transmission"), facts


@cache
def recorded(name: str) -> pl.DataFrame:
    files = sorted((SAMPLES / name / "recording").iterdir())
    frames = pl.concat([pl.DataFrame(winf_analyzer.read_frames(path)) for path in files])
    text = [pl.col(column).cast(pl.String) for column in ("observer", "direction", "layer", "kind", "source")]
    return frames.with_columns(text).filter(pl.col("layer") == "mac")


def addresses(facts: dict) -> dict[int, str]:
    return {node["node"]: node.get("address", f"node-{node['node']}") for node in facts["nodes"]}


def matched(transmissions: pl.DataFrame, frames: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Each transmission with the recorded frame whose start is nearest."""
    left = transmissions.sort("start_ns")
    right = frames.filter(pl.col("start_ns").is_not_null()).sort("start_ns")
    right = right.select(*by, pl.col("start_ns").alias("found_ns"), "airtime_us", "length_bytes")
    return left.join_asof(right, left_on="start_ns", right_on="found_ns", by=by, strategy="nearest", suffix="_found")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "ns3_sniffer"])
def test_every_transmission_is_found_with_its_start_and_airtime(name):
    transmissions, facts = truth(name)
    if "mpdus" in transmissions.columns:
        transmissions = transmissions.filter(pl.col("mpdus") <= 1)
    names = addresses(facts)
    transmissions = transmissions.with_columns(
        observer=pl.col("node").replace_strict(names, return_dtype=pl.String), kind=pl.col("kind").replace(GROUPED)
    )
    sent = recorded(name).filter(pl.col("direction") == "tx").with_columns(pl.col("kind").replace(GROUPED))
    found = matched(transmissions, sent, ["observer", "kind"])
    assert found.height > 50
    late = found.filter(((pl.col("found_ns") - pl.col("start_ns")).abs() > 1000) | pl.col("found_ns").is_null())
    assert late.is_empty(), late
    wrong = found.filter(
        ((pl.col("airtime_us") - pl.col("duration_ns") / 1000).abs() > 1.0) | pl.col("airtime_us").is_null()
    )
    assert wrong.is_empty(), wrong


@pytest.mark.parametrize("name", NAMES)
def test_received_frames_start_when_they_were_sent(name):
    """A node stamps what it receives at another instant than what it sends; both must come out alike."""
    transmissions, facts = truth(name)
    if "mpdus" in transmissions.columns:
        transmissions = transmissions.filter(pl.col("mpdus") <= 1)
    receivers = transmissions.with_columns(
        pl.col("received_ok").cast(pl.String).str.split(";").alias("node"), kind=pl.col("kind").replace(GROUPED)
    )
    receivers = receivers.explode("node").filter(pl.col("node").fill_null("") != "")
    names = {str(node): address for node, address in addresses(facts).items()}
    receivers = receivers.with_columns(observer=pl.col("node").replace_strict(names, return_dtype=pl.String))
    heard = recorded(name).filter(pl.col("direction") != "tx").with_columns(pl.col("kind").replace(GROUPED))
    if name == "ns3_sniffer":
        receivers = receivers.filter(pl.col("node") == str(facts["phy"]["sniffer"])).drop("observer")
        found = matched(receivers, heard, ["kind"])
    else:
        found = matched(receivers, heard, ["observer", "kind"])
    assert found.height > 50
    # ns-2 logs a frame only at its addressee, and 1 us covers the way through the air.
    late = found.filter(((pl.col("found_ns") - pl.col("start_ns")).abs() > 2000) | pl.col("found_ns").is_null())
    assert late.height <= 0.001 * found.height, late


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("ns3")])
def test_counts_are_those_that_tshark_printed(name):
    _, facts = truth(name)
    frames = recorded(name).with_columns(pl.col("kind").replace(GROUPED))
    for source, expected in facts["files"].items():
        own = frames.filter(pl.col("source") == source)
        counts = dict(own.group_by("kind").len().iter_rows())
        wanted = Counter()
        for kind, count in expected.items():
            wanted[GROUPED.get(kind, kind)] += count
        assert wanted == {**counts, "all": own.height}, source
