"""The way that packets of one direction of a conversation take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

MAX_HOPS = 32
"""Longer ways are not followed."""


def route(links: Iterable[tuple[str, str, int]]) -> tuple[str, ...]:
    """The nodes of the way that most packets took, from the first that sent to the last that received.

    Args:
        links: sender, receiver and number of packets of each link of one direction of one conversation.

    Returns:
        At least two nodes, each once; nothing where there are no links.
    """
    onward: dict[str, Counter[str]] = {}
    received: Counter[str] = Counter()
    sent: Counter[str] = Counter()
    for sender, receiver, packets in links:
        onward.setdefault(sender, Counter())[receiver] += packets
        sent[sender] += packets
        received[receiver] += packets
    if not onward:
        return ()
    # The origin passes on nothing that it received; where the way changed, it received least of what it sent.
    path = [min(onward, key=lambda node: (received[node] - sent[node], node))]
    while len(path) <= MAX_HOPS:
        choices = [(count, node) for node, count in onward.get(path[-1], Counter()).items() if node not in path]
        if not choices:
            break
        path.append(max(choices)[1])
    return tuple(path)
