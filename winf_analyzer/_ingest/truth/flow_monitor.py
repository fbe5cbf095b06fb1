"""ns-3's FlowMonitor (``SerializeToXmlFile``): one row per flow and direction, over the time that packets arrived."""

from __future__ import annotations

import io
from xml.etree import ElementTree as Xml

from winf_analyzer._ingest.truth.table import End, Measurement, Truth, flow_name, table

_PROTOCOLS = {"6": "tcp", "17": "udp"}
_HEADER_BYTES = {"tcp": 20 + 20, "udp": 20 + 8}
"""IPv4 and transport header that FlowMonitor counts; TCP's options are not told and stay in."""
_IPV6_MORE_BYTES = 20
_MOST_COUNTED = 1 << 62


def looks_like(head: str) -> bool:
    """True for XML of a FlowMonitor."""
    return head.lstrip().startswith("<") and "<FlowMonitor" in head


def read(text: str, source: str) -> Truth:
    """Mean goodput of each flow, losses, and the mean of the delay variation as jitter.

    The names of flows stand at the end: in a file that is cut before them, ``flow`` is null.
    """
    stats: dict[str, dict[str, str]] = {}
    names: dict[str, dict[str, str]] = {}
    damage: list[str] = []
    try:
        for _, element in Xml.iterparse(io.StringIO(text)):  # noqa: S314 - expat limits the expansion of entities
            if element.tag == "Flow":
                kept = stats if "rxBytes" in element.attrib else names
                kept[element.attrib.get("flowId", "")] = dict(element.attrib)
            element.clear()
    except Xml.ParseError as error:
        damage.append(f"the XML is cut short or damaged ({error})")
    measurements = [found for number, flow in stats.items() if (found := _measurement(flow, names.get(number, {})))]
    return Truth(table(measurements, source=source, tool="flowmonitor", clock="simulation"), damage)


def _measurement(flow: dict[str, str], name: dict[str, str]) -> Measurement | None:
    try:
        first_s, last_s = (
            float(flow[key].removesuffix("ns")) / 1e9 for key in ("timeFirstRxPacket", "timeLastRxPacket")
        )
        octets, packets, lost = (int(flow[key]) for key in ("rxBytes", "rxPackets", "lostPackets"))
        jitter_ms = float(flow["jitterSum"].removesuffix("ns")) / 1e6
        protocol = _PROTOCOLS.get(name.get("protocol", ""), f"ip-{int(name.get('protocol', 0)):03}")
        ends = (
            [End(name[f"{end}Address"], int(name[f"{end}Port"])) for end in ("source", "destination")] if name else []
        )
    except (KeyError, ValueError):
        return None
    if last_s <= first_s or max(abs(octets), abs(packets)) > _MOST_COUNTED:
        return None
    header = _HEADER_BYTES.get(protocol, 20) + (_IPV6_MORE_BYTES if ends and ":" in ends[0].host else 0)
    return Measurement(
        flow=flow_name(protocol, *ends) if ends else None,
        sender=str(ends[0]) if ends else None,
        side="receiver",
        start_s=first_s,
        length_s=last_s - first_s,
        throughput_bps=8 * max(0, octets - header * packets) / (last_s - first_s),
        jitter_ms=jitter_ms / (packets - 1) if packets > 1 else None,
        lost=lost,
    )
