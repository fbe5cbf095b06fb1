"""What a recording shows of each link besides the estimates: counts, sizes, rates, and how busy the others were.

Times are added up in whole nanoseconds, so that the sums are the same whatever the order of the rows.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import polars as pl

from winf_analyzer import _core

LINK = ("source", "observer", "sender", "receiver")

SHAPE = (
    *("rts", "bits", "psdu_bits", "mpdus", "psdu_us", "data_us", "ack_us", "answers", "rts_cts_us", "handshakes"),
    *("cts_self", "cts_self_us", "own_cts", "fragments", "rate_max_mbps", "phy", "channel_mhz"),
)
"""What says how the link's exchanges look, rather than how many there are."""


class Evidence(NamedTuple):
    """What the exchanges of a recording show; computed natively in `kernels/src/link_evidence`."""

    links: pl.DataFrame
    """Per :data:`LINK` and `window_start_ns`, null for exchanges without any time: numbers of data exchanges and
    attempts, and sums over the samples among them, which were acknowledged and had payload.

    `attempts`, of which `samples`, `failed`, `retries`, `carrying` (with payload), `rateless` (neither header nor
    airtime tells the rate of that), `timeless` (without start or end), `answers_only` (acknowledged, but the data was
    not heard). Of samples: `rts` (with RTS), `bits`, `mpdus`, `ack_us` of `answers`, `rts_cts_us` (RTS and CTS) of
    `handshakes`, `cts_self` (behind a CTS-to-self), `cts_self_us` of `own_cts` of these, `fragments` (further ones of
    the MSDU of the sample before, which the exchanges of a link must follow in time for), and where the rate is known
    `psdu_bits`, `psdu_us` (without preamble), `data_us` (with it); the largest `rate_max_mbps`, `phy`, `channel_mhz`.
    Null is a sum of nothing.
    """
    media: pl.DataFrame
    """Per `source`, `observer` and window: `busy_ns`, the sum of all exchanges, `first_ns` and `last_ns`."""


def collected(exchanges: Iterable[Path], window_ns: int) -> Evidence:
    """The evidence in parts of the `exchanges` table, in memory proportional to links and windows."""
    found = _core.LinkEvidence(window_ns)
    for part in exchanges:
        found.add_part(part)
    return Evidence(pl.DataFrame(found.links()), pl.DataFrame(found.media()))


def whole(sums: pl.DataFrame) -> pl.DataFrame:
    """The sums of the windows of each link, added."""
    counts = (
        *("attempts", "samples", "rts", "failed", "retries", "carrying", "rateless", "timeless", "answers_only"),
        *("bits", "psdu_bits", "mpdus", "psdu_us", "data_us", "ack_us", "answers", "rts_cts_us", "handshakes"),
        *("cts_self", "cts_self_us", "own_cts", "fragments"),
    )
    return (
        sums.sort(*LINK, "window_start_ns", nulls_last=True)
        .group_by(LINK, maintain_order=True)
        .agg(
            pl.col(counts).sum(),
            pl.col("phy", "channel_mhz", "rate_max_mbps").max(),
        )
    )
