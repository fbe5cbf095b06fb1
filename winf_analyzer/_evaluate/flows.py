"""The flows that logs measured: of what several tools and sides say about one, what is nearest to goodput."""

import re
from dataclasses import dataclass

import polars as pl

_SIDES = ("receiver", None, "sender")
"""From goodput to offered load."""
_LLC_SNAP_BYTES = 8
_IP_BYTES = {4: 20, 6: 40}
_TRANSPORT_BYTES = {"udp": 8, "tcp": 20 + 12}
"""TCP with the time stamp option, which every system offers (RFC 7323)."""
_HOST = re.compile(r"^(\[.*\]|.*?)(?::\d+)?$")


@dataclass(frozen=True)
class Flow:
    """One flow of one log, times on the log's clock."""

    log: str
    name: str | None
    """As in the `flow` columns; None where the log does not name its ends."""
    sender: str | None
    clock: str
    """What its times count from: epoch, simulation or test."""
    side: str | None
    """Where `rows` were measured."""
    rows: pl.DataFrame
    """`t_ns`, `window_ns`, `value` (transport payload, bit/s), in order."""
    shape: pl.DataFrame
    """The same from the side that says most about the course over time: what clocks are aligned by."""
    lost: int | None
    """Datagrams that the receiver missed."""

    @property
    def first_ns(self) -> int:
        """Start of its first window."""
        return int(self.shape.select(pl.col("t_ns").min()).item())

    @property
    def last_ns(self) -> int:
        """End of its last window."""
        return int(self.shape.select((pl.col("t_ns") + pl.col("window_ns")).max()).item())

    @property
    def bits(self) -> float:
        """Transport payload in all."""
        return float((self.rows["value"] * self.rows["window_ns"]).sum()) / 1e9

    @property
    def protocol(self) -> str:
        """Transport protocol; UDP where the log does not say."""
        return self.name.split()[0] if self.name else "udp"

    @property
    def hosts(self) -> tuple[str, ...]:
        """Its two ends without ports, in order; empty where they are not known."""
        return hosts(self.name) if self.name else ()

    @property
    def header_bytes(self) -> int:
        """What an MSDU holds besides transport payload; 0 in simulators that have no such headers."""
        ends = self.hosts
        if any(not re.fullmatch(r"[\d.]+|\[?[\da-fA-F:.]+\]?", end) for end in ends):
            return 0
        version = 6 if any(":" in end for end in ends) else 4
        return _LLC_SNAP_BYTES + _IP_BYTES[version] + _TRANSPORT_BYTES.get(self.protocol, 0)


def hosts(flow: str) -> tuple[str, ...]:
    """The ends of a flow's name without ports, in order."""
    ends = (_HOST.match(end) for end in flow.split()[1:])
    return tuple(sorted(found[1] for found in ends if found))


def flows_of(truth: pl.DataFrame) -> list[Flow]:
    """The flows of a `truth` table, one per log, conversation and direction.

    The receiver's side is goodput and comes first. TCP acknowledges what it sends, so where a client's log has the
    receiver's total alone, the sender's intervals stand in. Where logs of both ends are there, the receiver's counts.
    """
    found = [
        _flow(rows)
        for _, rows in truth.sort("source", "flow", "sender", "start_ns").group_by(
            "source", "flow", "sender", maintain_order=True
        )
    ]
    received = {(flow.name, flow.sender) for flow in found if flow.name and flow.side == "receiver"}
    return [flow for flow in found if flow.side != "sender" or (flow.name, flow.sender) not in received]


def _flow(rows: pl.DataFrame) -> Flow:
    series = rows.select("side", t_ns="start_ns", window_ns="window_ns", value="throughput_bps")
    sides = {side: series.filter(pl.col("side").eq_missing(side)).drop("side") for side in _SIDES}
    measured = {side: _disjoint(found) for side, found in sides.items() if found.height}
    name = rows["flow"][0]
    richest = max(measured, key=lambda side: measured[side].height)
    is_tcp = bool(name) and name.startswith("tcp")
    chosen = richest if is_tcp and measured[richest].height > 1 else next(iter(measured))
    lost = rows.filter(pl.col("side").eq_missing(chosen))["lost"]
    return Flow(
        log=rows["source"][0],
        name=name,
        sender=rows["sender"][0],
        clock=rows["clock"][0] or "test",
        side=chosen,
        rows=measured[chosen],
        shape=measured[richest],
        lost=int(lost.sum()) if lost.count() else None,
    )


def _disjoint(rows: pl.DataFrame) -> pl.DataFrame:
    """Without rows that begin before another has ended: totals behind intervals."""
    rows = rows.sort("t_ns", "window_ns")
    end = (pl.col("t_ns") + pl.col("window_ns") // 2).cum_max().shift(1)
    return rows.filter((pl.col("t_ns") >= end).fill_null(True))
