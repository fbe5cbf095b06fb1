"""The columns of ``frames`` as tshark sees them: its fields, with nothing but their notation changed."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import polars as pl

TESTED = "4.0"
"""The version that the list of differences is about."""

FIELDS = {
    "ts_ns": "frame.time_epoch",
    "record_bytes": "frame.len",
    "captured_bytes": "frame.cap_len",
    "protocols": "frame.protocols",
    "radiotap_bytes": "radiotap.length",
    "avs_bytes": "wlancap.length",
    "ppi_bytes": "ppi.length",
    "radiotap_version": "radiotap.version",
    "flags": "radiotap.flags",
    "tsft_us": "wlan_radio.timestamp",
    "channel_mhz": "radiotap.channel.freq",
    "radio_channel_mhz": "wlan_radio.frequency",
    "signal_dbm": "radiotap.dbm_antsignal",
    "radio_signal_dbm": "wlan_radio.signal_dbm",
    "radio_channel": "wlan_radio.channel",
    "radio_phy": "wlan_radio.phy",
    "rate_mbps": "wlan_radio.data_rate",
    "duration_us": "wlan_radio.duration",
    "aggregate": "wlan_radio.aggregate",
    "short_preamble": "wlan_radio.short_preamble",
    "short_preamble_assumed": "wlan_radio.assumed.short_preamble",
    "ht_mcs": "wlan_radio.11n.mcs_index",
    "ht_bandwidth": "wlan_radio.11n.bandwidth",
    "ht_short_gi": "wlan_radio.11n.short_gi",
    "ht_stbc": "wlan_radio.11n.stbc_streams",
    "ht_greenfield": "wlan_radio.11n.greenfield",
    "ht_ness": "wlan_radio.11n.ness",
    "ht_fec": "wlan_radio.11n.fec",
    "radiotap_mcs": "radiotap.mcs.index",
    "knows_guard": "radiotap.mcs.have_gi",
    "vht_mcs": "wlan_radio.11ac.mcs",
    "vht_nss": "wlan_radio.11ac.nss",
    "vht_bandwidth": "wlan_radio.11ac.bandwidth",
    "vht_short_gi": "wlan_radio.11ac.short_gi",
    "vht_stbc": "wlan_radio.11ac.stbc",
    "vht_fec": "wlan_radio.11ac.fec",
    "ldpc_extra": "wlan_radio.11ac.ldpc_extra_ofdm_symbol",
    "he_known": "radiotap.he.data_1",
    "he_known2": "radiotap.he.data_2",
    "he_data3": "radiotap.he.data_3",
    "he_data5": "radiotap.he.data_5",
    "he_data6": "radiotap.he.data_6",
    "mac_version": "wlan.fc.version",
    "subtype": "wlan.fc.type_subtype",
    "ra": "wlan.ra",
    "ta": "wlan.ta",
    "sa": "wlan.sa",
    "da": "wlan.da",
    "bssid": "wlan.bssid",
    "seq": "wlan.seq",
    "frag": "wlan.frag",
    "retry": "wlan.fc.retry",
    "more_frag": "wlan.fc.frag",
    "protected": "wlan.fc.protected",
    "to_ds": "wlan.fc.tods",
    "from_ds": "wlan.fc.fromds",
    "nav_us": "wlan.duration",
    "beacon_tsf_us": "wlan.fixed.timestamp",
    "qos_tid": "wlan.qos.tid",
    "block_ack_control": "wlan.ba.control",
    "fcs": "wlan.fcs",
    "fcs_status": "wlan.fcs.status",
}


PROBE_RESPONSE, BEACON = 5, 8


def is_installed() -> bool:
    """True where there is a tshark."""
    return shutil.which("tshark") is not None


def version() -> str:
    """Its version, like ``4.0.17``."""
    words = subprocess.run(["tshark", "--version"], capture_output=True, text=True, check=True).stdout.split()
    return next(word for word in words if word[0].isdigit())


def frames(capture: Path, *, assume_fcs: bool) -> pl.DataFrame | None:
    """tshark's view of a capture, one row per frame; None where it finds no frames in it.

    Args:
        capture: the file.
        assume_fcs: frames of which nothing says whether they end with their FCS do.
    """
    printed = _printed(capture, assume_fcs=assume_fcs)
    if not printed:
        return None
    raw = pl.read_csv(
        io.BytesIO(printed),
        separator="\t",
        has_header=False,
        quote_char=None,
        new_columns=list(FIELDS),
        schema_overrides=[pl.String] * len(FIELDS),
        encoding="utf8-lossy",
        truncate_ragged_lines=True,
    )
    return raw.select(*_columns())


def _printed(capture: Path, *, assume_fcs: bool) -> bytes:
    """What tshark prints with its settings as installed, whatever the user's are."""
    command = ["tshark", "-n", "-r", str(capture.resolve()), "-T", "fields", "-E", "occurrence=f"]
    command += ["-o", "wlan.check_checksum:TRUE", "-o", f"wlan.check_fcs:{str(assume_fcs).upper()}"]
    for field in FIELDS.values():
        command += ["-e", field]
    with tempfile.TemporaryDirectory() as settings:
        environment = {**os.environ, "WIRESHARK_CONFIG_DIR": settings, "LC_ALL": "C"}
        # A capture that is cut short ends it with an error, after the frames.
        return subprocess.run(command, capture_output=True, env=environment, check=False).stdout


