"""NewReno in the engine beside NewReno in ns-3, over chains of 1 to 4 hops and Stack (S003, Rangwala et al.).

    python -m benchmarks.replay.new_reno

Writes ``docs/replay/new_reno.md``. The reference is ``ns3_new_reno.csv``, made by ``benchmarks.replay.ns3_new_reno``.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from benchmarks.replay.engine import Control, Json, Outcome, mean, run
from benchmarks.replay.ns3_new_reno import REFERENCE, TOPOLOGIES
from benchmarks.replay.tables import Check, checks, interval, table, write
from benchmarks.replay.worlds import flow, radio, transport, world

SEEDS = range(1, 11)
SECONDS, WARM_UP_S = 60.0, 10
SPACING_M, RANGE_M = 200.0, 250.0
# LLC/SNAP travels with every packet in ns-3.
LLC_BYTES = 8
TOLERANCE = 0.2
STARVED = 0.25

Key = tuple[str, bool, int]
Rates = dict[Key, list[float]]


def main() -> None:
    """Run every setting and write the table."""
    reference, found = _reference(), _engine()
    rows, verdicts = [], []
    for key, rates in found.items():
        topology, rts, number = key
        ours, theirs = mean(rates), mean(reference[key])
        name = topology if topology != "stack" else f"stack, flow {number}"
        starved = topology == "stack" and number == 2
        rows.append(
            (
                f"{name}, {'RTS/CTS' if rts else 'basic'}",
                interval([rate / 1e3 for rate in reference[key]], 0),
                interval([rate / 1e3 for rate in rates], 0),
                f"{100 * (ours / theirs - 1):+.1f} %" if theirs and not starved else "",
            )
        )
        if not starved:
            verdicts.append(
                Check(
                    f"{rows[-1][0]}: within {TOLERANCE:.0%}", rows[-1][3], abs(ours / theirs - 1) <= TOLERANCE
                )
            )
    for rts in (False, True):
        shares = [_middle_share(rates, rts) for rates in (reference, found)]
        verdicts.append(
            Check(
                f"stack, {'RTS/CTS' if rts else 'basic'}: the middle flow gets less than {STARVED:.0%} of the outer ones",
                " and ".join(f"{share:.1%}" for share in shares) + " (ns-3 and here)",
                all(share < STARVED for share in shares),
            )
        )
    header = ["setting", "ns-3, kbit/s", "here, kbit/s", "difference"]
    write("new_reno", "NewReno beside ns-3", [INTRODUCTION, table(header, rows), "## Checks\n", checks(verdicts), FOUND])


def _reference() -> Rates:
    rates: Rates = defaultdict(list)
    with REFERENCE.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            rates[row["topology"], row["rts"] == "1", int(row["flow"])].append(float(row["goodput_bps"]))
    return rates


def _engine() -> Rates:
    settings = [(topology, rts) for topology in TOPOLOGIES for rts in (False, True)]
    outcomes = run((_world(*setting), Control("new_reno"), seed) for setting in settings for seed in SEEDS)
    rates: Rates = defaultdict(list)
    for topology, rts in settings:
        for _ in SEEDS:
            for number, rate in _goodput(next(outcomes)):
                rates[topology, rts, number].append(rate)
    return rates


def _goodput(outcome: Outcome) -> Iterator[tuple[int, float]]:
    """Number and payload rate of every flow after the first seconds, bit/s."""
    for index in range(len(outcome.flows["name"])):
        yield index + 1, mean(outcome.per_second(outcome.flow_series(index, "throughput_bps"))[WARM_UP_S:])


def _middle_share(rates: Rates, rts: bool) -> float:
    outer = mean(mean(rates["stack", rts, number]) for number in (1, 3))
    return mean(rates["stack", rts, 2]) / outer


def _world(topology: str, rts: bool) -> Json:
    """The topology as ``ns3_new_reno.cc`` has it."""
    rows, columns = (3, 3) if topology == "stack" else (1, int(topology[-1]) + 1)
    payload, queue = (512, 64) if topology == "stack" else (1000, 50)
    names = [[f"{row * columns + column + 1}" for column in range(columns)] for row in range(rows)]
    nodes = [
        {"name": name, "position_m": [SPACING_M * column, SPACING_M * row]}
        for row, line in enumerate(names)
        for column, name in enumerate(line)
    ]
    links = [radio(a, b, 11, queue) for line in names for a, b in pairwise(line)]
    for link in links:
        link["medium"]["wireless"]["ack_rate_bps"] = 11_000_000
    sizes = {"header_bytes": 40 + LLC_BYTES, "ack_bytes": 40 + LLC_BYTES, "transport": transport()}
    flows = [flow(f"{line[0]}-{line[-1]}", line, payload, **sizes) for line in names]
    mac = {"preset": "802.11b", "rts_threshold_bytes": 0 if rts else None}
    return world(
        topology, SECONDS, nodes, links, flows, mac=mac, hearing={"range": {"decode_m": RANGE_M, "capture_db": 10.0}}
    )


INTRODUCTION = f"""
802.11b at 11 Mbit/s, long preamble, control frames at 1 Mbit/s; nodes {SPACING_M:g} m apart that hear {RANGE_M:g} m and
disturb no further; static routes. NewReno with selective acknowledgements, no delayed acknowledgements, initial window
2, least timeout 1 s, queues without management. Chains: 1000-byte segments, queues of 50; Stack: three rows of three
nodes, a flow along each, 512 bytes, queues of 64. Goodput is payload after the first {WARM_UP_S} s of {SECONDS:g} s
(ns-3: of 40 s, three seeds), mean and 95 % confidence interval. ns-3.37 has classic recovery instead of its default
PRR, no queue discipline, and receivers that need 10 dB, as here.
"""

FOUND = ""


if __name__ == "__main__":
    main()
