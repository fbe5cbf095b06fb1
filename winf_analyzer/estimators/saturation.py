"""Saturation: what a sender would get on top of what it sends, if its queue never ran empty.

A saturating flow does not merely fill what is idle. It contends: with a busy neighbour it takes its share from it, its
backoffs overlap with those of others, some of its attempts collide or get lost, and its MPDUs travel in aggregates
where light traffic travels one by one. So

    AB = X - own        X: what the backlogged sender delivers, own: what it sends already

with X from a model of the stations around it, each with the load and the airtime that the recording shows:

1. :mod:`.stations` sums up what each station sends and what its accesses cost, of a trace as each sender saw it
   (:mod:`.own_views`); :mod:`.ampdu` says how much a backlogged sender puts into one.
2. :mod:`.losses` tells lost attempts from collided ones (:mod:`.loss_posterior`), and how many collisions destroy, by
   how many there should have been (:mod:`.expected_collisions`), nearly were (:mod:`.near_misses`), or were
   (:mod:`.traced_collisions`).
3. :mod:`.fixed_point` solves for the rates of all, one of them backlogged, the others limited by their load.
4. :mod:`.dcf_monte_carlo` simulates links where hidden stations or long aggregates make the fixed point's independence
   wrong, at the mean load of windows about as busy; :mod:`.correction` brings the ratio into those windows.
   :mod:`.capture_effect` finds from the recorded failures which frames survive hidden stations, :mod:`.retry_limits`
   what stations do after seven of them.
5. :mod:`.rate_changes` reads senders whose rate changes in two ways, between which the answer is.
6. :mod:`.bounds` is the interval.

Without others X is C_eff of `rt_winf` corrected, and AB = C_eff - own. The capacity is that of the sender alone, with
aggregation. What cannot be known from one recording is taken as it is usual: CWmax 1023 (of voice and video twice their
CWmin + 1, less 1), seven attempts (four after a CTS), packets no older than 512 TU, BlockAck windows of 64 where no
BlockAck shows a longer one, A-MPDUs of 65 535 octets where the receiver announced no other limit. Contenders offer in
the future what they carried in the recording.

`paper` is Bianchi's assumption as it stands: everybody heard is backlogged, sends single frames, loses none but in
collisions. It has no interval. A window that belongs to a single exchange has no rows.
"""

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from winf_analyzer._aggregate import recorder_pauses, states
from winf_analyzer._aggregate.aggregate import Derived
from winf_analyzer._aggregate.chunks import Context
from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer._models.saturation.contention import (
    carry_over,
    contention_domain,
    expected_collisions,
    hidden_losses,
    other_readings,
    own_links,
    pieces,
    tcp_acks,
)
from winf_analyzer._models.saturation.contention.contention_domain import Cases
from winf_analyzer._models.saturation.contention.correction import Corrections, at_load, corrections, others_load
from winf_analyzer._models.saturation.failures import losses, traced_collisions
from winf_analyzer._models.saturation.interval import blocked, bounds, refusals
from winf_analyzer._models.saturation.recorded import (
    aggregation,
    bursts,
    completeness,
    exchange_sums,
    near_misses,
    on_off,
    own_views,
    rate_changes,
    sender_limits,
    stations,
    to_groups,
)
from winf_analyzer._models.saturation.solvers import fixed_point
from winf_analyzer._models.saturation.unheard import (
    hidden_senders,
    lone_pairs,
    rts_unheard,
    unheard_airtime,
    unheard_load,
)
from winf_analyzer._models.saturation.waits import blackouts, retry_limits
from winf_analyzer.estimators._estimator import Estimator, Method

BELOW_OWN = 0.25
"""Share of its own traffic by which a sender's result may lie below it before the model is refused."""

RATES = ("capacity_bps", "available_bps", "available_low_bps", "available_high_bps")


class Loads(NamedTuple):
    """What the links carry, and why attempts on them fail: the same in both modes."""

    links: pl.DataFrame
    """What :func:`.stations.link_loads` returns."""
    learned: pl.DataFrame
    """The same of tumbling windows, from which the whole recording is judged: in others exchanges count repeatedly."""
    loss_model: losses.LossModel
    acks: pl.DataFrame
    """What :func:`.tcp_acks.followers` returns."""
    usual: pl.DataFrame
    """What :func:`.contention_domain.usual_exchanges` returns."""
    kept: pl.DataFrame
    """What :func:`.retry_limits.kept` returns."""
    sources: pl.DataFrame
    """What :func:`.on_off.sources` returns."""
    senders: pl.DataFrame
    """What :func:`.contention_domain.per_sender` returns of the links."""
    undecided: pl.DataFrame
    """What :func:`.traced_collisions.undecided` returns."""
    limits: pl.DataFrame
    """What :func:`.sender_limits.found` returns."""
    silenced: pl.DataFrame
    """What :func:`.blackouts.found` returns, of the windows of the links."""
    cases: Cases | None
    """Of a short recording, the links and the stations around them; found anew in pieces of a long one."""


