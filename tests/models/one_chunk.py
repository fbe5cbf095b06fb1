"""Chunks made of rows alone, for what counts them."""

from __future__ import annotations

from typing import Any

import polars as pl

from winf_analyzer._aggregate.chunks import Chunk, Context
from winf_analyzer._aggregate.settings import Settings


def chunk(
    rows: pl.DataFrame, state: dict[Any, Any], *, media: pl.DataFrame | None = None, to_ns: int | None = None
) -> Chunk:
    """A chunk of these rows; `state`: what the one before left behind."""
    empty = pl.DataFrame()
    context = Context(Settings(), empty if media is None else media, empty, empty)
    return Chunk(rows, context, None, empty, empty, None, to_ns, state)
