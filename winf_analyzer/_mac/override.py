"""MAC parameters set by the user: `slot_us=20,vo.cw_min=3`, or a TOML file."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from winf_analyzer._mac.schema import ACCESS_CATEGORIES, DCF, Row
from winf_analyzer._util.errors import UsageError
from winf_analyzer._util.toml_files import read_toml

MAX_FILE_BYTES = 1 << 20

LIMITS: dict[str, tuple[float, float]] = {
    "slot_us": (1, 1000),
    "sifs_us": (1, 1000),
    "aifs_us": (1, 10_000),
    "aifsn": (1, 255),
    "cw_min": (0, 32_767),
    "plcp_us": (0, 10_000),
    "rts_us": (0, 10_000),
    "cts_us": (0, 10_000),
    "ack_us": (0, 10_000),
    "header_bytes": (0, 1000),
}
"""Parameters that can be set, and their limits."""

CATEGORIES = (*ACCESS_CATEGORIES, DCF)

Override = str | Path | Mapping[str, Any] | None
"""Assignments, a TOML file, or the content of such a file."""


def parse_override(override: Override) -> list[Row]:
    """Rows of `mac_parameters` that override all others.

    Args:
        override: `name=value` pairs separated by commas, a name optionally prefixed with an access category
            (`vo.cw_min`); or the path of a TOML file, or its content as a mapping, with such names, tables
            `[be]` to `[vo]` and `[dcf]`, and the same for one station in `[station."aa:bb:cc:dd:ee:ff"]`.

    Raises:
        ValueError: an unknown name, a value out of bounds, or a file that is not TOML; the message names it.
    """
    if override is None:
        return []
    if isinstance(override, Mapping):
        return _rows_of_table(override)
    text = str(override)
    if "=" in text and not Path(text).is_file():
        return _rows_of_assignments(text)
    try:
        return _rows_of_table(read_toml(Path(override), "file of MAC parameters", MAX_FILE_BYTES))
    except UsageError as error:
        raise ValueError(f"{error} {_USAGE}") from None


_USAGE = "Write slot_us=20,cw_min=15, or name a TOML file."


def _rows_of_assignments(text: str) -> list[Row]:
    rows = []
    for assignment in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = assignment.partition("=")
        category, dot, parameter = name.strip().rpartition(".")
        try:
            number = float(value)
        except ValueError:
            raise ValueError(f"{assignment!r}: not a parameter and a number. {_USAGE}") from None
        if not equals or (dot and category not in CATEGORIES):
            raise ValueError(f"{assignment!r}: {category!r} is not one of {', '.join(CATEGORIES)}.")
        rows.append(_row(parameter, number, category=category or None))
    return rows


def _rows_of_table(content: Mapping[str, Any], station: str | None = None) -> list[Row]:
    rows: list[Row] = []
    for name, value in content.items():
        if name in CATEGORIES and isinstance(value, Mapping):
            rows += [_row(parameter, number, station, name) for parameter, number in value.items()]
        elif name == "station" and station is None and isinstance(value, Mapping):
            for address, table in value.items():
                if not isinstance(table, Mapping):
                    raise ValueError(f"station {address}: not a table of parameters.")
                rows += _rows_of_table(table, address.lower())
        else:
            rows.append(_row(name, value, station))
    return rows


def _row(parameter: str, value: Any, station: str | None = None, category: str | None = None) -> Row:
    if parameter not in LIMITS:
        raise ValueError(f"{parameter!r} is not one of {', '.join(LIMITS)}.")
    low, high = LIMITS[parameter]
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    if not low <= number <= high:
        raise ValueError(f"{parameter} = {value!r} is not a number from {low:g} to {high:g}.")
    return Row(station=station, access_category=category, parameter=parameter, value=float(number), origin="given")
