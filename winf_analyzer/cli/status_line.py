"""Lines on standard error, coloured on a terminal, without Rich: it takes longer to load than many commands run."""

from __future__ import annotations

import os
import sys

_CODES = {"dim": "2", "yellow": "33", "red": "31", "bold red": "1;31"}
"""Graphic renditions of ECMA-48 (SGR) by style."""


def write_line(text: str, style: str = "") -> None:
    """Write a line; without a style, or where colours are not wanted, as it is.

    Raises:
        OSError: standard error cannot be written.
    """
    code = _CODES[style] if style and _is_coloured() else ""
    sys.stderr.write(f"\x1b[{code}m{text}\x1b[0m\n" if code else f"{text}\n")
    sys.stderr.flush()


def _is_coloured() -> bool:
    """Whether standard error is a terminal that shows colours, and the user wants them (https://no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (
        sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb", "unknown")
    )
