"""rt-Winf: path capacity and available bandwidth from the frames of an exchange and their Duration fields.

Source: L. Barreto, "Advanced Wireless Congestion Control Techniques: XCP-Winf and RCP-Winf", sec. 3; before that
B. Res, L. Barreto, S. Sargento, "rt-Winf: Real time wireless inference mechanism", IEEE Globecom Workshops 2010.

`paper` takes the formulas as printed, on the end-of-frame stamps of the table:

    Sender     C = 8S/(t_ACK - t_CTS - 2 SIFS)     AB = C (1 - sum NAV_CTS / T)
    Receiver   C = 8S/(t_DATA - t_RTS - 3 SIFS)    AB = C (1 - sum NAV_RTS / T)
    Onlooker   C = 8S/(t_ACK - t_CTS - 2 SIFS)     AB = C (1 - sum NAV_x / T), x = RTS if it was heard, else CTS
    Probe      C = 8S/(t_ACK - t_DATA)             AB = C (1 - sum(t_ACK - t_DATA)/T)

Eq. (2) of the probe has its parenthesis put right. The probe formulas serve the exchanges without RTS, DATA stamped
where its transmission starts (between two ends there is no data: SIFS + ACK only): all of them, or with
`probe = "subtype_1001"` only the paper's probes, data frames of subtype 1001, which the paper takes to be reserved and
802.11 has since made QoS Data +CF-Ack (table 9-1). The sums run over all exchanges that the node sees, its own and the
overheard ones.

`corrected` removes what these denominators have too much or too little. With D the difference of the two stamps,
start (s) or end (e) of a frame, and an exchange RTS SIFS CTS SIFS DATA SIFS ACK:

    stamps                        exact T_DATA                      bias of the printed denominator
    CTS e -> ACK s                D - 2 SIFS                        0
    CTS e -> ACK e                D - 2 SIFS - T_ACK                + T_ACK
    CTS s -> ACK s                D - 2 SIFS - T_CTS                + T_CTS
    CTS e -> DATA e               D - SIFS                          (not printed)
    RTS e -> DATA e               D - 2 SIFS - T_CTS                + T_CTS - SIFS
    RTS s -> DATA e               D - 2 SIFS - T_RTS - T_CTS        + T_RTS + T_CTS - SIFS
    RTS e -> ACK s                D - 3 SIFS - T_CTS                + T_CTS
    DATA s -> ACK s               D - SIFS                          + SIFS
    DATA s -> ACK e               D - SIFS - T_ACK                  + SIFS + T_ACK
    NAV of the RTS                NAV - 3 SIFS - T_CTS - T_ACK      (up to 1 us: Durations are whole microseconds)
    NAV of the CTS                NAV - 2 SIFS - T_ACK              (up to 1 us)

    R_phy = 8 (S+H)/(T_DATA - T_PLCP)     C_data = 8S/T_DATA     C = C_eff = 8S/(DIFS + E[BO] + T_X)

T_X is measured, from the start of the first to the end of the last frame, and the same DIFS + E[BO] + T_X is what the
exchange keeps the medium busy: N exchanges that do not overlap leave AB = C - 8SN/T exactly. T_DATA serves R_phy,
C_data and the guard that discards samples no rate explains.

A window's capacity is sum(8S)/sum(denominator), the mean of its samples weighted with their time on the air. The
paper keeps the last sample; its size dependence would make a window's value depend on which packet
happened to end it. Per exchange and running (:class:`.Settings`), the estimate is the paper's to the letter: the
capacity of each exchange, and sums and T since the first.

The correction leaves out what the study of accuracy finds: that a backlogged sender takes its share from others, that
their backoffs overlap, collisions, loss and aggregation. The interval of the available bandwidth is therefore that of
:mod:`.saturation`, which models them, widened to include the corrected value.

An exchange whose data was not heard keeps the medium busy until its ACK, or until its CTS where no ACK was heard
either: who hears the receiver's CTS would hear its ACK, so its sender never answered (the CTS was lost on it). It is no
sample: Durations tell how long the data took, but not how much it carried.
"""

from functools import cache

import polars as pl

from winf_analyzer._aggregate import idle, states
from winf_analyzer._aggregate.aggregate import PER_LINK
from winf_analyzer._aggregate.chunks import Chunk, Context
from winf_analyzer._aggregate.exchange_columns import nanoseconds, quotient
from winf_analyzer._aggregate.frame_fields import KEYS, frames_of
from winf_analyzer._mac.exchange_parameters import US
from winf_analyzer.estimators import _cooperation
from winf_analyzer.estimators._estimator import Estimator, Method

