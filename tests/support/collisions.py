"""What the simulators' truth says about attempts: which were answered, which collided, which were lost otherwise."""

from __future__ import annotations

import csv
import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

SIFS_NS = (9_000, 18_000)
"""The gaps inside an exchange: 10 or 16 us and the propagation."""

LONGEST_NS = 40_000_000
"""No transmission is longer."""


@dataclass(frozen=True)
class Transmission:
    """A row of truth_transmissions.csv."""

    node: int
    start_ns: int
    end_ns: int
    kind: str
    length: int
    rate_mbps: float
    retry: bool
    receiver: int | None
    received: frozenset[int]


@dataclass(frozen=True)
class Scene:
    """A sample's truth."""

    address: dict[int, str]
    hears: dict[int, frozenset[int]]
    transmissions: list[Transmission]

    def links(self) -> dict[tuple[str, str], Counter[str]]:
        """How the attempts of every link ended: `answered`, `collided`, `lost` or `silent`."""
        ends: dict[tuple[str, str], Counter[str]] = {}
        for exchange in self._exchanges():
            first = exchange[0]
            assert first.receiver is not None
            link = self.address[first.node], self.address[first.receiver]
            ends.setdefault(link, Counter())[self._ending(first, exchange[-1])] += 1
        return ends

    def _exchanges(self) -> Iterator[list[Transmission]]:
        """What each attempt put on the air, up to the frame that nobody answered."""
        taken: set[int] = set()
        for place, frame in enumerate(self.transmissions):
            if place in taken or frame.receiver is None or frame.kind in ("cts", "ack", "block_ack"):
                continue
            exchange, ends = [frame], {frame.node, frame.receiver}
            for later in range(place + 1, len(self.transmissions)):
                answer = self.transmissions[later]
                gap = answer.start_ns - exchange[-1].end_ns
                if gap > SIFS_NS[1]:
                    break
                if gap >= SIFS_NS[0] and {answer.node, answer.receiver} == ends:
                    exchange.append(answer)
                    taken.add(later)
            yield exchange

    def _ending(self, first: Transmission, last: Transmission) -> str:
        """`collided`: the last frame overlapped another where it was due, that station's own included."""
        assert last.receiver is not None
        if last.receiver in last.received:
            return "answered" if last.receiver == first.node and last.kind in ("ack", "block_ack") else "silent"
        starts = [frame.start_ns for frame in self.transmissions]
        near = range(bisect_left(starts, last.start_ns - LONGEST_NS), bisect_left(starts, last.end_ns))
        reaching = self.hears[last.receiver] | {last.receiver}
        others = (self.transmissions[place] for place in near)
        overlapped = any(o.node != last.node and o.node in reaching and o.end_ns > last.start_ns for o in others)
        return "collided" if overlapped else "lost"


def scene(folder: Path) -> Scene:
    """The truth of a sample."""
    facts = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    with (folder / "truth_transmissions.csv").open(encoding="utf-8", newline="") as file:
        rows = [_transmission(row) for row in csv.DictReader(file)]
    assert all(one.start_ns <= other.start_ns for one, other in pairwise(rows))
    return Scene(
        address={node["node"]: node["address"] for node in facts["nodes"]},
        hears={node["node"]: frozenset(node["hears"]) for node in facts["nodes"]},
        transmissions=rows,
    )


def _transmission(row: dict[str, str]) -> Transmission:
    start_ns = int(row["start_ns"])
    return Transmission(
        node=int(row["node"]),
        start_ns=start_ns,
        end_ns=start_ns + int(row["duration_ns"]),
        kind=row["kind"],
        length=int(row["length_bytes"]),
        rate_mbps=float(row.get("rate_mbps") or 0),
        retry=row.get("retry") == "1",
        receiver=None if row["receiver"] == "all" else int(row["receiver"]),
        received=frozenset(int(node) for node in row["received_ok"].split(";") if node),
    )
