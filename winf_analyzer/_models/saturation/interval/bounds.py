"""How far off the model may be: an interval that covers the true available bandwidth nine times out of ten.

Terms that have nothing to do with one another, each a standard deviation as a share of what the sender delivers, are
added in quadrature; 1.645 of the result is half the interval. With N accesses of T seconds in a window:

*Chance.* Backoffs of variance (W^2 - 1)/12 slots each (`draws`); an access more or less at the edges of the window,
of the sender (`grain`) and of every other station (`edges`); packets of its own that come at random (`own`), or frames
to groups (`to_groups`); accesses that collide, or that backlogged stations win instead (`contests`): of N with such a
chance p the number has a relative deviation of sqrt(p/N), while what stations with limited load send is the same
whoever wins; and what the channel loses (`losses`, :mod:`.repetitions`).

*The model.* Grows with the load of others and their number (`load`), and with what a collision destroying more or
less often would change (`capture`, from a second solution with :attr:`.losses.LossModel.senders` one standard
deviation off). Larger with aggregates, whose collisions cost most (`aggregated`), beside exchanges of other lengths
(`mixed`), access categories (`categories`), others that wait longer or shorter after collisions (`ahead`), the
sender's other links (`turns`), packets that come at equal intervals or in bursts (`uneven`), bursts that
go on in the next window (`late`), with loss that is not told apart from collisions for sure (`lossy`), beside hidden
stations (`hidden`), by what retry limits may do beside them (`retries`), by what a TCP flow of theirs yields
(`yields`), by when their bursts come (`displaced`), by chance where they are simulated (`drawn`), where most attempts
fail beside them (`starved`), and where a third station recorded (`third`).

*The recording.* Frames of others and of the sender's own that were missed (`missed`, `missed_own`), load of which
nothing was heard (`doubtful`), answers that have no place in time (`mistimed`), rates that the header leaves open
(`open`), rates that vary (`varies`), collisions that rate control takes for losses of a rate (`mistaken`), and
losses of which few attempts tell (`loss_doubt`).

The coefficients of the last two kinds were set on development scenarios, that of `contests` with each kind left out in
turn (docs/saturation.md).
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._aggregate.sort_keys import grouped
from winf_analyzer._models.saturation.contention import contention_domain
from winf_analyzer._models.saturation.failures import lasting
from winf_analyzer._models.saturation.interval import repetitions
from winf_analyzer._models.saturation.recorded import completeness, to_groups
from winf_analyzer._models.saturation.solvers import fixed_point
from winf_analyzer._util.student import NORMAL_90

ALONE = 0.012
"""Of a sender without others."""

CAPACITY = 0.02
"""Share by which the upper bound may exceed the capacity, which is known from samples as well."""

CONTESTS = 1.85
"""Of accesses that collide or are lost to backlogged stations, times the root of their share and number: twice, when
the loads were recorded and when the sender is backlogged, and one failure makes the next wait."""

CONTESTS_AGGREGATED = 1.3
"""The same of aggregates."""

GRAIN = 0.41
"""Standard deviation of what the edges of a window cut off, in exchanges: the root of 2/12."""

EDGES = 0.58
"""The same of exchanges of others, cut twice: in the recording, and when the sender is backlogged."""

CONTESTS_HIDDEN = 4.5
"""The same of single frames beside hidden stations, where one failure brings the next."""

CONTESTS_HIDDEN_AGGREGATED = 2.4
"""The same of aggregates, of which only a part is lost."""

PER_LOAD = 0.08
"""Per airtime share of three others; grows with the logarithm of their number."""

PER_LOAD_AGGREGATED = 0.1
"""The same, besides, where the sender's aggregates risk a collision as a whole."""

MIXED = 0.03
"""Of others whose exchanges take half as long as the sender's, or twice."""

CATEGORIES = 0.1
"""Of others with another AIFS, per half of the airtime."""

EAGER_WINDOW = 12.0
"""CWmin + 1 below which stations send voice or video with an OFDM PHY (9.4.2.28)."""

AHEAD = 0.4
"""Per share of collisions of single frames, beside several others that send about as much as a backlogged one gets: a
station that decodes a header of what collides waits for EIFS (10.3.2.3.7), and one that does not is ten slots ahead of
it. Who does depends on where they stand, which no recording tells; how they share the medium depends on it."""

