"""XCP-b over several 802.11 hops, as S004 (Abrantes and Ricardo, Q2SWinet 2007) simulated it.

    python -m benchmarks.replay.xcp_b_multihop

Writes ``docs/replay/xcp_b.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import pstdev

from benchmarks.replay.engine import Control, Json, Outcome, jain, mean, run
from benchmarks.replay.tables import Check, checks, interval, table, write
from benchmarks.replay.worlds import chain, mesh_access

SEEDS = (1, 2, 3, 4, 5)
QUEUE = {"least_over": "shortest"}
PAPER = Control("xcp_b", "paper", {"queue": QUEUE})
HOPS = range(1, 11)
CHAIN_S = 60.0
MESH_S, ALL_START_S = 70.0, 40
# S004 table 1.
PAPER_XCP_B = (6.39, 6.57, 7.30, 6.57, 6.81, 7.56, 7.58, 8.16, 8.71, 9.37)
PAPER_NEW_RENO = (24.24, 20.78, 33.45, 19.85, 21.14, 20.48, 20.34, 20.71, 20.02, 22.79)
# S004 table 2: normalised deviation over several hops and over one, data packets, collisions per MAC packet.
PAPER_MESH = {"xcp_b": (22.3, 4, 20113, 0.4285), "xcp_b_nl": (18, 4, 20620, 0.44), "new_reno": (54, 43, 21063, 0.436)}
KAPPA = (0.1, 1.0, 2.0, 3.0, 6.0, 9.0, 15.0)
CHI = (0.057, 0.114, 0.228, 0.456, 0.912)
TAU = tuple(round(0.75**k, 4) for k in (15, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1))
BASE_RTT_MS = 102.0
SEGMENT = 1260


def main() -> None:
    """Run chains, mesh and sweeps, and write their tables."""
    chains, found = _chains()
    mesh, more = _mesh()
    sweeps, most = _sweeps()
    parts = [INTRODUCTION, "## Chains\n", CHAINS, chains, "## Mesh access network\n", MESH, mesh]
    write(
        "xcp_b",
        "XCP-b over several hops",
        [*parts, "## Parameters\n", SWEEPS, *sweeps, "## Checks\n", checks(found + more + most), FOUND],
    )


def _chains() -> tuple[str, list[Check]]:
    controls = {"paper": PAPER, "corrected": Control("xcp_b"), "new_reno": Control("new_reno")}
    jobs = [(chain(hops, CHAIN_S), control, seed) for hops in HOPS for control in controls.values() for seed in SEEDS]
    outcomes, rows = run(jobs, _end_to_end), []
    windows: dict[str, list[float]] = {name: [] for name in controls}
    for hops in HOPS:
        found = {name: list(zip(*(next(outcomes) for _ in SEEDS), strict=True)) for name in controls}
        for name, (window, _, _) in found.items():
            windows[name].append(mean(window))
        shown = [interval(found[name][0], 2) for name in controls]
        others = [interval(found[name][k], 0) for k in (1, 2) for name in ("paper", "new_reno")]
        rows.append((hops, shown[0], shown[1], PAPER_XCP_B[hops - 1], shown[2], PAPER_NEW_RENO[hops - 1], *others))
    pairs = list(zip(windows["paper"], windows["new_reno"], strict=True))
    corrected = list(zip(windows["corrected"], windows["new_reno"], strict=True))
    header = ["hops", "XCP-b, packets", "corrected", "S004", "NewReno, packets", "S004"]
    header += ["XCP-b, kbit/s", "NewReno, kbit/s", "XCP-b RTT, ms", "NewReno RTT, ms"]
    return table(header, rows), [
        Check("XCP-b's mean window is below 10 packets at every hop count", *_below(windows["paper"], 10)),
        Check("it is less than half of NewReno's at every hop count", *_below([a / b for a, b in pairs], 0.5)),
        _near("XCP-b's windows are those of table 1 within 30 %", windows["paper"], PAPER_XCP_B, 0.3),
        _near("NewReno's windows are those of table 1 within 25 %", windows["new_reno"], PAPER_NEW_RENO, 0.25),
        Check("corrected: below 10 packets", *_below(windows["corrected"], 10)),
        Check("corrected: less than half of NewReno's", *_below([a / b for a, b in corrected], 0.5)),
    ]


def _near(statement: str, values: list[float], printed: tuple[float, ...], limit: float) -> Check:
    off = [value / table_1 - 1 for value, table_1 in zip(values, printed, strict=True)]
    found = f"{100 * min(off):+.0f} to {100 * max(off):+.0f} %, mean {100 * mean(off):+.0f} %"
    return Check(statement, found, max(map(abs, off)) <= limit)


def _below(values: list[float], limit: float) -> tuple[str, bool]:
    return f"{min(values):.2f} to {max(values):.2f}", max(values) < limit


def _end_to_end(outcome: Outcome) -> tuple[float, float, float]:
    """Mean window in segments, throughput in kbit/s, and median round-trip time in ms."""
    window = mean(outcome.flow_series(0, "window_bytes")[50:]) / SEGMENT
    throughput = mean(outcome.flow_series(0, "throughput_bps")[50:]) / 1e3
    return window, throughput, (outcome.flows["rtt_p50_ns"][0] or 0) / 1e6


@dataclass(frozen=True)
class Mesh:
    """Figures of one run of the mesh access network."""

    deviation: float
    jain: float
    delay_ms: float
    packets: float
    collisions: float


def _measured(outcome: Outcome) -> Mesh:
    flows = range(len(outcome.flows["name"]))
    rates = [outcome.per_second(outcome.flow_series(k, "throughput_bps"))[ALL_START_S:] for k in flows]
    deviations = [pstdev(rate) / mean(rate) for rate in rates if mean(rate) > 0]
    delays = [rtt / 1e6 for k in flows for rtt in outcome.flow_series(k, "rtt_ns")[ALL_START_S:] if rtt is not None]
    radios = [k for k, wired in enumerate(outcome.links["wired"]) if not wired]
    attempts = sum(outcome.links["attempts"][k] for k in radios)
    collided = sum(outcome.links["failed_collision"][k] for k in radios)
    return Mesh(
        deviation=100 * mean(deviations),
        jain=mean(jain([rate[second] for rate in rates]) for second in range(len(rates[0]))),
        delay_ms=mean(delays) - BASE_RTT_MS,
        packets=sum(outcome.flows["sent_packets"]) - sum(outcome.flows["retransmissions"]),
        collisions=collided / max(attempts, 1),
    )


def _mesh() -> tuple[str, list[Check]]:
    names = tuple(PAPER_MESH)
    modes = {name: "corrected" if name == "new_reno" else "paper" for name in names}
    jobs = [
        (
            mesh_access(MESH_S, hops),
            Control(name, modes[name], {"queue": QUEUE} if modes[name] == "paper" else {}),
            seed,
        )
        for name in names
        for hops in (3, 1)
        for seed in SEEDS
    ]
    outcomes, rows = run(jobs, _measured), []
    found: dict[str, Mesh] = {}
    for name in names:
        far, near = ([next(outcomes) for _ in SEEDS] for _ in range(2))
        deviation, one_hop, packets, collisions = PAPER_MESH[name]
        found[name] = _average(far)
        rows.append(
            (
                name,
                interval([run.deviation for run in far]),
                deviation,
                interval([run.deviation for run in near]),
                one_hop,
                interval([run.jain for run in far], 3),
                interval([run.delay_ms for run in far], 0),
                interval([run.packets for run in far], 0),
                packets,
                interval([run.collisions for run in far], 3),
                collisions,
            )
        )
    reno, xcp_b, no_loss = found["new_reno"], found["xcp_b"], found["xcp_b_nl"]
    ratio, more = xcp_b.deviation / reno.deviation, reno.packets / xcp_b.packets - 1
    return table(
        [
            "controller",
            "sigma/mu, %",
            "paper",
            "one hop, %",
            "paper",
            "Jain",
            "added delay, ms",
            "data packets",
            "paper",
            "collisions",
            "paper",
        ],
        rows,
    ), [
        Check(
            "XCP-b's normalised deviation is less than half of NewReno's (table 2: 41 %, text: 45 %)",
            f"{100 * ratio:.0f} %",
            ratio < 0.5,
        ),
        Check("Jain's index of XCP-b is near 1", f"{xcp_b.jain:.2f}", xcp_b.jain > 0.95),
        Check("Jain's index of NewReno is 0.4 to 0.8", f"{reno.jain:.2f}", 0.4 <= reno.jain <= 0.8),
        Check("XCP-b adds about 50 ms of delay", f"{xcp_b.delay_ms:.0f} ms", 40 <= xcp_b.delay_ms <= 60),
        Check("NewReno adds about 180 ms of delay", f"{reno.delay_ms:.0f} ms", 150 <= reno.delay_ms <= 210),
        Check(
            "reacting to losses is not less fair than not reacting",
            f"{xcp_b.jain:.3f} and {no_loss.jain:.3f}",
            xcp_b.jain >= no_loss.jain - 0.01,
        ),
        Check("NewReno sends 2 to 5 % more packets", f"{100 * more:+.1f} %", 0.015 <= more <= 0.055),
    ]


def _average(runs: list[Mesh]) -> Mesh:
    names = Mesh.__dataclass_fields__
    return Mesh(**{name: mean(getattr(run, name) for run in runs) for name in names})


def _sweeps() -> tuple[list[str], list[Check]]:
    world, parts = mesh_access(MESH_S), []
    series: dict[str, list[Mesh]] = {}
    for symbol, key, values in (("kappa", "kappa_packets", KAPPA), ("chi", "chi", CHI), ("tau", "tau", TAU)):
        runs = list(_swept(world, key, values))
        series[symbol] = runs
        top = [max(getattr(run, name) for run in runs) for name in ("delay_ms", "packets", "collisions")]
        rows = [_relative(value, run, top) for value, run in zip(values, runs, strict=True)]
        header = [
            symbol,
            "added delay, ms",
            "of most",
            "data packets",
            "of most",
            "collisions",
            "of most",
            "sigma/mu, %",
        ]
        parts.append(table(header, rows))
    kappa, chi, tau = series["kappa"], series["chi"], series["tau"]
    default = CHI.index(0.228)
    return parts, [
        Check(
            "delay grows with kappa",
            " ".join(f"{run.delay_ms:.0f}" for run in kappa),
            all(b.delay_ms > a.delay_ms * 0.97 for a, b in pairwise(kappa)),
        ),
        Check(
            "packets grow up to kappa = 3, then little",
            " ".join(f"{run.packets:.0f}" for run in kappa),
            kappa[3].packets > kappa[0].packets and kappa[6].packets < 1.1 * kappa[3].packets,
        ),
        Check(
            "packets grow with chi up to 0.228 and not beyond (2 %)",
            " ".join(f"{run.packets:.0f}" for run in chi),
            chi[default].packets >= chi[0].packets and chi[-1].packets <= 1.02 * chi[default].packets,
        ),
        Check(
            "low tau sends less, with less delay",
            f"{tau[0].packets:.0f} < {tau[5].packets:.0f}; {tau[0].delay_ms:.0f} < {tau[5].delay_ms:.0f} ms",
            tau[0].packets < tau[5].packets and tau[0].delay_ms < tau[5].delay_ms,
        ),
    ]


def _relative(value: float, run: Mesh, top: list[float]) -> tuple[str, ...]:
    """Figures of one value of a constant, beside the largest of its sweep as the paper's figures have them."""
    return (
        f"{value:g}",
        *(f"{run.delay_ms:.0f}", f"{run.delay_ms / top[0]:.2f}"),
        *(f"{run.packets:.0f}", f"{run.packets / top[1]:.2f}"),
        *(f"{run.collisions:.3f}", f"{run.collisions / top[2]:.2f}", f"{run.deviation:.0f}"),
    )


