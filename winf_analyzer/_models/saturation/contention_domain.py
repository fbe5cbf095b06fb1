"""The contention domain of each link: the stations around it, as the fixed point and the simulation take them."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from winf_analyzer._aggregate import sort_keys, windows
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation import fixed_point
from winf_analyzer._models.saturation.losses import LossModel
from winf_analyzer._models.saturation.stations import SUMS, costs

WHOLE = ("medium",)
"""In place of a window: the whole recording."""


COUNTS = ("attempts", "failed", "answered", "answered_failed", "carried")
"""What is kept of the sums of a link."""

OWN = (
    *("aggregates", "rts", "hidden", "sifs_s", "slot_s", "window", "packet_bits"),
    *("packets_max", "packet_s", "access_s", "first_s", "first_packet_s", "tail_s", "request_s"),
)
"""What :func:`.stations.costs` says of a link, or a sender, alone."""


class Cases(NamedTuple):
    """Links and what surrounds them."""

    links: pl.DataFrame
    """A row per link that carried something, numbered by `case`, with :data:`COUNTS`, costs and loss."""
    stations: pl.DataFrame
    """The rows of :data:`.dcf_monte_carlo.CONTENDERS` of every case, which hold :data:`.fixed_point.STATIONS`; also
    `attempts` and `aggregates`."""


def per_sender(links: pl.DataFrame, window: Sequence[str]) -> pl.DataFrame:
    """Sums and costs of each sender over its links, and what it sends per second (`packets_per_s`)."""
    covered = links.select(*dict.fromkeys((*WINDOW, "covered_ns", *window))).unique()
    covered = covered.group_by(window).agg(pl.col("covered_ns").sum())
    return costs(links.group_by(*window, "sender").agg(pl.col(SUMS).sum()).join(covered, on=window))


def cases(
    links: pl.DataFrame, loss_model: LossModel, window: Sequence[str], wanted: pl.DataFrame | None = None
) -> Cases:
    """The links of each window, or of the recording (:data:`WHOLE`), and for each the stations around it.

    Of all links, or of those `wanted` (`medium sender receiver`).

    Of a hidden station without RTS only the ACKs are heard: it is taken to send what the link sends. Next to hidden
    stations, what fails on a quiet medium collided with them, and counts as no loss. An MPDU lost does not fail its
    aggregate.
    """
    senders = per_sender(links, window)
    sums = links if tuple(window) == WINDOW else links.group_by(*window, *windows.LINK).agg(pl.col(SUMS).sum())
    if wanted is not None:
        sums = sums.join(wanted, on=["medium", *windows.LINK], how="semi")
    carriers = costs(sums.filter(pl.col("carried") > 0, pl.col("receiver").is_not_null()).with_columns(covered_ns=1))
    carriers = carriers.select(*window, *windows.LINK, *COUNTS, *OWN)
    subjects = carriers.join(loss_model.links, on=["medium", *windows.LINK], how="left")
    own = senders.select(*window, "sender", "packets_per_s", "covered_ns")
    subjects = subjects.join(own, on=[*window, "sender"])
    # In order, so that random draws are the same every time.
    subjects = sort_keys.sort(subjects, (*window, *windows.LINK)).with_columns(case=pl.int_range(pl.len()))
    others = subjects.select("case", *window, subject_sender="sender").join(
        senders.select(*window, "sender", "packets_per_s", "attempts", *OWN), on=window
    )
    others = others.filter(pl.col("sender").ne_missing(pl.col("subject_sender"))).drop("subject_sender")
    others = others.with_columns(subject=pl.lit(False), loss=pl.lit(0.0))
    both = [subjects.with_columns(subject=pl.lit(True)).select(others.columns), others]
    stations = pl.concat(both, how="vertical_relaxed").join(
        loss_model.senders, on=["medium", "sender"], how="left", nulls_equal=True
    )
    unseen = pl.col("hidden") & ~pl.col("rts")
    of_subject = {
        name: pl.when(unseen).then(pl.col(name).filter("subject").first().over("case")).otherwise(name)
        for name in ("access_s", "first_s", "tail_s")
    }
    lossless = pl.col("aggregates") | pl.col("hidden").any().over("case")
    answered = pl.when("rts").then("answered").otherwise(0.0)
    exchange_s = pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s")
    stations = stations.with_columns(**of_subject).with_columns(
        loss=pl.when(lossless).then(0.0).otherwise("loss"),
        unanswered_s="first_s",
        first_s=answered * exchange_s + (1 - answered) * pl.col("first_s"),
    )
    typed = [fixed_point.sane(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items()]
    more = [fixed_point.sane(name) for name in ("unanswered_s", "sifs_s")]
    kept = ("attempts", "aggregates", "rts", "hidden")
    stations = stations.select("medium", "sender", *typed, *more, *kept)
    return Cases(subjects, sort_keys.sort(stations, ("case", "subject", "sender")).drop("sender"))
