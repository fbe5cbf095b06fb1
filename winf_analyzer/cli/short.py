"""What is set for short recordings, before Polars loads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

SHORT_BYTES = 2 << 20
"""Of all files together. Of thirteen thousand frames no table is large enough to be shared among threads."""


def one_thread_if_short(inputs: Sequence[str]) -> None:
    """Polars starts no threads for files that are short: each of a thousand small queries would wait for them."""
    paths = [Path(each) for each in inputs]
    if all(path.is_file() for path in paths) and sum(path.stat().st_size for path in paths) <= SHORT_BYTES:
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
