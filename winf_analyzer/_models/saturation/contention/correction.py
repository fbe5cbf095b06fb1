"""Ratio of a Monte Carlo simulation of the stations around a link to their fixed point."""

from typing import NamedTuple

import polars as pl

from winf_analyzer._aggregate import sort_keys, windows
from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation.contention import contention_domain, tcp_acks, tcp_flows
from winf_analyzer._models.saturation.contention.expected_collisions import load_levels
from winf_analyzer._models.saturation.failures import capture_effect
from winf_analyzer._models.saturation.failures.losses import LossModel
from winf_analyzer._models.saturation.recorded import on_off, to_groups
from winf_analyzer._models.saturation.solvers import dcf_monte_carlo, fixed_point
from winf_analyzer._models.saturation.waits import retry_limits

MIN_ATTEMPTS = 50
"""Attempts that a link must have made to be simulated: beside hidden stations hardly any of them may succeed."""

MIN_AIRTIME = 0.005
"""Share of time that a station must use to count as one that aggregates."""

PRECEDED_SLOTS = 2
"""Slots by which the subject's AIFS is longer than another station's from which on it is simulated."""

MIN_AT_ONCE = 0.02
"""Share of time that stations without a backoff must use together to be simulated: those that wait for one exchange
start at once, and what they take is the longest of them."""

MAX_LINKS = 32
"""Links of a medium that are simulated, those that carried most: the cost of many stations stays bounded."""

TIES = ("carried", "bits", "air_ns", "attempts")
"""Sums by which the links are ranked that are simulated."""

MAX_STATIONS = 256
"""Stations in a simulation, those with the most airtime."""

STEEP = 0.2
"""Share of attempts that fail from which on chance decides much of what a simulation gives: 3 to 4 % of it in one."""

STEEP_HIDDEN = 0.05
"""The same beside hidden stations, where one failure brings the next: one simulation is off by 5 % by chance."""

REPEATS = 6
"""Simulations of such stations, each with draws of its own."""

LIMITS = (0.05, 20.0)
"""Within which a correction is believed."""


UNSURE = ("retries", "yields", "drawn", "contending")
"""Standard deviations of a correction as shares of it: of what retry limits do, of TCP flows of hidden stations, by
chance, of the simulations, and what it would be less if beacons contend of which that is unknown."""

FILLED = 2.0
"""Times as much as a station can send that fills its queue."""

NEIGHBOURS = tuple(f"{what}_{where}" for where in ("below", "above") for what in ("others", "correction"))
"""Of the next levels of load: what others have to send, and the correction."""


class Corrections(NamedTuple):
    """What simulations say."""

    ratios: pl.DataFrame
    """`medium window_start_ns sender receiver correction others_at`, :data:`UNSURE`, and :data:`NEIGHBOURS`."""
    served: pl.DataFrame
    """`medium sender receiver hidden_sender served_most`: packets per second that a station hidden from the sender of a
    link delivers beside it while it has some; other stations are not in it."""


def corrections(
    links: pl.DataFrame,
    learned: pl.DataFrame,
    loss_model: LossModel,
    media: pl.DataFrame,
    kept: pl.DataFrame,
    sources: pl.DataFrame,
) -> Corrections:
    """What simulations say of the links.

    `correction`: simulated over solved, at the mean load of such windows, of which others have `others_at`;
    :func:`at_load` says what it is at another.

    Only links with hidden or aggregating stations around them have one, or with ones whose AIFS is shorter: stations
    that hear one another and send single frames alike are as independent as the fixed point has it. A recorder's own
    links are simulated, or those of everybody where the recorder is anonymous. `retries`: by which share it changes
    with what is not known of retry limits. `learned`: the sums of tumbling windows, from which mean loads are taken.
    `kept`: of :func:`.retry_limits.kept`; `sources`: of :func:`.on_off.sources`.
    """
    asked = _asked(learned, loss_model, media, sources)
    if asked.is_empty():
        unknown = pl.lit(None, pl.Float64)
        names = ("correction", *UNSURE, "others_at", *NEIGHBOURS)
        ratios = learned.clear().select(*WINDOW, *windows.LINK, **dict.fromkeys(names, unknown))
        return Corrections(
            ratios, learned.clear().select("medium", *windows.LINK, hidden_sender="sender", served_most=unknown)
        )
    levels = learned.join(load_levels(learned), on=WINDOW)
    found = contention_domain.cases(levels, loss_model, ("medium", "level"), asked)
    wanted = found.links.join(asked, on=["medium", *windows.LINK])
    stations = _busiest(found.stations).join(wanted.select("case", "first_destroyed", "answered_destroyed"), on="case")
    stations = _with_flows(stations, tcp_acks.followers(learned))
    solved = fixed_point.solve(stations).filter("subject").select("case", solved_per_s="delivered_per_s")
    stations = on_off.with_times(stations, sources)
    stations = stations.join(kept, on="medium", how="left", maintain_order="left")
    simulated = _with_contending(stations, tcp_acks.of_hidden(learned))
    ratio = (pl.col("delivered_per_s") / pl.col("solved_per_s")).clip(*LIMITS)
    both = wanted.join(solved, on="case").join(simulated, on="case").with_columns(correction=ratio)
    both = both.join(others_load(stations), on="case")
    found_at = _with_neighbours(both.select("medium", "level", *windows.LINK, "correction", *UNSURE, "others_at"))
    ratios = load_levels(links).join(found_at, on=["medium", "level"]).drop("level")
    served = _served(stations).join(wanted.select("case", *windows.LINK), on="case")
    by_link = served.group_by("medium", *windows.LINK, "hidden_sender").agg(pl.col("served_most").max())
    return Corrections(ratios, by_link)


