"""What the links carry, and why attempts on them fail: what a recording says before any queue is filled.

Each step reads what those before it have found.
"""

from typing import NamedTuple

import polars as pl

from winf_analyzer._aggregate import recorder_pauses
from winf_analyzer._aggregate.aggregate import Derived
from winf_analyzer._aggregate.chunks import Context
from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer._models.saturation.contention import (
    contention_domain,
    expected_collisions,
    hidden_losses,
    pieces,
    tcp_acks,
)
from winf_analyzer._models.saturation.contention.contention_domain import Cases
from winf_analyzer._models.saturation.failures import losses, traced_collisions
from winf_analyzer._models.saturation.interval import crowded
from winf_analyzer._models.saturation.recorded import (
    aggregation,
    bursts,
    categories,
    completeness,
    exchange_sums,
    near_misses,
    on_off,
    own_views,
    sender_limits,
    stations,
    to_groups,
)
from winf_analyzer._models.saturation.unheard import hidden_senders, rts_unheard, unheard_airtime, unheard_load
from winf_analyzer._models.saturation.waits import blackouts, retry_limits


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


def tumbling_ns(context: Context) -> int | None:
    """Length of tumbling windows, null for others."""
    return context.settings.window_ns if context.settings.is_tumbling else None


def _loads(
    context: Context,
    sums: pl.DataFrame,
    counts: pl.DataFrame,
    behind_limit: pl.DataFrame,
    traced: pl.DataFrame,
    singly: pl.DataFrame,
    gaps: pl.DataFrame,
    lengths: pl.DataFrame,
    silences: pl.DataFrame,
    **counted: pl.DataFrame,
) -> Loads:
    media, tumbling = context.media_names, context.settings.is_tumbling
    limits = sender_limits.found(lengths)
    sums = _as_sent(context, categories.settled(sums), lengths, limits)
    links = stations.link_loads(context, sums)
    learned = links if tumbling else stations.tumbling_loads(context, sums)
    silenced = blackouts.found(silences, counted["longest"], learned)
    learned = blackouts.without(learned, silenced)
    silenced = silenced if tumbling else blackouts.in_windows(silenced, links)
    links = learned if tumbling else blackouts.without(links, silenced)
    learned, simulated = _with_signs(context, learned, counts, gaps)
    # A repetition behind time that was blocked is late for that.
    waited = pl.col("medium").is_in(silenced["medium"].unique().implode())
    counted["repetitions"] = counted["repetitions"].filter(~waited)
    unheard = unheard_load.found(learned, unheard_load.Counted(**counted), simulated, media, context.settings.versions)
    links = learned if tumbling else _with_shares_of(links, learned)
    links, learned = (unheard_load.put_back(table, unheard) for table in (links, learned))
    senders = contention_domain.per_sender(learned, WINDOW)
    loss_model = _loss_model(context, learned, senders, simulated, traced)
    usual = contention_domain.usual_exchanges(learned)
    senders = senders if tumbling else contention_domain.per_sender(links, WINDOW)
    senders = contention_domain.with_own_losses(senders, links, loss_model, WINDOW)
    asked = crowded.solved_for(links)
    short = pieces.are_one(asked)
    return Loads(
        links,
        learned,
        loss_model,
        acks=tcp_acks.followers(learned),
        usual=usual,
        kept=retry_limits.kept(behind_limit),
        sources=on_off.sources(singly, learned),
        senders=senders,
        undecided=traced_collisions.undecided(traced, media, links),
        limits=limits,
        silenced=silenced,
        cases=contention_domain.cases(asked, loss_model, WINDOW, senders=senders, usual=usual) if short else None,
    )


def _as_sent(context: Context, sums: pl.DataFrame, lengths: pl.DataFrame, limits: pl.DataFrame) -> pl.DataFrame:
    """The sums of a trace as each sender saw them, with the BlockAck windows and limits of their aggregates."""
    sums = own_views.of_senders(sums, context.media_names)
    sums = aggregation.with_windows(sums, lengths, context.media_names, context.frames)
    return aggregation.with_limits(sums, limits.filter(~pl.col("possible")))


def _with_signs(
    context: Context, links: pl.DataFrame, counts: pl.DataFrame, gaps: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The links with what they show together, and their senders simulated at the load that was recorded.

    What was missed of them, whose frames to groups go without a backoff, who is in range though its RTS are not heard,
    who does not hear whom, how long unheard exchanges take, and who aggregates.
    """
    media = context.media_names
    links = completeness.with_shares(links, media, recorder_pauses.followed_share(context))
    links = to_groups.told(links)
    simulated = expected_collisions.as_recorded(links)
    links = rts_unheard.told(links, simulated, media)
    collided = near_misses.counted(expected_collisions.collided(simulated), links)
    links = hidden_senders.told(links, collided, media)
    links = unheard_airtime.told(links, gaps)
    links = aggregation.told(links, simulated, bursts.rates(counts))
    return aggregation.settled(links, media, context.frames), simulated


def _loss_model(
    context: Context,
    learned: pl.DataFrame,
    senders: pl.DataFrame,
    simulated: pl.DataFrame,
    traced: pl.DataFrame,
) -> losses.LossModel:
    """What of the failures the channel is to blame for, and what collisions.

    Args:
        context: of the recording.
        learned: the links, with what was put back for senders that nobody heard.
        senders: of these links.
        simulated: of :func:`_with_signs`, before it was known who sends one by one.
        traced: collisions that a trace shows.
    """
    if learned["one_by_one"].any():
        simulated = expected_collisions.as_recorded(learned)
    collided = near_misses.counted(expected_collisions.collided(simulated), learned)
    shown = traced_collisions.of_media(traced, context.media_names, learned)
    found = losses.loss_model(learned, senders, collided, shown, context.media_names)
    return hidden_losses.left_beside_hidden(found, learned)


def _with_shares_of(links: pl.DataFrame, learned: pl.DataFrame) -> pl.DataFrame:
    """The sums of other windows with the shares that are known of their senders' queues."""
    queue = ["medium", "sender", "queue"]
    of_links = learned.select("medium", *LINK, "queue").unique()
    links = links.join(of_links, on=["medium", *LINK], how="left", nulls_equal=True)
    shares = learned.select("medium", "sender", *completeness.SHARES).unique(queue)
    links = links.with_columns(pl.col("queue").fill_null(0))
    return links.join(shares, on=queue, how="left", nulls_equal=True)


LOADS = Derived(
    _loads,
    {
        "sums": exchange_sums.LINK_LOADS,
        "counts": bursts.COUNTS,
        "singly": on_off.BURSTS,
        "gaps": unheard_airtime.GAPS,
        "lengths": sender_limits.LENGTHS,
        "silences": blackouts.COUNTS,
        "behind_limit": retry_limits.RTS_BEHIND_LIMIT,
        "traced": traced_collisions.COLLISIONS,
        **unheard_load.INPUTS,
    },
)
"""The :class:`Loads` of a recording."""
