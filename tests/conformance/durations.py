"""How Wireshark 4.0 computes `wlan_radio.duration`, and how the standard has it, from the same columns.

Where the two rules differ, so do the two airtimes. That each follows its rule shows that nothing else differs.
"""

from __future__ import annotations

import polars as pl

from .ldpc import CODE_RATES, ht_symbols, vht_symbols

BITS_PER_SYMBOL = [26, 52, 78, 104, 156, 208, 234, 260]
"""Of one HT stream at 20 MHz, N_DBPS (802.11-2020, tables 19-27 ff.)."""

LONG_TRAINING_FIELDS = {1: 1, 2: 2, 3: 4, 4: 4}
"""By space-time streams, N_HTDLTF (table 19-12)."""

EXTENSION_FIELDS = {0: 0, 1: 1, 2: 2, 3: 4}
"""By extension spatial streams, N_HTELTF (table 19-13)."""


def theirs(column: str) -> pl.Expr:
    """A column of tshark's."""
    return pl.col(f"tshark_{column}")


def wireshark_us() -> pl.Expr:
    """Microseconds by Wireshark's rule."""
    recorded = theirs("recorded_bytes")
    ht = _preamble(_ht_preamble()) + _ht_data(_prior() + recorded) - _ht_data_or_none(_prior())
    vht = _preamble(_vht_preamble()) + _vht_data(_prior() + recorded) - _vht_data_or_none(_prior())
    return (
        pl.when(pl.col("phy").is_in(["dsss", "hr_dsss"])).then(_dsss(recorded))
        .when(pl.col("phy").is_in(["ofdm", "erp"])).then(_ofdm_symbols(recorded, theirs("rate_mbps")))
        .when(pl.col("phy") == "ht").then(ht)
        .when(pl.col("phy") == "vht").then(vht)
    )  # fmt: skip


def standard_us() -> pl.Expr:
    """Microseconds by the standard's equations, of the MPDU alone: at HT and VHT of an A-MPDU with nothing else."""
    octets = pl.col("length_bytes")
    delimited = octets + pl.when(pl.col("ampdu_ref").is_not_null() | (pl.col("phy") == "vht")).then(4).otherwise(0)
    extension = pl.when(pl.col("channel_mhz") < 3000).then(6).otherwise(0)
    dsss = pl.when(pl.col("preamble") == "short").then(96).otherwise(192) + 8 * octets / pl.col("rate_mbps")
    return (
        pl.when(pl.col("phy").is_in(["dsss", "hr_dsss"])).then(dsss)
        .when(pl.col("phy").is_in(["ofdm", "erp"])).then(_ofdm_symbols(octets, pl.col("rate_mbps")) + extension)
        .when(pl.col("phy") == "ht").then(_standard_ht(delimited, pl.col("preamble")) + extension)
        .when(pl.col("phy") == "vht").then(_standard_vht(delimited, theirs("ldpc_extra")))
    )  # fmt: skip


def ppdu_standard_us(extra: pl.Expr) -> pl.Expr:
    """Microseconds by the standard's equations, of the whole A-MPDU that a frame was recorded in.

    Every subframe has a delimiter; all but the last are padded to four octets (9.7.1). In VHT the last one is, too, but
    only into room that the symbols leave (10.12.6), so that its padding costs none.

    Args:
        extra: whether VHT-SIG-A tells of an extra LDPC symbol; null where it was not recorded.
    """
    subframe = pl.col("length_bytes") + 4
    padded = (subframe + 3) // 4 * 4
    octets = (padded.sum() - (padded - subframe).last()).over("ppdu_no")
    extension = pl.when(pl.col("channel_mhz") < 3000).then(6).otherwise(0)
    return (
        pl.when(pl.col("phy") == "ht").then(_standard_ht(octets, _ppdu_preamble()) + extension)
        .when(pl.col("phy") == "vht").then(_standard_vht(octets, extra))
    )  # fmt: skip


def _ppdu_preamble() -> pl.Expr:
    """A PPDU has one preamble. Radios call subframes greenfield of which they know nothing: a mixed one decides."""
    is_mixed = (pl.col("preamble") == "mixed").any().over("ppdu_no")
    return pl.when(is_mixed).then(pl.lit("mixed")).otherwise(pl.col("preamble"))


def _standard_ht(octets: pl.Expr, preamble: pl.Expr) -> pl.Expr:
    """802.11-2020, 19.4.3. In greenfield format the first training field takes 8 us."""
    mcs, is_wide = pl.col("mcs"), pl.col("bandwidth_mhz") == 40
    streams, stbc = mcs // 8 + 1, pl.col("stbc").fill_null(0)
    fields = (streams + stbc).replace_strict(LONG_TRAINING_FIELDS, default=None)
    preamble_us = pl.when(preamble == "greenfield").then(20).otherwise(32) + 4 * fields
    stream_bits = (mcs % 8).replace_strict(dict(enumerate(BITS_PER_SYMBOL)), default=None)
    bits_per_symbol = stream_bits * streams * pl.when(is_wide).then(108 / 52).otherwise(1.0)
    encoders = pl.when(is_wide & (bits_per_symbol > 1200)).then(2).otherwise(1)
    pair = pl.when(stbc > 0).then(2).otherwise(1)
    convolutional = ((8 * octets + 16 + 6 * encoders) / (bits_per_symbol * pair)).ceil() * pair
    code_rate = (mcs % 8).replace_strict(dict(enumerate(CODE_RATES)), default=None)
    symbols = (
        pl.when(pl.col("ldpc")).then(ht_symbols(octets, bits_per_symbol, code_rate, pair)).otherwise(convolutional)
    )
    short = (symbols * 3.6 / 4 - 1e-9).ceil() * 4
    data_us = pl.when((pl.col("guard_ns") == 400) & (preamble == "greenfield")).then(3.6 * symbols)
    data_us = data_us.when(pl.col("guard_ns") == 400).then(short).otherwise(4 * symbols)
    return preamble_us + data_us


