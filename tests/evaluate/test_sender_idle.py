"""For how much of the time recorded senders had nothing to send, in samples whose offered load is known."""

from __future__ import annotations

import pytest
from folders import SAMPLES

import winf_analyzer
from winf_analyzer._evaluate.sender_idle import sender_idle_share
from winf_analyzer._mac.of_dataset import mac_parameters

MS = 10**6


def idle(tmp_path, sample, link, start_ms, end_ms):
    dataset = winf_analyzer.ingest([SAMPLES / sample / "recording"], tmp_path / "run.winf")
    mac_parameters(dataset)
    start_ns = dataset.scan("frames").select("start_ns").min().collect().item() if sample.startswith("ns3") else 0
    return sender_idle_share(dataset, link, start_ns + start_ms * MS, start_ns + end_ms * MS)


@pytest.mark.parametrize(
    ("sample", "link"),
    [("ns2_hidden", ("node-2", "node-1")), ("ns3_hidden", ("00:00:00:00:00:03", "00:00:00:00:00:02"))],
)
def test_stations_that_are_hidden_from_one_another_and_offer_too_much_are_not_idle(tmp_path, sample, link):
    """Most of their accesses are RTS that nobody answers, each after its own backoff; some packets are given up."""
    assert idle(tmp_path, sample, link, 300, 1000) < 0.12


@pytest.mark.parametrize(
    ("sample", "link", "least"),
    [
        ("ns3_basic_link", ("00:00:00:00:00:01", "00:00:00:00:00:02"), 0.8),  # 2 Mb/s at 24 Mb/s
        ("ns2_rts_link", ("node-0", "node-1"), 0.3),  # 2 Mb/s at 11 Mb/s
    ],
)
def test_stations_that_offer_less_are_idle(tmp_path, sample, link, least):
    assert least < idle(tmp_path, sample, link, 100, 1500) < 1


def test_nothing_is_said_of_a_link_that_is_not_there_or_a_moment(tmp_path):
    assert idle(tmp_path, "ns2_hidden", ("node-7", "node-1"), 0, 1000) is None
    assert idle(tmp_path, "ns2_hidden", ("node-2", "node-1"), 0, 50) is None
