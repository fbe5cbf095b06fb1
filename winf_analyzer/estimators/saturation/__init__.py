"""Saturation: what a sender would get on top of what it sends, if its queue never ran empty."""

from collections.abc import Sequence

import polars as pl

from winf_analyzer.estimators import states, windows
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.saturation import fixed_point, losses, rehearsal
from winf_analyzer.estimators.saturation.stations import SUMS, costs, link_sums
from winf_analyzer.estimators.settings import Mode, Settings

LINK = (*WINDOW, *windows.LINK)


def saturation(recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame:
    """Capacity and available bandwidth per node, link, state and window; the module's text has the model."""
    links = link_sums(recording, settings)
    solved = _solve(links, recording.media)
    rows = states.by_state(_sides(solved), recording.media, ("samples", "capacity", "available"), bystanders=False)
    return rows.join(recording.media, on="medium").rename(
        {"samples": "exchanges", "capacity": "capacity_bps", "available": "available_bps"}
    )


def _solve(links: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """`capacity`, `available` (bit/s) and `samples` of every link that carried something."""
    senders = costs(_per_sender(links, WINDOW))
    fate = losses.fate(links, senders, media)
    subjects, stations = _cases(links, senders, fate, WINDOW)
    solved = fixed_point.solve(_typed(stations)).filter("subject").select("case", "delivered_per_s")
    own = senders.select(*WINDOW, "sender", own_per_s="packets_per_s")
    exchange_s = pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s")
    alone_s = exchange_s + (pl.col("window") - 1) / 2 * pl.col("slot_s")
    whole = pl.when("aggregates").then(1 - pl.col("loss")).otherwise(1.0)
    delivered = pl.col("delivered_per_s") * pl.col("correction").fill_null(1.0) * whole
    available = (delivered - pl.col("own_per_s")) * pl.col("packet_bits")
    return (
        subjects.join(solved, on="case")
        .join(own, on=[*WINDOW, "sender"])
        .join(_corrections(links, fate), on=["medium", *windows.LINK], how="left")
        .with_columns(capacity=pl.col("packets_max") / alone_s * pl.col("packet_bits"))
        .with_columns(available=available.clip(0, pl.col("capacity")))
        .select(*LINK, "attempts", "failed", "capacity", "available", samples=pl.col("carried").cast(pl.Int64))
    )


def _per_sender(links: pl.DataFrame, window: Sequence[str]) -> pl.DataFrame:
    """Sums over the links of each sender, and what it sends per second."""
    covered = links.select("medium", "window_start_ns", "covered_ns").unique()
    covered = covered.group_by(window).agg(pl.col("covered_ns").sum())
    return links.group_by(*window, "sender").agg(pl.col(SUMS).sum()).join(covered, on=window)


def _cases(
    links: pl.DataFrame, senders: pl.DataFrame, fate: losses.Fate, window: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The links that are asked about, numbered, and for each the stations around it."""
    subjects = costs(links.filter(pl.col("carried") > 0, pl.col("receiver").is_not_null()))
    subjects = subjects.join(fate.links, on=["medium", *windows.LINK], how="left").with_row_index("case")
    subjects = subjects.with_columns(pl.col("case").cast(pl.Int64))
    others = subjects.select("case", *window, subject_sender="sender").join(senders, on=window)
    others = others.filter(pl.col("sender").ne_missing(pl.col("subject_sender")))
    stations = pl.concat(
        [
            subjects.with_columns(subject=pl.lit(True)),
            others.with_columns(subject=pl.lit(False), loss=pl.lit(0.0)),
        ],
        how="diagonal_relaxed",
    ).join(fate.senders, on=["medium", "sender"], how="left", nulls_equal=True)
    # Of a hidden station without RTS only the ACKs are heard: it is taken to send what the link sends.
    unseen = pl.col("hidden") & ~pl.col("rts")
    like_subject = {
        name: pl.when(unseen).then(pl.col(name).filter("subject").first().over("case")).otherwise(name)
        for name in ("access_s", "first_s", "tail_s")
    }
    # Next to hidden stations, what fails on a quiet medium collided with them.
    lossless = pl.col("aggregates") | pl.col("hidden").any().over("case")
    answered = pl.when("rts").then(1 - pl.col("unanswered")).otherwise(0.0)
    exchange_s = pl.col("access_s") + pl.col("packets_max").clip(1) * pl.col("packet_s")
    return subjects, stations.with_columns(**like_subject).with_columns(
        loss=pl.when(lossless).then(0.0).otherwise("loss"),
        first_s=answered * exchange_s + (1 - answered) * pl.col("first_s"),
    )


def _corrections(links: pl.DataFrame, fate: losses.Fate) -> pl.DataFrame:
    """`medium sender receiver correction`: what a rehearsal of the mean of all windows delivers over what the fixed
    point does."""
    medium = ("medium",)
    mean = links.group_by("medium", *windows.LINK).agg(pl.col(SUMS).sum(), pl.col("covered_ns").sum())
    senders = costs(_per_sender(links, medium))
    subjects, stations = _cases(mean, senders, fate, medium)
    stations = stations.filter(_needs_rehearsal().over("case"))
    solved = fixed_point.solve(_typed(stations)).filter("subject").select("case", "delivered_per_s")
    observed = dict(subjects.select("case", pl.col("failed") / pl.col("attempts")).iter_rows())
    rehearsed = [
        {"case": case, "rehearsed": _rehearsed(group, observed[case])} for (case,), group in stations.group_by("case")
    ]
    schema = {"case": pl.Int64, "rehearsed": pl.Float64}
    found = subjects.join(solved, on="case").join(pl.DataFrame(rehearsed, schema=schema), on="case")
    ratio = (pl.col("rehearsed") / pl.col("delivered_per_s")).clip(0.05, 20)
    return found.select("medium", *windows.LINK, correction=ratio)


def _needs_rehearsal() -> pl.Expr:
    """Some station is hidden, or aggregates and risks the whole aggregate."""
    return pl.col("hidden").any() | (pl.col("aggregates") & ~pl.col("rts")).any()


def _rehearsed(stations: pl.DataFrame, failed_share: float) -> float:
    """Packets per second that the subject delivers.

    Next to hidden stations, whether a frame survives one that begins later is found by rehearsing what was recorded
    and comparing the share of attempts that failed.
    """
    import os
    if os.environ.get("DBG"): print(stations.select("sender","subject","aggregates","rts","hidden","packets_per_s","packets_max","access_s","packet_s","first_s","tail_s","request_s","loss","vulnerable"))
    rows, hidden = _typed(stations).fill_null(0).to_dicts(), stations["hidden"].to_list()
    later_destroys = 1.0
    if any(hidden):
        none, all_ = (
            rehearsal.rehearse(rows, hidden, backlogged=False, later_destroys=chance).failed_share for chance in (0.0, 1.0)
        )
        later_destroys = min(1.0, max(0.0, (failed_share - none) / (all_ - none))) if all_ > none else 1.0
        import os
        if os.environ.get("DBG"): print("hidden", failed_share, none, all_, later_destroys)
    return rehearsal.rehearse(rows, hidden, later_destroys=later_destroys).delivered_per_s


def _typed(stations: pl.DataFrame) -> pl.DataFrame:
    constants = {"window_max": pl.lit(1024.0)}
    return stations.with_columns(**constants).select(
        pl.col(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items()
    )


def _sides(solved: pl.DataFrame) -> pl.DataFrame:
    quantities = ("samples", "capacity", "available")
    return solved.with_columns(pl.col(name).alias(f"{side}_{name}") for side in states.SIDES for name in quantities)
