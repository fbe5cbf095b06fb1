"""What made a recording, in general terms: whose radio, which clock, which PHYs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from winf_analyzer._dataset.dataset import Dataset

NODE = "node-"
"""How simulators' stations are called."""

PHYS = {
    "dsss": "b",
    "hr_dsss": "b",
    "ofdm": "a",
    "erp": "g",
    "ht": "n",
    "vht": "ac",
    "he": "ax",
    "eht": "be",
}
"""Amendments of IEEE 802.11 by the PHY of their frames."""


def recorder(dataset: Dataset) -> str:
    """Such as ``sniffer, TSFT, 802.11g/n``."""
    import polars as pl

    frames = dataset.scan("frames")
    facts = (
        frames.select(
            own=pl.col("observer").is_not_null().mean(),
            node=pl.col("observer").str.starts_with(NODE).mean(),
            tsft=pl.col("tsft_us").is_not_null().mean(),
        )
        .collect()
        .row(0, named=True)
    )
    phys = frames.select("phy").unique().collect()["phy"].drop_nulls().to_list()
    if facts["node"]:
        return "simulator's trace"
    letters = sorted({PHYS[phy] for phy in phys if phy in PHYS}, key=list(dict.fromkeys(PHYS.values())).index)
    who = "a station's radio" if (facts["own"] or 0) > 0.5 else "sniffer"
    clock = "TSFT" if (facts["tsft"] or 0) > 0.5 else "host clock"
    return f"{who}, {clock}, " + ("802.11" + "/".join(letters) if letters else "no rates")
