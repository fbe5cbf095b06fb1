"""RCP on a wired bottleneck: equal shares, and flow completion times beside processor sharing.

    python -m benchmarks.replay.rcp_sharing

Writes ``docs/replay/rcp.md``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from benchmarks.replay.engine import Control, Outcome, jain, mean, run
from benchmarks.replay.tables import Check, checks, table, write
from benchmarks.replay.worlds import WIDE, bps, in_bins, ms, wired_world
from winf_analyzer._replay.topologies.world import World, flow, wired

RATE_MBPS, DELAY_MS, ACCESS_MS = 20.0, 28.0, 1.0
ROUND_TRIP_S = 2 * (DELAY_MS + 2 * ACCESS_MS) / 1000
PAYLOAD, HEADERS = 1000, 40
ETA = 0.95
COUNTS = (1, 2, 4, 8, 16, 32)
LOADS = (0.5, 0.8)
SECONDS = 60.0
# Sizes in packets: Pareto of shape 1.8 with a mean of 30, cut at 3000.
SHAPE, MEAN_PACKETS, MAX_PACKETS = 1.8, 30.0, 3000
CLASSES = ((1, 20), (21, 40), (41, 100), (101, 1000), (1001, 3000))
COMPLETING = {"rcp": "RCP", "xcp": "XCP", "new_reno": "NewReno"}
Arrival = tuple[float, int]


def main() -> None:
    """Run both parts and write their tables."""
    sharing, found = _sharing()
    parts = [INTRODUCTION, "## Shares\n", sharing, "## Flow completion times\n"]
    for load in LOADS:
        completion, more = _completion(load)
        parts += [f"Offered load {load:.0%} of the bottleneck.\n", completion]
        found += more
    write("rcp", "RCP beside equal shares and processor sharing", [*parts, "## Checks\n", checks(found), FOUND])


def _sharing() -> tuple[str, list[Check]]:
    control, rows, found = Control("rcp"), [], []
    wire_bps = RATE_MBPS * 1e6 * PAYLOAD / (PAYLOAD + HEADERS)
    jobs = [(_bottleneck([(0.0, None)] * count, 30.0), control, 1) for count in COUNTS]
    for count, (settled, queue) in zip(COUNTS, run(jobs, _settled), strict=True):
        share = ETA * wire_bps / count
        error = max(abs(rate / share - 1) for rate in settled)
        cells = (f"{share / 1e3:.1f}", f"{min(settled) / 1e3:.1f}", f"{max(settled) / 1e3:.1f}")
        rows.append((count, *cells, f"{100 * error:.2f} %", f"{jain(settled):.5f}", f"{queue:.2f}"))
        found.append(Check(f"{count} flows have eta C / N each, within 3 %", f"{100 * error:.2f} %", error <= 0.03))
    header = ["flows", "eta C / N, kbit/s", "least", "most", "largest error", "Jain", "queue, packets"]
    return table(header, rows), found


def _completion(load: float) -> tuple[str, list[Check]]:
    arrivals = list(_arrivals(load))
    ideal = processor_sharing(arrivals, ETA * RATE_MBPS * 1e6 / 8 / (PAYLOAD + HEADERS))
    place = _bottleneck([(at, packets * PAYLOAD) for at, packets in arrivals], SECONDS + 20, bins_s=SECONDS + 20)
    names = tuple(COMPLETING)
    finished = run([(place, Control(name), 1) for name in names], lambda outcome: outcome.flows["completion_ns"])
    runs = dict(zip(names, finished, strict=True))
    rows, ratios = [], {name: [] for name in names}
    for low, high in CLASSES:
        members = [k for k, (_, packets) in enumerate(arrivals) if low <= packets <= high]
        if not members:
            continue
        # The first round trip asks for the rate, and the last packet takes half a round trip.
        best = mean(ideal[k] + 1.5 * ROUND_TRIP_S for k in members)
        cells = []
        for name in names:
            times = [t / 1e9 for k in members if (t := runs[name][k]) is not None]
            ratios[name].append(mean(times) / best)
            cells += [f"{1000 * mean(times):.0f}", f"{mean(times) / best:.2f}", len(members) - len(times)]
        rows.append((f"{low} to {high}", len(members), f"{1000 * best:.0f}", *cells))
    header = ["packets", "flows", "processor sharing, ms"]
    header += [cell for title in COMPLETING.values() for cell in (f"{title}, ms", "ratio", "unfinished")]
    worst = max(ratios["rcp"])
    found = [
        Check(f"load {load:.0%}: RCP within 1.5 times processor sharing in every class", f"{worst:.2f}", worst <= 1.5)
    ]
    for other in names[1:]:
        ahead = sum(ours < theirs for ours, theirs in zip(ratios["rcp"], ratios[other], strict=True))
        statement = f"load {load:.0%}: RCP ahead of {COMPLETING[other]} in every class"
        found.append(Check(statement, f"{ahead} of {len(rows)}", ahead == len(rows)))
    return table(header, rows), found


def _settled(outcome: Outcome) -> tuple[list[float], float]:
    rates = [mean(outcome.flow_series(k, "throughput_bps")[200:]) for k in range(len(outcome.flows["name"]))]
    queue = outcome.link_series(outcome.link("left", "right"), "queue_packets_mean")
    return rates, mean(queue[200:])


def processor_sharing(arrivals: list[Arrival], packets_per_s: float) -> list[float]:
    """Time each flow takes if all that are there share the link equally, as a fluid."""
    left: dict[int, float] = {}
    taken, now, following = [0.0] * len(arrivals), 0.0, 0
    while left or following < len(arrivals):
        arrives = arrivals[following][0] if following < len(arrivals) else float("inf")
        ready = now + min(left.values()) * len(left) / packets_per_s if left else float("inf")
        until = min(arrives, ready)
        served = (until - now) * packets_per_s / len(left) if left else 0.0
        left = {member: packets - served for member, packets in left.items()}
        now = until
        for done in [member for member, packets in left.items() if packets <= 1e-9]:
            taken[done] = now - arrivals[done][0]
            del left[done]
        if arrives <= now and following < len(arrivals):
            left[following] = float(arrivals[following][1])
            following += 1
    return taken


def _arrivals(load: float) -> Iterator[Arrival]:
    chance = random.Random(7)
    least = MEAN_PACKETS * (SHAPE - 1) / SHAPE
    sizes_mean = MEAN_PACKETS * (1 - (least / MAX_PACKETS) ** (SHAPE - 1) / SHAPE)
    per_s = load * RATE_MBPS * 1e6 / 8 / (PAYLOAD + HEADERS) / sizes_mean
    at = chance.expovariate(per_s)
    while at < SECONDS:
        yield at, max(1, min(MAX_PACKETS, round(least * chance.paretovariate(SHAPE))))
        at += chance.expovariate(per_s)


def _bottleneck(flows: list[tuple[float, int | None]], seconds: float, bins_s: float = 0.1) -> World:
    links = [
        wired("source", "left", bps(1000), ms(ACCESS_MS), queue=10_000),
        wired("left", "right", bps(RATE_MBPS), ms(DELAY_MS)),
        wired("right", "target", bps(1000), ms(ACCESS_MS), queue=10_000),
    ]
    path = ["source", "left", "right", "target"]
    made = [
        {
            **flow(str(number), path, payload_bytes=PAYLOAD, start_s=at, transport=WIDE),
            "source": "greedy" if size is None else {"bytes": size},
        }
        for number, (at, size) in enumerate(flows)
    ]
    return in_bins(wired_world("bottleneck", seconds, path, links, made), bins_s)


INTRODUCTION = f"""
A wired bottleneck of {RATE_MBPS:g} Mbit/s, {1000 * ROUND_TRIP_S:g} ms round trip, 1000-byte segments with 40 bytes of
headers; RCP with alpha = beta = 0.4, eta = {ETA}, updates every 10 ms. Shares are means from 20 s to 30 s. Short flows
arrive as a Poisson process for {SECONDS:g} s, their sizes Pareto distributed. Processor sharing is a fluid model of the
same arrivals on eta times the capacity, plus one round trip in which the rate is asked for and half of one for the last
packet.
"""

FOUND = """
What was found. RCP keeps no state per flow: a new flow gets the rate of those that are there, so that for up to a round
trip more is sent than the link carries; the queue that follows is what separates it from processor sharing, and more so
under higher load. XCP takes two and a half to four times as long: it hands out what is spare over many round trips, and
a flow has ended before it has its share. NewReno's short flows pay for slow start with about twice the time. Its
largest flows may be ahead of RCP's where the load is high: RCP leaves 5 % of the link empty, which is a quarter of what
80 % load leaves over.
"""


if __name__ == "__main__":
    main()
