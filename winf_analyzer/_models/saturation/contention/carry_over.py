"""What stations could not send in a window they send in the next: backlogs that the saturated flow leaves behind.

A recording shows what stations sent beside a light sender. Beside a backlogged one they get less where they have much
to send, and the rest waits, for as long as packets live (:data:`LIFETIME_S`). Of a window of 100 ms after a burst of
its neighbours a saturated flow gets its share of a busy medium, though the recording shows an idle one. So the load
of each other station in a window is what it sent then, and what the fixed point left it with in the window before. A
station that could not send everything anyway sends no more for it: its backlog only goes on.

A burst at the end of a window leaves packets to the next even if the window as a whole had room for them. When packets
came, by mean and standard deviation, says how long the burst was and when it ended: it is taken for an interval in
which they came at a constant rate (:func:`_held_up`).

Windows are solved together, and those of a link again with the backlogs of the solution before, until these no longer
change. Each link is worked out for itself: it makes no difference which others are.
"""

from math import ceil

import polars as pl

from winf_analyzer._aggregate.sort_keys import grouped
from winf_analyzer._aggregate.windows import LINK
from winf_analyzer._mac.constants import whole
from winf_analyzer._models.saturation.solvers import fixed_point

LIFETIME_S = whole("dot11MaxTransmitMSDULifetime") * 1024e-6
"""Packets are discarded after as long: what waits longer is lost."""

ROUNDS = 16
"""Windows that a backlog is followed through at most."""

SETTLED = 0.01
"""Share of a station's load by which a backlog must change for its window to be solved again."""

MIN_CHANGE = 0.1
"""Packets by which it must change."""

FULL = 0.95
"""Share of the most packets of an access from which on it counts as full: more may be waiting."""

SERVED_DOUBT = 0.4
"""Share by which a station that waits may be served more slowly than if it shared the medium with the subject alone."""

SOLVED = ("delivered_per_s", "collision", "packets")
"""What :func:`.fixed_point.solve` adds."""

BLOCK = 16
"""Windows that hang together: nothing is carried from one block to the next, so that each can be worked out alone."""


