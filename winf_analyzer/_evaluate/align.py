"""Matching of logs with a recording: the link of each flow, and the offset of the log's clock."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import polars as pl

from winf_analyzer._evaluate.correlation import MIN_DIP, PLATEAU_TOLERANCE, Peak, find_lag
from winf_analyzer._evaluate.flows import Flow, hosts
from winf_analyzer._evaluate.recorded_traffic import LINK, Link, RecordedTraffic
from winf_analyzer._evaluate.series import median_window_ns
from winf_analyzer._util.errors import UnusableInput, UsageError

MAX_REFINEMENT_NS = 1_500_000_000
"""Maximum refinement of absolute time: iperf3 logs a test's start in whole seconds, and hosts' clocks differ."""

MIN_CORRELATION = 0.6
"""Minimum correlation for an alignment. Two flows that are only active at the same time have about 0.5."""

MIN_REFINING_CORRELATION = 0.8
"""Minimum correlation for a refinement of absolute time, or for an offset instead of it."""

MIN_CARRIED_SHARE = 0.5
"""If the recording carried a smaller share of the log's volume, it does not contain the flow."""

MAX_LINKS = 12
"""Number of candidate links, the busiest first, if addresses do not match."""


WHOLE = "whole"
"""How a flow of another run is aligned: not at all, its mean is compared with that of the recording."""


class _NotAligned(UnusableInput):
    """The clocks of a log and the recording cannot be aligned."""


@dataclass(frozen=True)
class LocatedFlow:
    """A flow with its link and clock offset."""

    flow: Flow
    link: Link
    """The first hop of the flow."""
    matched_by: str
    aligned_by: str
    offset_ns: int
    """What to add to the log's times."""
    peak: Peak | None
    """The correlation at this offset; None if the flow is not in the recording."""
    recorded_name: str | None
    """The flow's name in the recording; None if addresses cannot be read there."""
    msdu_bytes: float
    """Mean size of its MSDUs in the recording."""
    origin_ns: int = 0
    """What `--offset` counts from: 0, or where log and recording have different clocks, the recording's start less
    the log's."""

    @property
    def option_ns(self) -> int:
        """The offset as `--offset` takes it."""
        return self.offset_ns - self.origin_ns

    @property
    def payload_share(self) -> float:
        """Share of an MSDU that is transport payload."""
        return max(self.msdu_bytes - self.flow.header_bytes, 1.0) / self.msdu_bytes

    @property
    def rows(self) -> pl.DataFrame:
        """`t_ns` on the recording's clock, `window_ns`, `value` as MSDU payload, bit/s."""
        return self.flow.rows.with_columns(pl.col("t_ns") + self.offset_ns, pl.col("value") / self.payload_share)

    @property
    def lost_share(self) -> float | None:
        """Share of lost datagrams, assuming that each fills an MSDU of the recording's mean size."""
        if self.flow.lost is None:
            return None
        datagram = self.msdu_bytes * self.payload_share
        received = self.flow.bits / 8 / datagram
        return self.flow.lost / (self.flow.lost + received) if self.flow.lost + received > 0 else None


def locate(
    flows: Iterable[Flow], recorded: RecordedTraffic, *, offset_ns: int | None, link: Link | None
) -> tuple[list[LocatedFlow], list[str]]:
    """Find the link and clock offset of every flow; all flows of a log with absolute time share one offset.

    Args:
        flows: flows of logs.
        recorded: the recording.
        offset_ns: offset to add to the logs' times; if a log's clock differs from the recording's (see `Flow.clock`),
            the time from the recording's first exchange to the log's first window.
        link: the link of the flows, if known.

    Returns:
        The flows found, and a message about each that was not.

    Raises:
        UsageError: the recording has no such link.
        UnusableInput: no flow was found; the message says why.
    """
    if link is not None and recorded.links.filter(sender=link[0], receiver=link[1]).is_empty():
        raise UsageError(f"no data was sent from {link[0]} to {link[1]}; {_busiest_links_text(recorded)}.")
    located_flows: list[LocatedFlow] = []
    not_found: list[str] = []
    for flow in flows:
        try:
            located_flows.append(_locate_flow(flow, recorded, offset_ns, link))
        except UnusableInput as error:
            not_found.append(str(error))
    if not located_flows:
        raise UnusableInput("\n".join(dict.fromkeys(not_found)) or "the logs contain no measurements.")
    return [_with_common_offset(each, located_flows) for each in located_flows], not_found