def _loads(
    context: Context,
    sums: pl.DataFrame,
    counts: pl.DataFrame,
    behind_limit: pl.DataFrame,
    traced: pl.DataFrame,
    singly: pl.DataFrame,
    gaps: pl.DataFrame,
    lengths: pl.DataFrame,
    **counted: pl.DataFrame,
) -> Loads:
    silences = counted.pop("silences")
    sums = own_views.of_senders(sums, context.media_names)
    sums = aggregation.with_windows(sums, lengths, context.media_names, context.frames)
    limits = sender_limits.found(lengths)
    sums = aggregation.with_limits(sums, limits.filter(~pl.col("possible")))
    links = stations.link_loads(context, sums)
    tumbling = context.settings.step_ns is None and not context.settings.running
    learned = links if tumbling else stations.tumbling_loads(context, sums)
    silenced = blackouts.found(silences, counted["longest"], learned)
    learned = blackouts.without(learned, silenced)
    silenced = silenced if tumbling else blackouts.in_windows(silenced, links)
    links = learned if tumbling else blackouts.without(links, silenced)
    followed = recorder_pauses.followed_share(context)
    learned = to_groups.told(completeness.with_shares(learned, context.media_names, followed))
    simulated = expected_collisions.as_recorded(learned)
    learned = rts_unheard.told(learned, simulated, context.media_names)
    collided = near_misses.counted(expected_collisions.collided(simulated), learned)
    learned = hidden_senders.told(learned, collided, context.media_names)
    learned = unheard_airtime.told(learned, gaps)
    learned = aggregation.told(learned, simulated, bursts.rates(counts))
    learned = aggregation.settled(learned, context.media_names, context.frames)
    # A repetition behind time that was blocked is late for that.
    waited = pl.col("medium").is_in(silenced["medium"].unique().implode())
    signs = unheard_load.Signs(**counted | {"repetitions": counted["repetitions"].filter(~waited)})
    unheard = unheard_load.found(learned, signs, simulated, context.media_names, context.settings.versions)
    links = learned if tumbling else _with_shares_of(links, learned)
    links, learned = (unheard_load.put_back(table, unheard) for table in (links, learned))
    senders = contention_domain.per_sender(learned, WINDOW)
    if learned["one_by_one"].any():
        simulated = expected_collisions.as_recorded(learned)
    collided = near_misses.counted(expected_collisions.collided(simulated), learned)
    shown = traced_collisions.of_media(traced, context.media_names)
    loss_model = losses.loss_model(learned, senders, collided, shown, context.media_names)
    loss_model = hidden_losses.left_beside_hidden(loss_model, learned)
    usual = contention_domain.usual_exchanges(learned)
    short = pieces.are_one(links)
    senders = senders if tumbling else contention_domain.per_sender(links, WINDOW)
    senders = contention_domain.with_own_losses(senders, links, loss_model, WINDOW)
    found = contention_domain.cases(links, loss_model, WINDOW, senders=senders, usual=usual) if short else None
    kept = retry_limits.kept(behind_limit)
    sources = on_off.sources(singly, learned)
    undecided = traced_collisions.undecided(traced, context.media_names)
    acks = tcp_acks.followers(learned)
    return Loads(links, learned, loss_model, acks, usual, kept, sources, senders, undecided, limits, silenced, found)


def _with_shares_of(links: pl.DataFrame, learned: pl.DataFrame) -> pl.DataFrame:
    """The sums of other windows with the shares that are known of their senders' queues."""
    queue = ["medium", "sender", "queue"]
    of_links = learned.select("medium", *LINK, "queue").unique()
    links = links.join(of_links, on=["medium", *LINK], how="left", nulls_equal=True)
    shares = learned.select("medium", "sender", *completeness.SHARES).unique(queue)
    links = links.with_columns(pl.col("queue").fill_null(0))
    return links.join(shares, on=queue, how="left", nulls_equal=True)


