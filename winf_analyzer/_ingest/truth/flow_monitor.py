"""ns-3 FlowMonitor XML (``SerializeToXmlFile``): one row per flow and direction, from first to last received packet."""

from __future__ import annotations

import io
from xml.etree import ElementTree as Xml

from winf_analyzer._ingest.truth.table import End, Interval, ParsedLog, flow_name, table

_PROTOCOLS = {"6": "tcp", "17": "udp"}
_HEADER_BYTES = {"tcp": 20 + 20, "udp": 20 + 8}
"""IPv4 and transport header that FlowMonitor counts; TCP options are unknown and stay in the payload."""
_IPV6_EXTRA_BYTES = 20
_MAX_COUNT = 1 << 62


def looks_like(head: str) -> bool:
    """True for FlowMonitor XML."""
    return head.lstrip().startswith("<") and "<FlowMonitor" in head


def read(text: str, source: str) -> ParsedLog:
    """Mean goodput of each flow, losses, and the mean delay variation as jitter.

    Flow names are at the end of the file: ``flow`` is null if the file is truncated before them.
    """
    stats: dict[str, dict[str, str]] = {}
    names: dict[str, dict[str, str]] = {}
    damage: list[str] = []
    try:
        for _, element in Xml.iterparse(io.StringIO(text)):  # noqa: S314 - expat limits the expansion of entities
            if element.tag == "Flow":
                attributes = stats if "rxBytes" in element.attrib else names
                attributes[element.attrib.get("flowId", "")] = dict(element.attrib)
            element.clear()
    except Xml.ParseError as error:
        damage.append(f"the XML is cut short or damaged ({error})")
    measurements = [
        interval for number, flow in stats.items() if (interval := _measurement(flow, names.get(number, {})))
    ]
    return ParsedLog(table(measurements, source=source, tool="flowmonitor", clock="simulation"), damage)


def _measurement(flow: dict[str, str], name: dict[str, str]) -> Interval | None:
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
    if last_s <= first_s or max(abs(octets), abs(packets)) > _MAX_COUNT:
        return None
    header = _HEADER_BYTES.get(protocol, 20) + (_IPV6_EXTRA_BYTES if ends and ":" in ends[0].host else 0)
    return Interval(
        flow=flow_name(protocol, *ends) if ends else None,
        sender=str(ends[0]) if ends else None,
        side="receiver",
        start_s=first_s,
        length_s=last_s - first_s,
        throughput_bps=8 * max(0, octets - header * packets) / (last_s - first_s),
        jitter_ms=jitter_ms / (packets - 1) if packets > 1 else None,
        lost=lost,
    )