def _swept(world: Json, key: str, values: tuple[float, ...]) -> Iterator[Mesh]:
    seeds = SEEDS[:2]
    outcomes = run(
        [
            (world, Control("xcp_b", "paper", {"queue": {**QUEUE, key: value}}), seed)
            for value in values
            for seed in seeds
        ],
        _measured,
    )
    for _ in values:
        yield _average([next(outcomes) for _ in seeds])


INTRODUCTION = f"""
S004's setting: 802.11b without RTS/CTS, ns-2's ranges (250 m decoded, 550 m sensed), capture at 10 dB and access rules,
1300-byte packets, 40-byte acknowledgements, NewReno without delayed or selective acknowledgements, longest
retransmission timeout 2 s, greedy sources. Means over {len(SEEDS)} seeds with 95 % confidence intervals. Routes are
given; S004 ran DSDV, with which `docs/papers/S004.md` has the same scenes.
"""

CHAINS = f"""
One flow over a line of nodes 200 m apart, 11 Mbit/s, queues of 25 packets, {CHAIN_S:g} s of which the first 5 are left
out.
"""

MESH = f"""
27 flows from wired hosts (100 Mbit/s, 50 ms, then 1 Gbit/s, 1 ms) through a base station to three branches of three
groups of three stations; 22 Mbit/s, control frames at 2 Mbit/s, queues of 50 packets. Groups start at 0, 20 and 40 s;
figures are of the last {MESH_S - ALL_START_S:g} s, in samples of a second, data packets and collisions of the whole
{MESH_S:g} s. The paper's figure with the places is not in its text: group k is taken to be k hops away.
"""

