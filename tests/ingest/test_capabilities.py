"""The `capabilities` table against tshark's fields, frame by frame."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from folders import SAMPLES

from winf_analyzer import _core

FLAGS = {
    "ess": "wlan.fixed.capabilities.ess",
    "ibss": "wlan.fixed.capabilities.ibss",
    "short_preamble": "wlan.fixed.capabilities.short_preamble",
    "short_slot": "wlan.fixed.capabilities.short_slot_time",
    "non_erp_present": "wlan.erp_info.erp_present",
    "use_protection": "wlan.erp_info.use_protection",
    "barker_preamble": "wlan.erp_info.barker_preamble_mode",
}
NUMBERS = {
    "frame_no": "frame.number",
    "aci": "wlan.wfa.ie.wme.acp.aci",
    "aifsn": "wlan.wfa.ie.wme.acp.aifsn",
    "cw_min": "wlan.wfa.ie.wme.acp.cw.min",
    "cw_max": "wlan.wfa.ie.wme.acp.cw.max",
    "txop_limit": "wlan.wfa.ie.wme.acp.txop_limit",
    "tags": "wlan.tag.number",
    "ht_exponent": "wlan.ht.ampduparam.maxlength",
    "ht_density": "wlan.ht.ampduparam.mpdudensity",
    "ht_amsdu": "wlan.ht.capabilities.amsdu",
    "vht_mpdu": "wlan.vht.capabilities.maxmpdulength",
    "vht_exponent": "wlan.vht.capabilities.maxampdu",
    "he_extension": "wlan.ext_tag.he_mac_cap.max_a_mpdu_len_exp_ext",
    "country": "wlan.country_info.code",
    "environment": "wlan.country_info.environment",
    "first_channels": "wlan.country_info.fnm.fcn",
    "channels": "wlan.country_info.fnm.nc",
    "max_dbm": "wlan.country_info.fnm.mtpl",
}
ENVIRONMENTS = {0x20: "any", 0x4F: "outdoor", 0x49: "indoor", 0x58: "noncountry"} | {
    n: f"table E-{n}" for n in range(1, 6)
}
"""By the third octet of the Country String (9.4.2.8)."""
EDCA_PARAMETER_SET = 12
LARGEST_BYTES = 1_000_000
"""Larger captures would say the same, and take tshark long."""
SPACINGS_US = (0, 0.25, 0.5, 1, 2, 4, 8, 16)
MPDU_BYTES = (3895, 7991, 11454, None)


def captures(one_of: int) -> list[object]:
    """Everything with management frames: the project's own, and of third parties one in so many is not nightly."""
    shared = Path(os.environ.get("WINF_SHARED_CAPTURES", SAMPLES.parent.parent / "shared" / "captures"))
    files = [*SAMPLES.rglob("sniffer.pcap"), *shared.rglob("*")]
    small = (path for path in files if path.is_file() and path.stat().st_size <= LARGEST_BYTES)
    paths = sorted(path for path in small if _core.recognize(path) in {"pcap", "pcapng"})
    return [
        pytest.param(
            path,
            id=f"{path.parent.name}/{path.name}",
            marks=() if path.is_relative_to(SAMPLES) or not number % one_of else pytest.mark.nightly("every capture"),
        )
        for number, path in enumerate(paths)
    ]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize("capture", captures(8))
def test_announcements_are_those_of_tshark(capture, tmp_path):
    try:
        _, _, found = _core.survey(capture, capture.name)
    except _core.UnusableRecording:
        pytest.skip("no recording")
    rows = pl.DataFrame(found)
    if rows.is_empty():
        pytest.skip("nothing announced")
    shown = tshark(capture, tmp_path)
    assert {row["frame_no"]: expected(shown[row["frame_no"]]) for row in rows.iter_rows(named=True)} == {
        row["frame_no"]: announced(row, shown[row["frame_no"]]) for row in rows.iter_rows(named=True)
    }


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize("capture", captures(16))
def test_both_decoders_find_the_same(capture):
    """But for the EDCA Parameter Set element, which tshark does not take apart."""
    try:
        native, second = (announcements(capture, decoder) for decoder in ("native", "tshark"))
    except _core.UnusableRecording:
        pytest.skip("no recording")
    if native.is_empty() and second.is_empty():
        pytest.skip("nothing announced")
    edca = [name for name in native.columns if name[:3] in ("be_", "bk_", "vi_", "vo_")]
    known = second.filter(pl.col("be_aifsn").is_not_null())
    assert native.drop(edca).unique().sort(pl.all()).equals(second.drop(edca).unique().sort(pl.all()))
    assert known.join(native, on=native.columns, how="anti", nulls_equal=True).is_empty()


