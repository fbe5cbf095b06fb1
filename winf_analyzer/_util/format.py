"""Values as a person reads them."""

from typing import Any


def show(value: Any) -> str:
    """A value for reading: no more digits than a person looks at, control characters made visible."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in str(value))
