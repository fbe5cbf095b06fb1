"""PHYs of the study, as the simulators name them."""

from __future__ import annotations

from dataclasses import dataclass

MSDU_HEADERS = 36
"""LLC/SNAP, IP and UDP: what an MSDU has beside the UDP payload, bytes."""


@dataclass(frozen=True, kw_only=True)
class Phy:
    """A PHY as ns-3 names it, and roughly what one saturated link carries (only loads are derived from that)."""

    standard: str
    channel: str
    data_mode: str
    control_mode: str
    data_bps: float
    overhead_us: float
    """Of an exchange, besides the data bits: preambles, SIFS, ACK, DIFS, mean backoff."""
    rts_us: float
    """What RTS, CTS and their SIFS add."""
    aggregated: bool = False

    def packets_per_second(self, payload: int, rts: bool) -> float:
        """Packets of `payload` bytes that a saturated link carries alone."""
        bits = 8 * (payload + MSDU_HEADERS + 28)
        if self.aggregated:
            return 0.8 * self.data_bps / bits
        return 1e6 / (bits / self.data_bps * 1e6 + self.overhead_us + (self.rts_us if rts else 0))


def _dsss(mbps: str, bps: float) -> Phy:
    return Phy(
        standard="802.11b",
        channel="{1,22,BAND_2_4GHZ,0}",
        data_mode=f"DsssRate{mbps}Mbps",
        control_mode="DsssRate1Mbps",
        data_bps=bps,
        overhead_us=870,
        rts_us=676,
    )


def _erp(mbps: int) -> Phy:
    return Phy(
        standard="802.11g",
        channel="{1,20,BAND_2_4GHZ,0}",
        data_mode=f"ErpOfdmRate{mbps}Mbps",
        control_mode="ErpOfdmRate6Mbps",
        data_bps=mbps * 1e6,
        overhead_us=270,
        rts_us=128,
    )


def _ofdm(mbps: int) -> Phy:
    return Phy(
        standard="802.11a",
        channel="{36,20,BAND_5GHZ,0}",
        data_mode=f"OfdmRate{mbps}Mbps",
        control_mode="OfdmRate6Mbps",
        data_bps=mbps * 1e6,
        overhead_us=200,
        rts_us=120,
    )


def _aggregating(standard: str, channel: str, mode: str, bps: float) -> Phy:
    band = "ErpOfdm" if "2_4GHZ" in channel else "Ofdm"
    return Phy(
        standard=standard,
        channel=channel,
        data_mode=mode,
        control_mode=f"{band}Rate24Mbps",
        data_bps=bps,
        overhead_us=0,
        rts_us=0,
        aggregated=True,
    )


PHYS = {
    "a54": _ofdm(54),
    "a24": _ofdm(24),
    "b11": _dsss("11", 11e6),
    "b5": _dsss("5_5", 5.5e6),
    "b2": _dsss("2", 2e6),
    "b1": _dsss("1", 1e6),
    "g54": _erp(54),
    "g48": _erp(48),
    "g36": _erp(36),
    "g24": _erp(24),
    "g12": _erp(12),
    "g6": _erp(6),
    "n65": _aggregating("802.11n", "{36,20,BAND_5GHZ,0}", "HtMcs7", 65e6),
    "n52": _aggregating("802.11n", "{36,20,BAND_5GHZ,0}", "HtMcs5", 52e6),
    "n26": _aggregating("802.11n", "{36,20,BAND_5GHZ,0}", "HtMcs3", 26e6),
    "n135": _aggregating("802.11n", "{38,40,BAND_5GHZ,0}", "HtMcs7", 135e6),
    "n65_2ghz": _aggregating("802.11n", "{1,20,BAND_2_4GHZ,0}", "HtMcs7", 65e6),
    "ac78": _aggregating("802.11ac", "{36,20,BAND_5GHZ,0}", "VhtMcs8", 78e6),
    "ac175": _aggregating("802.11ac", "{42,80,BAND_5GHZ,0}", "VhtMcs4", 175.5e6),
    "ac263": _aggregating("802.11ac", "{42,80,BAND_5GHZ,0}", "VhtMcs6", 263.3e6),
    "ac351": _aggregating("802.11ac", "{42,80,BAND_5GHZ,0}", "VhtMcs8", 351e6),
    "ax29": _aggregating("802.11ax", "{36,20,BAND_5GHZ,0}", "HeMcs3", 29.3e6),
    "ax73": _aggregating("802.11ax", "{36,20,BAND_5GHZ,0}", "HeMcs7", 73.1e6),
    "ax73_2ghz": _aggregating("802.11ax", "{1,20,BAND_2_4GHZ,0}", "HeMcs7", 73.1e6),
    "ax184": _aggregating("802.11ax", "{42,80,BAND_5GHZ,0}", "HeMcs4", 183.8e6),
    "ax408": _aggregating("802.11ax", "{42,80,BAND_5GHZ,0}", "HeMcs9", 408.3e6),
}
"""PHYs by a short name: standard and Mb/s."""