NEARLY = 0.7
"""Packets of another, over those of a backlogged sender, from which on it is nearly backlogged; with 1 it is."""

TURNS = 0.5
"""Per share of what is delivered that accesses for the sender's other links take (:func:`.own_links.turns`), if a queue
of 256 packets goes out in order: whether it does, or each receiver has a turn, is the sender's."""

UNEVEN = 0.45
"""Per airtime share of several others whose packets do not come at random."""

THIRD = 0.025
"""Of what a third station does not hear."""

LOSSLESS = 0.01
"""Loss up to which a link counts as one that loses nothing."""

LOSSY = 0.02
"""Of a lossy link."""

HIDDEN = 0.10
"""Of hidden stations."""

FAILING = (0.75, 0.8)
"""Shares of the attempts that fail beside hidden stations from which on the interval is widened, and reaches to 0.

Hardly anything of what these stations send is known, and where most of a light sender's attempts fail, what a saturated
one gets depends on all of it: which frames they send, how soon they repeat them, in which access category."""

FEW_ATTEMPTS = 5.0
"""Attempts that succeed, presumed besides those of a window."""

MISSED_LOAD = 0.2
"""Of the airtime put back for frames of others that were not recorded."""

MISSED_OWN = 0.03
"""Per share of the sender's own frames that was not recorded."""

MISTIMED = 0.07
"""Per share of answers that were not found, or not where they belong."""

OPEN = 0.04
"""Of a rate that follows from airtimes because the header leaves it open."""

QUICKER = 0.3
"""Per share by which packets take less time because repetitions fail less often than first attempts
(:mod:`.by_attempt`): stations around the link, and what caused the failures, decide how much of that a saturated sender
gains."""

LASTING = 0.4
"""Per share by which more is delivered because repetitions fail more often than first attempts (:mod:`.lasting`): how
often the sender is on the air when what destroys its frames begins, and how late it notices the end, is not known."""

RATE_VARIES = 0.05
"""Of a sender that changes its rate, besides what its two readings differ (:mod:`.rate_changes`)."""

RATE_SPREAD = 0.25
"""Per coefficient of variation of the sender's rate: a saturated sender may be given other rates."""


UNHEARD = 0.005
"""Airtime share of stations of which only the answers are heard, from which on they are mentioned."""

LATEST_WEIGHT = 0.25
"""Of the latest interval in the averages of how often a rate succeeds, by which Minstrel and MinstrelHt choose one."""

INTERVAL_S = 0.05
"""Such an interval of MinstrelHt."""


def surroundings(stations: pl.DataFrame) -> pl.DataFrame:
    """Per `case` of stations, what :func:`terms` and the caveats read besides the link itself.

    `others`: how many, those that send without a backoff as one; `others_load`, `apart_load`, `eager_load`,
    `uneven_load`, `missed_load`: their airtime share, that of those with a backoff and another AIFS, or a shorter
    window than the sender's as of voice or video, that of those whose packets do not come at random, and what was put
    back of it; `longer`: their exchanges over the sender's; `put_back_load`,
    `doubtful_load`: the airtime share of what was not heard at all, and its standard deviation; `edge_s`: root of the
    summed squares of their exchanges; `beside_hidden`, `beside_unheard`, `beside_put_back`: there are hidden ones,
    ones with more than :data:`UNHEARD` whose data is not heard, and ones put back.
    """
    others = ~pl.col("subject")
    exchange_s = pl.col("access_s") + pl.col("packet_s")
    of_subject = {name: pl.col(name).filter("subject").first().over("case") for name in ("aifs_s", "slot_s")}
    stations = stations.with_columns(
        airtime=pl.when(others).then(pl.col("count") * pl.col("packets_per_s") * exchange_s),
        exchange_s=exchange_s,
        sent=others & (pl.col("packets_per_s") > 0),
        has_backoff=to_groups.has_backoff(),
        eager=is_eager(),
        apart=(pl.col("aifs_s") - of_subject["aifs_s"]).abs() > of_subject["slot_s"] / 2,
    )
    airtime, sent, exchange_s = pl.col("airtime"), pl.col("sent"), pl.col("exchange_s")
    sums = {
        "others_load": airtime,
        "missed_load": (1 - pl.col("heard_share")) * airtime,
        "put_back_load": pl.when(completeness.is_put_back()).then(airtime),
        "doubtful_load": pl.when(others).then("doubt"),
        "apart_load": pl.when("apart", "has_backoff").then(airtime),
        "eager_load": pl.when("eager", "has_backoff").then(airtime),
        "uneven_load": pl.col("uneven") * airtime,
        "edge_s": pl.when(sent).then(pl.col("count") * exchange_s * exchange_s),
    }
    found = grouped(
        stations,
        ["case"],
        sums,
        others=pl.col("count").filter(sent & pl.col("has_backoff")).sum() + (sent & ~pl.col("has_backoff")).any(),
        longer=exchange_s.filter(sent).mean() / exchange_s.filter("subject").first(),
        beside_hidden=pl.col("hidden").any(),
        beside_unheard=ordered_sum(airtime.filter(pl.col("data_unheard") & sent)) > UNHEARD,
        beside_put_back=(completeness.is_put_back() & sent).any(),
    )
    shares = [pl.col(name).clip(0, 1) for name in sums if name.endswith("_load")]
    return found.with_columns(*shares, edge_s=pl.col("edge_s").sqrt())


