"""How much a recorder missed, held against what the simulator says was on the air."""

from __future__ import annotations

import json
import random

import polars as pl
import pytest
from folders import SAMPLES
from pcaps import AP, STATION, data, pcap, radiotap
from rewriting import records, write

import winf_analyzer
from winf_analyzer._sql.named_queries import question

WITHIN = 0.06
"""The largest error of a link's missed share, of links with a hundred frames and more."""


def sent(name: str) -> pl.DataFrame:
    """Data and management frames that were on the air, by link; MPDUs of an A-MPDU are counted one by one."""
    facts = json.loads((SAMPLES / name / "truth.json").read_text(encoding="utf-8"))
    address = {str(node["node"]): node["address"] for node in facts["nodes"]} | {"all": "ff:ff:ff:ff:ff:ff"}
    rows = pl.read_csv(SAMPLES / name / "truth_transmissions.csv", infer_schema_length=None)
    rows = rows.filter(pl.col("kind").is_in(["data", "qos_data", "beacon", "mgmt_other"]))
    sender, receiver = (pl.col(end).cast(pl.String).replace(address) for end in ("node", "receiver"))
    return (
        rows.with_columns(sender=sender, receiver=receiver)
        .group_by("sender", "receiver")
        .agg(pl.col("mpdus").clip(1).sum().alias("sent"))
    )


@pytest.mark.parametrize("dropped", [0.0, 0.05, 0.2, 0.4])
@pytest.mark.parametrize("recording", ["ns3_sniffer/sniffer", "ns3_ht/node-1", "ns3_rts_link/node-2"])
def test_the_estimate_is_near_the_share_that_is_missing(recording, dropped, tmp_path):
    """Frames are dropped at random; the sniffer also misses a third of what a hidden station sends."""
    name, source = recording.split("/")
    dice = random.Random(7)
    kept = [frame for frame in records(SAMPLES / name / "recording" / f"{source}.pcap") if dice.random() >= dropped]
    write(tmp_path / "thinned.pcap", kept)
    dataset = winf_analyzer.ingest([tmp_path / "thinned.pcap"], tmp_path / "run.winf")
    found = winf_analyzer.sql(dataset, question("completeness")).join(sent(name), on=["sender", "receiver"])
    found = found.filter(pl.col("sent") >= 100).with_columns(missing=1 - pl.col("heard") / pl.col("sent"))
    assert found.height > 0
    wrong = found.filter(((pl.col("missed_share") - pl.col("missing")).abs() > WITHIN).fill_null(value=True))
    assert wrong.is_empty(), wrong.select("sender", "receiver", "heard", "sent", "missing", "^.*share|by_.*$")


def test_a_whole_recording_misses_nothing(tmp_path):
    dataset = winf_analyzer.merge([SAMPLES / "ns3_chain3" / "recording"], tmp_path / "run.winf")
    rows = winf_analyzer.sql(dataset, question("completeness")).filter(pl.col("missed_share").is_not_null())
    assert rows.height >= 3
    assert rows["missed_share"].max() == 0.0


def test_a_counter_that_starts_anew_is_no_gap(tmp_path):
    numbers = [*range(4000, 4096), *range(200), *range(2000, 2100)]
    frames = [
        (n * 10**7, radiotap(data(AP, STATION, 100, seq=seq), tsft_us=n * 10**4)) for n, seq in enumerate(numbers)
    ]
    (tmp_path / "reset.pcap").write_bytes(pcap(frames))
    dataset = winf_analyzer.ingest([tmp_path / "reset.pcap"], tmp_path / "run.winf")
    row = winf_analyzer.sql(dataset, question("completeness")).row(0, named=True)
    assert (row["heard"], row["missed_share"], row["sequence_numbers"]) == (396, 0.0, 396)
