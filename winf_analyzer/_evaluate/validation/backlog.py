"""When a station was backlogged: its queue never empty, so that what it delivered is what a saturating flow gets.

A backlogged station begins its next transmission as soon as its backoff counter has run down, and the counter runs down
whenever the medium is idle for longer than AIFS (IEEE 802.11-2020, 10.3.4.3). Between the ends of two of its exchanges
at most CW idle slots can therefore pass, whatever the others send. Idle time beyond that is time in which the station
had nothing to send, or in which the recorder did not hear who sent. A window of time counts as backlogged if there is
next to no such excess in it, and if what was delivered in it can be counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from winf_analyzer._mac.constants import SEQUENCE_NUMBERS
from winf_analyzer._util.whole_sums import total

if TYPE_CHECKING:
    import polars as pl

MEDIUM = ("source", "observer")
LINK = ("sender", "receiver")

EXCESS_SHARE = 0.06
"""Largest share of a backlogged window that its station may have had nothing to send: the error of the truth.

Collisions of others leave no frame in a recording and look like idle time, so that it is not 0."""

MISSED_SHARE = 0.02
"""Largest share of the sender's frames that the recorder may have missed in it, by gaps of sequence numbers."""

OTHER_SHARE = 0.05
"""Largest share of the sender's payload that may have gone to other receivers in it."""

EARLY_SHARE = 0.1
"""Largest share of its accesses that may begin before AIFS has passed: more of them show stamps that are no times.

What follows the station's own answered exchange after SIFS is no access, but goes on in a TXOP (10.23.2.8)."""

DEVIATIONS = 3.0
"""Standard errors by which the median backoff may exceed CW / 2, that of a station that always has something to send.

Others' traffic can keep the idle slots between two packets of any station below CW; their median tells who was waiting.
It stays where it is if some collisions of others are not heard."""

ACCESSES = 5
"""Accesses with data that a backlogged window has at least, exchanges that go on in a TXOP left out."""

IDLE_SHARE = 0.2
"""Excess from which on a window counts as not backlogged."""

PACKETS = 30
"""Exchanges that a spell has at least: with fewer, backoff alone makes the truth random by some percent."""

AGGREGATE_SHARE = 0.5
"""Of the longest A-MPDU of its link that half of those in a backlogged window reach: a saturating flow fills them."""

SIFS_US = (10.0, 16.0)
"""In 2.4 GHz, and in 5 and 6 GHz."""

STAMP_US = 5.0
"""Tolerance of time stamps, us."""

CW_MAX = 1023
EIFS_US = {"dsss": 364.0, "hr_dsss": 364.0}
OFDM_EIFS_US = 94.0
"""DIFS in place of which stations wait after a frame that they could not decode (10.3.2.3.7); by PHY, else OFDM."""

ATTEMPTS = 32
"""More are counted like so many: no retry limit in use is larger."""

COLUMNS = (
    *MEDIUM,
    "exchange_no",
    *LINK,
    "start_ns",
    "end_ns",
    "payload_bytes",
    "mpdus",
    "attempt",
    "complete",
    "phy",
    "tid",
    "seq",
    "is_group",
)
"""What is read of `exchanges`."""


@dataclass(frozen=True)
class Access:
    """How a station gets at the medium."""

    aifs_us: float
    slot_us: float
    cw_min: int


def backlog(
    exchanges: pl.DataFrame, parameters: pl.DataFrame, window_ns: int, *, sender: str | None = None
) -> pl.DataFrame:
    """How backlogged the sender of each link was in each window in which it sent.

    Args:
        exchanges: the table, of any number of media; rows without a start are left out.
        parameters: the `mac_parameters` table.
        window_ns: length of the windows, which start at its multiples.
        sender: the only station that is asked about; by default all are.

    Returns:
        Per `source observer sender receiver window_start_ns`: `packets` (exchanges with data), `delivered_bits` (MSDU
        bits of the answered ones), `excess_share` (of the window that the sender had nothing to send, at most),
        `missed_share` (of its frames that were not heard), `other_share` (of its payload to others), `early_share`
        (accesses before AIFS), `median_backoff` (of first attempts, over CW / 2, less the standard errors allowed),
        `backlogged`, `others` (other backlogged senders in the same window).
    """
    import polars as pl

    known = exchanges.filter(pl.col("start_ns").is_not_null(), pl.col("end_ns").is_not_null())
    tables = []
    for medium in known.partition_by(MEDIUM, maintain_order=True):
        timeline = _timeline(medium)
        data = timeline.filter(_is_data(), True if sender is None else pl.col("sender") == sender)
        for (station,), own in data.group_by("sender", maintain_order=True):
            access = _access(parameters, own.row(0, named=True))
            tables.append(_windows(_accesses(timeline, str(station), access), window_ns))
    strings, shares = (*MEDIUM, *LINK), ("excess_share", "missed_share", "other_share", "early_share", "median_backoff")
    schema = {
        **dict.fromkeys(strings, pl.String),
        **dict.fromkeys(("window_start_ns", "packets", "delivered_bits"), pl.Int64),
        **dict.fromkeys(shares, pl.Float64),
        "backlogged": pl.Boolean,
        "others": pl.Int64,
    }
    if not tables:
        return pl.DataFrame(schema=schema)
    rows = pl.concat(tables)
    at = [*MEDIUM, "window_start_ns"]
    waiting = rows.filter("backlogged").group_by(at).agg(senders=pl.col("sender").n_unique())
    rows = rows.join(waiting, on=at, how="left", nulls_equal=True).with_columns(
        others=pl.col("senders").fill_null(0) - pl.col("backlogged").cast(pl.Int64)
    )
    return rows.select(pl.col(name).cast(dtype) for name, dtype in schema.items()).sort(*list(schema)[:5])


