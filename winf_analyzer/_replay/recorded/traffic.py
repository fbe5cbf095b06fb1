"""Whose traffic a world runs under controllers, and what is behind the stations at its ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from winf_analyzer._replay.recorded.flows.studied import StudiedFlow, responding_flows, select_flows
from winf_analyzer._replay.recorded.flows.wires import Wires, wires
from winf_analyzer._replay.recorded.recording import Recording
from winf_analyzer._replay.unknowns import Link


class Traffic(NamedTuple):
    """The flows of a recording that run, not as they were recorded, but under a controller."""

    flows: list[StudiedFlow]
    """Those under study, and then those that respond."""

    responding: list[StudiedFlow]
    """TCP flows that are not under study, and respond to those that are."""

    hosts: dict[str, Wires]
    """What is behind both ends, by name of a TCP flow."""

    @property
    def links(self) -> set[Link]:
        """Links that they use, in both directions."""
        return {pair for flow in self.flows for pair in flow.links}

    @property
    def filled_links(self) -> set[Link]:
        """Those of them whose queues flows may fill."""
        return {pair for flow in self.flows if flow.fills for pair in flow.links}

    @property
    def tcp(self) -> list[StudiedFlow]:
        """Those of TCP."""
        return [flow for flow in self.flows if flow.tcp]

    @property
    def senders(self) -> list[tuple[StudiedFlow, int]]:
        """Flows of TCP, each with the round-trip time of the wire behind its source, ns."""
        return [(flow, self.hosts[flow.name].source_ns or 0) for flow in self.tcp]

    @property
    def direct(self) -> list[StudiedFlow]:
        """Flows of TCP that end at a station, as far as is known without a wire behind it."""
        return [flow for flow in self.tcp if not self.hosts[flow.name].destination_ns]

    def with_sources(self, found: Mapping[str, int]) -> Traffic:
        """The same with round-trip times of wires behind sources, ns, by name of the flow."""
        seen = {name: self.hosts[name]._replace(source_ns=span, most_source_ns=None) for name, span in found.items()}
        return self._replace(hosts=self.hosts | seen)


def traffic_of(recording: Recording, names: Sequence[str] | None, *, transfers: bool, lifted: Sequence[str]) -> Traffic:
    """The flows under study, by name, with those that respond to them; see :func:`.world_of`.

    Raises:
        UsageError: the recording has no such flow.
        UnusableInput: it has no flow at all.
    """
    where = str(recording.dataset.path)
    studied = select_flows(recording.hops, names, where, transfers=transfers)
    if lifted:
        chosen = {flow.name for flow in studied}
        studied += [flow for flow in select_flows(recording.hops, lifted, where) if flow.name not in chosen]
    responding = responding_flows(recording.hops, studied) if names is not None else []
    flows = [*studied, *responding]
    hosts = {flow.name: wires(recording.frames, flow) for flow in flows if flow.tcp}
    return Traffic(flows, responding, _as_at_other_flows([flow for flow in flows if flow.tcp], hosts))


def _as_at_other_flows(flows: Sequence[StudiedFlow], hosts: Mapping[str, Wires]) -> dict[str, Wires]:
    """With what other flows of the same host through the same station tell of a source that does not tell itself."""
    known: dict[tuple[Any, str], int] = {}
    for flow in flows:
        source_ns = hosts[flow.name].source_ns
        if source_ns is not None:
            known.setdefault((flow.first["origin"], flow.path[0]), source_ns)
    found = dict(hosts)
    for flow in flows:
        of_host = known.get((flow.first["origin"], flow.path[0]))
        if hosts[flow.name].source_ns is None and of_host is not None:
            found[flow.name] = hosts[flow.name]._replace(source_ns=of_host, most_source_ns=None)
    return found
