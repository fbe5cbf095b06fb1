"""Saturation: what a sender would get on top of what it sends, if its queue never ran empty.

A saturating flow does not merely fill what is idle. It contends: with a busy neighbour it takes its share from it, its
backoffs overlap with those of others, some of its attempts collide or get lost, and its MPDUs travel in aggregates
where light traffic travels one by one. So

    AB = X - own        X: what the backlogged sender delivers, own: what it sends already

with X from a model of the stations around it, each with the load and the airtime that the recording shows:

1. :mod:`.stations` sums up what each station sends and what its accesses cost; :mod:`.aggregation` says how much a
   backlogged sender puts into one.
2. :mod:`.losses` tells lost attempts from collided ones (:mod:`.channel_loss`), and how many collisions destroy.
3. :mod:`.fixed_point` solves for the rates of all, one of them backlogged, the others limited by their load.
4. :mod:`.rehearsal` plays links where hidden stations or long aggregates make the fixed point's independence wrong, at
   the mean load of windows about as busy; :mod:`.correction` brings the ratio into those windows. Which frames survive
   hidden stations, :mod:`.survival` finds from the failures recorded.
5. :mod:`.bounds` is the interval.

Without others X is C_eff of `rt_winf` corrected, and AB = C_eff - own. The capacity is that of the sender alone, with
aggregation. What cannot be known from one recording is taken as it is usual: CWmax 1023, seven attempts (four after a
CTS), packets no older than 512 TU, BlockAck windows of 64, A-MPDUs of 65 535 octets where the receiver announced no
other limit. Contenders offer in the future what they carried in the recording.

`paper` is Bianchi's assumption as it stands: everybody heard is backlogged, sends single frames, loses none but in
collisions. It has no interval. A window that holds a single exchange (:attr:`.Settings.per_exchange`) has no rows.
"""

from collections.abc import Iterator

import polars as pl

from winf_analyzer.estimators import gathering, states, windows
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.saturation import around, bounds, fixed_point, losses, stations
from winf_analyzer.estimators.saturation.correction import corrections
from winf_analyzer.estimators.schema import ESTIMATES_SCHEMA
from winf_analyzer.estimators.settings import Mode, Settings
from winf_analyzer.estimators.stretches import Request

PIECE_LINKS = 25_000
"""Links and windows that are solved for at a time; each takes a row for every station around it."""

MOST_SHARED = 100_000
"""Stations of all cases up to which these are kept for the other mode."""

RATES = ("capacity_bps", "available_bps", "available_low_bps", "available_high_bps")