def _corrected(context: Context, loads: Loads) -> pl.DataFrame:
    simulated = corrections(
        loads.links, loads.learned, loads.loss_model, context.media_names, loads.kept, loads.sources
    )
    length_ns = _tumbling_ns(context)
    solved = (_solved(found, simulated, loads, length_ns) for found in _cases(loads, length_ns))
    return _rows(context, blocked.applied(pl.concat(solved), loads.silenced))


def _paper(context: Context, loads: Loads) -> pl.DataFrame:
    rows = pl.concat(_backlogged(found) for found in _cases(loads, _tumbling_ns(context)))
    return _rows(context, blocked.applied(rows, loads.silenced))


def _tumbling_ns(context: Context) -> int | None:
    """Length of tumbling windows, null for others."""
    return None if context.settings.step_ns or context.settings.running else context.settings.window_ns


def _rows(context: Context, links: pl.DataFrame) -> pl.DataFrame:
    """Capacity, available bandwidth and its 90 % interval per node, link, state and window."""
    rows = states.values_by_state(context, links, ("exchanges", *RATES, "reason"))
    return rows.join(links.select(*WINDOW, "covered_ns").unique(), on=WINDOW, how="left")


def _cases(loads: Loads, length_ns: int | None) -> Iterator[Cases]:
    """The links of every window and the stations around them, in pieces."""
    if loads.cases is not None:
        yield loads.cases
        return
    for some in pieces.of_links(loads.links, length_ns):
        around = loads.senders.join(some.select(WINDOW).unique(), on=WINDOW, how="semi")
        yield contention_domain.cases(some, loads.loss_model, WINDOW, senders=around, usual=loads.usual)


def _solved(found: Cases, simulated: Corrections, loads: Loads, length_ns: int | None) -> pl.DataFrame:
    """Estimates; `length_ns`: of tumbling windows."""
    # Beside hidden stations the loss of an aggregate's MPDUs is what overlaps, which the simulation has taken off.
    lossy = pl.col("aggregates") & (~pl.col("beside_hidden") | pl.col("rts"))
    whole = pl.when(lossy).then(1 - pl.col("loss")).otherwise(1.0)
    per_s = pl.col("delivered_per_s") * at_load(pl.col("others_now")).fill_null(1.0) * whole * rate_changes.mistaken()
    per_s *= 1 + pl.col("quicker").fill_null(0.0)  # of repetitions that fail less often, see `failures.by_attempt`
    # Beside hidden stations the simulation has what lasts.
    per_s *= 1 + pl.when("beside_hidden").then(0.0).otherwise(pl.col("lasting").fill_null(0.0))
    left = 1 - pl.col("to_groups_share")
    rows = found.links.join(bounds.surroundings(found.stations), on="case")
    rows = rows.join(simulated.ratios, on=[*WINDOW, *LINK], how="left")
    settled = tcp_acks.settled(found.stations, loads.acks)
    if length_ns is None:
        solved = fixed_point.solve(settled)
        rows = rows.with_columns(displaced_load=pl.lit(0.0))
    else:
        solved = carry_over.with_backlogs(_with_served(settled, found.links, simulated.served), found.links, length_ns)
        displaced = carry_over.displaced_load(found.links, found.stations, loads.sources, length_ns)
        rows = rows.join(displaced, on="case")
    now = others_load(solved).rename({"others_at": "others_now"})
    rows = rows.join(now, on="case")
    equals = bounds.as_equals(solved, rows.select("case", "eager_load"))
    rows = rows.join(equals, on="case", how="left", maintain_order="left")
    otherwise = fixed_point.solve(solved.with_columns(vulnerable="vulnerable_otherwise"))
    captured = otherwise.filter("subject").select("case", captured_per_s="delivered_per_s")
    delivered = rate_changes.settled(bounds.outcome(solved), _at_the_mean_rate(found, solved))
    rows = rows.join(captured, on="case").join(delivered, on="case").with_columns(per_s=per_s * left)
    rows = other_readings.with_delivered(
        rows, loads.links, loads.loss_model, loads.acks, loads.senders, loads.usual, loads.limits
    )
    rows = rows.with_columns(pl.col(other_readings.NAMES) * left)
    undecided = loads.undecided.with_columns(undecided=pl.lit(value=True))
    rows = rows.join(undecided, on=["medium", *LINK], how="left", maintain_order="left")
    rows = rows.with_columns(undecided=pl.col("undecided").fill_null(value=False))
    # Whom the sender does not hear at all is in none of its cases: nothing says what is left of the medium beside them.
    alone = pl.col("undecided") & ~pl.col("beside_hidden")
    rows = rows.with_columns(single_bps=pl.when(alone).then(0.0).otherwise("single_bps"))
    rows = rows.join(tcp_acks.left_of_own(solved, loads.acks), on="case", how="left")
    rows = rows.with_columns(pl.col("own_left").fill_null(1.0), answers=_answers_may_be_lost())
    return _rates(bounds.with_margin(rows), refusals.caveats())