def _is_data() -> pl.Expr:
    import polars as pl

    carries = pl.col("payload_bytes").fill_null(0) > 0
    return (
        carries
        & pl.col("sender").is_not_null()
        & pl.col("receiver").is_not_null()
        & ~pl.col("is_group").fill_null(True)
    )


def _timeline(medium: pl.DataFrame) -> pl.DataFrame:
    """The exchanges of a medium in time, with the idle time before each and whether the one before it failed."""
    import polars as pl

    ordered = medium.sort("start_ns", "exchange_no")
    before = pl.col("end_ns").cum_max().shift(1)
    return ordered.with_columns(
        idle_us=((pl.col("start_ns") - before) / 1000).clip(lower_bound=0),
        after_failure=(~pl.col("complete").fill_null(value=True)).shift(1).fill_null(value=False),
    )


def _access(parameters: pl.DataFrame, exchange: dict[str, object]) -> Access:
    """Of the station that sent an exchange: measured, announced or presumed, else the PHY's."""
    import polars as pl

    own = parameters.filter(
        pl.col("used"),
        pl.col("source").is_null() | (pl.col("source") == exchange["source"]),
        pl.col("station") == exchange["sender"],
        pl.col("access_category").is_null(),
        pl.col("value").is_not_null(),
    )
    values = dict(own.select("parameter", "value").iter_rows())
    dsss = exchange["phy"] in EIFS_US
    slot = values.get("slot_us", 20.0 if dsss else 9.0)
    sifs = 10.0 if dsss else 16.0
    aifsn = 2 if exchange["tid"] is None else 3
    return Access(values.get("aifs_us", sifs + aifsn * slot), slot, int(values.get("cw_min", 31 if dsss else 15)))


