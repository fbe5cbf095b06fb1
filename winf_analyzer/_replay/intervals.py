"""Intervals of predictions, and how sure rankings are: over seeds, and over what a recording leaves open."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from math import isinf, log1p, sqrt
from statistics import NormalDist
from typing import Any

import polars as pl

from winf_analyzer._replay.overview import TOTAL, per_run
from winf_analyzer._replay.unknowns import Link

LOW, HIGH = 0.05, 0.95
"""Quantiles of the draws that are the ends of an interval: 90 % of the draws lie between them."""

FIGURES = {
    "throughput_bps": ("throughput_low_bps", "throughput_high_bps"),
    "delay_ms": ("delay_low_ms", "delay_high_ms"),
    "rtt_ms": ("rtt_low_ms", "rtt_high_ms"),
    "rtt_p50_ms": ("rtt_p50_low_ms", "rtt_p50_high_ms"),
    "rtt_p95_ms": ("rtt_p95_low_ms", "rtt_p95_high_ms"),
}
"""Figures with an interval, and the columns of its ends."""

KEYS = ["controller", "mode", "flow"]


def intervals(
    draws: pl.DataFrame,
    model_errors: Mapping[str, float] | None = None,
    fastest_bps: float | None = None,
    biases: Mapping[str, Mapping[str, float]] | None = None,
    at_once: int | None = None,
) -> pl.DataFrame:
    """The 90 % intervals of each figure: ``controller mode flow`` and the columns of :data:`FIGURES`.

    There are rows for each flow and for all flows. No time reaches beyond that from the start of a flow to the end of
    the run: what takes longer is neither delivered nor acknowledged in it.

    Args:
        draws: rows of ``replay_summary``, one seed per draw.
        model_errors: share by which a figure may be off whatever is drawn; intervals are so much longer at either end.
            If it is infinite, what is left are the rates of radios, and no upper ends of times.
        fastest_bps: of :func:`fastest_radio_bps`, which no flow exceeds, however much is open.
        biases: by flow and figure what was recorded over what a replay of the recorded flows gives, where that is off;
            the interval reaches so far. That over all flows reaches as far as that of the flow that is off most.
        at_once: of :func:`radios_at_once`: all flows do not exceed so many of the fastest radios; None: one per flow.
    """
    off = model_errors or {}
    rows = pl.concat([draws.select(*KEYS, *FIGURES), per_run(draws).select(*KEYS, *FIGURES)])
    found = rows.group_by(KEYS, maintain_order=True).agg(
        (pl.col(name).quantile(quantile, interpolation="linear") * max(1 + sign * off.get(name, 0.0), 0.0)).alias(end)
        for name, ends in FIGURES.items()
        for quantile, sign, end in zip((LOW, HIGH), (-1, 1), ends, strict=True)
    )
    found = _reaching(found, biases or {})
    flows = draws["flow"].n_unique()
    most = pl.lit(fastest_bps, pl.Float64) * pl.when(flow=TOTAL).then(min(flows, at_once or flows)).otherwise(1)
    open_ends = [high for name, (_, high) in FIGURES.items() if isinf(off.get(name, 0.0))]
    found = found.with_columns(pl.lit(None, pl.Float64).alias(end) for end in open_ends)
    if "throughput_high_bps" in open_ends:
        found = found.with_columns(throughput_high_bps=most)
    times = [end for name, ends in FIGURES.items() if name.endswith("_ms") for end in ends]
    return (
        found.with_columns(pl.col("throughput_high_bps").clip(upper_bound=most))
        .join(_longest(draws), on="flow", how="left", maintain_order="left")
        .with_columns(pl.col(end).clip(upper_bound="longest_ms") for end in times if end not in open_ends)
        .drop("longest_ms")
    )


def _longest(draws: pl.DataFrame) -> pl.DataFrame:
    """``flow longest_ms``: from the start of a flow, and of the first of all, to the end of the longest run."""
    lasted = draws.select("flow", longest_ms=(pl.col("duration_ns") - pl.col("start_ns").fill_null(0)) / 1e6)
    every = lasted.select(flow=pl.lit(TOTAL), longest_ms="longest_ms")
    return pl.concat([lasted, every]).group_by("flow", maintain_order=True).agg(pl.col("longest_ms").max())


def _reaching(found: pl.DataFrame, biases: Mapping[str, Mapping[str, float]]) -> pl.DataFrame:
    """Intervals whose lower ends are lower, or upper ends higher, by the ratios of their flows."""
    for figure, ends in FIGURES.items():
        ratios = {flow: ratio for flow, of_flow in biases.items() if (ratio := of_flow.get(figure)) is not None}
        for end, farthest in zip(ends, (min, max), strict=True):
            least = {flow: farthest(ratio, 1.0) for flow, ratio in ratios.items()}
            least[TOTAL] = farthest(least.values(), default=1.0)
            factor = pl.col("flow").replace_strict(least, default=1.0, return_dtype=pl.Float64)
            found = found.with_columns(pl.col(end) * factor)
    return found


def fastest_radio_bps(world: Mapping[str, Any]) -> float | None:
    """Highest rate of a wireless link at any time; None: there is none.

    Args:
        world: of a recording, as the engine reads it; every flow under study takes a wireless link.
    """
    radios = [link["medium"]["wireless"] for link in world.get("links", []) if "wireless" in link["medium"]]
    return max(_rates([radios, world.get("changes", [])]), default=None)


def radios_at_once(world: Mapping[str, Any], unsure: Iterable[Link] = ()) -> int:
    """No more wireless links deliver data of the flows under study at the same time, at least one.

    Of two links that share a node only one does, since a radio does not send and receive at once; of two whose senders
    hear each other too, since one defers. Links that are neither may share the channel, whoever their receivers hear,
    for the stronger frame may be captured. Links are put in as few groups as a greedy search finds of which any two
    exclude each other: one link of each group.

    Args:
        world: as the engine reads it; of one without a graph nothing is known of who hears whom.
        unsure: pairs of nodes of which it is only assumed that they hear each other.
    """
    hearing = world.get("hearing")
    graph = hearing.get("graph", {}) if isinstance(hearing, Mapping) else {}
    decodes = {(a, b) for a, b in graph.get("decodes", ())}
    if graph.get("symmetric"):
        decodes |= {(b, a) for a, b in decodes}
    decodes -= set(unsure)
    wired = {frozenset((link["from"], link["to"])) for link in world.get("links", []) if "wired" in link["medium"]}
    studied = [flow for flow in world.get("flows", []) if not flow.get("background")]
    used = {link for flow in studied for link in pairwise(flow["path"]) if frozenset(link) not in wired}
    groups: list[list[Link]] = []
    for link in sorted(used):
        for group in groups:
            if all(_exclude(link, other, decodes) for other in group):
                group.append(link)
                break
        else:
            groups.append([link])
    return max(len(groups), 1)


def _exclude(one: Link, other: Link, decodes: Collection[Link]) -> bool:
    senders = one[0], other[0]
    return not set(one).isdisjoint(other) or (senders in decodes and senders[::-1] in decodes)


def _rates(part: object) -> Iterator[float]:
    if isinstance(part, Mapping):
        for name, value in part.items():
            if name == "rate_bps" and isinstance(value, (int, float)):
                yield float(value)
            else:
                yield from _rates(value)
    elif isinstance(part, list):
        for value in part:
            yield from _rates(value)


def ranking(draws: pl.DataFrame, model_errors: Mapping[str, float] | None = None) -> pl.DataFrame:
    """How sure it is that each run has more throughput than each other, over all flows.

    Columns: ``controller mode below below_mode share draws``; each pair once. In front is the run that is most surely
    above the others in the mean, so that ``share`` is at least a half of neighbours, unless three runs or more
    beat each other in a circle. Runs of one draw are in the same world with the same seed. In each draw, both runs may
    be off by what the model is, independently of each other, so that a small difference decides little.

    Args:
        draws: as of :func:`intervals`.
        model_errors: likewise; nine of ten errors of throughput are taken to be smaller, their logarithms to be normal.
    """
    totals = per_run(draws).select("controller", "mode", "seed", "throughput_bps")
    names = totals.select("controller", "mode").unique(maintain_order=True).with_row_index("run")
    totals = totals.join(names, on=["controller", "mode"])
    both = totals.join(totals, on="seed", suffix="_below").filter(pl.col("run") != pl.col("run_below"))
    above, below = (pl.col(name).clip(lower_bound=1.0).log() for name in ("throughput_bps", "throughput_bps_below"))
    error = log1p((model_errors or {}).get("throughput_bps", 0.0)) / NormalDist().inv_cdf(HIGH)
    differences = both.select(above - below).to_series()
    sure = pl.Series([_sure(difference, sqrt(2) * error) for difference in differences], dtype=pl.Float64)
    pairs = (
        both.with_columns(sure=sure)
        .group_by("run", "run_below", "controller", "mode", "controller_below", "mode_below")
        .agg(share=pl.col("sure").mean(), draws=pl.len())
    )
    score = pairs.group_by("run").agg(score=pl.col("share").sort().mean())
    median = totals.group_by("run").agg(median=pl.col("throughput_bps").median())
    order = (
        score.join(median, on="run")
        .sort("score", "median", "run", descending=[True, True, False])
        .select("run", place=pl.int_range(pl.len()))
    )
    places = pairs.join(order, on="run").join(order.rename({"run": "run_below"}), on="run_below", suffix="_below")
    return (
        places.filter(pl.col("place") < pl.col("place_below"))
        .sort("place", "place_below")
        .select("controller", "mode", below="controller_below", below_mode="mode_below", share="share", draws="draws")
    )


def _sure(difference: float, error: float) -> float:
    """Probability that what was found to differ by so much is larger than zero, given its standard error."""
    if error > 0:
        return NormalDist(0.0, error).cdf(difference)
    return 0.5 if difference == 0 else float(difference > 0)


def notes(pairs: pl.DataFrame) -> list[str]:
    """A sentence that says how sure the order of neighbours in a ranking is; none for a single run."""
    if pairs.is_empty():
        return []
    places: dict[tuple[str, str], None] = dict.fromkeys(pairs.select("controller", "mode").iter_rows())
    places |= dict.fromkeys(pairs.select("below", "below_mode").iter_rows())
    share = {(row[:2], row[2:4]): row[4] for row in pairs.iter_rows()}
    twice = {name for name, _ in places if sum(name == other for other, _ in places) > 1}
    words = [f"{name} ({mode})" if name in twice else name for name, mode in places]
    steps = [
        f"{above} above {below} in {100 * share[pair]:.0f} %"
        for (above, below), pair in zip(pairwise(words), pairwise(places), strict=True)
    ]
    return [f"throughput over all flows, of {pairs['draws'][0]} draws: {', '.join(steps)}"]


def with_intervals(summary: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """The summary with its columns of :data:`FIGURES`; an interval always holds the run's own figure.

    Args:
        summary: rows of ``replay_summary``, or of an overview.
        found: rows of :func:`intervals`.
    """
    ends = [end for both in FIGURES.values() for end in both]
    joined = summary.drop(ends, strict=False).join(found, on=KEYS, how="left", maintain_order="left")
    return joined.with_columns(
        expression
        for name, (low, high) in FIGURES.items()
        for expression in (
            pl.when(pl.col(low).is_not_null()).then(pl.min_horizontal(low, name)).alias(low),
            pl.when(pl.col(high).is_not_null()).then(pl.max_horizontal(high, name)).alias(high),
        )
    )


def with_totals(summary: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """``replay_summary`` of one run with `all_low_bps all_high_bps`, which hold what its flows delivered together.

    Args:
        summary: its rows.
        found: rows of :func:`intervals`.
    """
    keys = ["controller", "mode"]
    ends = found.filter(flow=TOTAL).select(*keys, all_low_bps="throughput_low_bps", all_high_bps="throughput_high_bps")
    totals = per_run(summary).select(*keys, total_bps="throughput_bps")
    both = summary.drop("all_low_bps", "all_high_bps").join(
        ends.join(totals, on=keys), on=keys, how="left", maintain_order="left"
    )
    return both.with_columns(
        all_low_bps=pl.when(pl.col("all_low_bps").is_not_null()).then(pl.min_horizontal("all_low_bps", "total_bps")),
        all_high_bps=pl.when(pl.col("all_high_bps").is_not_null()).then(pl.max_horizontal("all_high_bps", "total_bps")),
    ).select(summary.columns)
