"""The ``conditions`` table: the conditions of each link per time bin, against which a replay runs.

Capacity, airtime by packet size, loss per attempt, queueing and access delay, and busy time of other stations.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._aggregate.exchange_columns import nanoseconds
from winf_analyzer._aggregate.reader import open_exchanges
from winf_analyzer._aggregate.settings import Settings
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._mac.of_dataset import mac_parameters
from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.flows import conversations, cross_traffic
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow, select_flows
from winf_analyzer._schema import schema
from winf_analyzer._util.whole_sums import total

BIN_NS = 100_000_000
"""Default bin width."""

MIN_BIN_NS = 1_000_000
"""Minimum bin width."""


def conditions(
    dataset: Dataset | str | os.PathLike[str], *, flows: Sequence[str] | None = None, bin_ns: int = BIN_NS
) -> pl.DataFrame:
    """Measure the conditions of every link, and replace the dataset's ``conditions`` table.

    Args:
        dataset: a dataset or its path.
        flows: flows under study, which do not count as busy time of other stations; by default those of a replay, if
            there are any.
        bin_ns: bin width, ns.

    Returns:
        The table, a row for every link and bin with an attempt, sorted by both.

    Raises:
        UsageError: the recording has no such flow.
        DatasetError: there is no dataset at this path, or it cannot be written.
        ValueError: a width below :data:`MIN_BIN_NS`.
    """
    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    dataset.check_tables("conditions")
    if bin_ns < MIN_BIN_NS:
        raise ValueError(f"a bin must be at least {MIN_BIN_NS} ns wide, not {bin_ns}")
    studied = select_flows(
        conversations.conversation_hops(dataset.scan("frames")), flows, str(dataset.path), may_be_none=flows is None
    )
    table = measure(views.read_once(dataset.scan("exchanges")), studied, bin_ns, mac_parameters(dataset))
    dataset.replace_table("conditions", table)
    return table


def measure(
    exchanges: pl.LazyFrame, flows: list[StudiedFlow], bin_ns: int, parameters: pl.DataFrame | None = None
) -> pl.DataFrame:
    """The ``conditions`` table of these exchanges, in memory proportional to the number of links and bins.

    `parameters`: the `mac_parameters` table; inferred from the exchanges where it is not given.
    """
    view = views.links(exchanges)
    bin_start = pl.col("start_ns") // bin_ns * bin_ns
    attempts = views.of(exchanges.filter(pl.col("kind").is_in(views.UNICAST)), view)
    size, air = pl.col("payload_bytes").replace(0, None), pl.col("data_airtime_us")
    measured = size.is_not_null() & air.is_not_null()
    n, sx, sy = measured.sum(), total(size.filter(measured)), air.filter(measured).sum()
    sxx, sxy = (size.cast(pl.Float64) ** 2).filter(measured).sum(), (size * air).filter(measured).sum()
    spread = n * sxx - sx.cast(pl.Float64) ** 2
    slope = pl.when(spread > 0).then((n * sxy - sx * sy) / spread)
    whole = pl.col("complete") & (pl.col("payload_bytes") > 0)
    rows = (
        attempts.filter(pl.col("start_ns").is_not_null())
        .group_by(*_LINK, bin_start_ns=bin_start)
        .agg(
            exchanges=whole.sum(),
            attempts=pl.len(),
            failures=(~pl.col("complete")).sum(),
            airtime_per_byte_us=slope,
            airtime_us=air.filter(measured).mean(),
            payload_bytes=size.filter(measured).mean(),
            base_delay_ns=(pl.col("end_ns") - pl.col("start_ns")).filter(whole).min(),
            queue_ns=pl.col("queue_ns").filter(pl.col("attempt") == 1).mean(),
        )
        .collect(engine="streaming")
    )
    overhead = pl.col("airtime_us") - pl.col("airtime_per_byte_us") * pl.col("payload_bytes")
    keys = [*_LINK, "bin_start_ns"]
    return (
        rows.with_columns(
            bin_ns=pl.lit(bin_ns),
            loss=pl.col("failures") / pl.col("attempts"),
            airtime_overhead_us=overhead,
        )
        .join(_access(exchanges, bin_ns, parameters), on=keys, how="left", nulls_equal=True)
        .join(_busy(exchanges, flows, view, bin_ns), on=keys, how="left", nulls_equal=True)
        .with_columns(busy_other_ns=_zero_if_known())
        .select(pl.col(name).cast(dtype) for name, dtype in schema("conditions").items())
        .sort("sender", "receiver", "bin_start_ns")
    )


_LINK = ("source", "observer", "sender", "receiver")


def _zero_if_known() -> pl.Expr:
    """Busy time, 0 if no other station was heard; null unless the recording is the sender's own or anonymous."""
    knows_medium = pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender"))
    return pl.when(knows_medium).then(pl.col("busy_other_ns").fill_null(0))


