"""Networks and stations of the recordings in a dataset, as the pass that decodes counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._dataset.neighbours import IS_STATION
from winf_analyzer._ingest.inputs import RADIO_SUFFIX
from winf_analyzer._sql.query import sql_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winf_analyzer._dataset.dataset import Dataset

MAX_ROWS = 1_000_000
"""Networks, and stations, of all recordings."""

ANNOUNCED = ("bss_primary_mhz", "bss_width_mhz", "bss_centre_mhz", "bss_second_centre_mhz")
"""The channel of a network, as its beacons and probe responses say."""

_IS_OF_RECORDING = f"name in (source, regexp_replace(source, '{RADIO_SUFFIX}', ''))"
"""Rows of a radio belong to its recording."""

_READABLE = f"""
with recordings as (select unnest(string_split($names, chr(0))) as name),
readable as (
    select name, frames.*
    from frames join recordings on {_IS_OF_RECORDING}
    where layer = 'mac' and parse_error is null and fcs_ok is distinct from false
)
"""  # noqa: S608

_NETWORKS = f"""{_READABLE},
countries as (
    select name, bssid, arg_min(country, frame_no) as country
    from capabilities join recordings on {_IS_OF_RECORDING}
    where kind in ('beacon', 'probe_resp')
    group by all
),
-- In CF-End the BSSID is of whoever ends its TXOP (IEEE 802.11-2020, 9.3.1.6).
of_networks as (
    select *
    from readable
    where bssid not in ('ff:ff:ff:ff:ff:ff', '00:00:00:00:00:00') and kind <> 'cf_end'
),
channels as (
    select name, bssid, channel_mhz
    from of_networks
    where channel_mhz is not null
    group by name, bssid, channel_mhz
    qualify row_number() over (partition by name, bssid order by count(*) desc, channel_mhz) = 1
),
-- Of several radios that heard it, what that says which heard most.
announced as (
    select operating.*, name
    from operating_channels() as operating join recordings on {_IS_OF_RECORDING}
    qualify row_number() over (partition by name, bssid order by announcements desc, source) = 1
)
select
    name, bssid,
    arg_min(ssid, (start_ns, frame_no)) filter (kind in ('beacon', 'probe_resp') and ssid is not null) as ssid,
    any_value(channels.channel_mhz) as channel_mhz, count(*) as frames, count(*) filter (kind = 'beacon') as beacons,
    any_value(announced.bss_primary_mhz), any_value(announced.bss_width_mhz), any_value(announced.bss_centre_mhz),
    any_value(announced.bss_second_centre_mhz), any_value(country) as country,
    min(bss_load_stations), quantile_disc(bss_load_stations, 0.5), max(bss_load_stations),
    min(bss_load_utilization), quantile_disc(bss_load_utilization, 0.5), max(bss_load_utilization)
from of_networks left join countries using (name, bssid) left join channels using (name, bssid)
    left join announced using (name, bssid)
group by name, bssid
order by frames desc, bssid"""  # noqa: S608

_STATIONS = f"""{_READABLE}
select name, ta as address, count(*) as frames
from readable
where {IS_STATION}
group by all
order by frames desc, address"""  # noqa: S608

_STATISTICS = ("min", "median", "max")


def overheard(dataset: Dataset, sources: Sequence[str]) -> dict[str, dict[str, Any]]:
    """By recording what `winf info` says of a capture: `networks`, `stations`, and the numbers of both.

    Recordings that are not in the dataset's frames under their own name, such as merged ones, are left out.
    """
    names = {"names": "\0".join(sources)}  # which no name of a file holds
    found: dict[str, dict[str, Any]] = {}
    for name, address, frames in sql_rows(dataset, _STATIONS, MAX_ROWS, parameters=names).iter_rows():
        entry = found.setdefault(str(name), {"networks": [], "stations": []})
        entry["stations"].append({"address": address, "frames": frames})
    for name, bssid, ssid, channel_mhz, frames, beacons, primary, width, centre, second, country, *load in sql_rows(
        dataset, _NETWORKS, MAX_ROWS, parameters=names
    ).iter_rows():
        entry = found.setdefault(str(name), {"networks": [], "stations": []})
        described = {"bssid": bssid, "ssid": ssid, "channel_mhz": channel_mhz, "frames": frames, "beacons": beacons}
        described |= dict(zip(ANNOUNCED, (primary, width, centre, second), strict=True))
        entry["networks"].append({**described, "country": country, "bss_load": _load(load)})
    for entry in found.values():
        entry |= {f"number_of_{what}": len(entry[what]) for what in ("networks", "stations")}
    return found


def _load(values: Sequence[Any]) -> dict[str, dict[str, float]] | None:
    """The BSS Load elements of a network: stations and channel utilization, each three statistics."""
    if values[0] is None:
        return None
    stations, utilization = values[:3], values[3:]
    return {
        name: dict(zip(_STATISTICS, map(float, part), strict=True))
        for name, part in (("stations", stations), ("utilization", utilization))
    }