def _with_served(stations: pl.DataFrame, links: pl.DataFrame, served: pl.DataFrame) -> pl.DataFrame:
    """The stations with `served_most` of :class:`.Corrections`."""
    of_case = links.select("case", "medium", *LINK).join(served, on=["medium", *LINK])
    of_case = of_case.select("case", "served_most", sender="hidden_sender")
    return stations.join(of_case, on=["case", "sender"], how="left", maintain_order="left", nulls_equal=True)


def _at_the_mean_rate(found: Cases, stations: pl.DataFrame) -> pl.DataFrame:
    """`case mean_rate_per_s own_per_s` of the links that may be read in two ways (:mod:`.rate_changes`)."""
    shorter = rate_changes.at_the_mean_rate(stations, found.links)
    solved = fixed_point.solve(shorter).filter("subject").select("case", mean_rate_per_s="delivered_per_s")
    return solved.join(found.links.select("case", own_per_s="packets_per_s"), on="case", maintain_order="left")


def _backlogged(found: Cases) -> pl.DataFrame:
    """The same if every station is backlogged, sends single frames and loses none but in collisions."""
    heard = (pl.col("attempts") > 0) & ~lone_pairs.stands_for_nothing()
    stations = found.stations.filter(pl.col("subject") | heard)
    if not stations.select(to_groups.has_backoff().all()).item():
        stations = to_groups.with_backoff(stations)
    stations = stations.with_columns(
        packets_per_s=pl.lit(fixed_point.BACKLOGGED),
        packets_max=pl.lit(1.0),
        request_s=pl.lit(None, pl.Float64),
        loss=pl.lit(0.0),
        rts_loss=pl.lit(0.0),
        vulnerable=pl.lit(1.0),
    )
    delivered = rate_changes.settled(bounds.outcome(fixed_point.solve(stations)), None)
    rows = found.links.join(delivered, on="case")
    unknown, whole, no = pl.lit(None, pl.Float64), pl.lit(1.0), pl.lit(value=False)
    rows = rows.with_columns(packets_max=whole, per_s=pl.col("delivered_per_s"), margin=unknown, own_left=whole)
    rows = rows.with_columns(loss=pl.lit(0.0), own_loss=pl.lit(0.0), **dict.fromkeys(("undecided", "answers"), no))
    rows = rows.with_columns(unrepeated=unknown, equals_per_s=unknown)
    rows = rows.with_columns(unknown.alias(name) for name in other_readings.NAMES)
    return _rates(rows, pl.lit([], pl.List(pl.String)))