def _access(exchanges: pl.LazyFrame, bin_ns: int, parameters: pl.DataFrame | None) -> pl.DataFrame:
    """``capacity_bps`` and ``access_delay_ns`` of every link and bin.

    If the recording does not show when a packet became head of line, the access delay is DIFS plus backoff of first
    attempts with a backoff of at most CWmin; before longer ones the sender had nothing to send.
    """
    reader = open_exchanges(exchanges, Settings(), parameters=parameters)
    sums = Aggregate(_access_sums, (bin_ns,), keys=("medium", "sender", "receiver", "bin_start_ns"))
    samples, waits = pl.col("samples"), pl.col("waits")
    return (
        reader.aggregate([sums], "measuring the conditions of links")
        .combined(sums)
        .with_columns(pl.col(pl.Categorical).cast(pl.String))
        .join(reader.context.media.select("medium", "source", "observer"), on="medium")
        .select(
            *_LINK,
            "bin_start_ns",
            capacity_bps=pl.when(samples > 0).then(pl.col("payload_bytes") * 8e9 / pl.col("spent_ns")),
            access_delay_ns=pl.when(waits > 0).then(pl.col("waited_ns") / waits),
        )
    )


def _access_sums(chunk: Chunk, bin_ns: int) -> pl.DataFrame:
    first, sample, backoff = pl.col("attempt") == 1, pl.col("sample"), nanoseconds("backoff_us")
    drawn = pl.when(backoff.is_between(0, pl.col("cw_min") * pl.col("t_slot"))).then(backoff + pl.col("t_difs"))
    waited = pl.coalesce("service_ns", drawn).filter(first)
    spent = pl.col("access_ns") + pl.col("end_ns") - pl.col("air_start_ns")
    return (
        chunk.uses.filter("unicast")
        .group_by("medium", "sender", "receiver", bin_start_ns=pl.col("air_start_ns") // bin_ns * bin_ns)
        .agg(
            samples=sample.sum().cast(pl.Int64),
            payload_bytes=pl.col("payload_bytes").filter(sample).sum(),
            spent_ns=spent.filter(sample).sum(),
            waits=waited.count().cast(pl.Int64),
            waited_ns=waited.sum(),
        )
        .collect(engine="in-memory")
    )


def _busy(exchanges: pl.LazyFrame, flows: list[StudiedFlow], view: pl.DataFrame, bin_ns: int) -> pl.DataFrame:
    """``busy_other_ns`` of every sender and bin; exchanges across a bin boundary are divided."""
    parts: list[pl.DataFrame] = []
    for source, observer, sender in view.select("source", "observer", "sender").unique(maintain_order=True).iter_rows():
        here = exchanges.filter(pl.col("source") == source, pl.col("observer").eq_missing(observer))
        spans = cross_traffic.spans(here.filter(pl.col("sender").ne_missing(sender)), flows)
        parts.append(
            _by_bin(spans, bin_ns).with_columns(
                source=pl.lit(source, pl.String), observer=pl.lit(observer, pl.String), sender=pl.lit(sender, pl.String)
            )
        )
    empty = pl.DataFrame(
        schema={
            "bin_start_ns": pl.Int64,
            "busy_other_ns": pl.Int64,
            "source": pl.String,
            "observer": pl.String,
            "sender": pl.String,
        }
    )
    busy = pl.concat([empty, *parts])
    links = view.select(*_LINK)
    return busy.join(links, on=["source", "observer", "sender"], nulls_equal=True).select(
        *_LINK, "bin_start_ns", "busy_other_ns"
    )


def _by_bin(spans: pl.DataFrame, bin_ns: int) -> pl.DataFrame:
    """Time within each bin that is covered by disjoint spans."""
    first, last = pl.col("start") // bin_ns, (pl.col("end") - 1) // bin_ns
    begin = pl.col("bin") * bin_ns
    share = pl.min_horizontal("end", begin + bin_ns) - pl.max_horizontal("start", begin)
    return (
        spans.with_columns(bin=pl.int_ranges(first, last + 1))
        .explode("bin")
        .group_by(bin_start_ns=begin)
        .agg(busy_other_ns=share.sum())
        .sort("bin_start_ns")
    )
