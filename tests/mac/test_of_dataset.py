"""The MAC parameters of a dataset: inferred once for all who ask, and anew where the answer may differ."""

from __future__ import annotations

import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._mac import of_dataset
from winf_analyzer._mac.of_dataset import mac_parameters


@pytest.fixture
def dataset(sample, tmp_path):
    return winf_analyzer.ingest([sample("ns3_basic_link") / "recording"], tmp_path / "run.winf")


@pytest.fixture
def inferred(monkeypatch):
    """The results of the inference so far."""
    found, infer = [], of_dataset.infer

    def kept(*arguments):
        found.append(infer(*arguments))
        return found[-1]

    monkeypatch.setattr(of_dataset, "infer", kept)
    return found


def test_they_are_inferred_once(dataset, inferred):
    first = mac_parameters(dataset)
    assert not first.is_empty()
    assert mac_parameters(dataset).equals(first)
    assert len(inferred) == 1


def test_what_is_done_to_the_table_stays_there(dataset, inferred):
    mac_parameters(dataset).insert_column(0, pl.lit(1).alias("mine"))
    assert "mine" not in mac_parameters(dataset).columns
    assert len(inferred) == 1


def test_an_override_counts(dataset, inferred):
    before, given = mac_parameters(dataset), mac_parameters(dataset, "slot_us=13")
    of_user = pl.col("used") & (pl.col("origin") == "given")
    assert given.filter(of_user, pl.col("parameter") == "slot_us")["value"].unique().to_list() == [13.0]
    assert mac_parameters(dataset).equals(before)
    assert before.filter(of_user).is_empty()


def test_other_exchanges_count(dataset, inferred):
    before = mac_parameters(dataset)
    dataset.replace_table("exchanges", dataset.scan("exchanges").head(0).collect())
    assert mac_parameters(dataset).height < before.height
    assert len(inferred) == 2


def test_another_opened_dataset_is_its_own(dataset, inferred):
    assert mac_parameters(dataset).equals(mac_parameters(Dataset.open(dataset.path)))
    assert len(inferred) == 2
