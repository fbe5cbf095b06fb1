"""What each station has to send and what its accesses to the medium cost, from the exchanges of a window."""

import polars as pl

from winf_analyzer.estimators import windows
from winf_analyzer.estimators.mac import nanoseconds
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.saturation import aggregation
from winf_analyzer.estimators.settings import Settings
from winf_analyzer.estimators.states import failed

SUMS = (
    "accesses",
    "attempts",
    "failed",
    "answered",
    "lost",
    "done",
    "air_ns",
    "first_ns",
    "answer_ns",
    "aifs_ns",
    "slot_ns",
    "window_slots",
    "carried",
    "bits",
    "mpdus",
    "psdu_bytes",
    "rate_bps",
    "ack_ns",
    "plcp_ns",
    "ppdu_max_ns",
    "aggregating",
)
"""What is summed per window and directed link."""


def link_sums(recording: Recording, settings: Settings) -> pl.DataFrame:
    """:data:`SUMS` per `medium window_start_ns sender receiver`, and `covered_ns` of the window."""
    parts = recording.uses.group_by(*WINDOW, *windows.LINK).agg(_sums()).collect(engine="streaming")
    links = windows.accumulate(parts, SUMS, settings)
    listed = windows.listed(parts, recording.media, settings).join(recording.media, on="medium")
    covered = listed.select(*WINDOW, covered_ns=windows.covered_ns(), length_ns=pl.col("to_ns") - pl.col("from_ns"))
    enough = (pl.col("covered_ns") > 0) & (pl.col("covered_ns") >= settings.min_cover * pl.col("length_ns"))
    return links.join(covered.filter(enough), on=WINDOW)


def costs(sums: pl.DataFrame) -> pl.DataFrame:
    """Per row of sums, the parameters of :data:`.fixed_point.STATIONS` that an access of its kind has, and `packet_bits`.

    A packet is an MPDU where the sender aggregates, and what an access carried otherwise. A station that was heard only
    in attempts that failed has their airtime.
    """
    done, heard = pl.col("done"), pl.col("accesses").clip(1)
    aggregates = pl.col("aggregating") * 2 > pl.col("carried")
    carried = pl.col("carried")
    subframe = aggregation.subframe_bytes(pl.col("psdu_bytes") / pl.col("mpdus"))
    rate, ack = pl.col("rate_bps") / carried, pl.col("ack_ns") / carried
    most = aggregation.mpdus_max(subframe, rate, pl.col("plcp_ns") / carried, pl.col("ppdu_max_ns") / carried)
    packet_s = pl.when(aggregates).then(8 * subframe / rate).otherwise(0.0)
    air = pl.when(done > 0).then(pl.col("air_ns") / done).otherwise(pl.col("first_ns") / heard)
    block_ack = pl.when(pl.col("mpdus") > carried).then(0.0).otherwise(aggregation.block_ack_ns(ack) - ack)
    access = air + pl.col("aifs_ns") / heard
    single = access - packet_s * 1e9 * pl.col("mpdus") / carried + block_ack
    return sums.with_columns(
        aggregates=aggregates,
        packets_max=pl.when(aggregates).then(most).otherwise(1.0),
        packet_s=packet_s,
        access_s=pl.when(aggregates).then(single).otherwise(access).clip(0) / 1e9,
        first_s=pl.col("first_ns") / heard / 1e9,
        answer_s=(pl.col("answer_ns") + pl.col("aifs_ns")) / heard / 1e9,
        slot_s=pl.col("slot_ns") / heard / 1e9,
        window=pl.col("window_slots") / heard,
        packets=pl.when(aggregates).then("mpdus").otherwise("done"),
        packet_bits=pl.col("bits") / pl.when(aggregates).then("mpdus").otherwise(carried),
    )


def _sums() -> list[pl.Expr]:
    contends = pl.col("access_ns") >= pl.col("t_sifs") + pl.col("t_slot") // 2
    with_rts = pl.col("kind").is_in(["rts", "rts_failed"])
    done, carries = ~failed(), pl.col("sample")
    idle_ns = nanoseconds("idle_before_us")
    quiet = contends & (idle_ns > pl.col("t_difs") + pl.col("cw_min") * pl.col("t_slot"))
    answered = quiet & pl.col("unicast") & (pl.col("kind") != "rts_failed")
    air = pl.col("end_ns") - pl.col("air_start_ns")
    data = pl.coalesce(pl.col("data_ns") - pl.col("data_start_ns"), air)
    aggregates = carries & aggregation.aggregates()
    mpdus = pl.col("mpdus").clip(1)
    values = {
        "accesses": pl.lit(1).filter(contends),
        "attempts": pl.lit(1).filter(pl.col("unicast")),
        "failed": pl.lit(1).filter(failed()),
        "answered": pl.lit(1).filter(answered),
        "lost": pl.lit(1).filter(answered & failed()),
        "done": pl.lit(1).filter(done & contends),
        "air_ns": (air + pl.when(contends).then(0).otherwise("access_ns")).filter(done),
        "first_ns": pl.when(with_rts).then("t_rts").otherwise(data).filter(contends),
        "answer_ns": (pl.col("t_sifs") + pl.when(with_rts).then("t_cts").otherwise("t_ack")).filter(contends),
        "aifs_ns": pl.col("t_difs").filter(contends),
        "slot_ns": pl.col("t_slot").filter(contends),
        "window_slots": (pl.col("cw_min") + 1).filter(contends),
        "carried": pl.lit(1).filter(carries),
        "bits": 8 * pl.col("payload_bytes").filter(carries),
        "mpdus": mpdus.filter(carries),
        "psdu_bytes": pl.coalesce("length_bytes", pl.col("payload_bytes") + pl.col("header_bytes") * mpdus).filter(carries),
        "rate_bps": (pl.col("rate_mbps") * 1e6).filter(carries),
        "ack_ns": pl.col("t_ack").filter(carries),
        "plcp_ns": pl.col("t_plcp").filter(carries),
        "ppdu_max_ns": pl.col("phy").replace_strict(aggregation.PPDU_MAX_NS, default=10_000_000).filter(carries),
        "aggregating": pl.lit(1).filter(aggregates),
    }
    return [value.sum().cast(pl.Float64).alias(name) for name, value in values.items()]