SWEEPS = "XCP-b in the mesh access network, one constant at a time, the others at their defaults; two seeds."

FOUND = """
What was found. Two readings of S004 decide the windows. The persistent queue is the least one over some time: S004
says over the last control interval, as `paper` has it where it is not told otherwise. These tables are made over 2 ms
(`least_over = "shortest"`), which is what ns-2's formula gives without a capacity: so windows come out near what is
printed, and over half a round trip, as in XCP, at about twice that. And kappa is 3 packets, of which size is not
said: `paper` takes 650 bytes, with which S004 turns its queue limit into bytes, and agrees with Table 1; `corrected`
takes a data packet of 1300 bytes and keeps twice the queue. The tables are of `paper` where they do not say
otherwise.

NewReno's windows follow Table 1 hop by hop, within 10 % but over three hops, once three properties of ns-2's nodes
are in place: one interface queue for data and acknowledgements, EIFS after every frame that is only sensed, and
receivers that stay with the frame that came first. Over three hops the printed window of 33.45 packets is an outlier
among its neighbours; here it is 28.3, in ns-2.35 25.6 (`new_reno_ns2.md`). It was 33.4 here as long as a timeout
without selective acknowledgements set its threshold to half of all that was not acknowledged, what duplicates had let
out included, instead of half of what was in the network (RFC 5681, eq. 4): that change alone moves it, and with the
same seeds nothing since does. The agreement was that of an error.

In the mesh NewReno's deviation and added delay are those of the paper. XCP-b's delay is half of the printed one,
packets are a fifth more and collisions a quarter of what is printed. With nodes that run DSDV they are too, so that is
not why (`docs/papers/S004.md`); the places of the mesh are a reconstruction, and the paper counts collisions per MAC
packet of any kind, here they are failed attempts per attempt. XCP-b does not pay with throughput here.
"""


if __name__ == "__main__":
    main()