def saturation(recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame:
    """Capacity, available bandwidth and its 90 % interval per node, link, state and window; see the module's text."""
    if settings.per_exchange:
        return pl.DataFrame(schema=ESTIMATES_SCHEMA)
    quantities = ("exchanges", *RATES)
    links = solved(recording, settings) if mode == "corrected" else _as_published(recording, settings)
    sides = states.both_sides(links, quantities)
    rows = states.by_state(sides, gathering.media(recording), quantities, bystanders=False)
    return rows.join(links.select(*WINDOW, "covered_ns").unique(), on=WINDOW, how="left")


def gathers(recording: Recording, mode: Mode, settings: Settings) -> list[Request]:
    """What :func:`saturation` gathers."""
    return [] if settings.per_exchange else [stations.PARTS]


def solved(recording: Recording, settings: Settings) -> pl.DataFrame:
    """:data:`RATES`, `exchanges`, `attempts` and `failed` of every link that carried something, per window.

    Solved once per recording, for all who ask.
    """
    if "saturation" not in recording.shared:
        recording.shared["saturation"] = _solve(recording, settings)
    found: pl.DataFrame = recording.shared["saturation"]
    return found


def _learned_from(recording: Recording, links: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """What the whole recording tells is learned from tumbling windows: in others exchanges count several times."""
    tumbling = settings.step_ns is None and not settings.running
    return links if tumbling else stations.tumbling_sums(recording, settings)


def _fate(recording: Recording, learned: pl.DataFrame) -> losses.Fate:
    """Alike in both modes."""
    if "fate" not in recording.shared:
        senders = around.per_sender(learned, WINDOW)
        recording.shared["fate"] = losses.fate(learned, senders, gathering.media(recording))
    found: losses.Fate = recording.shared["fate"]
    return found


def _solve(recording: Recording, settings: Settings) -> pl.DataFrame:
    links = stations.link_sums(recording, settings)
    learned = _learned_from(recording, links, settings)
    fate = _fate(recording, learned)
    corrected = corrections(links, learned, fate, gathering.media(recording))
    return pl.concat(_solved(found, corrected) for found in _cases(recording, links, fate))


def _cases(recording: Recording, links: pl.DataFrame, fate: losses.Fate) -> Iterator[around.Cases]:
    """The cases of every window, in pieces; the only piece of a short recording is found once for both modes."""
    if "cases" in recording.shared:
        yield recording.shared["cases"]
        return
    for some in windows.pieces(links, PIECE_LINKS):
        found = around.cases(some, fate, WINDOW)
        if some.height == links.height and found.stations.height <= MOST_SHARED:
            recording.shared["cases"] = found
        yield found


def _solved(found: around.Cases, corrected: pl.DataFrame) -> pl.DataFrame:
    whole = pl.when("aggregates").then(1 - pl.col("loss")).otherwise(1.0)
    per_s = pl.col("delivered_per_s") * pl.col("correction").fill_null(1.0) * whole
    rows = found.links.join(bounds.surroundings(found.stations), on="case")
    rows = rows.join(corrected, on=[*WINDOW, *windows.LINK], how="left")
    return _rates(rows, found.stations, per_s, bounds.margin(per_s))


def _as_published(recording: Recording, settings: Settings) -> pl.DataFrame:
    """What is left of :func:`solved` if everybody is backlogged."""
    links = stations.link_sums(recording, settings)
    fate = _fate(recording, _learned_from(recording, links, settings))
    return pl.concat(_backlogged(found) for found in _cases(recording, links, fate))


def _backlogged(found: around.Cases) -> pl.DataFrame:
    stations = found.stations.filter(pl.col("subject") | (pl.col("attempts") > 0)).with_columns(
        packets_per_s=pl.lit(fixed_point.BACKLOGGED),
        packets_max=pl.lit(1.0),
        request_s=pl.lit(None, pl.Float64),
        loss=pl.lit(0.0),
        vulnerable=pl.lit(1.0),
    )
    rows = found.links.with_columns(packets_max=pl.lit(1.0))
    return _rates(rows, stations, pl.col("delivered_per_s"), pl.lit(None, pl.Float64))


def _rates(links: pl.DataFrame, stations: pl.DataFrame, per_s: pl.Expr, margin: pl.Expr) -> pl.DataFrame:
    """Solves for the links' senders; `per_s`: packets delivered, from the solution; `margin`: as a share of that."""
    delivered = fixed_point.solve(stations).filter("subject").select("case", "delivered_per_s")
    exchange_s = pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s")
    alone_s = exchange_s + (pl.col("window") - 1) / 2 * pl.col("slot_s")
    available = (per_s - pl.col("packets_per_s")) * pl.col("packet_bits")
    capacity = pl.col("packets_max") / alone_s * pl.col("packet_bits")
    rows = links.join(delivered, on="case").with_columns(capacity_bps=_finite(capacity))
    rows = rows.with_columns(
        available_bps=_finite(available).clip(0, pl.col("capacity_bps")),
        margin=_finite(margin * per_s * pl.col("packet_bits")),
    )
    return rows.select(
        *WINDOW,
        *windows.LINK,
        pl.col("attempts", "failed", "covered_ns").cast(pl.Int64),
        pl.col("carried").cast(pl.Int64).alias("exchanges"),
        "capacity_bps",
        "available_bps",
        available_low_bps=(pl.col("available_bps") - pl.col("margin")).clip(0),
        available_high_bps=pl.col("available_bps") + pl.col("margin"),
    )


def _finite(rate: pl.Expr) -> pl.Expr:
    """Unknown where a damaged recording makes it no number, or a negative capacity."""
    return pl.when(rate.is_finite()).then(rate.clip(0))