def _locate_flow(flow: Flow, recorded: RecordedTraffic, offset_ns: int | None, link: Link | None) -> LocatedFlow:
    matched_by, candidates = _candidates(flow, recorded, link)
    try:
        if matched_by == "addresses" and offset_ns is None and flow.clock == recorded.clock == "epoch":
            return _locate_recorded(flow, recorded, *candidates[0])
        return _locate_in_time(flow, recorded, offset_ns, matched_by, candidates)
    except _NotAligned as error:
        if matched_by == "addresses" and offset_ns is None:
            raise UnusableInput(
                f"{error} Its addresses and ports are in the recording; of another run with the same, name the link "
                "with --link SENDER,RECEIVER."
            ) from None
        # What is compared of two runs is their means, for which clocks do not matter.
        if offset_ns is not None or matched_by == "correlation":
            raise
        own_link, name = candidates[0]
        offset_ns, size = recorded.first_ns - flow.first_ns, recorded.msdu_bytes(own_link, name)
        return LocatedFlow(flow, own_link, matched_by, WHOLE, offset_ns, None, name, size, offset_ns)


def _locate_recorded(flow: Flow, recorded: RecordedTraffic, link: Link, name: str | None) -> LocatedFlow:
    """A flow that is in the recording, near absolute time; of a log whose clock is far off, by the best of all offsets.

    All are searched, for a correlation that rises towards an offset far off has small peaks on its way.
    """
    volume = recorded.volume(link, name, recorded.bin_ns(median_window_ns(flow.shape)))
    located = LocatedFlow(flow, link, "addresses", "", 0, None, name, recorded.msdu_bytes(link, name))
    peak = find_lag(flow.shape, volume)
    if peak is not None and _is_clear(peak, MIN_DIP) and abs(peak.lag_ns) > MAX_REFINEMENT_NS:
        return replace(located, aligned_by="correlation", offset_ns=peak.lag_ns, peak=peak)
    near = find_lag(flow.shape, volume, (-MAX_REFINEMENT_NS, MAX_REFINEMENT_NS))
    if near is not None and _is_clear(near, PLATEAU_TOLERANCE):
        return replace(located, aligned_by="refined", offset_ns=near.lag_ns, peak=near)
    if near is None:
        raise _NotAligned(
            f"{_flow_label(flow)}: its clock is unknown: the recording has nothing of the flow at the log's times, and "
            "no offset is clearly the best by correlation. Give --offset."
        )
    return replace(located, aligned_by="absolute", peak=near)


def _is_clear(peak: Peak, least_lead: float) -> bool:
    """Whether a peak tells the offset: it is inside the search, and others are lower by at least so much."""
    return peak.is_inside and peak.height >= MIN_REFINING_CORRELATION and peak.second < peak.height - least_lead


def _locate_in_time(
    flow: Flow,
    recorded: RecordedTraffic,
    offset_ns: int | None,
    matched_by: str,
    candidates: list[tuple[Link, str | None]],
) -> LocatedFlow:
    absolute = flow.clock == recorded.clock
    lags = _lags(flow, recorded, offset_ns, absolute)
    bin_ns = recorded.bin_ns(median_window_ns(flow.shape))
    candidates_tried = []
    for candidate, name in candidates:
        peak = find_lag(flow.shape, recorded.volume(candidate, name, bin_ns), lags)
        msdu_bytes = recorded.msdu_bytes(candidate, name)
        origin_ns = 0 if absolute else recorded.first_ns - flow.first_ns
        candidates_tried.append(LocatedFlow(flow, candidate, matched_by, "", 0, peak, name, msdu_bytes, origin_ns))
    best, *others = sorted(candidates_tried, key=_similarity, reverse=True)
    if (
        matched_by == "correlation"
        and others
        and _similarity(others[0]) > max(_similarity(best) - PLATEAU_TOLERANCE, MIN_CORRELATION)
    ):
        raise UnusableInput(
            f"{_flow_label(flow)}: several links have similar throughput, {','.join(best.link)} and "
            f"{','.join(others[0].link)} among them; name the flow's link with --link SENDER,RECEIVER."
        )
    if matched_by not in ("addresses", "hosts") and not _is_carried(best):
        if matched_by == "correlation":
            raise UnusableInput(
                f"{_flow_label(flow)}: no link of the recording has similar throughput. If its addresses cannot be "
                "read, or it was measured in another run, name the link with --link SENDER,RECEIVER; "
                f"{_busiest_links_text(recorded)}."
            )
        best = replace(best, peak=None)
    return _align(best, lags, offset_ns, absolute)


def _lags(flow: Flow, recorded: RecordedTraffic, offset_ns: int | None, absolute: bool) -> tuple[int, int] | None:
    """The lags to consider; None for all."""
    first, last = flow.first_ns, flow.last_ns
    if offset_ns is not None:
        lag = offset_ns if absolute else recorded.first_ns - first + offset_ns
        low, high = lag, lag
    elif absolute:
        low, high = (0, 0) if flow.clock == "simulation" else (-MAX_REFINEMENT_NS, MAX_REFINEMENT_NS)
    else:
        return None
    if (gap := max(recorded.first_ns - last - high, first + low - recorded.last_ns)) >= 0:
        when = "before" if last + high <= recorded.first_ns else "after"
        raise _NotAligned(
            f"{_flow_label(flow)}: no overlap: the log is {gap / 1e9:.3f} s {when} the recording. If its clock is "
            "wrong by that much, give --offset."
        )
    return low, high


