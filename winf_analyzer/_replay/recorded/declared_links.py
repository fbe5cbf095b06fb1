"""The wireless links of a world as the engine declares them, with their airtimes over time and their losses."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._replay.recorded.hearing.audibility import audible_senders
from winf_analyzer._replay.recorded.links.airtimes import SizeAirtime, points, relative_error, size_airtimes
from winf_analyzer._replay.recorded.links.losses import channel_loss_rates, unheard_receivers
from winf_analyzer._replay.recorded.links.rate_steps import RateStep, rate_steps
from winf_analyzer._replay.recorded.medium import Medium
from winf_analyzer._replay.recorded.recording import Recording
from winf_analyzer._replay.recorded.traffic import Traffic
from winf_analyzer._replay.unknowns import OWN_RECORDING, THIRD_PARTY, Link, Unknowns

MIN_ATTEMPTS = 20
"""Minimum number of attempts for a loss rate: two lost attempts of three at an ARP reply are not a loss of 2/3."""


class DeclaredLinks(NamedTuple):
    """Wireless links of a world."""

    links: list[dict[str, Any]]
    """The engine's ``links``, with the airtimes of their first steps."""

    changes: list[dict[str, Any]]
    """The engine's ``changes``: later steps, in order of time."""

    unknowns: Unknowns
    """What their losses and airtimes leave open."""

    notes: list[str]
    """Assumptions about what the recording does not show."""


def declared_links(recording: Recording, traffic: Traffic, medium: Medium, queue: dict[str, Any]) -> DeclaredLinks:
    """The links that the flows of ``traffic`` and other packets use, each with such a queue."""
    exchanges, view = recording.exchanges, recording.view
    used = traffic.links | set(medium.others)
    overhead_us = medium.aggregates.overhead_us if medium.aggregates else 0.0
    measured = size_airtimes(exchanges, view, overhead_us)
    declared, unknowns, notes = _with_losses(recording, used, medium, queue, measured)
    steps = rate_steps(exchanges, view, measured, recording.origin_ns, overhead_us)
    steps = {link: of_link for link, of_link in steps.items() if link in used}
    notes += begin_with_first_steps(declared, steps)
    return DeclaredLinks(declared, later_steps(steps), unknowns, notes)


def _with_losses(
    recording: Recording,
    used: set[Link],
    medium: Medium,
    queue: dict[str, Any],
    measured: dict[Link, list[SizeAirtime]],
) -> tuple[list[dict[str, Any]], Unknowns, list[str]]:
    """The links with their losses and usual airtimes, what these leave open, and notes."""
    exchanges, view, together = recording.exchanges, recording.view, medium.aggregates
    audible = audible_senders(medium.hearing["graph"])
    own = view.filter(pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender")))
    losses = channel_loss_rates(exchanges, audible) | (together.losses if together else {})
    known = set(own.select("sender", "receiver").iter_rows())
    unheard = unheard_receivers(exchanges)
    is_end = (pl.col("observer") == pl.col("sender")) | (pl.col("observer") == pl.col("receiver"))
    overheard = set(view.filter(is_end.not_().fill_null(True)).select("sender", "receiver").iter_rows())
    rows = {(row["sender"], row["receiver"]): row for row in recording.facts.iter_rows(named=True)}
    declared, notes = [], []
    tried: dict[Link, tuple[float, int]] = {}
    collided: dict[Link, float] = {}
    errors: dict[Link, float] = {}
    for a, b in sorted(used):
        row = rows.get((a, b)) or rows.get((b, a))
        radio: dict[str, Any] = {}
        if row is not None and row["rate_mbps"]:
            radio["rate_bps"] = round(row["rate_mbps"] * 1e6)
        airtimes = measured.get((a, b)) or measured.get((b, a))
        if airtimes:
            radio["airtimes"] = points(airtimes)
            errors[a, b] = relative_error(airtimes)
        if together and (a, b) not in together.losses:
            radio["max_ampdu_bytes"] = 0
        radio |= {name: round(rate[a] * 1e6) for name, rate in medium.response_rates.items() if a in rate}
        interferers = (audible.get(b, set()) | {b}) - {a}
        hidden = interferers - audible.get(a, set()) - {b}
        if hidden and (a, b) in overheard:
            # Whoever listens beside them hears one of two frames that collide, or none.
            radio["loss"] = 0.0
            collided[a, b] = losses.get((a, b), 0.0)
            notes.append(
                f"{a} > {b}: recorded by a third station; losses assumed to be collisions with hidden stations"
            )
        elif (a, b) in unheard:
            radio["loss"] = 0.0
            notes.append(f"{a} > {b}: no recording has a response of the receiver; losses assumed to be collisions")
        elif (a, b) in known and interferers <= {sender for sender, _ in known} | {b}:
            loss = loss_either_way((a, b), losses, rows)
            if loss is None:
                notes.append(f"{a} > {b}: too few attempts for a channel loss rate; assumed 0")
            radio["loss"] = loss or 0.0
            attempts = max(rows[way]["attempts"] if way in rows else 0 for way in ((a, b), (b, a)))
            tried[a, b] = (radio["loss"], attempts if loss is not None else 0)
        else:
            notes.append(f"{a} > {b}: not all possible interferers were recorded; losses assumed to be collisions")
        declared.append({"from": a, "to": b, "medium": {"wireless": radio}, "queue": queue})
    model_errors = THIRD_PARTY if overheard & used else OWN_RECORDING
    unknowns = Unknowns(losses=tried, losses_or_collisions=collided, airtime_errors=errors, model_errors=model_errors)
    return declared, unknowns, notes


def begin_with_first_steps(links: list[dict[str, Any]], steps: dict[Link, list[RateStep]]) -> list[str]:
    """Gives links the airtimes of their first steps; returns notes."""
    for link in links:
        ends = (link["from"], link["to"])
        if ends in steps:
            link["medium"]["wireless"]["airtimes"] = points(steps[ends][0].airtimes)
    return [f"{a} > {b}: {len(found)} rates one after the other (observed)" for (a, b), found in sorted(steps.items())]


def later_steps(steps: dict[Link, list[RateStep]]) -> list[dict[str, Any]]:
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