def is_eager() -> pl.Expr:
    """A station that sends voice or video, in whose case the subject does not."""
    own = pl.col("window").filter("subject").first().over("case")
    return ~pl.col("subject") & (pl.col("window") < EAGER_WINDOW) & (pl.col("window") < own)


def as_equals(stations: pl.DataFrame, load: pl.DataFrame) -> pl.DataFrame:
    """`case equals_per_s`: what the subject delivers if eager others contended as it does, where they fill the medium.

    What best effort gets of slots that hardly ever come depends on how such stations collide, repeat and end their
    TXOPs, in which implementations differ: in ns-3 it is twice what the model has, and more. Whatever they do, they do
    not get less than equals. Between none, where they leave half of the medium, and all of the difference.

    Args:
        stations: solved ones, with `delivered_per_s`.
        load: `case eager_load` of :func:`surroundings`.
    """
    asked = stations.join(load.filter(pl.col("eager_load") > 0.5), on="case", maintain_order="left")
    own = {name: pl.col(name).filter("subject").first().over("case") for name in ("window", "aifs_s")}
    equal = asked.with_columns(
        pl.when(is_eager() & to_groups.has_backoff()).then(own["window"]).otherwise("window").alias("window")
    )
    equal = fixed_point.solve(equal.drop("delivered_per_s", "collision", "packets", strict=False)).filter("subject")
    part = (2 * pl.col("eager_load") - 1).clip(0, 1)
    before = asked.filter("subject").select("case", before_per_s="delivered_per_s")
    rows = equal.join(before, on="case")
    more = part * (pl.col("delivered_per_s") - pl.col("before_per_s")).clip(0)
    return rows.select("case", equals_per_s=pl.col("before_per_s") + more)


def outcome(solved: pl.DataFrame) -> pl.DataFrame:
    """Per `case` of solved stations: `delivered_per_s` and `collision` of the subject, and what concerns the others.

    `unserved` and `late_load`: the airtime share which they offer and do not get beside it, and the standard deviation
    of what they send a window later than they came; `backlogged`: the share of their airtime that is of those which are
    backlogged, or nearly are.
    """
    packet_s = pl.col("access_s") / pl.col("packets") + pl.col("packet_s")
    late = (pl.col("late_per_s") * packet_s).clip(0, 1)
    backlog = pl.col("count") * (pl.col("packets_per_s") - pl.col("delivered_per_s")).clip(0) * packet_s
    others = ~pl.col("subject")
    own_per_s = pl.col("delivered_per_s").filter("subject").first().over("case")
    nearly = ((pl.col("packets_per_s") / own_per_s - NEARLY) / (1 - NEARLY)).clip(0, 1).fill_nan(0.0)
    airtime = pl.when(others).then(pl.col("count") * pl.col("packets_per_s").clip(upper_bound=own_per_s) * packet_s)
    sums = {
        "airtime": airtime,
        "backlogged": airtime * nearly,
        "unserved": pl.when(others).then(backlog),
        "late_load": pl.when(others).then(late * late),
    }
    of_subject = {name: pl.col(name).filter("subject").first() for name in ("delivered_per_s", "collision")}
    found = grouped(solved, ["case"], sums, **of_subject)
    backlogged = quotient(pl.col("backlogged"), pl.col("airtime").clip(1e-6))
    found = found.with_columns(unserved=pl.col("unserved").clip(0, 1), late_load=pl.col("late_load").sqrt())
    return found.with_columns(backlogged=backlogged.clip(0, 1)).drop("airtime")


