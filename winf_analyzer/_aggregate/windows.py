"""Windows of time: tumbling, sliding, running, or one per exchange.

Tumbling windows follow one another. Sliding ones start every step. Running ones all start with the recording and end
with each tumbling window. Per exchange, a window ends with each exchange. `window_start_ns` identifies a window of any
kind; that of a running one is the start of its last, tumbling part.

Exchanges are first summed by the part of time that belongs to the same windows as a whole: the step of sliding
windows, the tumbling window otherwise, the exchange alone where each has its window. :func:`spread` and
:func:`accumulate` bring such sums into the windows.
"""

from collections.abc import Iterator, Sequence

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._aggregate.settings import Settings

WINDOW = ("medium", "window_start_ns")
"""What identifies a window of a medium."""

LINK = ("sender", "receiver")
"""What identifies a directed link."""


def part_start(end_ns: pl.Expr, settings: Settings) -> pl.Expr:
    """Start of the step, the tumbling window, or the window of its own, of an exchange that ends then.

    Steps and tumbling windows start at multiples of their length since the epoch, so that those of all sources
    coincide.
    """
    if settings.per_exchange:
        return end_ns - settings.window_ns + 1
    width = settings.step_ns or settings.window_ns
    return end_ns // width * width


def spread(rows: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """A copy of each row of a step for every sliding window that holds the step; other rows as they are.

    Among them are windows that start before the recording; :func:`listed` leaves them out.
    """
    if settings.step_ns is None:
        return rows
    back = pl.DataFrame({"back_ns": range(0, settings.window_ns, settings.step_ns)}, schema={"back_ns": pl.Int64})
    copies = rows.join(back, how="cross")
    return copies.with_columns(pl.col("window_start_ns") - pl.col("back_ns")).drop("back_ns")


def accumulate(
    sums: pl.DataFrame,
    quantities: Sequence[str],
    settings: Settings,
    among: pl.DataFrame,
    keys: Sequence[str] = LINK,
) -> pl.DataFrame:
    """Sums per window, from sums per link and part of time.

    Args:
        sums: `medium window_start_ns sender receiver`, each combination once, and the quantities.
        quantities: columns that add up.
        settings: the kind of windows.
        among: `medium`, `window_start_ns` of all windows, for links that are silent in some.
        keys: what takes the place of `sender` and `receiver`.
    """
    if settings.step_ns is not None:
        exact = [name for name in quantities if not sums.schema[name].is_float()]
        others = [ordered_sum(pl.col(name)) for name in quantities if name not in exact]
        return spread(sums, settings).group_by(*WINDOW, *keys).agg(pl.col(exact).sum(), *others)
    if settings.accumulates:
        # What was summed stays, also where the link is silent.
        whole = every_window(sums, among, keys)
        return whole.with_columns(pl.col(quantities).fill_null(0).cum_sum().over("medium", *keys))
    return sums


def every_window(sums: pl.DataFrame, among: pl.DataFrame, keys: Sequence[str] = LINK) -> pl.DataFrame:
    """Every link of a medium in every window of it, in the order of time; null where `sums` has no such row."""
    grid = among.select(WINDOW).unique().join(sums.select("medium", *keys).unique(), on="medium")
    return grid.join(sums, on=[*WINDOW, *keys], how="left", nulls_equal=True).sort(WINDOW)


def listed(parts: pl.DataFrame, media: pl.DataFrame, settings: Settings, stays: pl.DataFrame) -> pl.DataFrame:
    """The windows in which something happened.

    Args:
        parts: `medium`, `window_start_ns` of exchanges, as :func:`part_start` gives them.
        media: `medium`, `first_ns` and `last_ns` of its source.
        settings: the kind of windows.
        stays: when recorders that hop or pause listened to a medium: :attr:`.chunks.Context.stays`.

    Returns:
        `medium window_start_ns from_ns to_ns covered_ns`: a window is the time from `from_ns` up to, not including,
        `to_ns`; `covered_ns` is the part of it that its source covers. A recording that begins or ends inside a window
        says nothing about the rest of it: idle time is a share of this. Nor does a radio that hops of the time it was
        elsewhere, or one that pauses. Sliding windows start inside the recording.
    """
    start = pl.col("window_start_ns")
    windows = spread(parts.select(WINDOW).unique(), settings).unique().join(media, on="medium")
    if settings.step_ns is not None:
        windows = windows.filter(start > pl.col("first_ns") - settings.step_ns)
    begin = pl.min_horizontal("first_ns", start) if settings.running else start
    windows = windows.with_columns(from_ns=begin, to_ns=start + settings.window_ns)
    since, until = pl.max_horizontal("from_ns", "first_ns"), pl.min_horizontal("to_ns", "last_ns")
    if not stays.is_empty():
        windows = _listened(windows.with_columns(since_ns=since, until_ns=until), stays)
        return windows.select(*WINDOW, "from_ns", "to_ns", covered_ns=pl.coalesce("listened_ns", until - since))
    return windows.select(*WINDOW, "from_ns", "to_ns", covered_ns=until - since)


def _listened(windows: pl.DataFrame, stays: pl.DataFrame) -> pl.DataFrame:
    """`windows` with `listened_ns` of media that their radio left meanwhile: of the time `since_ns` `until_ns`."""
    hops = pl.col("medium").is_in(stays["medium"].unique().implode())
    before, after = (
        time_inside_ns(stays, windows.select("medium", at_ns=edge), ["medium"]) for edge in ("since_ns", "until_ns")
    )
    return windows.with_columns(listened=after - before).with_columns(listened_ns=pl.when(hops).then("listened"))


def time_inside_ns(spans: pl.DataFrame, instants: pl.DataFrame, by: Sequence[str]) -> pl.Series:
    """How much of the time until each instant lies inside spans: stays on a channel, pauses of a recorder.

    Args:
        spans: `from_ns to_ns` and the columns `by`, without overlap.
        instants: `at_ns` and the columns `by`.
        by: what the spans are of.
    """
    spans = spans.sort("from_ns").with_columns(length=pl.col("to_ns") - pl.col("from_ns"))
    spans = spans.select(*by, "from_ns", "length", before=(pl.col("length").cum_sum() - pl.col("length")).over(by))
    rows = (
        instants.with_row_index("row")
        .sort("at_ns")
        .join_asof(spans, left_on="at_ns", right_on="from_ns", by=list(by), check_sortedness=False)
    )
    inside = pl.min_horizontal(pl.col("at_ns") - pl.col("from_ns"), "length")
    return rows.sort("row").select((pl.col("before") + inside).fill_null(0)).to_series()


def pieces(rows: pl.DataFrame, limit: int) -> Iterator[pl.DataFrame]:
    """The rows of whole windows, in the order of time, `limit` and those of one window more at a time."""
    if rows.height <= limit:
        yield rows
        return
    # Sorting the positions, not the rows, never holds the table twice.
    positions = rows.select(pl.arg_sort_by("window_start_ns", maintain_order=True)).to_series()
    starts, first = rows["window_start_ns"].gather(positions), 0
    while first < rows.height:
        last = starts[min(first + limit, rows.height) - 1]
        following = int(starts.search_sorted(last, side="right"))
        yield rows[positions.slice(first, following - first)]
        first = following


def sums_within(points: pl.DataFrame, windows: pl.DataFrame, quantities: Sequence[str]) -> pl.DataFrame:
    """`windows` with the sums of the quantities of the `points` (`medium`, `at_ns`) that lie in each."""
    running = points.sort("medium", "at_ns").with_columns(pl.col(quantities).cum_sum().over("medium"))
    # What lies before the later edge, less what lies before the earlier one, is inside.
    edges = [windows.select(*WINDOW, edge_ns=edge, sign=pl.lit(sign)) for edge, sign in (("from_ns", -1), ("to_ns", 1))]
    before = (
        pl.concat(edges)
        .sort("medium", "edge_ns")
        .join_asof(
            running.select("medium", "at_ns", *quantities),
            left_on="edge_ns",
            right_on="at_ns",
            by="medium",
            allow_exact_matches=False,
            check_sortedness=False,
        )
    )
    inside = before.group_by(WINDOW).agg((pl.col(quantities) * pl.col("sign")).sum())
    return windows.join(inside, on=WINDOW)
