"""Ratios to a peer that ran beside: the figures that two machines, and two releases, can be compared by.

    python -m benchmarks.ratios         after `make bench`: compares with the last release
    python -m benchmarks.ratios --keep  makes them those of the last release

Each is a peer's time divided by that of winf, by the clock or by processor time: the more, the better.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

MEASURED = Path(__file__).parents[1] / "target" / "bench.json"
RELEASED = Path(__file__).parent / "released_ratios.json"

MAX_FALL = 0.15
"""Share by which a ratio may be lower than at the last release; runs on a busy machine differ by a tenth."""


def note(ratios: Mapping[str, float]) -> None:
    """Add ratios to those of this run of `make bench`."""
    MEASURED.parent.mkdir(exist_ok=True)
    MEASURED.write_text(json.dumps({**_read(MEASURED), **ratios}, indent=1) + "\n", encoding="utf-8")


def fallen(measured: Mapping[str, float], released: Mapping[str, float]) -> list[str]:
    """A line for each ratio of the release that is missing, or lower by more than :data:`MAX_FALL`."""
    lines = []
    for name, before in released.items():
        now = measured.get(name)
        if now is None:
            lines.append(f"{name}: not measured; {before:.3g} at the last release")
        elif now < (1 - MAX_FALL) * before:
            lines.append(f"{name}: {now:.3g}, {before:.3g} at the last release ({now / before - 1:+.0%})")
    return lines


def main() -> None:
    """Compare, or keep; exit code 1 if a ratio fell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true")
    measured = _read(MEASURED)
    if not measured:
        sys.exit(f"{MEASURED}: nothing measured yet; run `make bench`.")
    if parser.parse_args().keep:
        RELEASED.write_text(json.dumps(dict(sorted(measured.items())), indent=1) + "\n", encoding="utf-8")
        return
    released = _read(RELEASED)
    for name, now in measured.items():
        print(f"{name:60}{now:10.3g}{released.get(name, float('nan')):10.3g}")
    if lines := fallen(measured, released):
        sys.exit("\nfell by more than 15 %:\n" + "\n".join(lines))


def _read(path: Path) -> dict[str, float]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


if __name__ == "__main__":
    main()
