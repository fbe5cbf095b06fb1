"""The wireless links of a world as the engine declares them, with their airtimes over time and their losses."""

from __future__ import annotations

from typing import Any

import polars as pl

from winf_analyzer._replay.recorded.aggregation import Aggregates
from winf_analyzer._replay.recorded.airtimes import SizeAirtime, points, relative_error
from winf_analyzer._replay.recorded.audibility import audible_senders
from winf_analyzer._replay.recorded.losses import channel_loss_rates, unheard_receivers
from winf_analyzer._replay.recorded.rate_steps import Step
from winf_analyzer._replay.unknowns import OWN_RECORDING, THIRD_PARTY, Link, Unknowns

MIN_ATTEMPTS = 20
"""Minimum number of attempts for a loss rate: two lost attempts of three at an ARP reply are not a loss of 2/3."""


def declared_links(
    exchanges: pl.LazyFrame,
    view: pl.DataFrame,
    facts: pl.DataFrame,
    used: set[tuple[str, str]],
    graph: dict[str, Any],
    rates: dict[str, dict[str, float]],
    queue: dict[str, Any],
    together: Aggregates | None,
    measured: dict[Link, list[SizeAirtime]],
) -> tuple[list[dict[str, Any]], Unknowns, list[str]]:
    """The links as the engine declares them, what their losses and airtimes leave open, and notes."""
    audible = audible_senders(graph["graph"])
    own = view.filter(pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender")))
    losses = channel_loss_rates(exchanges, audible) | (together.losses if together else {})
    known = set(own.select("sender", "receiver").iter_rows())
    unheard = unheard_receivers(exchanges)
    is_end = (pl.col("observer") == pl.col("sender")) | (pl.col("observer") == pl.col("receiver"))
    overheard = set(view.filter(is_end.not_().fill_null(True)).select("sender", "receiver").iter_rows())
    rows = {(row["sender"], row["receiver"]): row for row in facts.iter_rows(named=True)}
    declared, notes = [], []
    tried: dict[Link, tuple[float, int]] = {}
    collided: dict[Link, float] = {}
    errors: dict[Link, float] = {}
    for a, b in sorted(used):
        row = rows.get((a, b)) or rows.get((b, a))
        medium: dict[str, Any] = {}
        if row is not None and row["rate_mbps"]:
            medium["rate_bps"] = round(row["rate_mbps"] * 1e6)
        airtimes = measured.get((a, b)) or measured.get((b, a))
        if airtimes:
            medium["airtimes"] = points(airtimes)
            errors[a, b] = relative_error(airtimes)
        if together and (a, b) not in together.losses:
            medium["max_ampdu_bytes"] = 0
        medium |= {name: round(rate[a] * 1e6) for name, rate in rates.items() if a in rate}
        interferers = (audible.get(b, set()) | {b}) - {a}
        hidden = interferers - audible.get(a, set()) - {b}
        if hidden and (a, b) in overheard:
            # Whoever listens beside them hears one of two frames that collide, or none.
            medium["loss"] = 0.0
            collided[a, b] = losses.get((a, b), 0.0)
            notes.append(
                f"{a} > {b}: recorded by a third station; losses assumed to be collisions with hidden stations"
            )
        elif (a, b) in unheard:
            medium["loss"] = 0.0
            notes.append(f"{a} > {b}: no recording has a response of the receiver; losses assumed to be collisions")
        elif (a, b) in known and interferers <= {sender for sender, _ in known} | {b}:
            loss = loss_either_way((a, b), losses, rows)
            if loss is None:
                notes.append(f"{a} > {b}: too few attempts for a channel loss rate; assumed 0")
            medium["loss"] = loss or 0.0
            attempts = max(rows[way]["attempts"] if way in rows else 0 for way in ((a, b), (b, a)))
            tried[a, b] = (medium["loss"], attempts if loss is not None else 0)
        else:
            notes.append(f"{a} > {b}: not all possible interferers were recorded; losses assumed to be collisions")
        declared.append({"from": a, "to": b, "medium": {"wireless": medium}, "queue": queue})
    model_errors = THIRD_PARTY if overheard & used else OWN_RECORDING
    unknowns = Unknowns(losses=tried, losses_or_collisions=collided, airtime_errors=errors, model_errors=model_errors)
    return declared, unknowns, notes


def begin_with_first_steps(links: list[dict[str, Any]], steps: dict[Link, list[Step]]) -> list[str]:
    """Gives links the airtimes of their first steps; returns notes."""
    for link in links:
        ends = (link["from"], link["to"])
        if ends in steps:
            link["medium"]["wireless"]["airtimes"] = points(steps[ends][0].airtimes)
    return [f"{a} > {b}: {len(found)} rates one after the other (observed)" for (a, b), found in sorted(steps.items())]


def later_steps(steps: dict[Link, list[Step]]) -> list[dict[str, Any]]:
    """The steps after the first as the engine declares them, in order of time."""
    later = sorted((step.at_ns, link, step.airtimes) for link, found in steps.items() for step in found[1:])
    return [
        {"at_ns": at_ns, "change": {"link": {"from": a, "to": b, "airtimes": points(airtimes)}}}
        for at_ns, (a, b), airtimes in later
    ]


def loss_either_way(
    link: tuple[str, str], losses: dict[tuple[str, str], float], facts: dict[Any, dict[str, Any]]
) -> float | None:
    """The loss rate of a link, or with too few attempts that of the opposite direction, which is usually similar."""
    tried = (way for way in (link, link[::-1]) if way in losses and facts[way]["attempts"] >= MIN_ATTEMPTS)
    return next((losses[way] for way in tried), None)
