"""What a controller written in Python is: the interface of the built-in ones, method by method.

Only :meth:`Controller.endpoint`, :meth:`Endpoint.on_ack` and :meth:`Endpoint.window_bytes` must be there; the engine
calls those of the others that an object has. Instants are nanoseconds since the start of the replay. An exception ends
the run. The classes are protocols: nothing needs to be inherited from.
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
    """Makes the parts of a controller for the flows and nodes of one run.

    Its name in the tables is its attribute ``name``, or that of its class. Two optional methods make further parts:
    ``receiver(flow)`` a :class:`Receiver` (by default headers are echoed), and ``router(node)`` a :class:`Router` or
    None (by default nodes only forward). Parts hold all state; several runs may be at work at a time.
    """

    def endpoint(self, flow: FlowSetup) -> Any:
        """Make the :class:`Endpoint` of a flow."""
        ...


class Endpoint(Protocol):
    """The part at a flow's source: events in, a window or a rate out."""

    def on_ack(self, now_ns: int, flow: FlowView, ack: Ack) -> None:
        """Take in an acknowledgement, duplicate or not."""
        ...

    def window_bytes(self) -> float:
        """Payload that may be in flight; infinite for a source that only paces."""
        ...

    def on_congestion(self, now_ns: int, flow: FlowView, event: Congestion) -> None:
        """Optional. Take in what the transport concluded, after :meth:`on_ack`.

        ``event.kind``: ``fast_retransmit``, ``duplicate_ack``, ``partial_ack``, ``full_ack``, ``timeout`` or ``echo``.
        """
        ...

    def pacing_bytes_per_s(self) -> float | None:
        """Optional. Rate at which packets leave, headers included; None: as fast as the window lets them."""
        ...

    def slow_start_threshold_bytes(self) -> float | None:
        """Optional. For the tables."""
        ...

    def on_send(self, now_ns: int, flow: FlowView, packet: Packet) -> None:
        """Optional. Write ``packet.header``, eight numbers."""
        ...

    def next_timer(self) -> int | None:
        """Optional. When :meth:`on_timer` is wanted next; asked after every event."""
        ...

    def on_timer(self, now_ns: int, flow: FlowView) -> None:
        """Optional. The time asked for has come."""
        ...


class Receiver(Protocol):
    """The part at a flow's destination."""

    def on_data(self, now_ns: int, link: CrossLayer, packet: Packet, ack: Packet) -> None:
        """Write ``ack.header``; it holds the header of the packet that arrived."""
        ...


class Router(Protocol):
    """The part at a node, for all its outgoing links; every method is optional."""

    def on_arrival(self, now_ns: int, links: Sequence[LinkView], link: int, packet: Packet) -> None:
        """Look at a packet, and its header, that asks for a place in the queue of ``links[link]``."""
        ...

    def on_departure(self, now_ns: int, links: Sequence[LinkView], link: int, packet: Packet) -> None:
        """Look at a packet, and its header, that is about to be handed to the MAC."""
        ...

    def next_timer(self) -> int | None:
        """When :meth:`on_timer` is wanted next; asked after every event."""
        ...

    def on_timer(self, now_ns: int, links: Sequence[LinkView]) -> None:
        """The time asked for has come."""
        ...
