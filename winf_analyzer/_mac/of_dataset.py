"""The MAC parameters of a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winf_analyzer._mac.advertised import declared_parameters
from winf_analyzer._mac.inference import infer
from winf_analyzer._mac.override import Given, parse

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._dataset.dataset import Dataset


def mac_parameters(dataset: Dataset, given: Given = None) -> pl.DataFrame:
    """The `mac_parameters` table of a dataset, inferred anew from its exchanges and announcements.

    Raises:
        ValueError: what was `given` cannot be understood.
    """
    rows = parse(given)
    exchanges = dataset.scan("exchanges")
    announced = []
    if dataset.parts("capabilities"):
        sources = exchanges.select("source").unique().collect(engine="streaming")["source"].to_list()
        announced = declared_parameters(dataset.scan("capabilities").collect(), sorted(sources))
    return infer(exchanges, announced, rows)
