"""What `frames` tells about the data of an exchange and `exchanges` does not."""

import polars as pl

from winf_analyzer.estimators.medium import Recording

KEYS = ("medium", "sender", "receiver", "data_start_ns")
"""What identifies the first data frame of an exchange."""

_SCHEMA = {"source": pl.String, "observer": pl.String, "sender": pl.String, "receiver": pl.String}
_NUMBERS = {"data_start_ns": pl.Int64, "subtype": pl.Int64, "transport_seq": pl.Int64}


def frames_of(recording: Recording, subtype: int | None = None, flows: pl.LazyFrame | None = None) -> pl.LazyFrame:
    """Frames on the air by the keys of the exchange they begin: `KEYS`, `subtype`, `transport_seq`, `src_ip`.

    Args:
        recording: where it has no frames the result is empty.
        subtype: only frames of this type and subtype.
        flows: only frames of these flows (column `flow`).
    """
    wanted = ("flow", "src_ip")
    if recording.frames is None:
        return pl.LazyFrame(
            schema={"medium": recording.media.schema["medium"], **_SCHEMA, **_NUMBERS, "src_ip": pl.String}
        ).drop("source", "observer")
    frames = recording.frames.filter(pl.col("layer") == "mac", pl.col("start_ns").is_not_null())
    if subtype is not None:
        frames = frames.filter(pl.col("subtype") == subtype)
    named = {"sender": pl.col("ta"), "receiver": pl.col("ra"), "data_start_ns": pl.col("start_ns")}
    chosen = frames.with_columns(**named).select(
        *(pl.col(name).cast(dtype) for name, dtype in {**_SCHEMA, **_NUMBERS}.items()),
        *(pl.col(n).cast(pl.String) for n in wanted),
    )
    if flows is not None:
        chosen = chosen.join(flows, on="flow", how="semi")
    media = recording.media.lazy().select("medium", "source", "observer")
    return (
        chosen.join(media, on=["source", "observer"], nulls_equal=True)
        .unique(KEYS)
        .select(*KEYS, "subtype", "transport_seq", "src_ip")
    )