def announcements(capture: Path, decoder: str) -> pl.DataFrame:
    """What stations said, without when and how often."""
    found = pl.DataFrame(_core.survey(capture, capture.name, decoder=decoder)[2])
    said = found.drop("frames", "frame_no", "first_ns", "last_ns")
    return said.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String)).unique()


def tshark(capture: Path, settings: Path) -> dict[int, dict[str, list[str]]]:
    """Fields by frame number, each with all its occurrences."""
    fields = {**NUMBERS, **FLAGS}
    command = ["tshark", "-n", "-r", str(capture.resolve()), "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=;"]
    for field in fields.values():
        command += ["-e", field]
    environment = {**os.environ, "WIRESHARK_CONFIG_DIR": str(settings), "LC_ALL": "C"}
    printed = subprocess.run([*command, "wlan.fixed.capabilities"], capture_output=True, env=environment, check=False)
    lines = (line.split("\t") for line in printed.stdout.decode("utf-8", "replace").splitlines())
    by_name = (
        dict(zip(fields, ([v for v in value.split(";") if v] for value in line), strict=False)) for line in lines
    )
    return {int(row["frame_no"][0]): row for row in by_name}


def first(values: list[str]) -> int | None:
    """The first occurrence as an integer."""
    return {"True": 1, "False": 0}.get(values[0]) if values and values[0] in ("True", "False") else number(values)


def number(values: list[str]) -> int | None:
    return int(values[0], 0) if values else None


def expected(shown: dict[str, list[str]]) -> dict[str, object]:
    """What tshark shows, in the units of the table."""
    flags = {name: None if (bit := first(shown[name])) is None else bool(bit) for name in FLAGS}
    ht, density, amsdu = (first(shown[name]) for name in ("ht_exponent", "ht_density", "ht_amsdu"))
    mpdu, vht, he = (first(shown[name]) for name in ("vht_mpdu", "vht_exponent", "he_extension"))
    lengths = {
        "ampdu_max_bytes": longest_ampdu(ht, vht, he),
        "ampdu_spacing_us": None if density is None else SPACINGS_US[density],
        "amsdu_max_bytes": None if amsdu is None else 7935 if amsdu else 3839,
        "mpdu_max_bytes": None if mpdu is None else MPDU_BYTES[mpdu],
    }
    return flags | lengths | {"edca": edca_shown(shown), "country": country_shown(shown)}


def country_shown(shown: dict[str, list[str]]) -> tuple[object, ...] | None:
    """Code, environment, and subbands; of frames without damage each has one Country element."""
    code = (shown["country"] or [""])[0]
    if len(code) != 2 or not (code.isascii() and code.isalnum()):
        return None
    environment = ENVIRONMENTS.get(first(shown["environment"]))
    return (
        code,
        environment,
        *([int(value) for value in shown[name]] for name in ("first_channels", "channels", "max_dbm")),
    )


def longest_ampdu(ht: int | None, vht: int | None, he: int | None) -> int | None:
    if vht is not None:
        return 2 ** (20 + (he or 0)) - 1 if vht == 7 else 2 ** (13 + vht) - 1
    if ht is not None:
        return 2 ** (16 + (he or 0)) - 1 if ht == 3 else 2 ** (13 + ht) - 1
    return None


def edca_shown(shown: dict[str, list[str]]) -> list[tuple[int, ...]] | None:
    """AIFSN, CWmin, CWmax and TXOP limit of the four access categories; tshark has no fields of element 12."""
    names = ("aifsn", "cw_min", "cw_max", "txop_limit")
    if str(EDCA_PARAMETER_SET) in shown["tags"] or list(map(number, ([aci] for aci in shown["aci"][:4]))) != [
        0,
        1,
        2,
        3,
    ]:
        return None  # damaged frames without FCS name a category twice
    return list(zip(*(map(int, shown[name][:4]) for name in names), strict=True))


def announced(row: dict[str, object], shown: dict[str, list[str]]) -> dict[str, object]:
    """A row of the table in the same form."""
    names = (*FLAGS, "ampdu_max_bytes", "ampdu_spacing_us", "amsdu_max_bytes", "mpdu_max_bytes")
    edca = [
        (row[f"{ac}_aifsn"], row[f"{ac}_cw_min"], row[f"{ac}_cw_max"], (row[f"{ac}_txop_limit_us"] or 0) // 32)
        for ac in ("be", "bk", "vi", "vo")
    ]
    country = (
        row["country"],
        row["country_environment"],
        *(row[name] or [] for name in ("country_first_channels", "country_channels", "country_max_dbm")),
    )
    return {name: row[name] for name in names} | {
        "edca": edca if edca_shown(shown) is not None else None,
        "country": country if row["country"] is not None else None,
    }
