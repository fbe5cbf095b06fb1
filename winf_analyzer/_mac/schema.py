"""The `mac_parameters` table: the known values of each parameter, their origins, and which one is used."""

from dataclasses import dataclass
from typing import Literal, get_args

Origin = Literal["given", "measured", "declared", "presumed"]
"""Origin of a value: the user, a measurement, an advertisement of the network, or a preset."""

ORIGINS: tuple[Origin, ...] = get_args(Origin)
"""Origins by rank: the value with the first origin is used."""

ACCESS_CATEGORIES = ("be", "bk", "vi", "vo")
"""EDCA access categories in the order of the ACI (9.4.2.28)."""

DCF = "dcf"
"""In place of an access category: frames without QoS Control contend with the DCF."""


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
"""Units of all parameters."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row of the table, without `unit` and `used`."""

    source: str | None = None
    observer: str | None = None
    station: str | None = None
    access_category: str | None = None
    parameter: str
    value: float
    origin: Origin
    samples: int | None = None
    confidence: float | None = None