QUANTITIES = ("samples", "bits", "cost_ns", "data_time_ns", "psdu_bits", "psdu_time_ns")
"""What is summed over the samples of a window; the last three only in corrected mode."""

RATES = (
    ("capacity_bps", "bits", "cost_ns"),
    ("r_phy_bps", "psdu_bits", "psdu_time_ns"),
    ("c_data_bps", "bits", "data_time_ns"),
)
"""The rates reported and the sums they are quotients of; the last two only in corrected mode."""

SUBTYPE_1001 = 0b10_1001
"""Type data, subtype 1001, as the column `subtype` of `frames` writes it: type << 4 | subtype."""

TOLERANCE_NS = 4 * US
"""How far a T_DATA may lie outside what the PHY's rates allow: stamps and Durations are whole microseconds."""


def _paper(context: Context, samples: pl.DataFrame, reserved: pl.DataFrame) -> pl.DataFrame:
    return _rows(context, samples, QUANTITIES[:3], RATES[:1], idle.from_nav(context, reserved))


def _corrected(context: Context, samples: pl.DataFrame, busy: pl.DataFrame, saturation: pl.DataFrame) -> pl.DataFrame:
    rows = _rows(context, samples, QUANTITIES, RATES, idle.from_airtime(context, busy))
    return rows if context.settings.per_exchange else with_interval(rows, saturation)


def _rows(
    context: Context,
    samples: pl.DataFrame,
    quantities: tuple[str, ...],
    rates: tuple[tuple[str, str, str], ...],
    ratios: pl.DataFrame,
) -> pl.DataFrame:
    """Capacity and available bandwidth per node, link, state and window; the module's text has the formulas."""
    rows = (
        idle.join_idle(states.sums_by_state(context, samples, quantities), ratios)
        .with_columns(_rate(bits, time_ns).alias(name) for name, bits, time_ns in rates)
        .with_columns(available_bps=pl.col("capacity_bps") * pl.col("idle_ratio"), exchanges="samples")
        # This is the largest table of a long recording: of what the rates were made of, only their weight is kept.
        .drop(*(name for name in quantities if name != "bits"))
    )
    return _cooperation.merge(rows) if context.settings.cooperate else rows


def with_interval(rows: pl.DataFrame, saturation: pl.DataFrame) -> pl.DataFrame:
    """The 90 % interval of :mod:`.saturation`, widened to include the estimate."""
    interval = saturation.select(*PER_LINK, "available_low_bps", "available_high_bps").unique(PER_LINK)
    known = pl.col("available_bps").is_not_null()
    return rows.join(interval, on=PER_LINK, how="left").with_columns(
        available_low_bps=pl.when(known).then(pl.min_horizontal("available_low_bps", "available_bps")),
        available_high_bps=pl.when(known).then(pl.max_horizontal("available_high_bps", "available_bps")),
    )


def _paper_samples(chunk: Chunk) -> pl.LazyFrame:
    """The summed quantities of each side, as printed."""
    return _probed(chunk).with_columns(
        pl.when(pl.col("sample") & (paper_denominator(side) > 0)).then(value).alias(f"{side}_{name}")
        for side in states.SIDES
        for name, value in _quantities(paper_denominator(side)).items()
    )


def _corrected_samples(chunk: Chunk) -> pl.LazyFrame:
    """The summed quantities of each side, without bias."""
    t_x = pl.col("end_ns") - pl.col("air_start_ns")
    columns = []
    for side in states.SIDES:
        t_data = pl.col(f"{side}_data_time_ns")
        values = _quantities(pl.col("access_ns") + t_x) | {
            "data_time_ns": t_data,
            "psdu_bits": 8 * _psdu_bytes(),
            "psdu_time_ns": t_data - pl.col("t_plcp"),
        }
        counts = pl.col("sample") & plausible(t_data)
        columns += [pl.when(counts).then(value).alias(f"{side}_{name}") for name, value in values.items()]
    timed = _probed(chunk).with_columns(data_time(side).alias(f"{side}_data_time_ns") for side in states.SIDES)
    return timed.with_columns(columns)


def _probed(chunk: Chunk) -> pl.LazyFrame:
    """The exchanges, of which those without RTS are samples only if they carry a probe, where only probes count."""
    if chunk.settings.probe == "any":
        return chunk.uses
    carriers = chunk.uses.join(frames_of(chunk, SUBTYPE_1001), on=KEYS, how="left")
    handshake = pl.col("kind").is_in(["rts", "cts_self"])
    return carriers.with_columns(sample=pl.col("sample") & (handshake | pl.col("subtype").is_not_null()))