def number(name: str) -> pl.Expr:
    """A field as an integer, decimal or with 0x in front."""
    text = pl.col(name)
    digits = text.str.strip_prefix("0x")
    hexadecimal = digits.str.to_integer(base=16, strict=False)
    return pl.when(text.str.starts_with("0x")).then(hexadecimal).otherwise(text.str.to_integer(strict=False))


def truth(name: str) -> pl.Expr:
    """A field as a truth value: 0 and 1 in Wireshark 4.0, words in later versions."""
    return pl.col(name).replace_strict({"1": True, "True": True, "0": False, "False": False}, default=None)


def _columns() -> list[pl.Expr]:
    addresses = [pl.col(name) for name in ("ra", "ta", "sa", "da", "bssid")]
    flags = [truth(name) for name in ("retry", "more_frag", "protected", "to_ds", "from_ds")]
    numbers = [number(name) for name in ("tsft_us", "subtype", "seq", "frag", "nav_us")]
    # Other frames with this field are not of interest, such as Timing Advertisements.
    of_beacon = pl.when(number("subtype").is_in([PROBE_RESPONSE, BEACON])).then(number("beacon_tsf_us"))
    context = [
        number(name) for name in ("radiotap_version", "mac_version", "fcs", "ht_ness", "ht_stbc", "radiotap_mcs")
    ]
    return [
        *addresses,
        *flags,
        *numbers,
        of_beacon.alias("beacon_tsf_us"),
        *context,
        pl.col("protocols"),
        truth("knows_guard"),
        truth("ht_greenfield"),
        truth("vht_stbc"),
        truth("ldpc_extra"),
        pl.coalesce(truth("ht_fec"), truth("vht_fec"), _he_ldpc()).alias("ldpc"),
        pl.col("aggregate").is_not_null().alias("is_aggregate"),
        truth("short_preamble"),
        pl.col("short_preamble_assumed").is_not_null(),
        _stamp().alias("ts_ns"),
        pl.coalesce(number("channel_mhz"), number("radio_channel_mhz"), _numbered_channel()).alias("channel_mhz"),
        pl.coalesce(number("signal_dbm"), number("radio_signal_dbm")).alias("signal_dbm"),
        _tid().alias("tid"),
        _fcs_ok().alias("fcs_ok"),
        _length().alias("length_bytes"),
        _recorded().alias("recorded_bytes"),
        _pad().alias("pad_bytes"),
        pl.col("rate_mbps").cast(pl.Float64, strict=False),
        number("duration_us").cast(pl.Float64).alias("airtime_us"),
        *_modulation(),
    ]