def _accesses(timeline: pl.DataFrame, sender: str, access: Access) -> pl.DataFrame:
    """The exchanges that a sender began, RTS without an answer too, with the excess of idle time before each.

    The excess is in us, null before the first; `is_data` tells the exchanges with data.
    """
    import polars as pl

    eifs = pl.col("phy").shift(1).replace_strict(EIFS_US, default=OFDM_EIFS_US)
    wait = access.aifs_us + pl.when(pl.col("after_failure")).then(eifs).otherwise(0)
    counted = timeline.with_columns(slots_us=(pl.col("idle_us") - wait).clip(lower_bound=0).fill_null(0).cum_sum())
    counted = counted.with_columns(goes_on=_goes_on(sender, access), is_data=_is_data())
    own = counted.filter(pl.col("sender") == sender)
    attempt = pl.col("attempt").fill_null(1)
    first = attempt == 1
    # Attempts that were not heard, such as RTS without an answer, each had a backoff of their own.
    again = ~pl.col("complete").shift(1).fill_null(value=True) & (attempt > attempt.shift(1).fill_null(0))
    earlier = pl.when(again).then(attempt.shift(1)).otherwise(0)
    drawn = first & pl.col("is_data") & ~pl.col("goes_on")
    window = _slots(access.cw_min, attempt) - _slots(access.cw_min, earlier)
    step = (pl.col("seq").diff() + SEQUENCE_NUMBERS // 2) % SEQUENCE_NUMBERS - SEQUENCE_NUMBERS // 2
    skipped = pl.when(step > 0).then(step - pl.col("mpdus").shift(1).fill_null(1)).otherwise(0)
    used_us = pl.col("slots_us").diff()
    # Of the time since the packet before, the part in which more slots passed than a counter can hold.
    beyond = (used_us - window * access.slot_us - STAMP_US) / used_us
    since_us = (pl.col("start_ns") - pl.col("end_ns").shift(1)) / 1000
    return own.with_columns(
        excess_us=pl.when(beyond > 0).then(beyond * since_us).when(used_us.is_not_null()).then(0.0),
        backoff=pl.when(drawn).then(used_us / access.slot_us / (access.cw_min / 2)),
        early=pl.col("idle_us") < access.aifs_us - access.slot_us - STAMP_US,
        missed=skipped.over(_counter(), order_by="start_ns").fill_null(0),
    )


def _goes_on(sender: str, access: Access) -> pl.Expr:
    """An exchange begins SIFS after the same station's answered one: in its TXOP, without a backoff."""
    import polars as pl

    after_its_own = (pl.col("sender").shift(1) == sender) & pl.col("complete").shift(1)
    after_sifs = pl.col("idle_us").is_between(SIFS_US[0] - STAMP_US, SIFS_US[1] + STAMP_US)
    before_aifs = pl.col("idle_us") < access.aifs_us - access.slot_us / 2
    return (after_its_own & after_sifs & before_aifs).fill_null(value=False)


def _slots(cw_min: int, attempts: pl.Expr) -> pl.Expr:
    """Most idle slots that pass in the backoffs of the first attempts of a packet: CW doubles up to its limit."""
    import polars as pl

    windows = (min((cw_min + 1) << attempt, CW_MAX + 1) for attempt in range(ATTEMPTS))
    sums = pl.Series([0, *accumulate(windows)], dtype=pl.Float64)
    return pl.lit(sums).gather(attempts.clip(0, ATTEMPTS).cast(pl.UInt32))


def _counter() -> list[pl.Expr]:
    """What a sequence number counts: frames to a receiver with a TID, or all frames without one (10.3.2.14.2)."""
    import polars as pl

    return [pl.col("is_data"), pl.when(pl.col("tid").is_not_null()).then("receiver"), pl.col("tid")]


def _windows(accesses: pl.DataFrame, window_ns: int) -> pl.DataFrame:
    """Windows in which a sender sent data, per link."""
    import polars as pl

    window_us = window_ns / 1000
    start = pl.col("end_ns") // window_ns * window_ns
    # Idle time between two accesses counts in the windows of both, and as a whole window before the first and after the
    # last.
    excess = pl.col("excess_us").fill_null(window_us)
    after = pl.col("excess_us").shift(-1).fill_null(window_us)
    rows = accesses.with_columns(window_start_ns=start, before=excess, after=after).with_columns(
        after=pl.when(_changes("window_start_ns")).then("after").otherwise(0),
    )
    missed = pl.col("missed").sum().clip(lower_bound=0)
    of_sender = rows.group_by("window_start_ns").agg(
        excess_share=((pl.col("before") + pl.col("after").fill_null(window_us)).sum() / window_us).clip(0, 1),
        missed_share=missed / (missed + pl.col("mpdus").filter("is_data").fill_null(1).sum()),
        accesses=(pl.col("is_data") & ~pl.col("goes_on")).sum(),
        early_share=pl.col("early").filter(pl.col("is_data") & ~pl.col("goes_on")).mean(),
        # Null if one packet was repeated all the time. The median of n uniform draws has a standard error of its value
        # over the square root of n.
        median_backoff=pl.col("backoff").median() - DEVIATIONS / pl.col("backoff").count().sqrt(),
        payload=total(pl.col("payload_bytes").filter("is_data")),
    )
    longest = pl.col("mpdus").max().over(LINK)
    rows = rows.filter("is_data").with_columns(long=(pl.col("mpdus") >= AGGREGATE_SHARE * longest) | (longest == 1))
    links = rows.group_by(*MEDIUM, *LINK, "window_start_ns").agg(
        packets=pl.len(),
        delivered_bits=total(pl.col("payload_bytes").filter(pl.col("complete").fill_null(value=False))) * 8,
        own_payload=total(pl.col("payload_bytes")),
        long_share=pl.col("long").fill_null(value=True).mean(),
    )
    return (
        links.join(of_sender, on="window_start_ns")
        .with_columns(other_share=1 - pl.col("own_payload") / pl.col("payload"))
        .with_columns(
            backlogged=(pl.col("accesses") >= ACCESSES)
            & (pl.col("excess_share") <= EXCESS_SHARE)
            & (pl.col("missed_share") <= MISSED_SHARE)
            & (pl.col("other_share") <= OTHER_SHARE)
            & (pl.col("early_share") <= EARLY_SHARE)
            & (pl.col("median_backoff") <= 1).fill_null(value=False)
            & (pl.col("long_share") >= AGGREGATE_SHARE)
        )
    )


def _changes(name: str) -> pl.Expr:
    """Whether the next row has another value, or there is none."""
    import polars as pl

    return (pl.col(name) != pl.col(name).shift(-1)).fill_null(value=True)


def spells(windows: pl.DataFrame, window_ns: int) -> pl.DataFrame:
    """Backlogged windows of a link that follow one another, as one row each.

    Returns:
        `source observer sender receiver start_ns duration_ns packets others delivered_bps`, of at least :data:`PACKETS`
        packets.
    """
    import polars as pl

    keys = [*MEDIUM, *LINK]
    held = windows.filter("backlogged").sort(*keys, "window_start_ns")
    begins = (pl.col("window_start_ns").diff() != window_ns).fill_null(value=True)
    numbered = held.with_columns(spell=begins.cast(pl.Int64).cum_sum().over(keys))
    found = numbered.group_by(*keys, "spell", maintain_order=True).agg(
        start_ns=pl.col("window_start_ns").min(),
        duration_ns=pl.len().cast(pl.Int64) * window_ns,
        packets=pl.col("packets").sum(),
        bits=pl.col("delivered_bits").sum(),
        others=pl.col("others").mean().round().cast(pl.Int64),
    )
    return (
        found.filter(pl.col("packets") >= PACKETS)
        .with_columns(delivered_bps=pl.col("bits") * 1e9 / pl.col("duration_ns"))
        .drop("spell", "bits")
    )
