"""The interface of congestion controllers written in Python.

Only :meth:`Controller.endpoint`, :meth:`Endpoint.on_ack` and :meth:`Endpoint.window_bytes` are required; the engine
calls the optional methods that an object has. Times are nanoseconds since the start of the replay. An exception ends
the run. The classes are protocols: a controller need not inherit from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from winf_analyzer._core import (
    Ack,
    Congestion,
    CrossLayer,
    FlowSetup,
    FlowView,
    LinkSetup,
    LinkView,
    NodeSetup,
    Packet,
)

__all__ = [
    "Ack",
    "Congestion",
    "Controller",
    "CrossLayer",
    "Endpoint",
    "FlowSetup",
    "FlowView",
    "LinkSetup",
    "LinkView",
    "NodeSetup",
    "Packet",
    "Receiver",
    "Router",
]


class Controller(Protocol):
    """Creates the endpoints, receivers and routers of one run.

    Its name in the tables is its attribute ``name``, or the name of its class. Two optional methods create further
    parts: ``receiver(flow)`` returns a :class:`Receiver` (by default headers are echoed), and ``router(node)`` a
    :class:`Router` or None (by default nodes only forward). All state is in these parts, because several runs may be
    active at the same time.
    """

    def endpoint(self, flow: FlowSetup) -> Any:
        """Create the :class:`Endpoint` of a flow."""
        ...


class Endpoint(Protocol):
    """The endpoint at a flow's source: receives events, provides a window or a rate."""

    def on_ack(self, now_ns: int, flow: FlowView, ack: Ack) -> None:
        """Handle an acknowledgement, which may be a duplicate."""
        ...

    def window_bytes(self) -> float:
        """Congestion window: payload that may be in flight; infinite for a source that only paces."""
        ...

    def on_congestion(self, now_ns: int, flow: FlowView, event: Congestion) -> None:
        """Optional. Handle a congestion event of the transport; called after :meth:`on_ack`.

        ``event.kind``: ``fast_retransmit``, ``duplicate_ack``, ``partial_ack``, ``full_ack``, ``timeout`` or ``echo``.
        """
        ...

    def pacing_bytes_per_s(self) -> float | None:
        """Optional. Pacing rate, headers included; None: limited by the window only."""
        ...

    def slow_start_threshold_bytes(self) -> float | None:
        """Optional. Slow start threshold, for the tables."""
        ...

    def on_send(self, now_ns: int, flow: FlowView, packet: Packet) -> None:
        """Optional. Write ``packet.header``, eight numbers."""
        ...

    def next_timer(self) -> int | None:
        """Optional. Time of the next :meth:`on_timer` call; queried after every event."""
        ...

    def on_timer(self, now_ns: int, flow: FlowView) -> None:
        """Optional. Handle the timer."""
        ...


class Receiver(Protocol):
    """The receiver at a flow's destination."""

    def on_data(self, now_ns: int, link: CrossLayer, packet: Packet, ack: Packet) -> None:
        """Write ``ack.header``, which is initially the header of the received packet."""
        ...


class Router(Protocol):
    """The router at a node, for all its outgoing links; every method is optional."""

    def on_arrival(self, now_ns: int, links: Sequence[LinkView], link: int, packet: Packet) -> None:
        """Handle a packet that arrives at the queue of ``links[link]``; its header may be changed."""
        ...

    def on_departure(self, now_ns: int, links: Sequence[LinkView], link: int, packet: Packet) -> None:
        """Handle a packet before it is passed to the MAC; its header may be changed."""
        ...

    def next_timer(self) -> int | None:
        """Time of the next :meth:`on_timer` call; queried after every event."""
        ...

    def on_timer(self, now_ns: int, links: Sequence[LinkView]) -> None:
        """Handle the timer."""
        ...
