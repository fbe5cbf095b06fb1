"""What each sender did one after the other: since when a packet was next in line, and which packets went back to back.

A simulator records when a packet came to the head of its queue. A capture does not; there the instant is estimated:

* A sender that kept contending since its previous exchange had the packet waiting: it came to the head of line when
  that exchange ended. A sender contends if the medium was idle for no longer than its backoff needs: one DIFS per
  access to the medium in between, its own included, and the slots of a backoff window.
* Otherwise it found the medium free: the packet came DIFS + E[BO] before its first frame.
* A repetition belongs to the packet of its first attempt.
"""

import polars as pl

from winf_analyzer import _core
from winf_analyzer.estimators.stretches import SHARE, Stretch
from winf_analyzer.estimators.windows import LINK, WINDOW

READ: dict[str, type[pl.DataType]] = {
    **dict.fromkeys((SHARE, "air_start_ns", "end_ns", "access_ns", "service_ns", "attempt"), pl.Int64),
    **dict.fromkeys(("data_ns", "payload_bytes", "t_difs", "cw_min", "t_slot"), pl.Int64),
    **{"medium": pl.UInt32, "sender": pl.String, "receiver": pl.String, "sample": pl.Boolean},
}
"""The columns of the recording that tell the succession."""


def successive(stretch: Stretch) -> pl.DataFrame:
    """The exchanges of a stretch, in its order.

    Returns:
        The columns of the recording and, null where the sender is unknown,

        * `hol_ns`: when the packet came to the head of the sender's queue, recorded or estimated;
        * `in_ns`: when it entered the queue, recorded; null in captures;
        * `waited_ns`: how long the medium was idle between the sender's previous exchange and this one;
        * `accesses`: how many exchanges ended since, this one included;
        * `link`: a number for medium, sender and receiver, the same in all stretches;
        * `dispersion_ns`, `delay_sum_ns`: as :func:`pairs` has them, null of all others.
    """
    return stretch.shared.once("successive", lambda: _successive(stretch))


def _successive(stretch: Stretch) -> pl.DataFrame:
    known = stretch.carried.setdefault(successive, _core.Succession())
    read = stretch.rows.select(pl.col(name).cast(kind) for name, kind in READ.items())
    rows = stretch.rows.hstack(pl.DataFrame(known.follow(read)))
    return rows.with_columns(in_ns=pl.col("hol_ns") - pl.col("queue_ns"))


def pairs(stretch: Stretch) -> pl.DataFrame:
    """The second packets of pairs: of one link and size, the second next in line when the first was done.

    Next in line is one that came to the head of line when the exchange of the first ended, give or take two
    microseconds: clocks count whole ones.

    Returns:
        Of the columns of :func:`successive` those that name the link and window and tell of packet and access,

        * `dispersion_ns`: between the arrivals of the two, the ends of their data;
        * `delay_sum_ns`: of the two arrivals, both counted from the head of line of the first: what a pair handed over
          at one instant has waited.
    """
    return stretch.shared.once("pairs", lambda: _pairs(stretch))


def _pairs(stretch: Stretch) -> pl.DataFrame:
    packet = ("payload_bytes", "attempt", "access_ns", "waited_ns", "accesses")
    second = successive(stretch).lazy().filter(pl.col("dispersion_ns").is_not_null())
    return second.select(*WINDOW, *LINK, *packet, "dispersion_ns", "delay_sum_ns").collect(engine="in-memory")
