"""The MAC parameters of a dataset."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from winf_analyzer._mac.advertised import advertised_parameters
from winf_analyzer._mac.inference import infer
from winf_analyzer._mac.override import Override, parse_override
from winf_analyzer._mac.schema import Row

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._dataset.dataset import Dataset


_inferred: WeakKeyDictionary[Dataset, tuple[Hashable, pl.DataFrame]] = WeakKeyDictionary()
"""Of an open dataset what was inferred last, and from what: estimates and replays of an analysis ask for the same."""


def mac_parameters(dataset: Dataset, override: Override = None) -> pl.DataFrame:
    """The `mac_parameters` table of a dataset, inferred from its exchanges and announcements as they are now.

    Raises:
        ValueError: `override` cannot be understood.
    """
    rows = parse_override(override)
    # Parts are named by their content.
    made_of = tuple(rows), *(tuple(dataset.parts(table)) for table in ("exchanges", "capabilities"))
    known, table = _inferred.get(dataset, (None, None))
    if table is None or known != made_of:
        table = _infer(dataset, rows)
        _inferred[dataset] = made_of, table
    return table.clone()  # columns can be added to a frame in place


def _infer(dataset: Dataset, rows: list[Row]) -> pl.DataFrame:
    exchanges = dataset.scan("exchanges")
    advertised = []
    if dataset.parts("capabilities"):
        sources = exchanges.select("source").unique().collect(engine="streaming")["source"].to_list()
        advertised = advertised_parameters(
            dataset.scan("capabilities").collect().iter_rows(named=True), sorted(sources)
        )
    return infer(exchanges, advertised, rows)
