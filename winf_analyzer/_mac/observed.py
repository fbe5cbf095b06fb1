"""Observed behaviour of stations: airtimes and rate of control frames, protection, preamble, aggregation."""

import polars as pl

from winf_analyzer._mac.constants import LOW_BAND, constant, whole
from winf_analyzer._mac.sampling import Sample
from winf_analyzer._mac.schema import DCF, Row

MAX_STATIONS = 1024
"""Maximum number of stations of a medium, those with most exchanges first."""

LEGACY_RATES_MBPS = (1.0, 2.0, 5.5, 11.0, 6.0, 12.0, 24.0, 9.0, 18.0, 36.0, 48.0, 54.0)
"""Rates of control frames; mandatory ones first, because some rates give equal airtimes."""

RESPONSE_OCTETS = {"cts_us": 14, "plain_ack_us": 14, "block_ack_us": 32}
"""Octets of a CTS, of an ACK and of a compressed BlockAck (9.3.1.3, 9.3.1.4, 9.3.1.8)."""


def observed_behaviour(sample: Sample) -> list[Row]:
    """Rows of `mac_parameters` per station, about the exchanges it initiates.

    `rts_us`, `cts_us` and `ack_us` are medians over its exchanges; their confidence is the share of exchanges within
    1 us of the median. `control_rate_mbps` is the rate that matches the airtime of the CTS, else of the ACK of frames
    without QoS, else of the BlockAck of A-MPDUs. Shares are of its unicast data exchanges.
    """
    stations = sample.exchanges.filter(pl.col("sender").is_not_null()).group_by("station", maintain_order=True)
    unicast = pl.col("kind").is_in(["basic", "rts", "cts_self"]) & pl.col("access_category").is_not_null()
    dsss = pl.col("phy").is_in(["dsss", "hr_dsss"])
    airtimes = {
        "rts_us": (pl.col("rts_ns") - pl.col("rts_start_ns")) / 1e3,
        "cts_us": (pl.col("cts_ns") - pl.col("cts_start_ns")) / 1e3,
        "ack_us": pl.col("ack_airtime_us"),
        "plain_ack_us": pl.col("ack_airtime_us").filter(pl.col("access_category") == DCF),
        "block_ack_us": pl.col("ack_airtime_us").filter(pl.col("mpdus") > 1),
    }
    values = {
        "rts_share": ((pl.col("kind") == "rts") & unicast, unicast),
        "cts_self_share": ((pl.col("kind") == "cts_self") & unicast, unicast),
        "short_preamble_share": ((pl.col("preamble") == "short") & dsss, dsss),
    }
    by_station = stations.agg(
        pl.len().alias("exchanges"),
        *(airtime.median().alias(name) for name, airtime in airtimes.items()),
        *(((airtime - airtime.median()).abs() <= 1).mean().alias(f"{name}:sure") for name, airtime in airtimes.items()),
        *(airtime.count().alias(f"{name}:n") for name, airtime in airtimes.items()),
        *(
            (matching.sum() / population.sum()).fill_nan(None).alias(name)
            for name, (matching, population) in values.items()
        ),
        *(population.sum().alias(f"{name}:n") for name, (_, population) in values.items()),
        pl.col("mpdus").filter(unicast).max().alias("mpdus_max"),
        pl.col("length_bytes").filter(unicast).max().alias("psdu_max_bytes"),
        unicast.sum().alias("unicast"),
    )
    names = sample.stations.select("station", "medium", "source", "observer", "sender")
    largest = (
        by_station.sort("exchanges", descending=True, maintain_order=True)
        .join(names, on="station", maintain_order="left")
        .filter(pl.int_range(pl.len()).over("medium") < MAX_STATIONS)
    )
    rows: list[Row] = []
    for station in largest.iter_rows(named=True):
        key = {"source": station["source"], "observer": station["observer"], "station": station["sender"]}
        for name in ("rts_us", "cts_us", "ack_us", *values, "mpdus_max", "psdu_max_bytes"):
            if (value := station[name]) is not None:
                count = station.get(f"{name}:n", station["unicast"])
                confidence = station.get(f"{name}:sure")
                rows.append(
                    Row(**key, parameter=name, value=value, origin="measured", samples=count, confidence=confidence)
                )
        rows += _control_rate(station, key)
    return rows


def _control_rate(station: dict[str, float | None], key: dict[str, str | None]) -> list[Row]:
    for name, octets in RESPONSE_OCTETS.items():
        airtime = station[name]
        rates = [rate for rate in LEGACY_RATES_MBPS if airtime and _matches_airtime(rate, octets, airtime)]
        if rates:
            confidence, count = station[f"{name}:sure"], station[f"{name}:n"]
            return [
                Row(
                    **key,
                    parameter="control_rate_mbps",
                    value=rates[0],
                    origin="measured",
                    samples=int(count or 0),
                    confidence=confidence,
                )
            ]
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