def _with_flows(stations: pl.DataFrame, acks: pl.DataFrame) -> pl.DataFrame:
    """:func:`.tcp_flows.settled`, but beside hidden stations, where what flows do is simulated (:func:`_simulated`)."""
    beside_hidden = pl.col("medium").is_in(stations.filter("hidden")["medium"].unique().implode())
    return tcp_flows.settled(stations, acks.filter(~beside_hidden))


def _served(stations: pl.DataFrame) -> pl.DataFrame:
    """`case medium hidden_sender served_most`: packets per second that hidden stations deliver while they have some.

    All at a time, and beside the subject, as during bursts.
    """
    beside = stations.filter(pl.col("hidden").any().over("case"))
    if beside.is_empty():
        return stations.clear().select("case", "medium", hidden_sender="sender", served_most="packets_per_s")
    most = pl.when("hidden").then(FILLED / (pl.col("access_s") + pl.col("packet_s"))).otherwise("packets_per_s")
    filled = beside.with_columns(packets_per_s=most, burst_s=0.0, pause_s=0.0)
    found = dcf_monte_carlo.simulate(
        filled, first_destroyed=pl.col("first_destroyed"), answered_destroyed=pl.col("answered_destroyed")
    )
    # Batches of a station that aggregates are of another size in each window.
    single = found.filter(pl.col("hidden"), ~pl.col("aggregates"))
    return single.select("case", "medium", hidden_sender="sender", served_most="delivered_per_s")


def others_load(stations: pl.DataFrame) -> pl.DataFrame:
    """`case others_at`: the airtime share that others than the subject have to send."""
    airtime = pl.col("count") * _airtime()
    return sort_keys.grouped(stations, ["case"], {"others_at": pl.when(~pl.col("subject")).then(airtime)})


def _with_neighbours(found: pl.DataFrame) -> pl.DataFrame:
    """With :data:`NEIGHBOURS`: the corrections, and loads, of the level below and above. Without others it is 1."""
    link = ["medium", *windows.LINK]
    ordered = found.sort(*link, "others_at", "level")
    steps = {"below": (1, 0.0, 1.0), "above": (-1, None, None)}
    columns = {}
    for name, (step, load, ratio) in steps.items():
        columns[f"others_{name}"] = pl.col("others_at").shift(step).over(link).fill_null(pl.lit(load, pl.Float64))
        columns[f"correction_{name}"] = pl.col("correction").shift(step).over(link).fill_null(pl.lit(ratio, pl.Float64))
    return ordered.with_columns(**columns)


def at_load(load: pl.Expr) -> pl.Expr:
    """The correction at this load of others: between those of levels of load a straight line."""

    def between(name: str) -> pl.Expr:
        at, other = pl.col("others_at"), pl.col(f"others_{name}")
        part = quotient(load - at, other - at).clip(0, 1)
        return pl.col("correction") + part * (pl.col(f"correction_{name}") - pl.col("correction"))

    line = pl.when(load < pl.col("others_at")).then(between("below")).otherwise(between("above"))
    return pl.when(line.is_finite()).then(line).otherwise("correction")


def _with_contending(stations: pl.DataFrame, acks: pl.DataFrame) -> pl.DataFrame:
    """:func:`_simulated` with `contending`, of :data:`UNSURE`."""
    found = _simulated(stations, acks)
    unknown = stations.filter((pl.col("groups_unknown") & ~to_groups.has_backoff()).any().over("case"))
    if unknown.is_empty():
        return found.with_columns(contending=pl.lit(0.0))
    other = _simulated(to_groups.with_backoff(unknown, pl.col("groups_unknown")), acks)
    both = found.join(other.select("case", other_per_s="delivered_per_s"), on="case", how="left", maintain_order="left")
    less = quotient(pl.col("delivered_per_s") - pl.col("other_per_s"), pl.col("delivered_per_s"))
    return both.with_columns(contending=less.clip(0, 1).fill_nan(0.0).fill_null(0.0)).drop("other_per_s")


