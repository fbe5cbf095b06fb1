"""WBest: effective capacity from packet pairs, available bandwidth from the rate at which a train comes through.

Source: M. Li, M. Claypool, R. Kinicki, "WBest: a bandwidth estimation tool for IEEE 802.11 wireless networks", IEEE LCN
2008.

    C_e = median(L / disp_i)      R = L / mean(disp)      A = C_e (2 - C_e/R) if R >= C_e/2, else 0      A (1 - p)

The tool sends 30 pairs, then a train of 30 packets at C_e; p is the loss of the train. Here both are found in the
recording: pairs are back-to-back packets of one link and size (:func:`.packet_pairs`), a train is an unbroken run
of them. A sender that sends in runs offers what it can get, so R is what the runs of the window got, cross traffic
between their packets included, and C_e what the median pair got. p is the share of the link's packets that were given
up: sent at least once and never acknowledged. R above C_e is random noise of the backoff and counts as C_e.

The method is what it is on 802.11: paper and corrected mode are the same.
"""

import polars as pl

from winf_analyzer._aggregate import states, windows
from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import GROUP, Chunk, Context
from winf_analyzer._aggregate.head_of_line import packet_pairs
from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer.estimators._estimator import Estimator, Method

QUANTITIES = ("exchanges", "pair_rates", "bits", "dispersion_ns", "packets", "delivered")


def _trains(chunk: Chunk) -> pl.DataFrame:
    """Pairs of every window that is over: its median needs all of them, so those of open windows are carried."""
    found = chunk.once(packet_pairs).select(*WINDOW, *LINK, "payload_bytes", "dispersion_ns")
    if _trains in chunk.state:
        found = pl.concat([chunk.state[_trains], found])
    end = pl.col("window_start_ns") + chunk.settings.window_ns
    chunk.state[_trains] = found.filter(~chunk.is_over(end))
    return (
        windows.spread(found, chunk.settings)
        .filter(chunk.is_over(end), ~chunk.was_over(end))
        .group_by(*WINDOW, *LINK)
        .agg(
            pl.col("dispersion_ns").sum(),
            bits=8 * pl.col("payload_bytes").sum(),
            exchanges=pl.len().cast(pl.Int64),
            pair_rates=effective_capacity() * pl.len(),
        )
    )


def _packets(chunk: Chunk) -> pl.DataFrame:
    """How many packets were sent, and how many acknowledged."""
    attempts = chunk.uses.filter("unicast").select(
        GROUP, packets=pl.col("attempt").fill_null(1) == 1, delivered=pl.col("complete")
    )
    return chunk.link_sums(attempts, ("packets", "delivered"))


def _finish(context: Context, packets: pl.DataFrame, trains: pl.DataFrame) -> pl.DataFrame:
    """Effective capacity and available bandwidth per node, link, state and window; `exchanges` counts pairs.

    Running, C_e is the mean of the windows' medians, weighted with their pairs.
    """
    settings = context.settings
    sent = windows.spread(packets, settings).group_by(*WINDOW, *LINK).agg(pl.col("packets", "delivered").sum())
    links = sent.join(trains, on=[*WINDOW, *LINK], how="left")
    if settings.accumulates:
        links = windows.accumulate(links, QUANTITIES, settings, context.windows)
    links = links.filter(pl.col("exchanges") > 0).with_columns(
        capacity_bps=pl.col("pair_rates") / pl.col("exchanges"),
        train_bps=pl.col("bits") * 1e9 / pl.col("dispersion_ns"),
        loss=(1 - pl.col("delivered") / pl.max_horizontal("packets", 1)).clip(0, 1),
    )
    links = links.with_columns(available_bps=available())
    rows = states.values_by_state(context, links, ("capacity_bps", "available_bps", "exchanges"))
    return rows.join(context.coverage, on=WINDOW)


def effective_capacity() -> pl.Expr:
    """C_e of a group of pairs, bit/s: the median of L / disp_i."""
    return (8e9 * pl.col("payload_bytes") / pl.col("dispersion_ns")).median()


def available() -> pl.Expr:
    """A, bit/s, of C_e (`capacity_bps`), R (`train_bps`, at most C_e counts) and the `loss` of the train."""
    capacity, rate = pl.col("capacity_bps"), pl.min_horizontal("train_bps", "capacity_bps")
    reached = capacity * (2 - capacity / rate) * (1 - pl.col("loss"))
    return pl.when(rate >= capacity / 2).then(reached.clip(lower_bound=0)).otherwise(0.0)


_METHOD = Method(_finish, {"packets": Aggregate(_packets), "trains": Aggregate(_trains, keys=None)})

WBEST = Estimator(
    "wbest",
    "effective capacity from the median packet pair, available bandwidth from the rate of packet trains",
    "Li, Claypool, Kinicki: WBest, IEEE LCN 2008",
    paper=_METHOD,
    corrected=_METHOD,
)
