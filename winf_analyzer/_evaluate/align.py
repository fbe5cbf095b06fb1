"""Where the flows of logs are in a recording: on which link, and by how much the log's clock lies behind."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import polars as pl

from winf_analyzer._evaluate.correlation import LEVEL, Peak, best_lag
from winf_analyzer._evaluate.flows import Flow, hosts
from winf_analyzer._evaluate.recorded import LINK, Link, Recorded
from winf_analyzer._evaluate.series import median_window_ns
from winf_analyzer._util.errors import UnusableInput, UsageError

REFINE_NS = 1_500_000_000
"""Absolute time is refined within this: iperf3 stamps a test's start in whole seconds, and hosts' clocks differ."""

MIN_HEIGHT = 0.6
"""A lower correlation aligns nothing. Two flows that share no more than their being on have about 0.5."""

SURE_HEIGHT = 0.8
"""What absolute time is refined by."""

MIN_SCALE = 0.5
"""A recording that carried less than this of what the log says does not hold the flow."""

MOST_LINKS = 12
"""The busiest links are tried where addresses do not tell."""


@dataclass(frozen=True)
class Placed:
    """A flow found."""

    flow: Flow
    link: Link
    """The hop from the flow's source."""
    matched_by: str
    aligned_by: str
    offset_ns: int
    """What to add to the log's times."""
    peak: Peak | None
    """How log and recording correlate there; None where the flow is not in the recording."""
    carried_as: str | None
    """The flow's name in the recording; None where addresses cannot be read there."""
    msdu_bytes: float
    """Mean size of its MSDUs in the recording."""

    @property
    def payload_share(self) -> float:
        """Transport payload of an MSDU's octets."""
        return max(self.msdu_bytes - self.flow.header_bytes, 1.0) / self.msdu_bytes

    @property
    def rows(self) -> pl.DataFrame:
        """`t_ns` on the recording's clock, `window_ns`, `value` as MSDU payload, bit/s."""
        return self.flow.rows.with_columns(pl.col("t_ns") + self.offset_ns, pl.col("value") / self.payload_share)

    @property
    def lost_share(self) -> float | None:
        """Datagrams missed, of all that were sent; as large as an MSDU of the recording holds."""
        if self.flow.lost is None:
            return None
        datagram = self.msdu_bytes * self.payload_share
        received = self.flow.bits / 8 / datagram
        return self.flow.lost / (self.flow.lost + received) if self.flow.lost + received > 0 else None


def place(
    flows: Iterable[Flow], recorded: Recorded, *, offset_ns: int | None, link: Link | None
) -> tuple[list[Placed], list[str]]:
    """Find every flow; one clock serves all flows of a log that tells absolute time.

    Args:
        flows: what logs measured.
        recorded: the recording.
        offset_ns: what to add to the logs' times; where a log's clock is not of the recording's kind (see
            `Flow.clock`), the time from the recording's first exchange to the log's first window.
        link: the link that the flows took or would have taken, where that is known.

    Returns:
        The flows found, and a sentence about each that was not.

    Raises:
        UsageError: the recording has no such link.
        UnusableInput: no flow was found; the sentences why.
    """
    if link is not None and recorded.links.filter(sender=link[0], receiver=link[1]).is_empty():
        raise UsageError(f"no data went from {link[0]} to {link[1]}; {_busiest(recorded)}.")
    found: list[Placed] = []
    missed: list[str] = []
    for flow in flows:
        try:
            found.append(_place(flow, recorded, offset_ns, link))
        except UnusableInput as error:
            missed.append(str(error))
    if not found:
        raise UnusableInput("\n".join(dict.fromkeys(missed)) or "the logs hold no measurement.")
    return [_on_the_logs_clock(each, found) for each in found], missed


def _place(flow: Flow, recorded: Recorded, offset_ns: int | None, link: Link | None) -> Placed:
    absolute = flow.clock == recorded.clock
    lags = _lags(flow, recorded, offset_ns, absolute)
    matched_by, candidates = _candidates(flow, recorded, link)
    bin_ns = recorded.bin_ns(median_window_ns(flow.shape))
    tried = []
    for candidate, name in candidates:
        peak = best_lag(flow.shape, recorded.volume(candidate, name, bin_ns), lags)
        msdu_bytes = recorded.msdu_bytes(candidate, name)
        tried.append(Placed(flow, candidate, matched_by, "", 0, peak, name, msdu_bytes))
    best, *others = sorted(tried, key=_likeness, reverse=True)
    if matched_by == "correlation" and others and _likeness(others[0]) > max(_likeness(best) - LEVEL, MIN_HEIGHT):
        raise UnusableInput(
            f"{_named(flow)}: several links carried much the same, {','.join(best.link)} and "
            f"{','.join(others[0].link)} among them; name the flow's with --link SENDER,RECEIVER."
        )
    if matched_by not in ("addresses", "hosts") and not _is_carried(best):
        if matched_by == "correlation":
            raise UnusableInput(
                f"{_named(flow)}: no link of the recording carried this. Where its addresses cannot be read, or it was "
                f"measured in another run, name the link with --link SENDER,RECEIVER; {_busiest(recorded)}."
            )
        best = replace(best, peak=None)
    return _aligned(best, lags, offset_ns, absolute)


