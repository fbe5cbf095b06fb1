"""A-MPDUs: which links send them, how long they may be, and what follows one that nobody answered."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._mac.constants import HIGH_BAND, LOW_BAND, constant, in_low_band, whole
from winf_analyzer._replay.recorded import views

Link = tuple[str, str]

MIN_SHARE = 0.01
"""Least share of a link's exchanges with data in which there are several MPDUs: fewer are frames that a recorder took
for one PPDU."""

PILED, NEAR = 0.1, 0.02
"""A-MPDUs have a limit of their own, below the standard's, if this share of them ends this close to the longest."""

MIN_CASES = 10
"""Least number of A-MPDUs for that, and of unanswered ones for BlockAckReq."""

MIN_REQUESTED = 0.5
"""Least share of unanswered A-MPDUs after which stations sent a BlockAckReq."""

SOON = 1024
"""Within so many frames of a link a number that is seen again is that of the same MPDU: more than any window of
BlockAcks of 802.11n and 802.11ac, less than half of the numbers that there are."""


class Aggregates(NamedTuple):
    """A-MPDUs of a recording."""

    parameters: dict[str, Any]
    """``aggregation`` of the engine's MAC."""

    overhead_us: float
    """What a PPDU takes besides its MPDUs."""

    mpdus: dict[Link, int]
    """Links with A-MPDUs, and the median number of MPDUs in one."""

    losses: dict[Link, float]
    """Links with A-MPDUs, and the share of MPDUs that were lost where others of their A-MPDU, or none, collided."""

    note: str
    """What was assumed."""


def aggregates(frames: pl.LazyFrame, exchanges: pl.LazyFrame, view: pl.DataFrame) -> Aggregates | None:
    """The A-MPDUs of the links of ``view``, those of unicast exchanges; None if there are none."""
    sent = (
        views.of(exchanges.filter(pl.col("kind").is_in(views.UNICAST)), view)
        .select("sender", "receiver", *_COLUMNS, failed=~pl.col("complete"), low=in_low_band())
        .collect(engine="streaming")
    )
    data = sent.filter(pl.col("mpdus") > 0)
    several = pl.col("mpdus") > 1
    shares = (
        data.group_by("sender", "receiver")
        .agg(share=several.mean(), usual=pl.col("mpdus").filter(several).median())
        .filter(pl.col("share") >= MIN_SHARE)
    )
    usual = {(a, b): round(mpdus) for a, b, mpdus in shares.select("sender", "receiver", "usual").iter_rows()}
    links = sorted(usual)
    if not links:
        return None
    of_links = data.join(shares, on=["sender", "receiver"], how="semi").filter(several)
    longest_us = _longest_us(of_links)
    is_requested = _is_requested(sent, of_links)
    (phy, low), *_ = of_links.group_by("phy", "low").len().sort("len", "phy").select("phy", "low").rows()[::-1]
    phy_of = phy, LOW_BAND if low else HIGH_BAND
    overhead_us = constant("preamble", *phy_of) + constant("aSignalExtension", *phy_of)
    parameters = {
        "max_ampdu_bytes": _max_bytes(of_links["length_bytes"].max()),
        "max_ampdu_ns": round(1e3 * (longest_us or constant("aPPDUMaxTime"))),
        "block_ack_window": max(whole("block_ack_window"), _largest(of_links["mpdus"])),
        "preamble_ns": round(1e3 * constant("preamble", *phy_of)),
        "block_ack_request": is_requested,
    }
    limit = "observed: so long are many" if longest_us else "assumed: the standard's"
    note = (
        f"A-MPDUs of at most {parameters['max_ampdu_ns'] / 1e6:.2f} ms ({limit}), "
        f"{parameters['max_ampdu_bytes']} bytes "
        f"and {parameters['block_ack_window']} MPDUs; unanswered ones are "
        f"{'followed by a BlockAckReq' if is_requested else 'sent again'}"
    )
    return Aggregates(parameters, overhead_us, usual, _losses(frames, view, data, links), note)


_COLUMNS = ("data_kind", "mpdus", "length_bytes", "data_airtime_us", "phy")


def _longest_us(several: pl.DataFrame) -> float | None:
    """The duration that limits A-MPDUs, if many end there though one more MPDU would keep to the standard's limit."""
    known = several.drop_nulls("data_airtime_us").sort("data_airtime_us")
    if known.height < MIN_CASES:
        return None
    longest, mpdus = known.select("data_airtime_us", "mpdus").row(-1)
    piled = known.filter(pl.col("data_airtime_us") >= (1 - NEAR) * longest).height
    has_room = longest * (1 + 1 / mpdus) < constant("aPPDUMaxTime")
    # What is added covers the rounding to symbols.
    return float(longest + constant("ofdm_symbol")) if has_room and piled >= PILED * known.height else None


def _max_bytes(seen: object) -> int:
    """The least limit that the standard knows, 2^n - 1 octets and at least HT's longest, that allows what was seen."""
    least = whole("ht_ampdu_max")
    return max(least, (1 << int(seen).bit_length()) - 1) if isinstance(seen, int) else least


def _largest(mpdus: pl.Series) -> int:
    most = mpdus.max()
    return most if isinstance(most, int) else 0


def _is_requested(sent: pl.DataFrame, several: pl.DataFrame) -> bool:
    asked = sent.filter(pl.col("data_kind") == "block_ack_req").height
    failed = several.filter("failed").height
    # Who listens beside them hears no A-MPDU that collided, but the BlockAckReq after it.
    return max(failed, asked) >= MIN_CASES and asked >= MIN_REQUESTED * failed


def _losses(frames: pl.LazyFrame, view: pl.DataFrame, data: pl.DataFrame, links: list[Link]) -> dict[Link, float]:
    """Share of the MPDUs of each link that were repeated though their A-MPDU was answered.

    A repeated MPDU whose earlier copy the recorder did not hear says nothing: the A-MPDU collided at the recorder too.
    """
    keys = ["source", "observer", "sender", "receiver"]
    since = pl.col("place") - pl.col("place").shift(1).over(*keys, "tid", "seq")
    is_told = pl.col("seq").is_null() | (since <= SOON).fill_null(False)
    repeated = (
        frames.filter(pl.col("kind") == "qos_data")
        .with_columns(sender="ta", receiver="ra")
        .join(view.lazy().select(keys), on=keys, how="semi", nulls_equal=True)
        .with_columns(place=pl.int_range(pl.len()).over(keys))
        .with_columns(told=is_told)
        .filter("retry", "told")
        .group_by("sender", "receiver")
        .agg(repeated=pl.len())
        .collect(engine="streaming")
    )
    of_link = (
        data.group_by("sender", "receiver")
        .agg(all=pl.col("mpdus").sum(), unanswered=pl.col("mpdus").filter("failed").sum())
        .join(repeated, on=["sender", "receiver"], how="left")
    )
    lost = (pl.col("repeated").fill_null(0).cast(pl.Int64) - pl.col("unanswered")).clip(0) / pl.col("all")
    found = {(row[0], row[1]): row[2] for row in of_link.select("sender", "receiver", lost).iter_rows()}
    return {link: min(1.0, found.get(link, 0.0)) for link in links}
