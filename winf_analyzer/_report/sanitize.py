"""Escaping of text from recordings, such as SSIDs and file names, which an attacker may choose.

The template engine escapes HTML. This module covers what it does not: control and bidirectional characters,
and the content of a script element. The scripts of the page put text into text nodes and attributes only.
"""

from __future__ import annotations

import json
import math
import unicodedata
from typing import Any

from markupsafe import Markup

from winf_analyzer._util.format import escaped

SIGNIFICANT_DIGITS = 5
"""Digits of values in figures."""


def escape_controls(text: str) -> str:
    r"""Replace control and bidirectional characters with escapes such as ``\x1b`` or ``\u202e``."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or unicodedata.category(c) == "Zs" else escaped(c) for c in text)


def script_json(value: Any) -> Markup:
    """JSON for a script element; it cannot end the element or a string literal."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 (escaped above)


def round_significant(value: float | None) -> float | None:
    """Round to :data:`SIGNIFICANT_DIGITS`; None if the value is not finite."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
