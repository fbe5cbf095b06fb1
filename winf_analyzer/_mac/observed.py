"""What stations were seen to do: airtimes and rate of control frames, protection, preamble, aggregation."""

import polars as pl

from winf_analyzer._mac.sampling import Sample
from winf_analyzer._mac.schema import DCF, Row

MAX_STATIONS = 1024
"""Stations about which this is said, those with most exchanges first."""

LEGACY_RATES_MBPS = (1.0, 2.0, 5.5, 11.0, 6.0, 12.0, 24.0, 9.0, 18.0, 36.0, 48.0, 54.0)
"""Rates at which control frames are sent; mandatory ones first, because some rates take equally long."""

OCTETS = {"cts_us": 14, "plain_ack_us": 14, "block_ack_us": 32}
"""Octets of a CTS, of an ACK and of a compressed BlockAck (9.3.1.3, 9.3.1.4, 9.3.1.8)."""


def observed_parameters(sample: Sample) -> list[Row]:
    """Rows of `mac_parameters` per station, about the exchanges it sends.

    `rts_us`, `cts_us` and `ack_us` are medians over its exchanges, with the share that lies within 1 us as confidence;
    `control_rate_mbps` is the rate that explains the CTS, or else the ACK of frames without QoS or the BlockAck of
    A-MPDUs. Shares are of its unicast data exchanges.
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
    found = stations.agg(
        pl.len().alias("exchanges"),
        *(airtime.median().alias(name) for name, airtime in airtimes.items()),
        *(((airtime - airtime.median()).abs() <= 1).mean().alias(f"{name}:sure") for name, airtime in airtimes.items()),
        *(airtime.count().alias(f"{name}:n") for name, airtime in airtimes.items()),
        *((hits.sum() / of.sum()).fill_nan(None).alias(name) for name, (hits, of) in values.items()),
        *(of.sum().alias(f"{name}:n") for name, (_, of) in values.items()),
        pl.col("mpdus").filter(unicast).max().alias("mpdus_max"),
        pl.col("length_bytes").filter(unicast).max().alias("psdu_max_bytes"),
        unicast.sum().alias("unicast"),
    )
    largest = found.sort("exchanges", descending=True, maintain_order=True).head(MAX_STATIONS)
    names = sample.stations.select("station", "source", "observer", "sender")
    rows: list[Row] = []
    for station in largest.join(names, on="station", maintain_order="left").iter_rows(named=True):
        who = {"source": station["source"], "observer": station["observer"], "station": station["sender"]}
        for name in ("rts_us", "cts_us", "ack_us", *values, "mpdus_max", "psdu_max_bytes"):
            if (value := station[name]) is not None:
                count = station.get(f"{name}:n", station["unicast"])
                sure = station.get(f"{name}:sure")
                rows.append(Row(**who, parameter=name, value=value, origin="measured", samples=count, confidence=sure))
        rows += _control_rate(station, who)
    return rows


def _control_rate(station: dict[str, float | None], who: dict[str, str | None]) -> list[Row]:
    for name, octets in OCTETS.items():
        airtime = station[name]
        rates = [rate for rate in LEGACY_RATES_MBPS if airtime and _explains(rate, octets, airtime)]
        if rates:
            sure, count = station[f"{name}:sure"], station[f"{name}:n"]
            return [
                Row(
                    **who,
                    parameter="control_rate_mbps",
                    value=rates[0],
                    origin="measured",
                    samples=int(count or 0),
                    confidence=sure,
                )
            ]
    return []


def _explains(rate_mbps: float, octets: int, airtime_us: float) -> bool:
    """True where a control frame at this rate takes that long.

    With long or short preamble (16.2.2), or as OFDM (17.4.3), in the 2.4 GHz band with 6 us of signal extension
    (18.4.2).
    """
    bits = 8 * octets
    if rate_mbps in (1.0, 2.0, 5.5, 11.0):
        expected = [preamble + bits / rate_mbps for preamble in (192, 96)]
    else:
        symbols = -(-(16 + bits + 6) // round(4 * rate_mbps))
        expected = [20 + 4 * symbols + extension for extension in (0, 6)]
    return any(abs(airtime_us - duration) < 1 for duration in expected)
