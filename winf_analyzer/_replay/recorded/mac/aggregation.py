"""A-MPDUs: which links send them, how long they may be, and what follows one that nobody answered."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._mac.aggregation import AGGREGATING, agreements, can_aggregate
from winf_analyzer._mac.constants import HIGH_BAND, LOW_BAND, constant, in_low_band, whole
from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.links.losses import on_air
from winf_analyzer._replay.recorded.mac.retries import ampdu_retry_limit, single_give_up
from winf_analyzer._replay.topologies.world import World
from winf_analyzer._replay.unknowns import Link

MIN_SHARE = 0.01
"""Least share of a link's exchanges with data in which there are several MPDUs: fewer are frames that a recorder took
for one PPDU."""

PILED, NEAR = 0.1, 0.02
"""A-MPDUs have a limit of their own, below the standard's, if this share of them ends this close to the longest."""

MIN_CASES = 10
"""Least number of A-MPDUs for that, of unanswered ones for BlockAckReq, and of MPDUs for a share that was lost."""

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
    """Links with A-MPDUs, and the share of MPDUs that were lost while nobody else sent."""

    note: str
    """What was assumed."""

    filled: dict[Link, bool]
    """Links without A-MPDUs in the recording that would send some with a full queue: with a BlockAck agreement (True),
    or presumed to, as most stations of their PHY do."""

    @property
    def filled_notes(self) -> list[str]:
        """What is assumed of :attr:`filled`."""
        shown = {
            True: "a BlockAck agreement alone",
            False: "neither A-MPDUs nor BlockAcks: half of the draws do without",
        }
        return [
            f"{a} > {b}: aggregates with a full queue (assumed; the recording shows {shown[agreed]})"
            for (a, b), agreed in self.filled.items()
        ]

    @property
    def presumed(self) -> tuple[Link, ...]:
        """Those of :attr:`filled` without a BlockAck agreement."""
        return tuple(link for link, agreed in self.filled.items() if not agreed)


def aggregates(
    frames: pl.LazyFrame, exchanges: pl.LazyFrame, view: pl.DataFrame, filled: Collection[Link] = ()
) -> Aggregates | None:
    """The A-MPDUs of the links of ``view``, those of unicast exchanges; None if there are none.

    ``filled``: links whose queues are to be full in the replay, whatever they were in the recording.
    """
    sent = (
        views.of(exchanges.filter(pl.col("kind").is_in(views.UNICAST)), view)
        .select("sender", "receiver", *_COLUMNS, failed=~pl.col("complete"), low=in_low_band())
        .collect(engine="streaming")
    )
    data = sent.filter(pl.col("mpdus") > 0)
    # Of another PHY, or one that no header names, they are frames that overlap by the recorder's clock.
    several = (pl.col("mpdus") > 1) & pl.col("phy").is_in(AGGREGATING).fill_null(False)
    shares = (
        data.group_by("sender", "receiver")
        .agg(share=several.mean(), usual=pl.col("mpdus").filter(several).median())
        .filter(pl.col("share") >= MIN_SHARE)
    )
    usual = {(a, b): round(mpdus) for a, b, mpdus in shares.select("sender", "receiver", "usual").iter_rows()}
    links = sorted(usual)
    more = _filled(data, frames, set(filled) - set(links))
    if not links and not more:
        return None
    of_links = data.join(shares, on=["sender", "receiver"], how="semi").filter(several)
    usual_phy = of_links if links else data.filter(_can_aggregate())
    longest_us = _longest_us(of_links)
    is_requested = _is_requested(sent, of_links)
    (phy, low), *_ = usual_phy.group_by("phy", "low").len().sort("len", "phy").select("phy", "low").rows()[::-1]
    # VHT has one timing, whatever the band (clause 21); some vendors use it at 2.4 GHz.
    phy_of = phy, LOW_BAND if low and phy != "vht" else HIGH_BAND
    overhead_us = constant("preamble", *phy_of) + constant("aSignalExtension", *phy_of)
    parameters: dict[str, Any] = {
        "max_ampdu_bytes": _max_bytes(of_links["length_bytes"].max()),
        "max_ampdu_ns": round(1e3 * (longest_us or constant("aPPDUMaxTime"))),
        "block_ack_window": max(whole("block_ack_window"), _largest(of_links["mpdus"])),
        "preamble_ns": round(1e3 * constant("preamble", *phy_of)),
        "block_ack_request": is_requested,
    }
    retries = ampdu_retry_limit(exchanges, view)
    given_up = single_give_up(exchanges, view)
    if retries is not None:
        parameters["retry_limit"] = retries
    if given_up is not None:
        parameters["single_give_up"] = round(given_up, 4)
    limit = "observed: so long are many" if longest_us else "assumed: the standard's"
    note = (
        f"A-MPDUs of at most {parameters['max_ampdu_ns'] / 1e6:.2f} ms ({limit}), "
        f"{parameters['max_ampdu_bytes']} bytes "
        f"and {parameters['block_ack_window']} MPDUs; unanswered ones are "
        f"{'followed by a BlockAckReq' if is_requested else 'sent again'}"
    )
    if retries is not None:
        note += f", at most {retries} times (observed: more often than the default)"
    if given_up is not None:
        note += f"; MPDUs that fail alone are given up in {100 * given_up:.0f} % of cases (observed)"
    return Aggregates(parameters, overhead_us, usual, _losses(frames, exchanges, view, links), note, more)


