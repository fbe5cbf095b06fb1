"""The rules that can be left out of the model, and what stands in their place then.

A rule is a function of the model that returns what it was given, and something besides. Without the rule it returns
what says nothing: its first argument as it was (:func:`passed_on`), a table without rows (:func:`nothing`), or its own
result with columns that claim nothing (:func:`constant`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import polars as pl

Function = Callable[..., Any]

MODEL = "winf_analyzer._models.saturation"
RECOMMENDED = "winf_analyzer._recommended"


def passed_on(_: Function) -> Function:
    """Returns its first argument."""
    return lambda first, *_rest, **_named: first


def nothing(rule: Function) -> Function:
    """Returns the rule's table without its rows."""
    return lambda *given, **named: rule(*given, **named).head(0)


def always(value: object) -> Callable[[Function], Function]:
    """Returns `value`."""
    return lambda _: lambda *_given, **_named: value


def constant(**columns: pl.Expr) -> Callable[[Function], Function]:
    """Returns the rule's table with these columns in place of its own."""
    return lambda rule: lambda *given, **named: rule(*given, **named).with_columns(**columns)


def _as_expected(rule: Function) -> Function:
    """Collisions as simulated in place of those that near misses show."""

    def counted(expected: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
        rows: pl.DataFrame = rule(expected, links)
        return rows.select("medium", "sender", collided=expected["collided"], piled_up=pl.lit(0.0))

    return counted


def _without_slots(_: Function) -> Function:
    """The load as it was, and nobody out of range of it."""
    return lambda load, _signs: (load, [])


def _unchanging(_: Function) -> Function:
    """The answers of the whole recording as they were."""
    return lambda whole, _windows: whole.with_columns(load_changes=pl.lit(value=False))


class Rule(NamedTuple):
    """One that can be left out."""

    name: str
    says: str
    """For whom, and what it does for them."""
    module: str
    function: str
    without: Callable[[Function], Function]
    """Makes what stands in the function's place of the function."""
    shows: bool = True
    """Whether what the function returns shows that it has something to say: an expression for all rows does not."""


def _rule(name: str, says: str, place: str, without: Callable[[Function], Function], *, shows: bool = True) -> Rule:
    module, function = place.rsplit(".", 1)
    return Rule(name, says, f"{MODEL}.{module}", function, without, shows)


RULES = (
    # What was recorded.
    _rule("at_once", "beacons go without a backoff", "recorded.to_groups.told", constant(at_once=pl.lit(False))),
    _rule("in_bursts", "beacons of one radio follow one another", "recorded.to_groups.in_bursts", passed_on),
    _rule(
        "one_by_one", "senders that send one by one", "recorded.aggregation.told", constant(one_by_one=pl.lit(False))
    ),
    _rule("batch", "packets that travel together", "recorded.aggregation.told", constant(batch=pl.lit(1.0))),
    _rule("sender_limits", "A-MPDUs that end though more waits", "recorded.sender_limits.found", nothing),
    _rule("bursts", "packets faster during bursts", "recorded.bursts.rates", nothing),
    _rule("on_off", "bursts of single frames", "recorded.on_off.sources", nothing),
    _rule("near_misses", "collisions told by near misses", "recorded.near_misses.counted", _as_expected),
    _rule("own_views", "traces as each sender saw them", "recorded.own_views.of_senders", passed_on),
    _rule("rate_changes", "two readings of rates that change", "recorded.rate_changes.at_the_mean_rate", nothing),
    # Losses.
    _rule(
        "own_losses",
        "losses of a sender's other links",
        "contention.contention_domain.with_own_losses",
        constant(own_loss=pl.lit(0.0)),
    ),
    _rule("traced_collisions", "collisions that a trace shows", "failures.traced_collisions.of_media", nothing),
    _rule("undecided", "traces that do not tell who senses whom", "failures.traced_collisions.undecided", nothing),
    _rule(
        "survivors",
        "frames that survive collisions",
        "failures.surviving_sender.with_survivors",
        passed_on,
        shows=False,
    ),
    _rule(
        "capture_effect",
        "which of two colliding frames is received",
        "failures.capture_effect.chances",
        constant(first_destroyed=pl.lit(1.0), answered_destroyed=pl.lit(1.0)),
    ),
    _rule("by_attempt", "attempts that fail less often than the first", "failures.by_attempt.quicker", nothing),
    _rule("lasting", "attempts that fail more often than the first", "failures.lasting.outlasted", nothing),
    _rule("outlasting", "losses that last for all attempts", "failures.outlasting.applied", passed_on),
    _rule("unrepeated", "frames that are never repeated", "failures.unrepeated.share", nothing),
    # What waits for what.
    _rule("blackouts", "time in which nobody sends", "waits.blackouts.found", nothing),
    _rule("retry_limits", "what follows the last attempt", "waits.retry_limits.kept", nothing),
    # Stations of which little is heard, or nothing.
    _rule("rts_unheard", "stations in range whose RTS are not heard", "unheard.rts_unheard.told", passed_on),
    _rule("hidden_senders", "who does not hear whom", "unheard.hidden_senders.told", passed_on),
    _rule(
        "unheard_airtime",
        "how long unheard exchanges take",
        "unheard.unheard_airtime.told",
        constant(unheard_gap_ns=pl.lit(None, pl.Float64)),
    ),
    _rule("unheard_load", "load of which nothing is heard, by all that follow", "unheard.unheard_load.found", nothing),
    _rule("idle_times", "… by a third grid of slots", "unheard.weighing._by_idle_times", always(None)),
    _rule("unanswered", "… by attempts without an answer", "unheard.weighing._or_by_unanswered", passed_on),
    _rule("late_repetitions", "… by repetitions that are late", "unheard.weighing._or_by_repetitions", passed_on),
    _rule("slot_grids", "… by slots that are left", "unheard.weighing._with_slots", _without_slots),
    _rule("lone_pairs", "… where only the link is heard", "unheard.weighing._of_a_lone_pair", passed_on),
    # Contention.
    _rule("presumed", "frames of hidden stations like the link's", "contention.presumed.of_unheard", passed_on),
    _rule("batches", "batches as one packet", "contention.batches.applied", passed_on),
    _rule(
        "hidden_losses",
        "losses behind a CTS beside hidden stations",
        "contention.hidden_losses.left_beside_hidden",
        passed_on,
    ),
    _rule("tcp_flows", "both ends of a TCP flow at one rate", "contention.tcp_flows.settled", passed_on),
    _rule("correction", "simulation beside hidden stations and aggregates", "contention.correction._asked", nothing),
    _rule("hidden_tcp", "TCP flows of hidden stations", "contention.tcp_acks.of_hidden", nothing),
    _rule(
        "displaced",
        "bursts that go on in the next window",
        "contention.carry_over.displaced_load",
        constant(displaced_load=pl.lit(0.0)),
    ),
    _rule(
        "stalls",
        "A-MPDUs shortened by losses",
        "contention.contention_domain.in_window",
        always(pl.col("packets_max")),
        shows=False,
    ),
    # From the estimate to the answer.
    Rule("load_changes", "windows that differ", f"{RECOMMENDED}.changing", "with_changes", _unchanging),
)
"""In the order in which the model applies them."""
