"""The contention domain of each link: the stations around it, as the fixed point and the simulation take them."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from winf_analyzer._aggregate import sort_keys, windows
from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation.contention import batches, presumed
from winf_analyzer._models.saturation.contention.explained_losses import are_apart, explained_by_hidden
from winf_analyzer._models.saturation.failures import outlasting
from winf_analyzer._models.saturation.failures.losses import LossModel
from winf_analyzer._models.saturation.recorded import categories, completeness, queues, to_groups
from winf_analyzer._models.saturation.recorded.completeness import SHARES
from winf_analyzer._models.saturation.recorded.exchange_sums import SUMS
from winf_analyzer._models.saturation.recorded.stations import costs
from winf_analyzer._models.saturation.solvers import fixed_point

WHOLE = ("medium",)
"""In place of a window: the whole recording."""

NEAR = 32
"""Stations around a link that are taken one by one, those with the most airtime; the others are one row, as many of
them as there are, all alike. So the cost of a link does not depend on the number of stations."""

USUAL = 10.0
"""Exchanges of a link as they are over the whole recording that are presumed in each window, besides its own."""

STALLING = 0.02
"""Loss from which on aggregates are shorter because of it."""

STALL = 2.6
"""What the root of the loss is multiplied with there."""

MAX_TO_GROUPS = 0.95
"""Share of the time that a sender's frames to groups take, at most."""

TIES = ("packets_per_s", "access_s", "attempts", "bits", "first_s")
"""By which stations with as much airtime are told apart: what does not depend on their addresses."""

COUNTS = ("attempts", "failed", "answered", "answered_failed", "carried")
"""What is kept of the sums of a link."""

NUMBERS = (
    *("sifs_s", "txop_s", "aifs_s", "slot_s", "window", "ba_window", "packet_bits"),
    *("packets_max", "packet_s", "access_s", "first_s", "first_packet_s", "tail_s", "request_s"),
)
OWN = ("aggregates", "rts", "hidden", "data_unheard", "unheard_mpdus", *NUMBERS)
"""What :func:`.stations.costs` says of a link, or a sender, alone."""

MEANS = ("access_s", "packet_s", "aggregates")
"""Costs of the sender's packets on all its links, which those of a link also have, with `own_` before the name."""

WHEN = ("late", "late_spread")
"""When in the window a station's packets came: mean and standard deviation, as shares of the window."""

CAVEATS = ("cost_known", "rate_spread", "rate_excess_s", "open_share", "ba_window_most", *SHARES)
"""What it says of how well the link is known."""


class Cases(NamedTuple):
    """Links and what surrounds them."""

    links: pl.DataFrame
    """A row per link that carried something, numbered by `case`, with :data:`COUNTS`, :data:`CAVEATS`, costs and
    loss."""
    stations: pl.DataFrame
    """The rows of :data:`.dcf_monte_carlo.CONTENDERS` of every case, which hold :data:`.fixed_point.STATIONS`; also
    `sender`, `attempts`, `aggregates` and `heard_share`."""


def per_sender(links: pl.DataFrame, window: Sequence[str], *, by_queue: bool = True) -> pl.DataFrame:
    """Sums and costs of each sender over its links, and what it sends per second (`packets_per_s`).

    A row for each of its queues (:mod:`.queues`), or one for all (not `by_queue`).
    """
    covered = links.select(*dict.fromkeys((*WINDOW, "covered_ns", *window))).unique()
    covered = covered.group_by(window).agg(pl.col("covered_ns").sum())
    keys = (*window, "sender", "queue") if by_queue else (*window, "sender")
    return to_groups.in_bursts(costs(_summed(links, keys).join(covered, on=window)), window)


def with_own_losses(
    senders: pl.DataFrame, links: pl.DataFrame, loss_model: LossModel, window: Sequence[str]
) -> pl.DataFrame:
    """`senders`, of :func:`per_sender`, with `own_loss`: the mean over what each delivers on all its `links`."""
    queue = (*window, "sender", "queue")
    sums = links.filter(pl.col("receiver").is_not_null()).group_by(*queue, "receiver").agg(pl.col("carried").sum())
    rows = sums.join(loss_model.links, on=["medium", *windows.LINK], how="left", nulls_equal=True)
    lost = ordered_sum(pl.col("loss").fill_null(0.0) * pl.col("carried"))
    means = rows.group_by(queue).agg(own_loss=quotient(lost, pl.col("carried").sum().clip(1)))
    return senders.join(means, on=queue, how="left", maintain_order="left")


