"""The MAC parameters of a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winf_analyzer._mac.advertised import advertised_parameters
from winf_analyzer._mac.inference import infer
from winf_analyzer._mac.override import Override, parse_override

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._dataset.dataset import Dataset


def mac_parameters(dataset: Dataset, override: Override = None) -> pl.DataFrame:
    """The `mac_parameters` table of a dataset, inferred anew from its exchanges and announcements.

    Raises:
        ValueError: `override` cannot be understood.
    """
    rows = parse_override(override)
    exchanges = dataset.scan("exchanges")
    advertised = []
    if dataset.parts("capabilities"):
        sources = exchanges.select("source").unique().collect(engine="streaming")["source"].to_list()
        advertised = advertised_parameters(
            dataset.scan("capabilities").collect().iter_rows(named=True), sorted(sources)
        )
    return infer(exchanges, advertised, rows)
