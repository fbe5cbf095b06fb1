"""Five sentences about a dataset, made from its numbers: what the report says first."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import polars as pl

from winf_analyzer._ingest.description import NOT_APPLICABLE
from winf_analyzer._recommended.reasons import sentences as reason_sentences
from winf_analyzer._report.labels import CLASSES, format_number, format_range, format_rate
from winf_analyzer._report.where import announced

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from winf_analyzer._names import Names

    Rows = Callable[[str], pl.DataFrame | None]
    """Rows of a named query by its name; None where the dataset lacks its table."""


LINK_FRAMES = 50
"""Data frames from which on a link can be the one with most retransmissions: its share is known to 14 points."""


ONE_CHANNEL = 0.95
"""Share of the frames on one channel from which on the others are strays: the recorder did not change channels."""


def sentences(rows: Rows, name: Names, channels: Mapping[int, int]) -> list[str]:
    """What filled the channel, whose it was, the busiest link, retries, and what was not heard.

    What is unknown is said to be, with the reason.

    Args:
        rows: rows of a named query.
        name: how people call a station.
        channels: frames by channel, MHz.
    """
    return [_channel(rows, channels), _networks(rows, name), _link(rows, name), _retries(rows, name), _heard(rows)]


def _percent(share: float) -> str:
    if 0.995 <= share < 1:  # beside others it is not all
        return f"{min(100 * share, 99.9):.1f}\u00a0%"
    return f"{100 * share:.2g}\u00a0%" if share < 0.0995 else f"{100 * share:.0f}\u00a0%"


def _channel(rows: Rows, channels: Mapping[int, int]) -> str:
    totals, airtime = rows("totals"), rows("airtime")
    busy = None if totals is None else totals["busy_share"][0]
    if totals is None or busy is None or airtime is None:
        return "How busy the channel was is unknown: no frame has known times on the air."
    classes = (
        airtime.group_by("class", maintain_order=True)
        .agg(pl.col("airtime_ms").sum())
        .sort("airtime_ms", descending=True, nulls_last=True)
    )
    total = airtime["airtime_ms"].sum()
    parts = [
        f"{_percent(time / total)} {CLASSES.get(kind, kind)}"
        for kind, time in classes.select("class", "airtime_ms").iter_rows()
        if time and time / total >= 0.0005
    ][:4]
    shares = _shares_of_recordings(rows) if totals["recordings"][0] > 1 else None
    if shares is None:
        # Of a trace with views of all nodes the time is that of one of them; others heard others.
        least = "where most was heard for" if _is_trace(rows) else "for at least"
        several = len(channels) > 1 and max(channels.values()) < ONE_CHANNEL * sum(channels.values())
        channel = f"Of {len(channels)} channels the one that was listened to" if several else "The channel"
        return f"{channel} was busy {least} {_percent(busy)} of the time; of that airtime {_joined(parts)}."
    return (
        f"In the {shares.height} recordings whose airtimes are known the channel was busy for "
        f"{_spread(shares, 'busy_share')}; of the airtime of all {_joined(parts)}."
    )


def _shares_of_recordings(rows: Rows) -> pl.DataFrame | None:
    """Of several recordings the shares of time that the channel was busy."""
    recordings = rows("recordings")
    known = None if recordings is None else recordings.drop_nulls("busy_share")
    return None if known is None or known.height < 2 else known


def _spread(rows: pl.DataFrame, column: str, of: str = "the time") -> str:
    """The shares of several recordings in words: the least and the largest, and what half of them reach."""
    ordered = rows.sort(column, "source")
    least, most = ordered.row(0, named=True), ordered.row(-1, named=True)
    low, high = _percent(least[column]), _percent(most[column])
    if low == high:
        return f"{high} of {of}"
    text = f"{low} ({least['source']}) to {high} ({most['source']}) of {of}"
    return (
        text if rows.height < 3 else f"{text}, in half of them at least {_percent(median(ordered[column].to_list()))}"
    )


def _networks(rows: Rows, name: Names) -> str:
    airtime = rows("airtime")
    known = None if airtime is None else airtime.drop_nulls(["bssid", "airtime_ms"])
    if airtime is None or known is None or known.is_empty():
        return "Which network used the airtime is unknown: no exchange with known times has a BSSID."
    total = airtime["airtime_ms"].sum()
    by_bss = (
        known.group_by("bssid", maintain_order=True)
        .agg(pl.col("ssid").drop_nulls().first(), pl.col("airtime_ms").sum())
        .sort("airtime_ms", descending=True)
    )
    bssid, ssid, most = by_bss.select("bssid", "ssid", "airtime_ms").row(0)
    owner = f"{ssid} ({bssid})" if (ssid or "").strip("\0") else name(bssid)  # a hidden name may be sent as zeros
    if by_bss.height == 1:
        return f"One BSS was heard, {owner}, with {_percent(most / total)} of the airtime."
    several = _shares_of_recordings(rows) is not None
    shared = f"{by_bss.height} BSSs"
    silent = _without_beacon(rows, by_bss["bssid"])
    if name.radios:
        by_radio = by_bss.group_by(pl.col("bssid").replace(name.radio_of), maintain_order=True)
        by_bss = by_radio.agg(pl.col("airtime_ms").sum()).sort("airtime_ms", descending=True)
        radio, most = by_bss.row(0)
        count = len(name.radios.get(radio, [radio]))
        owner = f"{name(radio)}, a radio with {count} BSSIDs," if count > 1 else name(radio)
        shared += f" of {by_bss.height} radios"
        if by_bss.height == 1:
            return f"{shared.removesuffix('s')} were heard{silent}, with {_percent(most / total)} of the airtime."
    half, reached = 0, 0.0
    for time in by_bss["airtime_ms"]:
        half, reached = half + 1, reached + time
        if reached >= total / 2:
            break
    spread = (
        f"; the first {half} together {_percent(reached / float(total))}" if reached >= total / 2 and half > 1 else ""
    )
    it, used = ("have a known airtime", "used most") if several else ("shared it", "used most")
    return f"{shared} {it}{silent}: {owner} {used}, {_percent(most / total)}{spread}."


def _without_beacon(rows: Rows, bssids: pl.Series) -> str:
    """How many of the BSSs are known from frames of stations alone; those do not count as networks."""
    stations = rows("stations")
    if stations is None:
        return ""
    known = set(announced(stations, rows("airtime")).values())
    count = bssids.filter(bssids.is_in(known).not_()).len()
    if count == bssids.len():
        return " (no beacon of any was heard)"
    return f" ({format_number(count)} of them without a beacon that was heard)" if count else ""


def _link(rows: Rows, name: Names) -> str:
    links = rows("recommended")
    if links is None or links.is_empty():
        return "No link has an estimate: none was made, or no data frame between two known stations was recorded."
    bounded = links.drop_nulls("high_mbps")
    best = next((rows for rows in (links.drop_nulls("available_mbps"), bounded) if not rows.is_empty()), links)
    row = best.row(0, named=True)
    link = f"{name(row['sender'])} → {name(row['receiver'])}"
    if row["available_mbps"] is None:
        none = "The link could not be" if links.height == 1 else f"None of the {links.height} links could be"
        why = " ".join(reason_sentences(row["reasons"] or ""))
        if row["high_mbps"] is None:
            which = link if links.height == 1 else f"The busiest, {link}"
            return f"{none} estimated. {which}: {why}".rstrip(": ")
        between = format_range(row["low_mbps"], row["high_mbps"])
        return f"{none} estimated further than this: {link} could carry {between} more. {why}"
    interval, tcp, reasons = _interval(row["low_mbps"], row["high_mbps"]), "", (row["reasons"] or "").split(", ")
    if row["tcp_mbps"] is not None:
        beside = ", beside those that fill the sender's queue," if "shared_queue" in reasons else ""
        of_tcp = _interval(row["tcp_low_mbps"], row["tcp_high_mbps"])
        tcp = f"; one TCP flow of full segments{beside} would get {format_rate(row['tcp_mbps'])}{of_tcp}"
    short = " in packets as short as its own" if "short_packets" in reasons else ""
    return (
        f"The link with most samples that has an answer, {link}, carried {format_rate(row['own_mbps'])} and could "
        f"carry {format_rate(row['available_mbps'])} more{short}{interval}{tcp}. Grade: {row['grade']}."
    )


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" (90\u00a0% interval {format_range(low, high)})"


def _retries(rows: Rows, name: Names) -> str:
    totals, links = rows("totals"), rows("retry_rate_by_link")
    share = None if totals is None else totals["retry_share"][0]
    if share is None:
        return "Retransmissions are unknown: no unicast data frame with a readable Retry bit was recorded."
    number = "" if links is None else format_number(int(links["frames"].sum()))
    if share == 0:
        return f"No retransmission is among the recorded unicast data frames{number and f' ({number})'}."
    text = f"{_percent(share)} of the {number and f'{number} '}recorded unicast data frames were retransmissions"
    busy = None if links is None else links.filter(links["frames"] >= LINK_FRAMES).drop_nulls("retry_share")
    if busy is None or busy.height < 2:
        return f"{text}."
    worst = busy.sort("retry_share", descending=True).row(0, named=True)
    if worst["retry_share"] < share:
        return f"{text}; more on links with fewer than {LINK_FRAMES} data frames."
    link = f"{name(worst['transmitter'])} → {name(worst['receiver'])}"
    return f"{text}; most on {link}: {_percent(worst['retry_share'])} of {format_number(worst['frames'])}."


def _heard(rows: Rows) -> str:
    audit = rows("audit")
    heard = None if audit is None else audit.filter(check="completeness").drop_nulls("value")
    if _is_trace(rows):
        return "No frame is missing: a simulator wrote down what its nodes sent, and what each of them received."
    totals = rows("totals")
    unknown = totals is not None and totals["busy_share"][0] is None
    bounds = "" if unknown else ", so airtimes are lower bounds"
    if heard is None or heard.is_empty():
        return f"How much the recorder missed cannot be measured{bounds}."
    worse = heard.filter(pl.col("verdict") != "good").height
    if heard.height > 1:
        of_them = f"; in {worse} of them airtimes are lower bounds" if worse else ""
        shares = _spread(heard, "value", "the frames that sequence numbers or answers tell of")
        return f"The {heard.height} recordings that can tell hold {shares}{of_them}."
    share = _percent(heard["value"][0])
    text = f"Of the frames that sequence numbers or answers tell of, the recorder has about {share}"
    return f"{text}{bounds if worse else ''}."


def _is_trace(rows: Rows) -> bool:
    """Whether all that was read are traces of simulators, which miss nothing; the audit does not apply to them."""
    audit = rows("audit")
    return audit is not None and not audit.is_empty() and bool((audit["verdict"] == NOT_APPLICABLE).all())


def _joined(parts: list[str]) -> str:
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts) or "of unknown kind"