def _candidates(flow: Flow, recorded: RecordedTraffic, link: Link | None) -> tuple[str, list[tuple[Link, str | None]]]:
    """How the link is matched, and the candidate links with the flow's name there."""
    links = recorded.links
    same_flow = links.filter(pl.col("flow") == flow.name) if flow.name else links.clear()
    if link is not None:
        on_link = same_flow.filter(sender=link[0], receiver=link[1])
        return "link", [(link, None if on_link.is_empty() else flow.name)]
    if not same_flow.is_empty():
        return "addresses", [(_first_hop(flow, same_flow), flow.name)]
    same_hosts = [
        name
        for name in links["flow"].drop_nulls().unique(maintain_order=True)
        if flow.hosts and hosts(name) == flow.hosts and name.split()[0] == flow.protocol
    ]
    if same_hosts:
        return "hosts", [
            (_first_hop(flow, links.filter(pl.col("flow") == name)), name) for name in same_hosts[:MAX_LINKS]
        ]
    busiest = links.select(LINK).unique(maintain_order=True).head(MAX_LINKS).rows()
    return "only_link" if len(busiest) == 1 else "correlation", [(pair, None) for pair in busiest]


def _first_hop(flow: Flow, links: pl.DataFrame) -> Link:
    """The first of the links that carried a flow: its sender did not receive the flow from another station.

    Links with less than a third of the maximum volume carry the opposite direction, acknowledgements.

    Raises:
        UnusableInput: several links that share an end are the first: what the log says is the sum of them, and no
            estimate is. Links that share none may be both ends of a wire.
    """
    sums = (
        links.group_by("source", "observer", *LINK).agg(pl.col("bytes").sum()).group_by(LINK).agg(pl.col("bytes").max())
    )
    hops = sums.filter(pl.col("bytes") * 3 >= pl.col("bytes").max()).sort(
        "bytes", *LINK, descending=[True, False, False]
    )
    first = hops.filter(~pl.col("sender").is_in(hops["receiver"].implode()))
    (sender, receiver), *others = (hops if first.is_empty() else first).select(LINK).rows()
    for other in others:
        if other[0] == sender or other[1] == receiver:
            raise UnusableInput(
                f"{_flow_label(flow)}: the flow moved between links, {sender} > {receiver} and {other[0]} > {other[1]};"
                " a log is compared with one. Cut the recording where it moved."
            )
    return sender, receiver


def _align(located: LocatedFlow, lags: tuple[int, int] | None, offset_ns: int | None, absolute: bool) -> LocatedFlow:
    peak, flow = located.peak, located.flow
    if offset_ns is not None and lags is not None:
        return replace(located, aligned_by="offset", offset_ns=lags[0])
    if absolute:
        if peak is not None and _is_clear(peak, PLATEAU_TOLERANCE) and flow.clock != "simulation":
            return replace(located, aligned_by="refined", offset_ns=peak.lag_ns)
        return replace(located, aligned_by="absolute")
    if peak is None or peak.height < MIN_CORRELATION:
        height = f" (correlation at most {peak.height:.2f})" if peak else ""
        raise _NotAligned(
            f"{_flow_label(flow)}: its clock cannot be aligned: log and recording do not both have absolute time, "
            f"and no offset gives a sufficient correlation{height}. Give --offset."
        )
    return replace(located, aligned_by="correlation", offset_ns=peak.lag_ns)


def _with_common_offset(located: LocatedFlow, located_flows: list[LocatedFlow]) -> LocatedFlow:
    """The flow with the common offset of its log; a clock that starts with each test is not shared."""
    if located.flow.clock == "test" or located.aligned_by == WHOLE:
        return located
    same_log = [each for each in located_flows if each.flow.log == located.flow.log and each.aligned_by != WHOLE]
    best = max(same_log, key=_alignment_rank)
    return replace(located, aligned_by=best.aligned_by, offset_ns=best.offset_ns)


def _alignment_rank(located: LocatedFlow) -> tuple[bool, float]:
    return located.aligned_by != "absolute", located.flow.bits


def _similarity(located: LocatedFlow) -> float:
    """Correlation, reduced if the volumes of recording and log differ: 2 sum(xy) / sum(x^2 + y^2)."""
    if located.peak is None or located.peak.scale <= 0:
        return 0.0
    ratio = located.peak.scale * located.payload_share
    return located.peak.height * 2 / (ratio + 1 / ratio)


def _is_carried(located: LocatedFlow) -> bool:
    peak = located.peak
    return (
        peak is not None and peak.height >= MIN_CORRELATION and peak.scale * located.payload_share >= MIN_CARRIED_SHARE
    )


def _flow_label(flow: Flow) -> str:
    return f"{flow.log}, {flow.name}" if flow.name else flow.log


def _busiest_links_text(recorded: RecordedTraffic) -> str:
    pairs = recorded.links.select(LINK).unique(maintain_order=True).head(5).rows()
    return "the busiest links are " + "; ".join(",".join(pair) for pair in pairs)