def _summed(links: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    shares = [name for name in SHARES if name not in keys]
    receivers = ((pl.col("carried") > 0) & pl.col("receiver").is_not_null()).sum()
    first = pl.col(shares).sort_by("queue").first()
    return links.group_by(keys).agg(pl.col(SUMS).sum(), first, receivers=receivers.cast(pl.Float64))


def usual_exchanges(links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver` and the sums of :data:`USUAL` exchanges that are each link's mean over the recording."""
    sums = links.group_by("medium", *windows.LINK).agg(pl.col(SUMS).sum()).filter(pl.col("carried") > 0)
    return sums.with_columns(pl.col(name) * (USUAL / pl.col("carried")) for name in SUMS)


def _with_usual(sums: pl.DataFrame, usual: pl.DataFrame | None) -> pl.DataFrame:
    if usual is None:
        return sums
    both = sums.join(usual, on=["medium", *windows.LINK], how="left", nulls_equal=True, suffix="_usual")
    both = both.with_columns(pl.col(name) + pl.col(f"{name}_usual").fill_null(0) for name in SUMS)
    return both.select(sums.columns)


def cases(
    links: pl.DataFrame,
    loss_model: LossModel,
    window: Sequence[str],
    wanted: pl.DataFrame | None = None,
    senders: pl.DataFrame | None = None,
    usual: pl.DataFrame | None = None,
) -> Cases:
    """The links of each window, or of the recording (:data:`WHOLE`), and for each the stations around it.

    Of all links, or of those `wanted` (`medium sender receiver`). `senders`: those of :func:`with_own_losses`, if
    `links` are not all of their window; each link has the same case then, whichever others it is among. `usual`: what
    :func:`usual_exchanges` returns; an access of a link costs what it does in the window, and as usual where there are
    few.

    Of a hidden station without RTS only the ACKs are heard: it is taken to send what the link sends. Next to hidden
    stations, what fails on a quiet medium collided with them, and counts as no loss, but for what :mod:`.hidden_losses`
    has of data behind a CTS. An MPDU lost does not fail its aggregate.
    """
    if senders is None:
        senders = with_own_losses(per_sender(links, window), links, loss_model, window)
    senders = senders.join(loss_model.senders, on=["medium", "sender"], how="left", nulls_equal=True)
    lost = pl.when(queues.is_unanswered()).then(queues.attempts_lost()).otherwise("lost")
    senders = _sane(senders.with_columns(lost=lost))
    sums = links if tuple(window) == WINDOW else _summed(links, (*window, *windows.LINK))
    sums = sums.filter(pl.col("receiver").is_not_null(), ~categories.is_apart())
    if wanted is not None:
        sums = sums.join(wanted, on=["medium", *windows.LINK], how="semi")
    counts = sums.select(*window, *windows.LINK, *COUNTS)
    carriers = _with_usual(sums, usual).filter(pl.col("carried") > 0).with_columns(covered_ns=1)
    carriers = costs(carriers, of_links=True)
    carriers = carriers.select(*window, *windows.LINK, *OWN, *CAVEATS).join(
        counts, on=[*window, *windows.LINK], nulls_equal=True
    )
    subjects = carriers.join(loss_model.links, on=["medium", *windows.LINK], how="left")
    ranked = _ranked(senders, window).with_columns(no_backoff=~to_groups.has_backoff())
    means = (pl.col(name).alias(f"own_{name}") for name in MEANS)
    own = ranked.select(
        *(*window, "sender", "queue", "packets_per_s", "covered_ns", "is_near", "no_backoff", "own_loss", "receivers"),
        pl.col("carried").alias("own_carried"),
        *WHEN,
        *_COLLISIONS,
        *means,
    )
    subjects = subjects.join(own, on=[*window, "sender", "queue"])
    subjects = subjects.join(_to_groups(ranked, window), on=[*window, "sender"], how="left")
    subjects = subjects.with_columns(pl.col("to_groups_share", "to_groups_s").fill_null(0.0).fill_nan(0.0))
    # In order, so that random draws are the same every time.
    subjects = sort_keys.sort(subjects, (*window, *windows.LINK)).with_columns(case=pl.int_range(pl.len()))
    stations = pl.concat([_subject_rows(subjects), *_others(subjects, ranked, window)], how="diagonal_relaxed")
    stations = _finished(queues.named(stations))
    links = subjects.drop("is_near", "no_backoff", *WHEN, *_COLLISIONS)
    return Cases(links, fixed_point.in_order(stations))


def _to_groups(senders: pl.DataFrame, window: Sequence[str]) -> pl.DataFrame:
    """`to_groups_share` and `to_groups_s` per window and sender, of frames to groups that have a queue of their own.

    The share of the time that they take, and what one of them takes, backoffs included. A sender's own flow does not
    win the medium from them: they wait in one queue with it, or go before it, behind a beacon (11.2.3.4).
    """
    each_s = pl.col("access_s") + (pl.col("window") - 1) / 2 * pl.col("slot_s")
    share = (pl.col("packets_per_s") * each_s).clip(0, MAX_TO_GROUPS)
    of_groups = senders.filter(pl.col("queue") == queues.TO_GROUPS)
    return of_groups.select(*window, "sender", to_groups_share=share, to_groups_s=each_s)


_COLLISIONS = (
    *("vulnerable", "vulnerable_otherwise", "answered_destroyed", "elsewhere", "homewards"),
    *("lost", "rts_lost", "beside_lost"),
)
"""What is known of how a station's collisions end, and of what the channel loses of what it sends."""

_STATION = (
    *(
        "sender",
        "packets_per_s",
        "attempts",
        "aggregates",
        "rts",
        "hidden",
        "data_unheard",
        "unheard_mpdus",
        "batch",
        "burst_per_s",
        *WHEN,
        *NUMBERS,
    ),
    *_COLLISIONS,
    *("heard_share", "uneven", "doubt", "unaware"),
    *("unheard_gap_ns", "queue", "groups_unknown"),
)
"""What is known of a station in a case."""


def _sane(senders: pl.DataFrame) -> pl.DataFrame:
    """Without what no number can be averaged from."""
    values = [name for name in ("packets_per_s", *NUMBERS) if name in fixed_point.LIMITS]
    senders = senders.rename({"answered_share": "answered_destroyed"})
    return senders.with_columns(fixed_point.sane(name) for name in (*values, *_COLLISIONS))


def _ranked(senders: pl.DataFrame, window: Sequence[str]) -> pl.DataFrame:
    """With `is_near`, of the :data:`NEAR` senders with the most airtime in the window."""
    airtime = pl.col("packets_per_s") * (pl.col("access_s") + pl.col("packet_s"))
    senders = sort_keys.sort(senders, (*window, "sender")).sort(*TIES, maintain_order=True)
    return senders.with_columns(is_near=airtime.rank("ordinal", descending=True).over(window) <= NEAR)


def _subject_rows(subjects: pl.DataFrame) -> pl.DataFrame:
    losses = ("loss", "lost_apart", "rts_loss")
    return subjects.select("case", "medium", *_STATION, *losses, subject=pl.lit(True), count=pl.lit(1.0))


def _others(subjects: pl.DataFrame, ranked: pl.DataFrame, window: Sequence[str]) -> list[pl.DataFrame]:
    """The senders with the most airtime one by one, and one row for those beyond, hidden ones apart."""
    around = subjects.select(
        "case",
        *window,
        "is_near",
        subject_sender="sender",
        subject_queue="queue",
        subject_hidden="hidden",
        subject_unaware="unaware",
        subject_no_backoff="no_backoff",
        subject_deaf="deaf",
    )
    # What is not repeated is done with, whatever it met.
    ranked = ranked.with_columns(pl.col("vulnerable", "vulnerable_otherwise") * to_groups.repeated())
    losses = {"loss": "lost", "lost_apart": "lost", "rts_loss": "rts_lost"}
    each = {"subject": pl.lit(False)} | {name: pl.col(of_sender) for name, of_sender in losses.items()}
    near = around.drop("is_near").join(ranked.filter("is_near").select(*window, *_STATION), on=window)
    # Its own frames to groups are no contender (:func:`_to_groups`).
    of_subject = (pl.col("queue") == pl.col("subject_queue")) | (pl.col("queue") == queues.TO_GROUPS)
    same = pl.col("sender").eq_missing(pl.col("subject_sender")) & of_subject
    near = near.filter(~same, ~(pl.col("subject_deaf") & completeness.is_put_back()))
    apart = are_apart(pl.col("unaware"), pl.col("subject_unaware"))
    apart &= pl.col("sender").ne_missing(pl.col("subject_sender"))
    near = near.with_columns(hidden=pl.col("hidden") | apart)
    near = near.select("case", "medium", *_STATION, **each, count=pl.lit(1.0))
    far = ranked.filter(~pl.col("is_near"))
    if far.is_empty():
        return [near]
    means = (
        "packets_per_s",
        "unheard_mpdus",
        "batch",
        "burst_per_s",
        *WHEN,
        *NUMBERS,
        *_COLLISIONS,
        "heard_share",
        "uneven",
        "doubt",
        "unheard_gap_ns",
    )
    crowd = far.group_by(*window, "hidden", "no_backoff").agg(
        *((ordered_sum(pl.col(name)) / pl.col(name).count()).alias(name) for name in means),
        *(pl.col(name).mean() > 0.5 for name in ("aggregates", "rts", "data_unheard")),
        groups_unknown=pl.col("groups_unknown").any(),
        count=pl.len().cast(pl.Float64),
        attempts=pl.col("attempts").sum(),
        sender=pl.lit(None, pl.String),
        unaware=pl.lit(0),
        queue=pl.lit(0, pl.Int64),
    )
    crowd = crowd.with_columns(request_s=pl.when(pl.col("aggregates") & ~pl.col("rts")).then("request_s"))
    crowd = crowd.with_columns(pl.col("sender").cast(near.schema["sender"]))
    rows = around.join(crowd, on=window)
    alike = (pl.col(name) == pl.col(f"subject_{name}") for name in ("hidden", "no_backoff"))
    is_member = ~pl.col("is_near") & pl.all_horizontal(*alike)
    rows = rows.with_columns(count=pl.col("count") - pl.when(is_member).then(1.0).otherwise(0.0))
    return [near, rows.filter(pl.col("count") > 0).select("case", "medium", *_STATION, **each, count="count")]


def _finished(stations: pl.DataFrame) -> pl.DataFrame:
    stations = presumed.of_unheard(stations)
    if stations["hidden"].fill_null(True).any():
        stations = stations.with_columns(hidden=pl.col("hidden") & ((pl.col("unaware") != 0) | explained_by_hidden()))
    beside_hidden = pl.col("hidden").any().over("case")
    # Others send an MPDU that was lost once more, in the next aggregate.
    repeats = pl.col("aggregates") & ~pl.col("subject") & ~beside_hidden
    again = pl.when(repeats).then(1 - pl.col("lost").fill_null(0.0)).otherwise(1.0)
    stations = stations.with_columns(packets_per_s=quotient(pl.col("packets_per_s"), again))
    window_full = pl.col("aggregates") & ~beside_hidden & (pl.col("lost_apart") > STALLING)
    stations = stations.with_columns(
        packets_max=pl.when(window_full).then(pl.min_horizontal("packets_max", in_window())).otherwise("packets_max")
    )
    stations = outlasting.applied(batches.applied(stations), ~beside_hidden)
    behind_cts = pl.col("rts") & pl.col("subject")
    # A trace tells what is lost from what meets a hidden station.
    lossless = pl.col("aggregates") | (beside_hidden & ~behind_cts & ~completeness.is_traced())
    answered = pl.when("rts").then("answered_destroyed").otherwise(0.0)
    exchange_s = pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s")
    stations = stations.with_columns(
        loss=pl.when(lossless).then(0.0).otherwise("loss"),
        # Next to hidden stations an RTS that fails has met them, unless a trace tells.
        rts_loss=pl.when(pl.col("rts") & (~beside_hidden | completeness.is_traced())).then("rts_loss").otherwise(0.0),
        unanswered_s="first_s",
        first_s=answered * exchange_s + (1 - answered) * pl.col("first_s"),
    )
    typed = [fixed_point.sane(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items()]
    more = [fixed_point.sane(name) for name in ("unanswered_s", "sifs_s", "txop_s")]
    kept = ("attempts", "aggregates", "rts", "hidden", "data_unheard", "heard_share", "uneven", "doubt", "batch", *WHEN)
    more += [pl.col(name) for name in ("groups_unknown", "vulnerable_otherwise", "beside_lost")]
    return stations.select("medium", "sender", *typed, *more, *kept, late_per_s=pl.lit(0.0))


def in_window() -> pl.Expr:
    """MPDUs in an aggregate where a share of them is lost, if a BlockAck window's are waiting.

    Nothing goes out that is a window ahead of the first MPDU that was lost (10.25.6.1), so that few that are new go
    with those that are sent again. A simulation of such windows has 39 of 64 with a loss of 5 %, 30 with 17 %, 25 with
    35 %.
    """
    return (pl.col("ba_window") / (1 + STALL * pl.col("lost_apart").sqrt())).floor()
