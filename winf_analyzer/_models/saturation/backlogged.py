"""What the sender of each link delivers with a full queue, by the fixed point and what is known besides."""

from collections.abc import Iterator

import polars as pl

from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer._models.saturation.contention import (
    carry_over,
    contention_domain,
    other_readings,
    own_links,
    pieces,
    tcp_acks,
    tcp_flows,
)
from winf_analyzer._models.saturation.contention.contention_domain import Cases
from winf_analyzer._models.saturation.contention.correction import Corrections, at_load, others_load
from winf_analyzer._models.saturation.failures import lasting
from winf_analyzer._models.saturation.interval import bounds, crowded, refusals
from winf_analyzer._models.saturation.loads import Loads
from winf_analyzer._models.saturation.rates import rates
from winf_analyzer._models.saturation.recorded import rate_changes, to_groups
from winf_analyzer._models.saturation.solvers import fixed_point
from winf_analyzer._models.saturation.unheard import lone_pairs


def cases(loads: Loads, length_ns: int | None) -> Iterator[Cases]:
    """The links of every window and the stations around them, in pieces."""
    if loads.cases is not None:
        yield loads.cases
        return
    for some in pieces.of_links(crowded.solved_for(loads.links), length_ns):
        around = loads.senders.join(some.select(WINDOW).unique(), on=WINDOW, how="semi")
        yield contention_domain.cases(some, loads.loss_model, WINDOW, senders=around, usual=loads.usual)


def corrected(found: Cases, simulated: Corrections, loads: Loads, length_ns: int | None) -> pl.DataFrame:
    """Rates of the links of some cases, with stations as they were recorded.

    Args:
        found: the links, and the stations around each.
        simulated: what the simulation corrects of the fixed point.
        loads: of the recording.
        length_ns: of tumbling windows, whose backlogs go on in the next; null for others.
    """
    links = found.links.join(bounds.surroundings(found.stations), on="case")
    links = links.join(simulated.ratios, on=[*WINDOW, *LINK], how="left")
    settled = tcp_flows.settled(found.stations, loads.acks)
    if length_ns is None:
        solved = fixed_point.solve(settled)
        links = links.with_columns(displaced_load=pl.lit(0.0))
    else:
        solved = carry_over.with_backlogs(_with_served(settled, found.links, simulated.served), found.links, length_ns)
        displaced = carry_over.displaced_load(found.links, found.stations, loads.sources, length_ns)
        links = links.join(displaced, on="case")
    links = links.join(others_load(solved).rename({"others_at": "others_now"}), on="case")
    equals = bounds.as_equals(solved, links.select("case", "eager_load"))
    links = links.join(equals, on="case", how="left", maintain_order="left")
    links = links.join(_with_other_captures(solved), on="case")
    delivered = rate_changes.settled(bounds.outcome(solved), _at_the_mean_rate(found, solved))
    left = 1 - pl.col("to_groups_share")
    links = links.join(delivered, on="case").with_columns(per_s=_packets_per_s() * left)
    links = other_readings.with_delivered(
        links, loads.links, loads.loss_model, loads.acks, loads.senders, loads.usual, loads.limits
    )
    links = links.with_columns(pl.col(other_readings.NAMES) * left)
    links = _with_undecided(links, loads.undecided)
    links = links.join(tcp_acks.left_of_own(solved, loads.acks), on="case", how="left")
    links = links.with_columns(pl.col("own_left").fill_null(1.0), answers=_answers_may_be_lost())
    links = links.with_columns(turns=own_links.turns(links))
    return rates(bounds.with_margin(links), refusals.caveats())


def _packets_per_s() -> pl.Expr:
    """What the fixed point delivers, corrected by the simulation, without what the channel loses of aggregates."""
    # Beside hidden stations the loss of an aggregate's MPDUs is what overlaps, which the simulation has taken off.
    lossy = pl.col("aggregates") & (~pl.col("beside_hidden") | pl.col("rts"))
    whole = pl.when(lossy).then(1 - pl.col("loss")).otherwise(1.0)
    per_s = pl.col("delivered_per_s") * at_load(pl.col("others_now")).fill_null(1.0) * whole * rate_changes.mistaken()
    per_s *= 1 + pl.col("quicker").fill_null(0.0)  # of repetitions that fail less often: `failures.by_attempt`
    return per_s * (1 + lasting.more())


def _answers_may_be_lost() -> pl.Expr:
    """The loss of a sender of aggregates is known of single frames alone, of which the answer may be what was lost."""
    of_singles = pl.col("aggregates") & ~pl.col("rts") & (pl.col("loss_doubt") > 0)
    return of_singles & (pl.col("loss") > bounds.LOSSLESS) & ~pl.col("beside_hidden")


def _with_other_captures(solved: pl.DataFrame) -> pl.DataFrame:
    """`case captured_per_s`: what is delivered if collisions destroy one standard deviation more or less often."""
    otherwise = fixed_point.solve(solved.with_columns(vulnerable="vulnerable_otherwise"))
    return otherwise.filter("subject").select("case", captured_per_s="delivered_per_s")


def _with_undecided(links: pl.DataFrame, undecided: pl.DataFrame) -> pl.DataFrame:
    """The links with `undecided`: those of :func:`.traced_collisions.undecided`."""
    undecided = undecided.with_columns(undecided=pl.lit(value=True))
    links = links.join(undecided, on=["medium", *LINK], how="left", maintain_order="left")
    links = links.with_columns(undecided=pl.col("undecided").fill_null(value=False))
    # Whom the sender does not hear at all is in none of its cases: nothing says what is left of the medium beside them.
    alone = pl.col("undecided") & ~pl.col("beside_hidden")
    return links.with_columns(single_bps=pl.when(alone).then(0.0).otherwise("single_bps"))


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


def as_published(found: Cases) -> pl.DataFrame:
    """The same if every station is backlogged, sends single frames and loses none but in collisions (Bianchi)."""
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
    return rates(rows, pl.lit([], pl.List(pl.String)))
