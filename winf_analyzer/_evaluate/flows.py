"""The flows in logs, with the measurements that are closest to goodput if there are several."""

import re
from dataclasses import dataclass

import polars as pl

_SIDES = ("receiver", None, "sender")
"""Sides in order of preference: goodput first, offered load last."""
_LLC_SNAP_BYTES = 8
_IP_BYTES = {4: 20, 6: 40}
_TRANSPORT_BYTES = {"udp": 8, "tcp": 20 + 12}
"""TCP with the time stamp option, which all systems use (RFC 7323)."""
_HOST = re.compile(r"^(\[.*\]|.*?)(?::\d+)?$")


@dataclass(frozen=True)
class Flow:
    """One flow of one log, times on the log's clock."""

    log: str
    name: str | None
    """Name as in the `flow` columns; None if the log has no addresses."""
    sender: str | None
    clock: str
    """Origin of its times: epoch, simulation or test."""
    side: str | None
    """Side on which `rows` were measured."""
    rows: pl.DataFrame
    """`t_ns`, `window_ns`, `value` (transport payload, bit/s), sorted."""
    shape: pl.DataFrame
    """The same from the side with most intervals, by which clocks are aligned."""
    lost: int | None
    """Lost datagrams."""

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
        """Total transport payload."""
        return float((self.rows["value"] * self.rows["window_ns"]).sum()) / 1e9

    @property
    def protocol(self) -> str:
        """Transport protocol; UDP if the log does not name it."""
        return self.name.split()[0] if self.name else "udp"

    @property
    def hosts(self) -> tuple[str, ...]:
        """Its two end points without ports, sorted; empty if unknown."""
        return hosts(self.name) if self.name else ()

    @property
    def header_bytes(self) -> int:
        """Size of an MSDU minus its transport payload; 0 in simulators without such headers."""
        ends = self.hosts
        if any(not re.fullmatch(r"[\d.]+|\[?[\da-fA-F:.]+\]?", end) for end in ends):
            return 0
        version = 6 if any(":" in end for end in ends) else 4
        return _LLC_SNAP_BYTES + _IP_BYTES[version] + _TRANSPORT_BYTES.get(self.protocol, 0)


def hosts(flow: str) -> tuple[str, ...]:
    """The end points in a flow's name without ports, sorted."""
    ends = (_HOST.match(end) for end in flow.split()[1:])
    return tuple(sorted(match[1] for match in ends if match))


def measured_flows(truth: pl.DataFrame) -> list[Flow]:
    """The flows of a `truth` table, one per log, conversation and direction.

    The receiver's measurements are goodput and are preferred. If a TCP client's log has only a total of the receiver,
    the sender's intervals are used, since TCP data is acknowledged. With logs of both ends, the receiver's is used.
    """
    flows = [
        _flow(rows)
        for _, rows in truth.sort("source", "flow", "sender", "start_ns").group_by(
            "source", "flow", "sender", maintain_order=True
        )
    ]
    received = {(flow.name, flow.sender) for flow in flows if flow.name and flow.side == "receiver"}
    return [flow for flow in flows if flow.side != "sender" or (flow.name, flow.sender) not in received]


def _flow(rows: pl.DataFrame) -> Flow:
    series = rows.select("side", t_ns="start_ns", window_ns="window_ns", value="throughput_bps")
    sides = {side: series.filter(pl.col("side").eq_missing(side)).drop("side") for side in _SIDES}
    measured = {side: _disjoint(rows_of_side) for side, rows_of_side in sides.items() if rows_of_side.height}
    name = rows["flow"][0]
    most_intervals = max(measured, key=lambda side: measured[side].height)
    is_tcp = bool(name) and name.startswith("tcp")
    chosen = most_intervals if is_tcp and measured[most_intervals].height > 1 else next(iter(measured))
    lost = rows.filter(pl.col("side").eq_missing(chosen))["lost"]
    return Flow(
        log=rows["source"][0],
        name=name,
        sender=rows["sender"][0],
        clock=rows["clock"][0] or "test",
        side=chosen,
        rows=measured[chosen],
        shape=measured[most_intervals],
        lost=int(lost.sum()) if lost.count() else None,
    )


def _disjoint(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows without those that start before a previous one has ended, such as totals after intervals."""
    rows = rows.sort("t_ns", "window_ns")
    end = (pl.col("t_ns") + pl.col("window_ns") // 2).cum_max().shift(1)
    return rows.filter((pl.col("t_ns") >= end).fill_null(True))
