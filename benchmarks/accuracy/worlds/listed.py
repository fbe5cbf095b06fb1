"""The lists of worlds, each written down before any of its worlds was scored."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
LISTS = tuple(
    FOLDER / f"{name}.toml" for name in ("worlds", "common", "mixed", "traces", "everyday", "visits", "trades")
)
SECONDS = 6
"""How long a world is recorded if its options do not say."""


WITHOUT_TRUTH = ("home_n_and_g", "streams_n")
"""Their neighbours' TCP does not go on beside the filled link, which shows only when they are simulated."""


def worlds() -> list[dict[str, Any]]:
    """Of all lists: `name`, `options`, `list`, `simulator` where it is ns-2, and `recorder` where not all is recorded.

    Of a `recorder`: `begin` and `seconds` of the measured time, the share that the third station `missed`, and how many
    frames it misses in a row (`burst`).
    """
    return [
        world | {"list": path.stem}
        for path in LISTS
        for world in tomllib.loads(path.read_text(encoding="utf-8"))["worlds"]
    ]