def with_full_queues(world: World, together: Aggregates) -> World:
    """The world in which the links of ``together.filled`` aggregate too; what it has for A-MPDUs stays."""
    known = world["mac"].get("aggregation")
    links = []
    for link in world["links"]:
        radio = link["medium"].get("wireless")
        if radio is not None and (link["from"], link["to"]) in together.filled:
            radio = {name: value for name, value in radio.items() if name != "max_ampdu_bytes"}
        elif radio is not None and known is None:
            radio = radio | {"max_ampdu_bytes": 0}
        links.append(link if radio is None else link | {"medium": {"wireless": radio}})
    return world | {"mac": world["mac"] | {"aggregation": together.parameters | (known or {})}, "links": links}


def _can_aggregate() -> pl.Expr:
    """Of a PHY that is named, for the engine needs its preamble."""
    return pl.col("phy").is_not_null() & can_aggregate()


def _filled(data: pl.DataFrame, frames: pl.LazyFrame, links: Collection[Link]) -> dict[Link, bool]:
    """Those of ``links`` most of whose data is of a kind that is aggregated, and whether BlockAcks were recorded."""
    carried = data.filter(pl.col("data_kind").is_in(("data", "qos_data")))
    shares = carried.group_by("sender", "receiver").agg(share=_can_aggregate().mean())
    found = sorted(
        (a, b)
        for a, b in shares.filter(pl.col("share") > 0.5).select("sender", "receiver").iter_rows()
        if (a, b) in links
    )
    if not found:
        return {}
    agreed = agreements(frames).select("sender", "receiver").unique().collect(engine="streaming")
    known = set(agreed.iter_rows())
    return {link: link in known for link in found}


_COLUMNS = ("data_kind", "mpdus", "length_bytes", "data_airtime_us", "phy", "rate_mbps")


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


_TELLS = pl.col("complete") | (pl.col("mpdus").fill_null(1) <= 1)
"""Whether a PPDU shows which MPDUs the channel lost."""


def _losses(frames: pl.LazyFrame, exchanges: pl.LazyFrame, view: pl.DataFrame, links: list[Link]) -> dict[Link, float]:
    """Share of the MPDUs of each link that were repeated though their A-MPDU was answered, and nobody else sent.

    One that is alone in its PPDU is not answered if it is lost. A frame of a hidden station damages the MPDUs that it
    meets, and no others; the engine does that itself. A repeated MPDU whose earlier copy the recorder did not hear says
    nothing: the A-MPDU collided at the recorder too.
    """
    keys = ["source", "observer", "sender", "receiver"]
    unicast = exchanges.filter(pl.col("kind").is_in(views.UNICAST), pl.col("start_ns").is_not_null())
    answers = views.of(unicast, view).select(*keys, begun_ns="start_ns", tells=_TELLS)
    place = pl.col("place").shift(-1).over(*keys, "tid", "seq") - pl.col("place")
    is_again = pl.col("retry").shift(-1).over(*keys, "tid", "seq")
    sent = (
        frames.filter(pl.col("kind") == "qos_data", pl.col("start_ns").is_not_null(), pl.col("seq").is_not_null())
        .with_columns(sender="ta", receiver="ra")
        .join(view.lazy().select(keys), on=keys, how="semi", nulls_equal=True)
        .select(*keys, "tid", "seq", "retry", "start_ns", "end_ns", place=pl.int_range(pl.len()).over(keys))
        .with_columns(lost=(is_again & (place <= SOON)).fill_null(False))
        .collect(engine="streaming")
        .sort("start_ns")
    )
    begun = answers.collect(engine="streaming").sort("begun_ns").drop("source", "observer")
    sent = sent.join_asof(
        begun, left_on="start_ns", right_on="begun_ns", by=["sender", "receiver"], check_sortedness=False
    )
    air = on_air(unicast).sort("from_ns")
    found = {}
    for link in links:
        ours = sent.filter(pl.col("sender") == link[0], pl.col("receiver") == link[1], "tells").sort("end_ns")
        answer = pl.col("answer") & (pl.col("node") == link[1]) & (pl.col("peer") == link[0])
        beside = air.filter(pl.col("node") != link[0], ~answer)
        beside = beside.select("from_ns", beside_ns=pl.col("until_ns").cum_max())
        alone = ours.join_asof(beside, left_on="end_ns", right_on="from_ns", allow_exact_matches=False).filter(
            (pl.col("beside_ns") <= pl.col("start_ns")).fill_null(True)
        )
        found[link] = int(alone["lost"].sum()) / alone.height if alone.height >= MIN_CASES else 0.0
    return found
