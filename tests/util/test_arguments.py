"""What public functions refuse, with the error that they promise."""

from __future__ import annotations

from functools import partial

import pytest

import winf_analyzer

replay = partial(winf_analyzer.replay, topology="stack", duration="1s")


@pytest.mark.parametrize("threads", [-1, 10**6, 1 << 64])
def test_a_number_of_threads_that_cannot_be(threads, tmp_path):
    for function in (partial(replay, controllers="cbr"), partial(winf_analyzer.reproduce, output=tmp_path)):
        with pytest.raises(winf_analyzer.UsageError, match="threads: 0 to 1024"):
            function(threads=threads)


@pytest.mark.parametrize("link", [(), ("a",), ("a", "b", "c")])
def test_a_link_is_two_addresses(demo_dataset, link):
    for function in (winf_analyzer.compare, winf_analyzer.why):
        with pytest.raises(winf_analyzer.UsageError, match="a sender and a receiver"):
            function(demo_dataset, link=link)


def test_no_estimator_is_not_asked_for(demo_dataset):
    before = demo_dataset.scan("estimates").collect().height
    with pytest.raises(winf_analyzer.UsageError, match="none is named"):
        winf_analyzer.estimate(demo_dataset, estimators=[])
    assert demo_dataset.scan("estimates").collect().height == before > 0


def test_one_name_is_a_list_of_one(tmp_path, sample):
    dataset = winf_analyzer.ingest(sample("ns3_basic_link_b") / "recording", tmp_path / "run.winf")
    assert winf_analyzer.estimate(dataset, estimators="busy_share")["estimator"].unique().to_list() == ["busy_share"]
    assert replay(controllers="cbr").summary["controller"].unique().to_list() == ["cbr"]
