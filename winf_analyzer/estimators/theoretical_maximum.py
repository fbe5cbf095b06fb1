"""Theoretical maximum throughput (TMT): what an always backlogged sender gets through an otherwise idle medium.

Source: J. Jun, P. Peddabachagari, M. Sichitiu, "Theoretical maximum throughput of IEEE 802.11 and its applications",
IEEE NCA 2003.

    TMT(S) = 8S / (DIFS + E[BO] + T_X)      T_X = [T_RTS + SIFS + T_CTS + SIFS] + T_DATA + SIFS + T_ACK

`capacity_bps` is the TMT of the exchanges as they were, with RTS/CTS where they used it; `tmt_basic_bps` and
`tmt_rts_bps` are what it would be with none of them, and with all of them, using it. All three weigh the PHYs, rates
and payloads that the link really used with the time these take.

`paper` is the formula: one MPDU per access, its airtime from size and rate (of OFDM in whole symbols, of other PHYs
from PLCP and bits), expected backoff, presumed control frames. `corrected` takes the airtime of the PPDU as its
modulation has it, A-MPDUs whole, the control frames and mean backoff that were measured, and inside a TXOP the gap in
place of an access. A maximum says nothing about what is left: `available_bps` is null.
"""

from functools import cache

import polars as pl

from winf_analyzer._aggregate import states
from winf_analyzer._aggregate.chunks import Chunk, Context
from winf_analyzer._aggregate.exchange_columns import nanoseconds
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._mac.constants import constant, whole
from winf_analyzer.estimators._estimator import Estimator, Method

QUANTITIES = ("samples", "bits", "used_ns", "basic_ns", "rts_ns")

RATES = {"capacity_bps": "used_ns", "tmt_basic_bps": "basic_ns", "tmt_rts_bps": "rts_ns"}
"""The rates and the times they are quotients of."""

OFDM_PHYS = ("ofdm", "ofdm_10mhz", "erp")
"""PHYs whose data comes in symbols of 4 us (8 us in channels of 10 MHz), behind 16 bits of SERVICE and before 6 of tail
(17.3.5)."""

SYMBOL_US, SERVICE_AND_TAIL_BITS = constant("ofdm_symbol"), whole("ofdm_service_and_tail")


def _finish(context: Context, times: pl.DataFrame) -> pl.DataFrame:
    """TMT per node, link, state and window; the module's text has the formula."""
    rows = states.sums_by_state(context, times, QUANTITIES).drop("collision_probability")
    rates = [
        pl.when(pl.col("bits") > 0, pl.col(time) > 0).then(pl.col("bits") * 1e9 / pl.col(time)).alias(rate)
        for rate, time in RATES.items()
    ]
    rows = rows.with_columns(*rates, exchanges="samples").drop(name for name in QUANTITIES if name != "bits")
    return rows.join(context.coverage, on=WINDOW, how="left")


def _paper_samples(chunk: Chunk) -> pl.LazyFrame:
    return _samples(chunk.uses.with_columns(**_paper_times()))


def _corrected_samples(chunk: Chunk) -> pl.LazyFrame:
    return _samples(chunk.uses.with_columns(**_corrected_times()))


def _samples(timed: pl.LazyFrame) -> pl.LazyFrame:
    known = pl.col("sample") & (pl.col("used_ns") > 0)
    counts = {"samples": pl.lit(1, pl.Int64), "bits": 8 * pl.col("payload_bytes")}
    values = counts | {name: pl.col(name) for name in QUANTITIES[2:]}
    return timed.with_columns(pl.when(known).then(value).alias(name) for name, value in values.items())


@cache
def paper_data_time() -> pl.Expr:
    """T_DATA from size and rate, nanoseconds: one PPDU per MPDU, of OFDM in whole symbols."""
    mpdus = _mpdus()
    bits = 8 * pl.coalesce("length_bytes", pl.col("payload_bytes") + pl.col("header_bytes") * mpdus)
    rate = pl.when(pl.col("rate_mbps") > 0).then("rate_mbps")
    is_10_mhz = (pl.col("family") == "ofdm_10mhz").fill_null(value=False)
    symbol_us = pl.when(is_10_mhz).then(2 * SYMBOL_US).otherwise(SYMBOL_US)
    symbols = (SERVICE_AND_TAIL_BITS * mpdus + bits) / (rate * symbol_us)
    in_symbols = symbols.ceil() * symbol_us * 1000
    ofdm = pl.col("family").is_in(OFDM_PHYS).fill_null(False)
    t_data = mpdus * pl.col("t_plcp") + pl.when(ofdm).then(in_symbols).otherwise(bits / rate * 1000)
    return t_data.round().cast(pl.Int64, strict=False)


def _mpdus() -> pl.Expr:
    return pl.max_horizontal("mpdus", 1)


@cache
def _paper_times() -> dict[str, pl.Expr]:
    """The time of one access and exchange per MPDU, nanoseconds."""
    access = pl.col("t_difs") + pl.col("t_backoff")
    return _times(_mpdus() * access, paper_data_time(), _mpdus())


@cache
def _corrected_times() -> dict[str, pl.Expr]:
    """The time of the access and exchange as they were, nanoseconds."""
    return _times(pl.col("access_ns"), data_time(), pl.lit(1))


@cache
def data_time() -> pl.Expr:
    """T_DATA of an exchange, nanoseconds: between its stamps, or the airtime computed from its modulation."""
    stamps = pl.col("data_ns") - pl.col("data_start_ns")
    return pl.coalesce(nanoseconds("data_airtime_us"), stamps)


def _times(access: pl.Expr, t_data: pl.Expr, answers: pl.Expr) -> dict[str, pl.Expr]:
    sifs = pl.col("t_sifs")
    basic = access + t_data + answers * (sifs + pl.col("t_ack"))
    rts = answers * (pl.col("t_rts") + pl.col("t_cts") + 2 * sifs)
    own_cts = answers * (pl.col("t_cts") + sifs)
    used = pl.when(pl.col("kind") == "rts").then(rts).when(pl.col("kind") == "cts_self").then(own_cts).otherwise(0)
    return {"used_ns": basic + used, "basic_ns": basic, "rts_ns": basic + rts}


THEORETICAL_MAXIMUM = Estimator(
    "theoretical_maximum",
    "throughput of a backlogged sender alone, for the PHY, rate and payload in use, without and with RTS/CTS",
    "Jun, Peddabachagari, Sichitiu: Theoretical maximum throughput of IEEE 802.11, IEEE NCA 2003",
    paper=Method(_finish, {"times": states.link_sums(_paper_samples, QUANTITIES)}),
    corrected=Method(_finish, {"times": states.link_sums(_corrected_samples, QUANTITIES)}),
)