def _he_ldpc() -> pl.Expr:
    """Wireshark shows the words of the HE field."""
    is_known = number("he_known") // 0x80 % 2 == 1
    return pl.when((number("radio_phy") == 11) & is_known).then(number("he_data3") // 0x2000 % 2 == 1)


def _stamp() -> pl.Expr:
    """Seconds with nine decimals or more: the digits behind the point are nanoseconds."""
    seconds, fraction = (pl.col("ts_ns").str.split(".").list.get(part, null_on_oob=True) for part in (0, 1))
    nanoseconds = fraction.str.to_integer(strict=False)
    sign = pl.when(seconds.str.starts_with("-")).then(-1).otherwise(1)
    return seconds.str.to_integer(strict=False) * 1_000_000_000 + sign * nanoseconds


def _numbered_channel() -> pl.Expr:
    """Prism headers have the number of a 2.4 GHz channel."""
    channel = number("radio_channel")
    return pl.when(channel.is_between(1, 13)).then(2407 + 5 * channel)


def _tid() -> pl.Expr:
    """Of QoS data, and of BlockAcks and their requests with one TID."""
    control = number("block_ack_control")
    has_one = ((control // 2) % 16).is_in([0, 1, 2, 6])
    return pl.coalesce(number("qos_tid"), pl.when(has_one).then(control // 4096))


def _fcs_ok() -> pl.Expr:
    """tshark's check, or the receiver's verdict in the radiotap flags; a third status says that it did not check."""
    status = pl.col("fcs_status").replace_strict({"0": False, "1": True}, default=None)
    is_marked_bad = (number("flags") // 0x40 % 2 == 1).fill_null(value=False)
    return pl.when(is_marked_bad).then(statement=False).otherwise(status)


def _length() -> pl.Expr:
    """The frame with its FCS and without the headers in front of it."""
    return _recorded() + pl.when(_has_fcs()).then(0).otherwise(4)


def _pad() -> pl.Expr:
    """Octets that the recorder put behind the header of data, so that the body begins at a multiple of four."""
    is_padded = number("flags") // 0x20 % 2 == 1
    subtype = number("subtype")
    is_qos, has_four_addresses = subtype.is_between(0x28, 0x2F), truth("to_ds") & truth("from_ds")
    header = 24 + pl.when(has_four_addresses).then(6).otherwise(0) + pl.when(is_qos).then(2).otherwise(0)
    return pl.when(is_padded & subtype.is_between(0x20, 0x2F)).then(-header % 4).otherwise(0)


def _has_fcs() -> pl.Expr:
    return pl.col("fcs").is_not_null() | (number("flags") // 0x10 % 2 == 1).fill_null(value=False)


def _recorded() -> pl.Expr:
    """Octets of the frame in the record. Of a header that is longer than the record, nobody knows what is behind."""
    outer = pl.col("protocols").str.replace(":wlan_radio", "").str.split(":").list.first()
    header = (
        pl.when(outer.is_in(["wlan", "wlan_radio"])).then(0)
        .when(outer == "radiotap").then(number("radiotap_bytes"))
        .when((outer == "prism") & pl.col("avs_bytes").is_null()).then(144)
        .when(outer == "ppi").then(number("ppi_bytes"))
        .when(pl.col("avs_bytes").is_not_null()).then(number("avs_bytes"))
        .when(outer == "sll").then(16 + number("radiotap_bytes"))
    )  # fmt: skip
    return pl.when(header <= number("captured_bytes")).then(number("record_bytes") - header)


def _modulation() -> list[pl.Expr]:
    """PHY, MCS, streams, bandwidth and guard interval, from the fields of each PHY."""
    phy, rate = number("radio_phy"), pl.col("rate_mbps").cast(pl.Float64, strict=False)
    dsss = pl.when(rate < 5).then(pl.lit("dsss")).otherwise(pl.lit("hr_dsss"))
    is_dsss = rate.is_in([1.0, 2.0, 5.5, 11.0])
    he_code = number("he_data5") % 16
    knows = {name: number("he_known") // bit % 2 == 1 for name, bit in {"mcs": 0x20, "bandwidth": 0x4000}.items()}
    knows_guard = number("he_known2") // 2 % 2 == 1
    is_ht, is_vht, is_he = (phy == code for code in (7, 8, 11))
    widths = {20: [0, 2, 3, *range(7, 11), *range(18, 26)], 40: [1, 5, 6, *range(14, 18)], 80: [4, 12, 13], 160: [11]}
    vht_width = {str(code): mhz for mhz, codes in widths.items() for code in codes}
    he_guard = (number("he_data5") // 16 % 4).replace_strict({0: 800, 1: 1600, 2: 3200}, default=None)
    return [
        pl.when(is_dsss & phy.is_in([4, 6])).then(dsss)
        .when(phy == 4).then(dsss)
        .when(phy == 5).then(pl.lit("ofdm"))
        .when(phy == 6).then(pl.lit("erp"))
        .when(is_ht).then(pl.lit("ht"))
        .when(is_vht).then(pl.lit("vht"))
        .when(is_he).then(pl.lit("he"))
        .alias("phy"),
        pl.when(is_ht).then(number("ht_mcs"))
        .when(is_vht).then(number("vht_mcs"))
        .when(is_he & knows["mcs"]).then(number("he_data3") // 256 % 16)
        .alias("mcs"),
        pl.when(is_ht & (number("ht_mcs") < 32)).then(number("ht_mcs") // 8 + 1)
        .when(is_vht).then(number("vht_nss"))
        .when(is_he).then(number("he_data6") % 16)
        .alias("nss"),
        pl.when(is_ht).then(pl.col("ht_bandwidth").replace_strict({"0": 20, "1": 40, "2": 20, "3": 20}, default=None))
        .when(is_vht).then(pl.col("vht_bandwidth").replace_strict(vht_width, default=None))
        .when(is_he & knows["bandwidth"]).then(he_code.replace_strict({0: 20, 1: 40, 2: 80, 3: 160}, default=None))
        .alias("bandwidth_mhz"),
        pl.when(is_ht).then(_guard("ht_short_gi"))
        .when(is_vht).then(_guard("vht_short_gi"))
        .when(is_he & knows_guard).then(he_guard)
        .alias("guard_ns"),
    ]  # fmt: skip


def _guard(short: str) -> pl.Expr:
    return pl.when(truth(short)).then(400).when(truth(short).not_()).then(800)