def starved() -> pl.Expr:
    """From 0, where most attempts succeed, to 1, where hardly any does."""
    usual, most = FAILING
    share = pl.col("failed") / (pl.col("attempts") + FEW_ATTEMPTS)
    return ((share - usual) / (most - usual)).clip(0, 1)


def terms() -> dict[str, pl.Expr]:
    """The terms by name, of the columns of :func:`with_margin` and those it adds for them."""
    per_s, covered_s, accesses = pl.col("per_s"), pl.col("margin_covered_s"), pl.col("margin_accesses")
    access_s = (covered_s / accesses).clip(1e-6)
    own_s = accesses * (pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s"))
    own_share = quotient(own_s, covered_s).clip(0.02)
    load, loss = pl.col("others_load"), pl.col("loss").fill_null(0.0)
    aggregated = pl.col("aggregates") & ~pl.col("rts")
    crowd = (1 + pl.col("others")).log(2) / 2
    ahead = (pl.col("others") > 1.5) & ~pl.col("aggregates") & ~pl.col("rts") & ~pl.col("beside_hidden")
    mixed = (pl.col("longer").log(2).abs() > 1) & ~pl.col("aggregates")
    beside_hidden = pl.when("aggregates").then(CONTESTS_HIDDEN_AGGREGATED).otherwise(CONTESTS_HIDDEN)
    alike = pl.when("aggregates").then(CONTESTS_AGGREGATED).otherwise(CONTESTS)
    contests = pl.when("beside_hidden").then(beside_hidden).otherwise(alike)
    # A rate that is tried once in an interval is judged by so few attempts; collisions of RTS are not held against it.
    # A sender of aggregates hardly tries others: what is mistaken is the rate in use, by all attempts of an interval.
    failing = (loss + pl.when("rts").then(0.0).otherwise("collision")).clip(0, 0.9)
    tried = pl.when("aggregates").then((INTERVAL_S / access_s / (1 - failing)).clip(1)).otherwise(1.0)
    mistaken = (LATEST_WEIGHT / (2 - LATEST_WEIGHT) * failing / (1 - failing) / tried).sqrt()
    contested = pl.when("beside_hidden").then(load).otherwise(pl.col("collision") + pl.col("unserved"))
    return {
        "draws": pl.col("slot_s") * pl.col("window") / (access_s * (12 * accesses).sqrt()),
        "edges": EDGES * pl.col("edge_s") / own_s.clip(1e-6),
        "grain": GRAIN * repetitions.in_order() / accesses,
        "to_groups": (pl.col("to_groups_share") * pl.col("to_groups_s") / covered_s).sqrt()
        / (1 - pl.col("to_groups_share")),
        "own": (pl.col("packets_per_s") * covered_s).sqrt() / (per_s * covered_s).clip(1),
        "contests": contests * (contested.clip(0, 1) / accesses).sqrt(),
        "losses": pl.col("margin_varied"),
        "alone": pl.lit(ALONE),
        "load": PER_LOAD * load * crowd,
        "capture": (pl.col("captured_per_s") * pl.col("rate_factor") / pl.col("delivered_per_s") - 1)
        .abs()
        .fill_nan(0.0)
        .clip(0, 1),
        "aggregated": pl.when(aggregated).then(PER_LOAD_AGGREGATED * load * crowd).otherwise(0.0),
        "mixed": pl.when(mixed).then(MIXED).otherwise(0.0),
        "categories": CATEGORIES * (2 * pl.col("apart_load")).clip(0, 1),
        "ahead": pl.when(ahead).then(AHEAD * pl.col("collision") * pl.col("backlogged")).otherwise(0.0),
        "turns": TURNS * quotient(pl.col("turns"), per_s.clip(1e-6)),
        "uneven": UNEVEN * pl.col("uneven_load") * (1 - 1 / pl.col("others").clip(1)),
        "third": pl.when("anonymous").then(THIRD).otherwise(0.0),
        "lossy": pl.when(loss > LOSSLESS).then(LOSSY).otherwise(0.0),
        "loss_doubt": _loss_doubt(),
        "quicker": QUICKER * pl.col("quicker").abs().fill_null(0.0),
        "lasting": LASTING * lasting.more(),
        "hidden": pl.when("beside_hidden").then(HIDDEN).otherwise(0.0),
        "retries": pl.col("retries").fill_null(0.0),
        "yields": pl.col("yields").fill_null(0.0),
        "drawn": pl.col("drawn").fill_null(0.0),
        "contending": pl.col("contending").fill_null(0.0),
        "starved": pl.when("beside_hidden").then(starved() / NORMAL_90).otherwise(0.0),
        "missed": MISSED_LOAD * pl.col("missed_load") / own_share,
        "late": quotient(pl.col("late_load"), own_share),
        "displaced": quotient(pl.col("displaced_load"), own_share),
        "doubtful": quotient(pl.col("doubtful_load"), own_share),
        "missed_own": MISSED_OWN * (1 - pl.col("heard_share")),
        "mistimed": MISTIMED * pl.max_horizontal("answer_missed", "answer_off"),
        "open": pl.when(pl.col("open_share") > 0.5).then(OPEN).otherwise(0.0),
        "varies": pl.when(pl.col("rate_spread") > 0)
        .then(RATE_VARIES + RATE_SPREAD * pl.col("rate_spread") + pl.col("rate_doubt"))
        .otherwise(0.0),
        "mistaken": pl.when(pl.col("rate_spread") > 0).then(mistaken).otherwise(0.0),
    }


def _loss_doubt() -> pl.Expr:
    """What losses one standard deviation off would change: of data an attempt, of RTS the backoff and the RTS.

    Aggregates that stall on a loss (:data:`.contention_domain.STALLING`) are shorter besides, by its root.
    """
    backoff_s = pl.col("window") / 2 * pl.col("slot_s")
    exchange_s = pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s")
    of_rts = (pl.col("first_s") + backoff_s) / (exchange_s + backoff_s)
    root = pl.col("loss").sqrt()
    stalls = pl.col("aggregates") & ~pl.col("beside_hidden") & (pl.col("lost_apart") > contention_domain.STALLING)
    stalls &= contention_domain.in_window() < pl.col("packets_max")
    shorter = contention_domain.STALL / (2 * root * (1 + contention_domain.STALL * root))
    data = pl.col("loss_doubt") * (1 / (1 - pl.col("loss")) + pl.when(stalls).then(shorter).otherwise(0.0))
    rts = pl.when("rts").then(of_rts * pl.col("rts_doubt") / (1 - pl.col("rts_loss"))).otherwise(0.0)
    return (data * data + rts * rts).sqrt().fill_null(0.0)


def margin_terms(rows: pl.DataFrame) -> pl.DataFrame:
    """The values of :func:`terms`, a column each, of rows with `per_s` and what the recording and the model say."""
    covered_s = pl.col("covered_ns") * 1e-9  # by a factor: see `quotient`
    accesses = (pl.col("per_s") / pl.col("packets_max") * covered_s).clip(1)
    rows = rows.with_columns(margin_covered_s=covered_s, margin_accesses=accesses)
    varied = repetitions.variation(rows, pl.col("margin_accesses"), pl.col("margin_covered_s"))
    return rows.with_columns(margin_varied=varied).select(**terms())


def with_margin(rows: pl.DataFrame) -> pl.DataFrame:
    """`rows` with `margin`: half the width of the interval, as a share of `per_s`, what is delivered.

    And `doubtful_margin`, what it would be of load alone of which nothing was heard.

    The terms are columns first: an expression that holds others is copied, and planned, wherever it is used.
    """
    found = margin_terms(rows)
    first, *others = map(pl.col, found.columns)
    total = first * first
    for term in others:
        total = total + term * term
    margins = {"margin": NORMAL_90 * total.sqrt(), "doubtful_margin": NORMAL_90 * pl.col("doubtful")}
    return rows.with_columns(found.select(**margins))
