"""Worlds of the counterfactual study that nobody thought of: drawn at random from all that ``ns3/world.cc`` can vary.

    python -m benchmarks.replay.counterfactual.drawn

prints them. The seeds of both halves were fixed before any of these worlds was run; those that the model was corrected
with are of the development half. What a draw has is independent of what simulators or replays make of it. A draw is
left out, by :func:`is_a_world`, if nothing can be learnt from it.
"""

from __future__ import annotations

from random import Random

from benchmarks.replay.counterfactual.runs import Flow
from benchmarks.replay.counterfactual.worlds import DEVELOPMENT, HELD_OUT, PHYS, StudyWorld

DEVELOPMENT_SEEDS = (*range(1001, 1021), *range(2001, 2011), *range(3001, 3011))
"""The last tens were the first two held-out halves. Their page named them one by one; now the model is corrected with
them."""

HELD_OUT_SEEDS = range(4001, 4011)

MIN_BPS = 50_000
"""Of all TCP flows together; a recording with less shows no flow to predict."""

SHAPES = {
    **{"chain1": 3, "chain2": 3, "chain3": 2, "chain4": 1},
    **{"star2": 3, "star3": 3, "star4": 2, "star6": 1},
    **{"duplex2": 3, "duplex3": 2, "duplex4": 1},
    **{"hidden": 1, "crossing": 1, "grid3x3": 1},
}
"""With weights: few networks of people have many hops."""

PATHS = {"hidden": 2, "crossing": 2, "grid3x3": 3}
"""Of shapes that have no number."""

NOMINAL_MBPS = {
    **{"802.11b": 5.5, "802.11b, 1 Mbit/s": 1, "mixed": 1},
    **{"802.11g": 24, "802.11g, 6 Mbit/s": 6, "minstrel": 24},
    **{"802.11a": 24, "802.11a, 18 Mbit/s": 18},
    **{"802.11n": 26, "802.11n, MCS 1": 13},
    **{"802.11ac": 26, "802.11ac, MCS 1": 13},
    **{"802.11ax": 34.4, "802.11ax, MCS 1": 17.2},
}
"""Of every PHY, the rate that UDP is drawn as a share of."""


def drawn(seed: int, *, held_out: bool) -> StudyWorld:
    """The world of a seed, all of whose values are drawn, each independent of the others where it can be."""
    random = Random(seed)
    shape = random.choices(list(SHAPES), list(SHAPES.values()))[0]
    digits = int(shape[-1]) if shape[-1].isdigit() else 0
    is_chain, is_cell = shape.startswith("chain"), shape.startswith(("star", "duplex"))
    phy = random.choice(list(PHYS))
    flows = random.randint(1, PATHS.get(shape, 1 if is_chain else digits))
    hops = digits if is_chain else 1 if is_cell or shape == "hidden" else 2
    # What two hops or more carry of a rate is about that rate divided by them; half of it is left by the MAC.
    share = random.choice([0.0, 0.0, random.uniform(0.03, 0.6)])
    udp_kbps = round(share * 1e3 * NOMINAL_MBPS[phy] / 2 / hops)
    rts, cross = random.random() < 0.3, random.random() < 0.15
    loss = random.choice([0.0, 0.0, 0.0, round(random.uniform(0.01, 0.12), 3)])
    queue_packets = random.choice([20, 35, 50, 80, 120, 200, 300])
    wire_ms = random.choice([0, 0, random.randint(3, 60)])
    spacing_m = random.choice([100, 120, 150, 180, 200, 220, 240])
    pausing = random.choice([0, 0, 0, random.randint(1, flows)])
    sizes = random.choice(["1000", "1000", "1448", "536", "1448,536", "536,1448", "1448,1000,300"])
    udp_bytes = random.choice([1000, 160, 400, 1200, 1472])
    later_s = random.choice([0, 0, random.randint(2, 15)]) if flows > 1 else 0
    # ns-3's defaults have no range; nodes of more hops would all hear one another.
    defaults = random.random() < 0.12 and is_cell and phy not in ("802.11b", "802.11b, 1 Mbit/s", "mixed")
    return StudyWorld(
        f"drawn_{seed}",
        shape,
        held_out,
        phy=phy,
        rts=rts,
        flows=flows,
        udp_kbps=udp_kbps,
        cross_traffic=cross,
        loss=loss,
        queue_packets=queue_packets,
        wire_ms=wire_ms,
        defaults=defaults,
        spacing_m=spacing_m,
        pausing=pausing,
        segment_bytes=sizes,
        udp_bytes=udp_bytes,
        later_s=later_s,
    )


DRAWN = tuple(drawn(seed, held_out=DEVELOPMENT) for seed in DEVELOPMENT_SEEDS) + tuple(
    drawn(seed, held_out=HELD_OUT) for seed in HELD_OUT_SEEDS
)


def is_a_world(recorded: list[Flow]) -> bool:
    """Whether a draw stays, by what the simulator's sockets know of the run that is recorded.

    Args:
        recorded: flows of that run; none where the simulator crashed.
    """
    return sum(flow.goodput_bps for flow in recorded if flow.protocol == "tcp") >= MIN_BPS


def main() -> None:
    """Print the worlds, with what is not by default."""
    plain = vars(StudyWorld("", "", DEVELOPMENT))
    for world in DRAWN:
        said = {key: value for key, value in vars(world).items() if value != plain[key] and key != "name"}
        print(world.name, *(f"{key}={value}" for key, value in said.items()))


if __name__ == "__main__":
    main()
