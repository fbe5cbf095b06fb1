"""Collision probability against what the simulators know, on every sample."""

from pathlib import Path

import polars as pl
import pytest
from collisions import Scene, scene
from radios import own_recording

import winf_analyzer
from winf_analyzer._mac.of_dataset import mac_parameters
from winf_analyzer.estimators import Settings, estimate

SAMPLES = Path(__file__).resolve().parents[2] / "sample_captures"
RECORDED_BY_THE_SENDERS = [
    *(f"ns2_{name}" for name in ("rts_link", "basic_link", "hidden", "chain3")),
    *(f"ns3_{name}" for name in ("rts_link", "basic_link", "basic_link_b", "hidden", "chain3", "ht")),
]
ENOUGH = 20
"""Attempts of a link below which a share says nothing."""


def scored(truth: Scene, dataset: winf_analyzer.Dataset) -> pl.DataFrame:
    """A row per link with enough attempts: shares of its attempts that collided or were lost, true and estimated."""
    estimates = estimate(
        dataset.scan("exchanges"),
        ["collision"],
        ["corrected"],
        Settings(window_ns=60_000_000_000),
        dataset.scan("frames"),
        mac_parameters(dataset, None),
    )
    known = [
        {
            "sender": sender,
            "receiver": receiver,
            "attempts": ends.total(),
            "true_collided": ends["collided"] / ends.total(),
            "true_lost": ends["lost"] / ends.total(),
        }
        for (sender, receiver), ends in truth.links().items()
        if ends.total() >= ENOUGH
    ]
    estimated = estimates.select("sender", "receiver", collided="collision_probability", lost="loss_probability")
    return pl.DataFrame(known).join(estimated, on=["sender", "receiver"], how="left")


def agrees(rows: pl.DataFrame, within: float = 0.05) -> None:
    """Every link's estimates are there and near the truth; else the table says which are not."""
    wrong = [
        ((pl.col(name) - pl.col(f"true_{name}")).abs() > within).fill_null(value=True) for name in ("collided", "lost")
    ]
    with pl.Config(tbl_cols=-1, tbl_rows=-1, tbl_width_chars=160):
        assert rows.filter(pl.any_horizontal(wrong)).is_empty(), str(rows)


@pytest.mark.parametrize("name", RECORDED_BY_THE_SENDERS)
def test_the_senders_own_recordings(name, tmp_path):
    dataset = winf_analyzer.ingest([SAMPLES / name / "recording"], tmp_path / "run.winf")
    rows = scored(scene(SAMPLES / name), dataset)
    assert rows.height > 0
    agrees(rows)


@pytest.mark.parametrize("node", [0, 1, 2, 3])
def test_a_station_that_also_loses_frames_to_rates_too_high(node, tmp_path):
    """The stations of the bundled sample, heard by themselves: up to 19 % collide and 20 % are lost at high rates."""
    truth = scene(SAMPLES / "ns3_sniffer")
    (tmp_path / "own.pcap").write_bytes(own_recording(truth, node))
    dataset = winf_analyzer.ingest([tmp_path / "own.pcap"], tmp_path / "run.winf", observer=truth.address[node])
    rows = scored(truth, dataset).filter(pl.col("sender") == truth.address[node])
    assert rows.height > 0
    agrees(rows)


def test_a_sniffer_finds_a_part(tmp_path):
    """It does not hear RTS that collide where it stands: never more than the truth, and near it where few collide."""
    truth = scene(SAMPLES / "ns3_sniffer")
    dataset = winf_analyzer.ingest([SAMPLES / "ns3_sniffer" / "recording"], tmp_path / "run.winf")
    rows = scored(truth, dataset)
    calm = pl.col("true_collided") < 0.05
    assert rows.filter(pl.col("collided") > pl.col("true_collided") + 0.05).is_empty()
    assert rows.filter(calm).height == 3
    agrees(rows.filter(calm))


@pytest.mark.parametrize("name", ["ns2_hidden", "ns2_chain3"])
def test_collisions_as_ns2_drops_them(name, tmp_path):
    """The frames that ns-2 dropped for a collision are those the truth counts, and the estimate finds their share."""
    dataset = winf_analyzer.ingest([SAMPLES / name / "recording"], tmp_path / "run.winf")
    rows = scored(scene(SAMPLES / name), dataset)
    dropped = winf_analyzer.sql(
        dataset,
        """
        select ta as sender, ra as receiver, count(*) as dropped from frames
        where drop_reason = 'COL' and kind in ('rts', 'data') and ra <> 'ff:ff:ff:ff:ff:ff' group by all
        """,
    )
    rows = rows.join(dropped, on=["sender", "receiver"]).with_columns(share=pl.col("dropped") / pl.col("attempts"))
    assert rows.height > 0
    assert rows.filter((pl.col("collided") - pl.col("share")).abs() > 0.05).is_empty(), str(rows)
