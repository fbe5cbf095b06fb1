"""Chunks made of rows alone, for what counts them."""

from __future__ import annotations

from typing import Any

import polars as pl

from winf_analyzer._aggregate.chunks import Chunk, Context
from winf_analyzer._aggregate.settings import Settings


def chunk(
    rows: pl.DataFrame,
    state: dict[Any, Any],
    *,
    media: pl.DataFrame | None = None,
    to_ns: int | None = None,
    air_from_ns: int | None = None,
) -> Chunk:
    """A chunk of these rows; `state`: what the one before left behind.

    `air_from_ns`: when the first of the exchanges began that end later; None: none does.
    """
    empty = pl.DataFrame()
    context = Context(Settings(), empty if media is None else media, empty, empty)
    later = {"medium": rows["medium"].unique(), "air_from_ns": air_from_ns}
    back = pl.DataFrame(later, schema_overrides={"air_from_ns": pl.Int64}).drop_nulls()
    return Chunk(rows, context, None, empty, back, None, to_ns, state)
