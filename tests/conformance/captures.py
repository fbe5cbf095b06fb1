"""Which captures are compared: the project's own, and third parties' where they are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from winf_analyzer import _core

ROOT = Path(__file__).resolve().parents[2]
CAPTURE_FORMATS = {"pcap", "pcapng"}


def samples() -> list[Path]:
    """Those of the repository."""
    return list(_captures(ROOT / "sample_captures"))


def third_parties() -> list[Path]:
    """Those beside the repository, or where WINF_SHARED_CAPTURES says."""
    folder = Path(os.environ.get("WINF_SHARED_CAPTURES", ROOT.parent / "shared" / "captures"))
    return list(_captures(folder))


def _captures(folder: Path) -> Iterator[Path]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return (path for path in files if _core.recognize(path) in CAPTURE_FORMATS)