def _simulated(stations: pl.DataFrame, acks: pl.DataFrame) -> pl.DataFrame:
    """`case delivered_per_s retries drawn yields`: :func:`_persisting`, with and without hidden TCP flows.

    A flow that loses packets to the subject waits for timeouts, for as much of the time as :func:`.tcp_acks.silent`
    says, and sends nothing meanwhile. `yields`: the standard deviation of both, as a share of the mean.
    """
    steady = _persisting(stations)
    hidden = stations.filter("hidden").select("case", "medium", leader="sender")
    flows = hidden.join(acks, on=["medium", "leader"])
    if flows.is_empty():
        return steady.with_columns(yields=pl.lit(0.0))
    gone = pl.concat(
        [
            flows.select("case", sender="leader", part=pl.lit(1.0)),
            flows.select("case", "sender", part=pl.col("share").cast(pl.Float64)),
        ]
    )
    gone = gone.group_by("case", "sender").agg(pl.col("part").max())
    fewer = stations.join(gone.select("case").unique(), on="case", how="semi", maintain_order="left")
    fewer = fewer.join(gone, on=["case", "sender"], how="left", maintain_order="left", nulls_equal=True)
    fewer = fewer.with_columns(packets_per_s=pl.col("packets_per_s") * (1 - pl.col("part").fill_null(0.0))).drop("part")
    without = _persisting(fewer).select("case", without_per_s="delivered_per_s")
    both = steady.join(without, on="case", how="left", maintain_order="left")
    both = both.join(_dropped(stations, flows), on="case", how="left", maintain_order="left")
    one, other = pl.col("delivered_per_s"), pl.coalesce("without_per_s", "delivered_per_s")
    silent = tcp_acks.silent(pl.col("dropped").fill_null(0.0))
    mean, deviation = (1 - silent) * one + silent * other, (silent * (1 - silent)).sqrt() * (one - other).abs()
    return both.select("case", "retries", "drawn", delivered_per_s=mean, yields=(deviation / mean).fill_nan(0.0))


def _dropped(stations: pl.DataFrame, flows: pl.DataFrame) -> pl.DataFrame:
    """`case dropped`: the share of their packets that hidden TCP flows lose if they send as recorded."""
    concerned = stations.join(flows.select("case").unique(), on="case", how="semi", maintain_order="left")
    found = dcf_monte_carlo.simulate(
        concerned, first_destroyed=pl.col("first_destroyed"), answered_destroyed=pl.col("answered_destroyed")
    )
    leaders = found.join(flows.select("case", sender="leader"), on=["case", "sender"], how="semi")
    sent, delivered = (ordered_sum(pl.col(name)) for name in ("packets_per_s", "delivered_per_s"))
    return leaders.group_by("case").agg(dropped=(1 - delivered / sent).clip(0, 1))


def _persisting(stations: pl.DataFrame) -> pl.DataFrame:
    """`case delivered_per_s retries drawn`: the mean over what may happen at the retry limits, and its deviation.

    That matters beside hidden stations where somebody aggregates. `retries` is a share of the mean. `kept`: how
    probable it is that stations with RTS keep CW.
    """
    usual = _mean(stations, persistent=False)
    unsure = pl.col("hidden").any().over("case") & pl.col("aggregates").any().over("case")
    stations = stations.filter(unsure)
    if stations.is_empty():
        return usual.with_columns(retries=pl.lit(0.0))
    persistent = _mean(stations, persistent=True).select("case", persistent_per_s="delivered_per_s")
    probable = stations.filter("subject").select(
        "case", kept=pl.when("rts").then("kept").fill_null(retry_limits.PRESUMED)
    )
    both = usual.join(persistent.join(probable, on="case"), on="case", how="left", maintain_order="left")
    one, other = pl.col("delivered_per_s"), pl.coalesce("persistent_per_s", "delivered_per_s")
    kept = pl.col("kept").fill_null(retry_limits.PRESUMED)
    mean, deviation = (1 - kept) * one + kept * other, (kept * (1 - kept)).sqrt() * (one - other).abs()
    return both.select("case", "drawn", delivered_per_s=mean, retries=(deviation / mean).fill_nan(0.0))


