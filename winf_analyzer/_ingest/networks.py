"""The networks of a recording in words."""

from __future__ import annotations

from typing import Any


def network_text(network: dict[str, Any]) -> str:
    """A network in one line: name, BSSID, channel, country, beacons, and how busy it says it is.

    The channel is that of its beacons. Where none tells it, where most of its frames were heard is said as such: at 2.4
    GHz, and on a wide channel, a recorder hears networks of the channels beside its own too.
    """
    # A hidden name is empty, or zeros in its place.
    name = repr(network["ssid"]) if (network["ssid"] or "").strip("\0") else "hidden or not heard"
    parts = [name, network["bssid"], _where(network)]
    if network["country"]:
        parts.append(network["country"])
    parts.append(f"{network['beacons']} {'beacon' if network['beacons'] == 1 else 'beacons'}")
    if load := network["bss_load"]:
        low, median, high = (round(100 * load["utilization"][name]) for name in ("min", "median", "max"))
        busy = f"{low} %" if low == high else f"{median} % ({low} to {high})"
        stations = f"{load['stations']['median']:.0f}"
        parts.append(f"busy {busy}, {stations} {'station' if stations == '1' else 'stations'}")
    return "  ".join(parts)


def _where(network: dict[str, Any]) -> str:
    """The channel and its width; datasets of earlier versions do not have what beacons say of it."""
    primary, heard = network.get("bss_primary_mhz"), network["channel_mhz"]
    if primary is None:
        return channel_text(heard) if heard is None else f"heard on {channel_text(heard)}"
    width = network["bss_width_mhz"]
    if width is None:
        return f"on {channel_text(primary)}"
    megahertz = f"{width} MHz" if network["bss_second_centre_mhz"] is None else "80+80 MHz"
    return f"on {channel_text(primary)}, {megahertz} wide"


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
