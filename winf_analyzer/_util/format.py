"""Text formats of values for tables and messages."""

from typing import Any


def format_value(value: Any) -> str:
    """A value as text: at most 6 significant digits, control characters escaped, null as a dash."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in str(value))
