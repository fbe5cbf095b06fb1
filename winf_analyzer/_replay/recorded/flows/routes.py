"""The path of the packets of one direction of a conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

MAX_HOPS = 32
"""Maximum length of a path."""


def route(links: Iterable[tuple[str, str, int]]) -> tuple[str, ...]:
    """The nodes of the path of most packets, from the first sender to the last receiver.

    Args:
        links: sender, receiver and number of packets of each link of one direction of one conversation.

    Returns:
        At least two distinct nodes; an empty tuple without links.
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
    # The origin forwards nothing; if the path changed, it is the node with the least received minus sent packets.
    path = [min(onward, key=lambda node: (received[node] - sent[node], node))]
    while len(path) <= MAX_HOPS:
        choices = [(count, node) for node, count in onward.get(path[-1], Counter()).items() if node not in path]
        if not choices:
            break
        path.append(max(choices)[1])
    return tuple(path)
