"""The paper's probes: data frames of subtype 1001, from the capture to the estimate."""

import pcaps
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._util.errors import UsageError


def as_probe(frame: bytes) -> bytes:
    """A data frame with subtype 1001, which has a QoS Control field."""
    return b"\x98" + frame[1:24] + b"\x00\x00" + frame[24:]


def probes(start_us: int, seq: int):
    """A probe of 1000 octets and its ACK."""
    frame = as_probe(pcaps.data(pcaps.AP, pcaps.STATION, 1000, seq=seq))
    answer_us = start_us + round(192 + 8 * (len(frame) + 4) / 11) + 10
    return [
        (start_us * 1000, pcaps.radiotap(frame, tsft_us=start_us)),
        (answer_us * 1000, pcaps.radiotap(pcaps.ack(pcaps.STATION), tsft_us=answer_us, rate_mbps=1)),
    ]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """A second of 50 ordinary exchanges and 50 probes in turn."""
    records = []
    for n in range(50):
        records += pcaps.exchange(1_000_000 + n * 20_000, seq=2 * n)
        records += probes(1_010_000 + n * 20_000, seq=2 * n + 1)
    folder = tmp_path_factory.mktemp("probes")
    (folder / "probes.pcap").write_bytes(pcaps.pcap(records))
    return winf_analyzer.ingest([folder / "probes.pcap"], folder / "run.winf")


def sender(dataset, **options):
    estimates = winf_analyzer.estimate(dataset, estimators=["rt_winf"], mode="paper", **options)
    return estimates.filter(pl.col("state") == "sender", pl.col("sender").is_not_null()).row(0, named=True)


def test_any_exchange_measures_or_only_probes(dataset):
    everything, only = sender(dataset), sender(dataset, probe="subtype_1001")
    assert (everything["exchanges"], only["exchanges"]) == (100, 50)
    assert everything["idle_ratio"] == only["idle_ratio"]
    # C = 8S/(t_ACK - t_DATA) of 1000 octets: PLCP, 30 octets of QoS header and FCS, SIFS and ACK besides.
    assert only["capacity_bps"] == pytest.approx(8e9 / (192e3 + 8e3 * 1030 / 11 + 314e3) * 1000, rel=2e-3)
    assert only["capacity_bps"] < everything["capacity_bps"]


def test_the_frames_table_names_the_subtype(dataset):
    subtypes = winf_analyzer.sql(dataset, "select subtype, count(*) from frames where subtype = 41 group by subtype")
    assert subtypes.rows() == [(0b10_1001, 50)]


def test_another_kind_of_probe_is_refused(dataset):
    with pytest.raises(UsageError, match="subtype_1001"):
        winf_analyzer.estimate(dataset, probe="ping")