def _mean(stations: pl.DataFrame, *, persistent: bool) -> pl.DataFrame:
    """`case delivered_per_s drawn`: of one simulation, or the mean of :data:`REPEATS` where many attempts fail.

    `drawn`: how far off that mean is by chance, a standard deviation as a share of it.
    """
    once = _once(stations, dcf_monte_carlo.SEED, persistent)
    beside_hidden = stations.group_by("case", maintain_order=True).agg(beside_hidden=pl.col("hidden").any())
    most = pl.when("beside_hidden").then(STEEP_HIDDEN).otherwise(STEEP)
    steep = once.join(beside_hidden, on="case", maintain_order="left").filter(pl.col("first_failed") > most)
    steep = steep.select("case")
    again = stations.join(steep, on="case", how="semi", maintain_order="left")
    seeds = range(dcf_monte_carlo.SEED + 1, dcf_monte_carlo.SEED + REPEATS)
    more = [_once(again, seed, persistent) for seed in seeds] if again.height else []
    per_s = pl.col("delivered_per_s")
    by_case = pl.concat([once, *more]).group_by("case", maintain_order=True)
    drawn = quotient(per_s.std() / pl.len().sqrt(), per_s.mean()).fill_nan(0.0).fill_null(0.0)
    return by_case.agg(per_s.mean(), drawn=drawn)


def _once(stations: pl.DataFrame, seed: int, persistent: bool) -> pl.DataFrame:
    found = dcf_monte_carlo.of_subject(
        stations,
        first_destroyed=pl.col("first_destroyed"),
        answered_destroyed=pl.col("answered_destroyed"),
        persistent=persistent,
        seed=seed,
    )
    return found.select("case", "delivered_per_s", "first_failed")


def _asked(links: pl.DataFrame, loss_model: LossModel, media: pl.DataFrame, sources: pl.DataFrame) -> pl.DataFrame:
    """The links that are simulated: `medium sender receiver first_destroyed answered_destroyed`."""
    carried = links.group_by("medium", *windows.LINK).agg(pl.col(TIES).sum())
    carried = carried.join(media.select("medium", "observer"), on="medium")
    mine = pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender"))
    carried = carried.filter(mine, pl.col("carried") > 0, pl.max_horizontal("carried", "attempts") >= MIN_ATTEMPTS)
    # Only links that are alike in all of these are told apart by their addresses.
    ranked = sort_keys.sort(carried, ("medium", *windows.LINK)).sort(*TIES, descending=True, maintain_order=True)
    most = ranked.group_by("medium", maintain_order=True).head(MAX_LINKS).select("medium", *windows.LINK)
    asked, stations = contention_domain.cases(links, loss_model, contention_domain.WHOLE, most)
    stations = _busiest(stations)
    risky = pl.col("aggregates") & (_airtime() > MIN_AIRTIME)
    hidden = pl.col("hidden").any().over("case")
    preceded = _is_preceded().any().over("case")
    without_backoff = pl.when(~to_groups.has_backoff()).then(_airtime()).otherwise(0.0)
    at_once = ordered_sum(without_backoff).over("case") > MIN_AT_ONCE
    going_on = ((pl.col("txop_s") > 0) & (_airtime() > MIN_AIRTIME)).any().over("case")
    stations = stations.filter(
        hidden | preceded | at_once | going_on | risky.any().over("case"), pl.len().over("case") > 1
    )
    recorded = asked.select(
        "case",
        "answered",
        # A third station hears none of the attempts that meet a hidden one: what becomes of those is presumed.
        attempts=pl.when(pl.col("unaware") > 0).then(0.0).otherwise("attempts"),
        unanswered=pl.col("failed") - pl.col("answered_failed"),
        unacknowledged="answered_failed",
    )
    next_to_hidden = on_off.with_times(stations.filter(hidden), sources)
    survival = capture_effect.chances(next_to_hidden, recorded) if next_to_hidden.height else None
    kept = asked.join(stations.select("case").unique(), on="case").select("case", "medium", *windows.LINK)
    if survival is None:
        return kept.select("medium", *windows.LINK, first_destroyed=pl.lit(1.0), answered_destroyed=pl.lit(1.0))
    kept = kept.join(survival, on="case", how="left")
    return kept.select("medium", *windows.LINK, pl.col("first_destroyed", "answered_destroyed").fill_null(1.0))


def _is_preceded() -> pl.Expr:
    """A busy station may start while the subject still waits for its own AIFS.

    The fixed point lets every idle slot be as good as another for the subject. But most packets of others come during
    exchanges and go out in the first slots after them, which a longer AIFS leaves to them.
    """
    of_subject = {name: pl.col(name).filter("subject").first().over("case") for name in ("aifs_s", "slot_s")}
    sooner = of_subject["aifs_s"] - pl.col("aifs_s") > (PRECEDED_SLOTS - 0.5) * of_subject["slot_s"]
    return sooner & (_airtime() > MIN_AIRTIME)


def _busiest(stations: pl.DataFrame) -> pl.DataFrame:
    airtime = pl.when("subject").then(float("inf")).otherwise(_airtime())
    return stations.filter(airtime.rank("ordinal", descending=True).over("case") <= MAX_STATIONS)


def _airtime() -> pl.Expr:
    """Share of time that a station uses, roughly."""
    return pl.col("packets_per_s") * (pl.col("access_s") + pl.col("packet_s"))
