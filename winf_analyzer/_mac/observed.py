"""Observed behaviour of stations: airtimes and rate of control frames, protection, preamble, aggregation."""

from collections import Counter
from typing import Any

from winf_analyzer._mac.constants import LOW_BAND, constant, whole
from winf_analyzer._mac.sampling import Sample
from winf_analyzer._mac.schema import Row

MAX_STATIONS = 1024
"""Maximum number of stations of a medium, those with most exchanges first."""

LEGACY_RATES_MBPS = (1.0, 2.0, 5.5, 11.0, 6.0, 12.0, 24.0, 9.0, 18.0, 36.0, 48.0, 54.0)
"""Rates of control frames; mandatory ones first, because some rates give equal airtimes."""

RESPONSE_OCTETS = {"cts_us": 14, "plain_ack_us": 14, "block_ack_us": 32}
"""Octets of a CTS, of an ACK and of a compressed BlockAck (9.3.1.3, 9.3.1.4, 9.3.1.8)."""


def observed_behaviour(sample: Sample) -> list[Row]:
    """Rows of `mac_parameters` per station, about the exchanges it initiates.

    `rts_us`, `cts_us` and `ack_us` are medians over its exchanges, `ack_us` over those with data: the lower of the
    middle two, so an airtime that occurred. Their confidence is the share of exchanges within 1 us of the median.
    `control_rate_mbps` is the rate that matches the airtime of the CTS, else of the ACK of frames without QoS, else of
    the BlockAck of A-MPDUs. Shares are of its unicast data exchanges.
    """
    rows: list[Row] = []
    kept: Counter[int] = Counter()
    behaviours = sorted(sample.exchanges.behaviours(), key=lambda row: -sample.stations[row[0]].exchanges)
    for number, shares, mpdus_max, psdu_max_bytes, airtimes in behaviours:
        station = sample.stations[number]
        kept[station.medium] += 1
        if kept[station.medium] > MAX_STATIONS:
            continue
        recorder = {"source": station.source, "observer": station.observer}
        key: dict[str, Any] = {**recorder, "station": station.sender, "origin": "measured"}
        of_frame = dict(zip(AIRTIMES, airtimes, strict=True))
        for name in ("rts_us", "cts_us", "ack_us"):
            median_us, close, count = of_frame[name]
            if median_us is not None:
                rows.append(Row(**key, parameter=name, value=median_us, samples=count, confidence=close / count))
        for name, (matching, population) in zip(SHARES, shares, strict=True):
            if population:
                rows.append(Row(**key, parameter=name, value=matching / population, samples=population))
        unicast = shares[0][1]
        for name, largest in (("mpdus_max", mpdus_max), ("psdu_max_bytes", psdu_max_bytes)):
            if largest is not None:
                rows.append(Row(**key, parameter=name, value=largest, samples=unicast))
        rows += _control_rate(of_frame, key)
    return rows


AIRTIMES = ("rts_us", "cts_us", "ack_us", "plain_ack_us", "block_ack_us")
"""Airtimes that a behaviour has: `plain_ack_us` of responses to frames without QoS, `block_ack_us` to A-MPDUs."""

SHARES = ("rts_share", "cts_self_share", "short_preamble_share")
"""Its shares: the first two of unicast data exchanges, the last one of DSSS exchanges."""


def _control_rate(airtimes: dict[str, tuple[float | None, int, int]], key: dict[str, Any]) -> list[Row]:
    for name, octets in RESPONSE_OCTETS.items():
        median_us, close, count = airtimes[name]
        rates = [rate for rate in LEGACY_RATES_MBPS if median_us and _matches_airtime(rate, octets, median_us)]
        if rates:
            parameter = "control_rate_mbps"
            return [Row(**key, parameter=parameter, value=rates[0], samples=count, confidence=close / count)]
    return []


def _matches_airtime(rate_mbps: float, octets: int, airtime_us: float) -> bool:
    """True if a control frame at this rate has this airtime.

    With long or short preamble (16.2.2), or as OFDM (17.4.3), with and without the signal extension of 6 us in the
    2.4 GHz band (18.4.2).
    """
    bits = 8 * octets
    if rate_mbps in (1.0, 2.0, 5.5, 11.0):
        expected = [preamble + bits / rate_mbps for preamble in (constant("long_plcp"), constant("short_plcp"))]
    else:
        symbol_us = constant("ofdm_symbol")
        symbols = -(-(whole("ofdm_service_and_tail") + bits) // round(symbol_us * rate_mbps))
        ofdm_us = constant("ofdm_preamble") + symbol_us * symbols
        expected = [ofdm_us, ofdm_us + constant("aSignalExtension", "erp", LOW_BAND)]
    return any(abs(airtime_us - duration) < 1 for duration in expected)
