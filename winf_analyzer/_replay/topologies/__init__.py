"""Named topologies: the networks of the papers as declared worlds.

Each is a builder and a row of :data:`TOPOLOGIES`. A topology is named as ``stack``, or with parameters as ``chain:6``
(the first parameter) or ``mesh_mobiles:mesh=9,mobiles=7``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import NamedTuple

from winf_analyzer._replay.topologies.c3tcp import grid_cross, string_cross
from winf_analyzer._replay.topologies.mesh_access import mesh_access
from winf_analyzer._replay.topologies.mobiles import ad_hoc, building, mesh_mobiles
from winf_analyzer._replay.topologies.neighbourhoods import chain_cross, diamond, half_diamond, stack
from winf_analyzer._replay.topologies.shapes import chain, grid
from winf_analyzer._replay.topologies.world import World

__all__ = ["TOPOLOGIES", "Topology", "World", "build"]


class TopologyEntry(NamedTuple):
    """A row of the registry."""

    name: str
    description: str
    source: str
    builder: Callable[..., World]

    @property
    def parameters(self) -> dict[str, int | float]:
        """Names and defaults of its parameters."""
        return {name: parameter.default for name, parameter in inspect.signature(self.builder).parameters.items()}


_NEIGHBOURHOODS = "Rangwala et al.: Neighborhood-Centric Congestion Control, sec. IV-A"
_C3TCP = "Kliazovich, Granelli: Cross-layer congestion control (C3TCP), sec. 5"
_XCP_B = "Abrantes, Ricardo: XCP-b in wireless multi-hop networks, sec. 5"

TOPOLOGIES: dict[str, TopologyEntry] = {
    row.name: row
    for row in (
        TopologyEntry("chain", "one flow over a chain of 802.11b nodes 200 m apart", _XCP_B, chain),
        TopologyEntry("grid", "a square of 802.11b nodes with a flow along two sides", "", grid),
        TopologyEntry(
            "stack", "three parallel flows; the middle one contends with both others", _NEIGHBOURHOODS, stack
        ),
        TopologyEntry("diamond", "three flows; the middle one crosses two congested regions", _NEIGHBOURHOODS, diamond),
        TopologyEntry(
            "half_diamond", "three flows; one congested region inside another", _NEIGHBOURHOODS, half_diamond
        ),
        TopologyEntry("chain_cross", "a chain of six hops and four one-hop flows", _NEIGHBOURHOODS, chain_cross),
        TopologyEntry("string_cross", "a chain of three hops with UDP cross traffic at its end", _C3TCP, string_cross),
        TopologyEntry(
            "grid_cross", "a long and a short TCP flow and UDP in a grid of twenty nodes", _C3TCP, grid_cross
        ),
        TopologyEntry("mesh_access", "wired hosts, a base station and 27 stations on three arms", _XCP_B, mesh_access),
        TopologyEntry(
            "mesh_mobiles",
            "a grid of mesh nodes and mobiles that send to each other",
            "Barreto, Sargento: TCP, XCP and RCP in Wireless Mesh Networks, sec. III",
            mesh_mobiles,
        ),
        TopologyEntry(
            "building",
            "mobiles and mesh nodes in a public building",
            "Barreto: XCP-Winf and RCP-Winf, sec. 5",
            building,
        ),
        TopologyEntry(
            "ad_hoc",
            "mobiles alone with CBR flows between random pairs",
            "Barreto: XCP-Winf and RCP-Winf, sec. 5.1",
            ad_hoc,
        ),
    )
}
"""Every named topology."""


def build(spec: str) -> World:
    """The world of a topology name, with or without parameters.

    Raises:
        ValueError: no such topology or parameter, or a value that is not a number; the message lists the known ones.
    """
    name, _, arguments = spec.partition(":")
    topology = TOPOLOGIES.get(name)
    if topology is None:
        raise ValueError(f"{name!r} is not one of {', '.join(TOPOLOGIES)}")
    defaults = topology.parameters
    values: dict[str, int | float] = {}
    for position, item in enumerate(filter(None, arguments.split(","))):
        key, equals, text = item.partition("=")
        if not equals:
            key, text = (next(iter(defaults), ""), item) if position == 0 else ("", item)
        if key not in defaults:
            raise ValueError(f"topology {name} has no parameter {key or item}; it has {', '.join(defaults)}")
        values[key] = _number(name, key, text, defaults[key])
    return topology.builder(**values)


def _number(name: str, key: str, text: str, default: float) -> int | float:
    try:
        value = type(default)(text)
    except ValueError:
        raise ValueError(f"topology {name}: {key} must be a number, not {text!r}") from None
    if not 0 <= value <= 100_000:
        raise ValueError(f"topology {name}: {key} must lie between 0 and 100000, not {text}")
    return value
