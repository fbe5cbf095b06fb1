"""Who is in a recording: its networks and its stations, in one pass over its frames."""

from __future__ import annotations

from typing import Any, NamedTuple

from winf_analyzer import _core
from winf_analyzer._ingest.decoding import Decoding
from winf_analyzer._util.memory import memory_limit, share

MAX_LISTED = 1000
"""Networks, and stations, that are listed, those with most frames first; all are counted."""

_QUERY = """
select bssid, ta, any_value(ssid) filter (kind in ('beacon', 'probe_resp')) as ssid, max(channel_mhz) as channel_mhz,
       count(*) as frames, count(*) filter (kind = 'beacon') as beacons, grouping(bssid) as is_station
from frames
where parse_error is null and fcs_ok is not false and layer = 'mac'
group by grouping sets ((bssid), (ta))
having (bssid is not null and not (bssid = 'ff:ff:ff:ff:ff:ff')) or ta is not null
order by frames desc, bssid, ta
"""


class Overheard(NamedTuple):
    """The networks and stations of a recording."""

    networks: list[dict[str, Any]]
    """`bssid`, `ssid` (null: not announced), `channel_mhz`, `frames` and `beacons` of each."""
    number_of_networks: int
    stations: list[dict[str, Any]]
    """`address` and `frames` sent of each."""
    number_of_stations: int


def overheard(path: str, source: str, decoding: Decoding, *, observer: str | None = None) -> Overheard:
    """List the networks (by BSSID) and the stations (by transmitter address) of a recording."""
    import duckdb

    frames = _core.frames(path, source, observer=observer, **decoding.arguments())
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"set memory_limit = '{share(1, 2, at_most=memory_limit()) >> 20}MiB'")
        connection.register("frames", frames)
        networks: list[dict[str, Any]] = []
        stations: list[dict[str, Any]] = []
        counts = [0, 0]
        for bssid, ta, ssid, channel_mhz, sent, beacons, is_station in connection.execute(_QUERY).fetchall():
            counts[is_station] += 1
            if is_station and len(stations) < MAX_LISTED:
                stations.append({"address": ta, "frames": sent})
            elif not is_station and len(networks) < MAX_LISTED:
                facts = {"ssid": ssid, "channel_mhz": channel_mhz, "frames": sent, "beacons": beacons}
                networks.append({"bssid": bssid, **facts})
    return Overheard(networks, counts[0], stations, counts[1])


def channel_text(mhz: int | None) -> str:
    """A channel as its number and centre frequency (IEEE 802.11-2020, 15.4.4.2 and 17.3.8.4.2; 802.11ax, 27.3.23.2)."""
    if mhz is None:
        return "channel not known"
    number = None
    if mhz == 2484:
        number = 14
    elif 2412 <= mhz <= 2472:
        number = (mhz - 2407) // 5
    elif 5950 < mhz <= 7115:
        number = (mhz - 5950) // 5
    elif 5000 < mhz < 5900:
        number = (mhz - 5000) // 5
    return f"{mhz} MHz" if number is None else f"channel {number} ({mhz} MHz)"
