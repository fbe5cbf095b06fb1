"""Scenes of S000, S002 and S004 whose nodes run DSDV, as the papers' nodes did.

In the studies that show these figures first, routes follow positions every second and cost nothing. Here messages
contend with the data, wait, and collide; packets without a route wait, five a destination, or are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies import (
    s000,
    s000_adhoc,
    s002,
    s002_routing,
    s004,
    s004_mesh,
    s004_readings,
)
from winf_analyzer._papers.reproductions._studies._common import TCP
from winf_analyzer._papers.reproductions._study import Study, X
from winf_analyzer._replay.topologies.world import World

DSDV = "dsdv"
COLD = "Nodes run DSDV from the start of the run, when they know no routes, and flows begin as without it."

SETTLED = "settled routes"
WARM = "Nodes run DSDV from 300 s before the flows on; routes have settled by then."


def _over_dsdv(
    study: Study,
    world: Callable[[X, int, float], World],
    quick: tuple[int, float] = (2, 60),
    *,
    bin_s: float | None = None,
    quick_places: Sequence[X] | None = None,
    note: str = COLD,
) -> Study:
    """The same study over other worlds; `quick` are seeds and seconds."""
    said = study.notes.replace(" Routes follow positions every second.", "")
    return replace(
        study,
        name=f"{study.name}-routed",
        title=f"{study.title}; nodes run DSDV",
        world=world,
        figures=tuple(replace(figure, variant=DSDV) for figure in study.figures),
        quick_places=quick_places or study.quick_places,
        quick_seeds=quick[0],
        quick_seconds=quick[1],
        bin_s=bin_s or study.bin_s,
        notes=f"{said} {note}".strip(),
    )


def _mesh(mesh: int, mobiles: int, seed: int, seconds: float) -> World:
    return worlds.mesh(mesh, mobiles, seed, seconds, side_m=800, payload=1400, mac=worlds.NS2_MAC, dsdv=2)


def _s000_mesh(x: X, seed: int, seconds: float) -> World:
    return worlds.mesh(16, int(x), seed, seconds, side_m=1000, payload=1460, mac=worlds.RTS, dsdv=2)


def _routing(x: X, seed: int, seconds: float) -> World:
    dsdv = 2 if x == s002_routing.DSDV else 0
    return worlds.mesh(16, 5, seed, seconds, side_m=800, payload=1400, mac=worlds.NS2_MAC, dsdv=dsdv)


def _building(study: Study, heavy: bool) -> Study:
    return _over_dsdv(
        study,
        lambda x, seed, seconds: worlds.building(int(x), heavy, 30, seed, seconds, dsdv=2),
        (3, 100),
        quick_places=(10,),
    )


AD_HOC = _over_dsdv(
    replace(s000_adhoc.AD_HOC, figures=(*s000_adhoc.AD_HOC.figures, *s000_adhoc.ROUTED.figures)),
    lambda x, seed, seconds: worlds.ad_hoc(2 * int(x), int(x), seed, seconds, dsdv=2),
    quick_places=(4, 8),
)

S000 = (
    _over_dsdv(s000.S000_MESH, _s000_mesh, (3, 60), bin_s=1.0),
    _over_dsdv(
        s000.S000_VOICE, lambda x, seed, seconds: worlds.voice_mesh(int(x), seed, seconds, dsdv=2), (3, 60), bin_s=1.0
    ),
    AD_HOC,
    _building(s000.LIGHT, heavy=False),
    _building(s000.HEAVY, heavy=True),
)
S002 = (
    _over_dsdv(s002.S002_CHAIN, lambda x, seed, seconds: worlds.base_station_chain(seed, seconds, int(x), dsdv=True)),
    _over_dsdv(s002.S002_MOBILES, lambda x, seed, seconds: _mesh(16, int(x), seed, seconds), bin_s=1.0),
    _over_dsdv(s002.S002_MESHES, lambda x, seed, seconds: _mesh(int(x), 7, seed, seconds), bin_s=1.0),
    _over_dsdv(s002_routing.ROUTING, _routing, bin_s=1.0),
)
CHAINS = replace(
    s004.S004_CHAINS,
    figures=tuple(
        replace(figure, metric="window_together") if figure.metric == "window" else figure
        for figure in s004.S004_CHAINS.figures
    ),
)
NETWORK = replace(
    s004_readings.MESH,
    name="s004-mesh",
    title="27 flows into a mesh access network",
    axis="",
    arms=(s004_mesh.XCP_B, s004_mesh.NO_LOSS, TCP),
    places=(SETTLED,),
    quick_places=(SETTLED,),
    figures=tuple(replace(figure, readings=False, printed={}) for figure in s004_readings.MESH.figures),
)
S004 = (
    _over_dsdv(
        NETWORK,
        lambda x, _, seconds: worlds.with_dsdv(worlds.mesh_access(seconds), worlds.SETTLED_S),
        (2, 70),
        note=WARM,
    ),
    _over_dsdv(
        CHAINS,
        lambda x, _, seconds: worlds.with_dsdv(worlds.chain(int(x), seconds), worlds.SETTLED_S),
        (2, 20),
        quick_places=(1, 3, 6, 10),
        note=WARM,
    ),
)
STUDIES = (*S000, *S002, *S004)
"""In the order of the papers."""
