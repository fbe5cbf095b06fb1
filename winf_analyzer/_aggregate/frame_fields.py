"""Fields of an exchange's first data frame that are in `frames` but not in `exchanges`."""

import polars as pl

from winf_analyzer._aggregate.chunks import Chunk

KEYS = ("medium", "sender", "receiver", "data_start_ns")
"""What identifies the first data frame of an exchange."""

_TEXTS = ("source", "observer", "sender", "receiver", "flow", "src_ip")
_NUMBERS = ("data_start_ns", "subtype", "transport_seq", "tcp_ack")
_TYPES = pl.Schema({**dict.fromkeys(_TEXTS, pl.String()), **dict.fromkeys(_NUMBERS, pl.Int64())})


def frames_of(chunk: Chunk, subtype: int | None = None, flows: pl.LazyFrame | None = None) -> pl.LazyFrame:
    """Frames on the air, by the exchange whose data they begin.

    Args:
        chunk: where it has no frames the result is empty.
        subtype: only frames of this type and subtype.
        flows: only frames of these flows (column `flow`).

    Returns:
        :data:`KEYS`, `subtype`, `src_ip`, `transport_seq`, `tcp_ack`.
    """
    frames = chunk.frames
    if frames is None:
        chosen = pl.LazyFrame(schema=_TYPES)
    else:
        frames = frames.filter(pl.col("layer") == "mac", pl.col("start_ns").is_not_null())
        if subtype is not None:
            frames = frames.filter(pl.col("subtype") == subtype)
        named = frames.with_columns(sender="ta", receiver="ra", data_start_ns="start_ns")
        chosen = named.select(pl.col(name).cast(dtype) for name, dtype in _TYPES.items())
    if flows is not None:
        chosen = chosen.join(flows, on="flow", how="semi")
    media = chunk.context.media.lazy().select("medium", "source", "observer")
    found = chosen.join(media, on=["source", "observer"], nulls_equal=True)
    return found.unique(KEYS).select(*KEYS, "subtype", "src_ip", "transport_seq", "tcp_ack")