@cache
def paper_denominator(side: str) -> pl.Expr:
    """The denominator of C as printed, nanoseconds; null where the exchange lacks one of its stamps."""
    if side == "receiver":
        with_rts = pl.col("data_ns") - pl.col("rts_ns") - 3 * pl.col("t_sifs")
        return pl.when(pl.col("kind") == "rts").then(with_rts).otherwise(idle.transfer_time())
    with_cts = pl.col("ack_ns") - pl.col("cts_ns") - 2 * pl.col("t_sifs")
    return pl.when(pl.col("kind").is_in(["rts", "cts_self"])).then(with_cts).otherwise(idle.transfer_time())


@cache
def data_time(side: str) -> pl.Expr:
    """The exact T_DATA, nanoseconds: the first row of the bias table whose stamps the exchange has.

    Rows that need no airtime but the data's come first; a Duration is used where there are no stamps, and the airtime
    computed from length and rate where there is neither.
    """
    sifs, rts, cts, ack = (pl.col(name) for name in ("t_sifs", "t_rts", "t_cts", "t_ack"))
    if side == "receiver":
        handshake = [
            _elapsed("cts_ns", "data_ns") - sifs,
            _elapsed("rts_ns", "data_ns") - 2 * sifs - cts,
            _elapsed("rts_start_ns", "data_ns") - 2 * sifs - rts - cts,
            _elapsed("rts_ns", "ack_start_ns") - 3 * sifs - cts,
        ]
    else:
        handshake = [
            _elapsed("cts_ns", "ack_start_ns") - 2 * sifs,
            _elapsed("cts_ns", "ack_ns") - 2 * sifs - ack,
            _elapsed("cts_start_ns", "ack_start_ns") - 2 * sifs - cts,
        ]
    return pl.coalesce(
        *handshake,
        _elapsed("data_start_ns", "ack_start_ns") - sifs,
        _elapsed("data_start_ns", "ack_ns") - sifs - ack,
        nanoseconds("nav_rts_us") - 3 * sifs - cts - ack,
        nanoseconds("nav_cts_us") - 2 * sifs - ack,
        nanoseconds("data_airtime_us"),
    )


def plausible(t_data: pl.Expr) -> pl.Expr:
    """Guard: T_DATA lies between the airtimes at the highest and the lowest rate of the PHY, else no sample.

    Half the PLCP is allowed for at the short end (short preamble, greenfield format), one PLCP and SIFS per MPDU at the
    long end (bursts of fragments).
    """
    bits, plcp = 8 * _psdu_bytes(), pl.col("t_plcp")
    shortest = plcp // 2 + quotient(bits, pl.col("rate_max_bps")) * 1e9
    longest = pl.max_horizontal("mpdus", 1) * (plcp + pl.col("t_sifs")) + quotient(bits, pl.col("rate_min_bps")) * 1e9
    return t_data.is_between(shortest - TOLERANCE_NS, longest + TOLERANCE_NS).fill_null(False)


def _quantities(denominator: pl.Expr) -> dict[str, pl.Expr]:
    return {"samples": pl.lit(1, pl.Int64), "bits": 8 * pl.col("payload_bytes"), "cost_ns": denominator}


def _psdu_bytes() -> pl.Expr:
    """S + H: the MPDUs with header and FCS."""
    header = pl.col("header_bytes") * pl.max_horizontal("mpdus", 1)
    return pl.coalesce("length_bytes", pl.col("payload_bytes") + header)


def _rate(bits: str, time_ns: str) -> pl.Expr:
    """bit/s; unknown without a sample."""
    return pl.when(pl.col("samples") > 0, pl.col(time_ns) > 0, pl.col(bits) > 0).then(
        pl.col(bits) * 1e9 / pl.col(time_ns)
    )


def _elapsed(first: str, last: str) -> pl.Expr:
    return pl.col(last) - pl.col(first)


RT_WINF = Estimator(
    "rt_winf",
    "capacity from the time between RTS, CTS, DATA and ACK, available bandwidth from the idle share",
    "Barreto: XCP-Winf and RCP-Winf, sec. 3; Res, Barreto, Sargento, IEEE Globecom Workshops 2010",
    paper=Method(
        _paper,
        {"samples": states.link_sums(_paper_samples, QUANTITIES[:3], by_side=True), "reserved": idle.NAV},
    ),
    corrected=Method(
        _corrected,
        {
            "samples": states.link_sums(_corrected_samples, QUANTITIES, by_side=True),
            "busy": idle.airtime(with_access=True),
        },
        after=("saturation",),
    ),
)