def _rates(rows: pl.DataFrame, caveats: pl.Expr) -> pl.DataFrame:
    """Estimates of the links.

    Args:
        rows: of :class:`.Cases`, with `per_s`, packets delivered, and `margin`, half the interval as a share of that;
            :data:`.other_readings.NAMES`; `undecided`; `answers`, whether they may be what was lost; and
            what the caveats read.
        caveats: list of codes.
    """
    exchange_s = pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s")
    alone_s = exchange_s + (pl.col("window") - 1) / 2 * pl.col("slot_s")
    capacity = pl.col("packets_max") / alone_s * pl.col("packet_bits")
    own = pl.col("packets_per_s") * pl.col("own_left") * pl.col("as_of_the_link") * pl.col("packet_bits")
    total = pl.col("per_s") * pl.col("packet_bits")
    # In steps of columns: an expression that holds others is copied, and planned, wherever it is used.
    rows = rows.with_columns(as_of_the_link=own_links.as_of_the_link(rows))
    rows = rows.with_columns(
        capacity_bps=capacity * pl.col("rate_factor"),
        capacity_most_bps=capacity * pl.col("rate_factor_most"),
        added=total - own,
        added_singly=pl.col("single_bps") * (1 - pl.col("margin")) - own,
        # If the sender misses answers: an aggregate that arrived is not sent again.
        added_answered=pl.when("answers").then(total / (1 - pl.col("loss")) - own),
        added_equally=pl.col("equals_per_s") * pl.col("packet_bits") - own,
        added_lost=total * (1 - pl.col("unrepeated")) * (1 - pl.col("margin")) - own,
        added_held=pl.col("held_bps") * (1 - pl.col("margin")) - own,
        added_free=pl.col("free_bps") * (1 + pl.col("margin")) - own,
        added_most=pl.col("most_bps") * (1 + pl.col("margin")) - own,
        margin=pl.col("margin") * pl.col("per_s") * pl.col("packet_bits"),
        own=own,
    )
    # All that the medium has, if the hidden stations give way.
    rows = rows.with_columns(added_most=pl.when("undecided").then("capacity_bps").otherwise("added_most"))
    rows = rows.with_columns(_finite("capacity_bps"), _finite("capacity_most_bps"), _finite("margin"))
    # What a sender delivers anyway it can deliver.
    below_own = pl.col("added") < -pl.max_horizontal("margin", BELOW_OWN * pl.col("own"))
    reasons = [*refusals.of_link(), pl.when(below_own.fill_null(False)).then(pl.lit(refusals.BELOW_OWN_TRAFFIC))]
    rows = rows.with_columns(
        *map(
            _finite,
            (
                "added",
                "added_singly",
                "added_lost",
                "added_held",
                "added_free",
                "added_most",
                "added_answered",
                "added_equally",
            ),
        ),
        refused=pl.concat_list(reasons).list.drop_nulls(),
    )
    rows = rows.with_columns(known=pl.col("refused").list.len() == 0)
    rows = rows.with_columns(
        available_bps=pl.when("known").then(pl.col("added").clip(0, pl.col("capacity_bps"))),
        capacity_bps=pl.when(pl.col("cost_known").fill_null(False)).then("capacity_bps"),
        margin=pl.when("known").then("margin"),
        reason=pl.concat_list("refused", caveats).list.unique(maintain_order=True).list.join(","),
    )
    return rows.select(
        *WINDOW,
        *LINK,
        "aggregates",
        exchange_s.alias("exchange_s"),
        pl.col("attempts", "failed", "covered_ns").cast(pl.Int64),
        pl.col("carried").cast(pl.Int64).alias("exchanges"),
        "capacity_bps",
        "available_bps",
        available_low_bps=pl.min_horizontal(
            (pl.col("available_bps") - pl.col("margin")).clip(0),
            pl.when("known").then(pl.min_horizontal("added_singly", "added_lost", "added_held").clip(0)),
        ),
        available_high_bps=pl.max_horizontal(
            pl.min_horizontal(
                pl.col("available_bps") + pl.col("margin"),
                pl.max_horizontal("available_bps", (1 + bounds.CAPACITY) * pl.col("capacity_most_bps")),
            ),
            pl.when("known").then(pl.max_horizontal("added_free", "added_most", "added_answered", "added_equally")),
        ),
        reason=pl.when(pl.col("reason") != "").then("reason").cast(pl.Categorical),
    )


def _answers_may_be_lost() -> pl.Expr:
    """The loss of a sender of aggregates is known of single frames alone, of which the answer may be what was lost."""
    of_singles = pl.col("aggregates") & ~pl.col("rts") & (pl.col("loss_doubt") > 0)
    return of_singles & (pl.col("loss") > bounds.LOSSLESS) & ~pl.col("beside_hidden")


def _finite(rate: str) -> pl.Expr:
    """Unknown where a damaged recording makes it no number, or a negative capacity."""
    return pl.when(pl.col(rate).is_finite()).then(pl.col(rate).clip(0))


_INPUTS = {
    "sums": exchange_sums.LINK_LOADS,
    "counts": bursts.COUNTS,
    "singly": on_off.BURSTS,
    "gaps": unheard_airtime.GAPS,
    "lengths": sender_limits.LENGTHS,
    "silences": blackouts.COUNTS,
    "behind_limit": retry_limits.RTS_BEHIND_LIMIT,
    "traced": traced_collisions.COLLISIONS,
    **unheard_load.INPUTS,
}
_LOADS = Derived(_loads, _INPUTS)

SATURATION = Estimator(
    "saturation",
    "available bandwidth as what a backlogged sender would add, from every station's load and airtime",
    "after Bianchi, IEEE JSAC 18(3), 2000, with stations that are not backlogged, aggregation and loss",
    paper=Method(_paper, {"loads": _LOADS}, per_exchange=False),
    corrected=Method(_corrected, {"loads": _LOADS}, per_exchange=False),
)