def _standard_vht(octets: pl.Expr, extra: pl.Expr) -> pl.Expr:
    """802.11-2020, 21.4.3, with one encoder of the convolutional code."""
    pair = pl.when(pl.col("stbc") > 0).then(2).otherwise(1)
    streams = pl.col("nss") * pair
    fields = pl.when(streams > 1).then((streams + 1) // 2 * 2).otherwise(1)
    us_per_symbol = pl.when(pl.col("guard_ns") == 400).then(3.6).otherwise(4.0)
    bits_per_symbol = (pl.col("rate_mbps") * us_per_symbol).round()
    convolutional = ((8 * octets + 16 + 6) / (bits_per_symbol * pair)).ceil() * pair
    code_rate = pl.col("mcs").replace_strict(dict(enumerate(CODE_RATES)), default=None)
    coded = vht_symbols(octets, bits_per_symbol, code_rate, pair, extra)
    symbols = pl.when(pl.col("ldpc")).then(coded).otherwise(convolutional)
    return 36 + 4 * fields + (symbols * us_per_symbol / 4 - 1e-9).ceil() * 4


def _dsss(octets: pl.Expr) -> pl.Expr:
    """A preamble nobody recorded is taken for short, and in PPI the FCS counts twice."""
    preamble = pl.when(theirs("short_preamble").fill_null(value=True)).then(96).otherwise(192)
    again = pl.when(theirs("protocols").str.starts_with("ppi")).then(4).otherwise(0)
    return preamble + (8 * (octets + again) / theirs("rate_mbps")).ceil()


def _ofdm_symbols(octets: pl.Expr, rate_mbps: pl.Expr) -> pl.Expr:
    """Preamble and data symbols, without the signal extension of 2.4 GHz."""
    return 20 + 4 * ((16 + 8 * octets + 6) / (4 * rate_mbps)).ceil()


def _prior() -> pl.Expr:
    """Octets of the A-MPDU's subframes before this one, with delimiters and padding."""
    subframe = (theirs("recorded_bytes") + 3) // 4 * 4 + 4
    ampdu = theirs("is_aggregate").not_().cum_sum()  # the first subframe is not known for one
    return pl.when(theirs("is_aggregate")).then(subframe.cum_sum().over(ampdu) - subframe).otherwise(0)


def _preamble(us: pl.Expr) -> pl.Expr:
    """That of the first subframe."""
    return pl.when(_prior() > 0).then(0).otherwise(us)


def _ht_preamble() -> pl.Expr:
    streams = theirs("mcs") // 8 + 1 + theirs("ht_stbc").fill_null(0)
    fields = streams.replace_strict(LONG_TRAINING_FIELDS, default=None)
    extension = theirs("ht_ness").fill_null(0).replace_strict(EXTENSION_FIELDS, default=None)
    return pl.when(theirs("ht_greenfield")).then(24).otherwise(32) + 4 * (fields + extension)


def _ht_data(octets: pl.Expr) -> pl.Expr:
    """As for the convolutional code; short guard intervals are not rounded up to whole long ones."""
    mcs = theirs("mcs")
    encoders = pl.when(mcs.is_in([21, 22, 23, 28, 29, 30, 31])).then(2).otherwise(1)
    stream_bits = (mcs % 8).replace_strict(dict(enumerate(BITS_PER_SYMBOL)), default=None)
    width = pl.when(theirs("bandwidth_mhz") == 40).then(2).otherwise(1)
    stbc = pl.when(theirs("ht_stbc").fill_null(0) > 0).then(2).otherwise(1)
    bits_per_symbol = stream_bits * (mcs // 8 + 1) * width * stbc
    symbols = ((8 * octets + 16 + 6 * encoders) / bits_per_symbol).ceil() * stbc
    tenths = pl.when(theirs("guard_ns") == 400).then(36).otherwise(40)
    return ((symbols * tenths + 5) / 10).floor()


def _ht_data_or_none(octets: pl.Expr) -> pl.Expr:
    return pl.when(octets > 0).then(_ht_data(octets)).otherwise(0)


def _vht_preamble() -> pl.Expr:
    return 32 + 4 * theirs("nss") * pl.when(theirs("vht_stbc")).then(2).otherwise(1)


def _vht_data(octets: pl.Expr) -> pl.Expr:
    """By its own comment crude: bits by the data rate."""
    return ((8 * octets + 16) / theirs("rate_mbps")).floor()


def _vht_data_or_none(octets: pl.Expr) -> pl.Expr:
    return pl.when(octets > 0).then(_vht_data(octets)).otherwise(0)
