"""The `mac_parameters` table: what was found out about each parameter, from where, and which value counts."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import polars as pl

Origin = Literal["given", "measured", "declared", "presumed"]
"""Where a value comes from: the user, the recorded air, an announcement of the network, or a preset."""

ORIGINS: tuple[Origin, ...] = get_args(Origin)
"""By rank: of the values of one parameter the first origin's counts."""

ACCESS_CATEGORIES = ("be", "bk", "vi", "vo")
"""EDCA access categories in the order of the ACI (9.4.2.28)."""

DCF = "dcf"
"""In place of an access category: frames without QoS Control contend by the DCF."""


class Column(NamedTuple):
    """One column of a table."""

    name: str
    dtype: pl.DataType
    meaning: str


MAC_PARAMETERS: tuple[Column, ...] = (
    Column("source", pl.String(), "the recording; null: any"),
    Column("observer", pl.String(), "whose radio recorded it; null: an anonymous sniffer, or any"),
    Column("station", pl.String(), "the station it holds for, or the BSSID that announced it; null: all"),
    Column("access_category", pl.String(), "be, bk, vi, vo, or dcf for frames without QoS; null: all"),
    Column("parameter", pl.String(), "what it is, unit included: slot_us, aifs_us, cw_min"),
    Column("value", pl.Float64(), "the value; a flag is 0 or 1"),
    Column("unit", pl.String(), "us, slots, bit/s, Mb/s, octets, or 1 for a share, a count or a flag"),
    Column("origin", pl.String(), "given, measured, declared or presumed"),
    Column("samples", pl.Int64(), "frames or gaps it rests on; null where nothing was counted"),
    Column("confidence", pl.Float64(), "probability of a measured value among the candidates, 0 to 1"),
    Column("used", pl.Boolean(), "it is the value that counts: given before measured, declared and presumed"),
)
"""Columns of the table."""

MAC_PARAMETERS_SCHEMA = pl.Schema({column.name: column.dtype for column in MAC_PARAMETERS})
"""Names and types of :data:`MAC_PARAMETERS`, in order."""

UNITS = {
    "slot_us": "us",
    "sifs_us": "us",
    "aifs_us": "us",
    "aifsn": "slots",
    "cw_min": "slots",
    "cw_max": "slots",
    "txop_limit_us": "us",
    "plcp_us": "us",
    "rts_us": "us",
    "cts_us": "us",
    "ack_us": "us",
    "header_bytes": "octets",
    "control_rate_mbps": "Mb/s",
    "rts_share": "1",
    "cts_self_share": "1",
    "short_preamble_share": "1",
    "mpdus_max": "1",
    "psdu_max_bytes": "octets",
    "short_slot": "1",
    "short_preamble": "1",
    "barker_preamble": "1",
    "use_protection": "1",
    "non_erp_present": "1",
    "ampdu_max_bytes": "octets",
    "amsdu_max_bytes": "octets",
    "ampdu_spacing_us": "us",
    "spatial_streams": "1",
}
"""Unit of every parameter there is."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row of the table, before it is known which value counts."""

    source: str | None = None
    observer: str | None = None
    station: str | None = None
    access_category: str | None = None
    parameter: str
    value: float
    origin: Origin
    samples: int | None = None
    confidence: float | None = None