def _lags(flow: Flow, recorded: Recorded, offset_ns: int | None, absolute: bool) -> tuple[int, int] | None:
    """The lags to consider; None for all."""
    first, last = flow.first_ns, flow.last_ns
    if offset_ns is not None:
        lag = offset_ns if absolute else recorded.first_ns - first + offset_ns
        low, high = lag, lag
    elif absolute:
        low, high = (0, 0) if flow.clock == "simulation" else (-REFINE_NS, REFINE_NS)
    else:
        return None
    if (gap := max(recorded.first_ns - last - high, first + low - recorded.last_ns)) >= 0:
        when = "before" if last + high <= recorded.first_ns else "after"
        raise UnusableInput(
            f"{_named(flow)}: no overlap: the log lies {gap / 1e9:.3f} s {when} the recording. Where its clock is that "
            "far off, give --offset."
        )
    return low, high


def _candidates(flow: Flow, recorded: Recorded, link: Link | None) -> tuple[str, list[tuple[Link, str | None]]]:
    """How the link is told, the links it may be, and the flow's name there."""
    links = recorded.links
    same = links.filter(pl.col("flow") == flow.name) if flow.name else links.clear()
    if link is not None:
        on_link = same.filter(sender=link[0], receiver=link[1])
        return "link", [(link, None if on_link.is_empty() else flow.name)]
    if not same.is_empty():
        return "addresses", [(_first_hop(same), flow.name)]
    alike = [
        name
        for name in links["flow"].drop_nulls().unique(maintain_order=True)
        if flow.hosts and hosts(name) == flow.hosts and name.split()[0] == flow.protocol
    ]
    if alike:
        return "hosts", [(_first_hop(links.filter(pl.col("flow") == name)), name) for name in alike[:MOST_LINKS]]
    busiest = links.select(LINK).unique(maintain_order=True).head(MOST_LINKS).rows()
    return "only_link" if len(busiest) == 1 else "correlation", [(pair, None) for pair in busiest]


def _first_hop(links: pl.DataFrame) -> Link:
    """Of the links that carried a flow, the one whose sender did not get it from another.

    Links with less than a third of the most carry the other direction: acknowledgements.
    """
    sums = (
        links.group_by("source", "observer", *LINK).agg(pl.col("bytes").sum()).group_by(LINK).agg(pl.col("bytes").max())
    )
    hops = sums.filter(pl.col("bytes") * 3 >= pl.col("bytes").max()).sort(
        "bytes", *LINK, descending=[True, False, False]
    )
    first = hops.filter(~pl.col("sender").is_in(hops["receiver"].implode()))
    sender, receiver, _ = (hops if first.is_empty() else first).row(0)
    return sender, receiver


def _aligned(placed: Placed, lags: tuple[int, int] | None, offset_ns: int | None, absolute: bool) -> Placed:
    peak, flow = placed.peak, placed.flow
    if offset_ns is not None and lags is not None:
        return replace(placed, aligned_by="offset", offset_ns=lags[0])
    if absolute:
        clear = peak is not None and peak.height >= SURE_HEIGHT and peak.second < peak.height - LEVEL
        if peak is not None and clear and flow.clock != "simulation":
            return replace(placed, aligned_by="refined", offset_ns=peak.lag_ns)
        return replace(placed, aligned_by="absolute")
    if peak is None or peak.height < MIN_HEIGHT:
        height = f" (correlation at most {peak.height:.2f})" if peak else ""
        raise UnusableInput(
            f"{_named(flow)}: its clock cannot be aligned: it tells no absolute time that the recording has, and at no "
            f"offset do they agree{height}. Give --offset."
        )
    return replace(placed, aligned_by="correlation", offset_ns=peak.lag_ns)


def _on_the_logs_clock(placed: Placed, found: list[Placed]) -> Placed:
    """The offset that serves all flows of the log; a clock that starts with each test is its own."""
    if placed.flow.clock == "test":
        return placed
    best = max((each for each in found if each.flow.log == placed.flow.log), key=_alignment)
    return replace(placed, aligned_by=best.aligned_by, offset_ns=best.offset_ns)


def _alignment(placed: Placed) -> tuple[bool, float]:
    return placed.aligned_by != "absolute", placed.flow.bits


def _likeness(placed: Placed) -> float:
    """Correlation, less where the recording carried more or less than the log says: 2 sum(xy) / sum(x^2 + y^2)."""
    if placed.peak is None or placed.peak.scale <= 0:
        return 0.0
    ratio = placed.peak.scale * placed.payload_share
    return placed.peak.height * 2 / (ratio + 1 / ratio)


def _is_carried(placed: Placed) -> bool:
    peak = placed.peak
    return peak is not None and peak.height >= MIN_HEIGHT and peak.scale * placed.payload_share >= MIN_SCALE


def _named(flow: Flow) -> str:
    return f"{flow.log}, {flow.name}" if flow.name else flow.log


def _busiest(recorded: Recorded) -> str:
    pairs = recorded.links.select(LINK).unique(maintain_order=True).head(5).rows()
    return "the busiest links are " + "; ".join(",".join(pair) for pair in pairs)
