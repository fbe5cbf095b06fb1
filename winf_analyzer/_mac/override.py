"""Parameters that the user gives: `slot_us=20,vo.cw_min=3`, or a TOML file."""

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from winf_analyzer._mac.schema import ACCESS_CATEGORIES, DCF, Row

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
"""What may be given, and between which values."""

CATEGORIES = (*ACCESS_CATEGORIES, DCF)

Given = str | Path | Mapping[str, Any] | None
"""Assignments, a TOML file, or what such a file holds."""


def parse(given: Given) -> list[Row]:
    """Rows of `mac_parameters` that come before all others.

    Args:
        given: `name=value` pairs with commas in between, a name in front of which may stand an access category
            (`vo.cw_min`); or the path of a TOML file, or its content as a mapping, with such names, tables
            `[be]` to `[vo]` and `[dcf]`, and the same for one station in `[station."aa:bb:cc:dd:ee:ff"]`.

    Raises:
        ValueError: a name that does not exist, a value out of bounds, a file that is no TOML; the message says which.
    """
    if given is None:
        return []
    if isinstance(given, Mapping):
        return _of_tables(given)
    text = str(given)
    if "=" in text and not Path(text).is_file():
        return _of_assignments(text)
    try:
        content = tomllib.loads(Path(given).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"{text}: not read as MAC parameters: {reason}. {_USAGE}") from None
    return _of_tables(content)


_USAGE = "Write slot_us=20,cw_min=15, or name a TOML file."


def _of_assignments(text: str) -> list[Row]:
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


def _of_tables(content: Mapping[str, Any], station: str | None = None) -> list[Row]:
    rows: list[Row] = []
    for name, value in content.items():
        if name in CATEGORIES and isinstance(value, Mapping):
            rows += [_row(parameter, number, station, name) for parameter, number in value.items()]
        elif name == "station" and station is None and isinstance(value, Mapping):
            for address, table in value.items():
                if not isinstance(table, Mapping):
                    raise ValueError(f"station {address}: not a table of parameters.")
                rows += _of_tables(table, address.lower())
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
