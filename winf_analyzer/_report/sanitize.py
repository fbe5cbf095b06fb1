"""Text from recordings made harmless: an SSID, a file name or a flow is whatever its sender wanted it to be.

HTML is escaped by the template engine. This module covers the other places where text turns into something else:
characters that reorder or hide what is shown, the markup that Plotly reads in labels, and a script element's content.
"""

from __future__ import annotations

import json
import math
import unicodedata
from typing import Any

from markupsafe import Markup

SIGNIFICANT_DIGITS = 5
"""Figures are rounded to this many: no drawing shows more."""


def visible(text: str) -> str:
    r"""Spell control and direction-changing characters as ``\x1b`` or ``\u202e``."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or unicodedata.category(c) == "Zs" else _spelled(c) for c in text)


def label(text: str) -> str:
    """Text for a Plotly label, which would otherwise read tags, entities and ``%{...}`` in it."""
    shown = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace("%{", "%&#123;")


def script_json(value: Any) -> Markup:
    """JSON that may stand in a script element: nothing in it can end the element or a string literal."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 (escaped above)


def rounded(value: float | None) -> float | None:
    """Round to the digits a figure shows; what is not finite is unknown."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")


def _spelled(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
