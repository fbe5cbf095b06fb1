"""When each packet came to the head of its sender's queue, and which packets were sent back to back.

A simulator records when a packet came to the head of its queue. A capture does not; there the instant is estimated:

* A sender that kept contending since its previous exchange had the packet waiting: it came to the head of line when
  that exchange ended. A sender contends if the medium was idle for no longer than its backoff needs: one DIFS per
  access to the medium in between, its own included, and the slots of a backoff window.
* Otherwise it found the medium free: the packet came DIFS + E[BO] before its first frame.
* A repetition belongs to the packet of its first attempt.
"""

import polars as pl

from winf_analyzer import _core
from winf_analyzer._aggregate.chunks import GROUP, Chunk
from winf_analyzer._aggregate.windows import LINK, WINDOW

_READ: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("share", "air_start_ns", "end_ns", "access_ns", "service_ns", "attempt"), pl.Int64),
    **dict.fromkeys(("data_ns", "payload_bytes", "t_difs", "cw_min", "t_slot"), pl.Int64),
    **{"medium": pl.UInt32, "sender": pl.String, "receiver": pl.String, "sample": pl.Boolean},
}
"""The columns that the native pass takes."""


def with_head_of_line(chunk: Chunk) -> pl.DataFrame:
    """The exchanges of a chunk, in its order.

    Returns:
        The columns of :attr:`.Chunk.rows` and, null where the sender is unknown,

        * `hol_ns`: when the packet came to the head of the sender's queue, recorded or estimated;
        * `in_ns`: when it entered the queue, recorded; null in captures;
        * `waited_ns`: how long the medium was idle between the sender's previous exchange and this one;
        * `accesses`: how many exchanges ended since, this one included;
        * `link`: a number for medium, sender and receiver, the same in all chunks;
        * `dispersion_ns`, `delay_sum_ns`: as :func:`packet_pairs` has them, null of all others.
    """
    passed = chunk.state.setdefault(with_head_of_line, _core.HeadOfLine())
    read = chunk.rows.rename({GROUP: "share"}).select(pl.col(name).cast(kind) for name, kind in _READ.items())
    rows = chunk.rows.hstack(pl.DataFrame(passed.follow(read)))
    return rows.with_columns(in_ns=pl.col("hol_ns") - pl.col("queue_ns"))


def packet_pairs(chunk: Chunk) -> pl.DataFrame:
    """The second packets of pairs: of one link and size, the second at the head of line when the first was done.

    That is, within two microseconds of the end of the first one's exchange: clocks count whole ones.

    Returns:
        The columns of :func:`with_head_of_line` that identify link and window or describe packet and access, and

        * `dispersion_ns`: between the arrivals of the two, the ends of their data;
        * `delay_sum_ns`: of the two arrivals, both counted from the head of line of the first: how long a pair has
          waited that was handed over at one instant.
    """
    packet = ("payload_bytes", "attempt", "access_ns", "waited_ns", "accesses")
    second = chunk.once(with_head_of_line).lazy().filter(pl.col("dispersion_ns").is_not_null())
    return second.select(*WINDOW, *LINK, *packet, "dispersion_ns", "delay_sum_ns").collect(engine="in-memory")
