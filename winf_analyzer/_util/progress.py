"""Progress callbacks of long runs."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called for each recording (before it is read) or run (when it is finished): name, 1-based number, total number."""