def block(window_ns: int) -> pl.Expr:
    """The number of the block that a window belongs to."""
    return (pl.col("window_start_ns") // (BLOCK * window_ns)).alias("block")


def with_backlogs(stations: pl.DataFrame, links: pl.DataFrame, window_ns: int) -> pl.DataFrame:
    """The stations of cases, solved: those that are not the subject with what is left of the window before.

    Stations that send nothing in a window have a row in it if something is left to them. Windows without a neighbour
    are solved as they are.

    Args:
        stations: rows of :data:`.fixed_point.STATIONS` by `case`, with `sender`, :data:`.contention_domain.WHEN`, and
            `served_most`, the packets per second that a hidden station delivers at most; null of others.
        links: `case medium window_start_ns sender receiver` of tumbling windows.
        window_ns: their length.
    """
    follows = _follows(links, window_ns)
    if follows.is_empty():
        return fixed_point.solve(stations)
    is_alone = ~pl.col("case").is_in(pl.concat([follows["case"], follows["before"]]).unique().implode())
    alone, stations = stations.filter(is_alone), stations.filter(~is_alone)
    window_s = window_ns / 1e9
    least = MIN_CHANGE / window_s
    chains = links.select("case", chain=pl.col("case").min().over("medium", *LINK, block(window_ns)))
    stations = stations.join(chains, on="case", maintain_order="left")
    stations = stations.with_columns(offered=pl.col("packets_per_s"), held=pl.lit(0.0))
    solved, found = fixed_point.solve(stations), list[pl.DataFrame]()
    for _ in range(ROUNDS):
        left = _left(solved, LIFETIME_S / window_s).join(follows, on="before")
        solved = _with_silent(solved, left.filter(pl.col("left") > least))
        loads = _loads(solved, left)
        change = (pl.col("load") - pl.col("packets_per_s")).abs()
        changed = _is_other() & (change > pl.max_horizontal(SETTLED * pl.col("load"), least))
        loads = loads.with_columns(again=changed.any().over("case"))
        solved = solved.with_columns(loads["held"])
        goes_on = loads.select(goes_on=pl.col("again").any().over("chain"))["goes_on"]
        found.append(_with_doubt(solved.filter(~goes_on), loads.filter(~goes_on), follows))
        solved, loads = solved.filter(goes_on), loads.filter(goes_on)
        if solved.is_empty():
            break
        again = loads["again"]
        load = pl.when(_is_other()).then("load").otherwise("packets_per_s")
        asked = solved.with_columns(loads.select(packets_per_s=load)).filter(again).drop(SOLVED)
        solved = pl.concat([solved.filter(~again), fixed_point.solve(asked)]).sort("case", maintain_order=True)
    found.append(_with_doubt(solved, loads, follows))
    found = [rows.drop("offered", "held", "chain") for rows in found]
    if not alone.is_empty():
        found.append(fixed_point.solve(alone).select(found[0].columns))
    return pl.concat(found).sort("case", maintain_order=True)


def displaced_load(links: pl.DataFrame, stations: pl.DataFrame, sources: pl.DataFrame, window_ns: int) -> pl.DataFrame:
    """`case displaced_load`: airtime share by which bursts of hidden stations may come to other windows than recorded.

    One of two stations that do not hear each other may get nothing for as long as packets live, and what it could not
    send comes later: of a window's load, and of that of windows before it, as much as lies within :data:`LIFETIME_S`.

    Args:
        links: `case medium window_start_ns sender receiver` of tumbling windows.
        stations: of all cases, with `hidden`.
        sources: of :func:`.on_off.sources`.
        window_ns: their length.
    """
    airtime = pl.col("count") * pl.col("packets_per_s") * (pl.col("access_s") + pl.col("packet_s"))
    stations = stations.join(sources, on=["medium", "sender"], how="left", maintain_order="left")
    burst = airtime * pl.col("off_share").fill_null(0.0)
    hidden = grouped(stations, ["case"], {"load": pl.when("hidden").then(burst)})
    hidden = hidden.with_columns(pl.col("load").clip(0, 1))
    keys = ["medium", *LINK, "window_start_ns"]
    rows = links.select("case", *keys).join(hidden, on="case", maintain_order="left").with_columns(block(window_ns))
    lasts = LIFETIME_S / (window_ns / 1e9)
    reaches = ceil(lasts)  # windows back, of which the last one counts in part
    loads = [pl.col("load")]
    for back in range(1, min(reaches, BLOCK - 1) + 1):  # all further ones are of other blocks
        weight = min(1.0, lasts - back + 1)
        before = rows.select(*keys, "block", (pl.col("load") * weight).alias(f"load_{back}"))
        before = before.with_columns(pl.col("window_start_ns") + back * window_ns)
        rows = rows.join(before, on=[*keys, "block"], how="left", nulls_equal=True, maintain_order="left")
        loads.append(pl.col(f"load_{back}").fill_null(0.0))
    mean = sum(loads[1:], loads[0]) / (reaches + min(1.0, lasts - reaches + 1))
    return rows.select("case", displaced_load=mean * min(1.0, lasts))


def _with_doubt(solved: pl.DataFrame, loads: pl.DataFrame, follows: pl.DataFrame) -> pl.DataFrame:
    """With `late_per_s`: packets per second that may come to a window, or leave it, besides those counted.

    As many as :data:`SERVED_DOUBT` makes a difference, in the window itself and in the one before.
    """
    slower = (_held_up((1 - SERVED_DOUBT) * pl.col("served")) - pl.col("held")).abs()
    out = loads.select("case", "sender", "packets_max", out=pl.when(_is_other()).then(slower).otherwise(0.0))
    into = out.filter(pl.col("out") > 0).rename({"case": "before"}).join(follows, on="before")
    into = into.select("case", "sender", into=pl.col("out") / pl.col("packets_max"))
    both = out.join(into, on=["case", "sender"], how="left", maintain_order="left")
    into_s = (pl.col("into") * pl.col("packets_max")).fill_null(0.0)
    return solved.with_columns(both.select(late_per_s=(into_s * into_s + pl.col("out") ** 2).sqrt()))


def _is_other() -> pl.Expr:
    """One station that is not the subject."""
    return ~pl.col("subject") & pl.col("sender").is_not_null() & (pl.col("count") == 1)


def _follows(links: pl.DataFrame, window_ns: int) -> pl.DataFrame:
    """`case before`: cases of the same link in windows that follow one another, in one block."""
    together, start = ["medium", *LINK, "block"], pl.col("window_start_ns")
    blocks = links.with_columns(block(window_ns)).sort(*together, "window_start_ns")
    adjacent = start.shift().over(together) == start - window_ns
    before = pl.when(adjacent).then(pl.col("case").shift().over(together))
    return blocks.select("case", before=before).drop_nulls()


def _left(solved: pl.DataFrame, windows: float) -> pl.DataFrame:
    """`before sender packets_max left`: packets per second that others leave, each as long as `windows` at most.

    An access that holds fewer packets than it may leaves none behind.
    """
    delivered = pl.min_horizontal("delivered_per_s", "served_most")
    empties = (pl.col("packets") < FULL * pl.col("packets_max")) & pl.col("served_most").is_null()
    rest = pl.when(empties).then(0.0).otherwise((pl.col("packets_per_s") - delivered).clip(0, None))
    rest = pl.min_horizontal(rest, delivered * windows)
    others = solved.filter(_is_other())
    return others.select("sender", "packets_max", before="case", left=rest + pl.col("held"))


def _with_silent(solved: pl.DataFrame, left: pl.DataFrame) -> pl.DataFrame:
    """With a row, of the window before but with nothing to send, of each silent station that something is left to."""
    silent = left.join(solved.filter(_is_other()), on=["case", "sender"], how="anti", maintain_order="left")
    if silent.is_empty():
        return solved
    rows = silent.select("case", "before", "sender").join(
        solved.filter(_is_other()).rename({"case": "before"}), on=["before", "sender"], maintain_order="left"
    )
    nothing = {name: pl.lit(0.0) for name in ("packets_per_s", "offered", "held", "delivered_per_s", "collision")}
    rows = rows.with_columns(**nothing, late=pl.lit(None, pl.Float64), late_spread=pl.lit(None, pl.Float64))
    return pl.concat([solved, rows.select(solved.columns)]).sort("case", maintain_order=True)


def _loads(solved: pl.DataFrame, left: pl.DataFrame) -> pl.DataFrame:
    """With `load`, what a station has to send, and `held`, what of it waits for the next window."""
    # The packets of an aggregating station are batches, of another size in each window: full accesses are not.
    left = left.select("case", "sender", left=pl.col("left") / pl.col("packets_max"))
    loads = solved.with_columns(served=_served()).join(left, on=["case", "sender"], how="left", maintain_order="left")
    loads = loads.with_columns(left=(pl.col("left") * pl.col("packets_max")).fill_null(0.0))
    loads = loads.with_columns(held=pl.when(_is_other()).then(_held_up(pl.col("served"))).otherwise(0.0))
    return loads.with_columns(load=pl.col("offered") + pl.col("left") - pl.col("held"))


def _served() -> pl.Expr:
    """Packets per second that a station would deliver beside the subject if its queue were filled as well.

    Both would share the time that they take now, with accesses in the inverse ratio of their contention windows.
    """
    exchange_s = pl.col("access_s") + pl.col("packets") * pl.col("packet_s")
    taken = pl.col("delivered_per_s") / pl.col("packets") * exchange_s
    of_subject = {
        name: value.filter("subject").first().over("case")
        for name, value in {"taken": taken, "exchange_s": exchange_s, "window": pl.col("window")}.items()
    }
    full_s = pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s")
    accesses = of_subject["window"] / pl.col("window")
    cycle_s = of_subject["exchange_s"] + accesses * full_s
    shared = pl.col("packets_max") * accesses * (of_subject["taken"] + taken) / cycle_s
    return pl.min_horizontal(shared, "served_most")


def _held_up(served: pl.Expr) -> pl.Expr:
    """Packets per second that are left at the end of a window because they came late in it.

    Those are not counted that would be left if packets had come all through the window. `served`: how many per second
    a station delivers while some wait.
    """
    half = pl.col("late_spread") * 3**0.5
    begins, ends = (pl.col("late") - half).clip(0, 1), (pl.col("late") + half).clip(0, 1)
    waiting = (pl.col("left") - served * begins).clip(0)
    waiting = (waiting + pl.col("offered") - served * (ends - begins)).clip(0)
    late = (waiting - served * (1 - ends)).clip(0)
    evenly = (pl.col("left") + pl.col("offered") - served).clip(0)
    return (late - evenly).clip(0).fill_nan(0.0).fill_null(0.0)
