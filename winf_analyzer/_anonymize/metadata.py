"""What ``dataset.json`` may say of the recordings of a published dataset."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from winf_analyzer import _core
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._schema import FORMAT_VERSION

SCHEME = "winf pseudonyms 2"
"""How the pseudonyms are made; another number when the same key gives others."""

FACTS = frozenset(
    (
        "container", "byte order", "resolution", "link type", "snap length", "fcs", "encapsulation", "compression",
        "direction", "phy", "convention", "decoder", "check", "verdict", "consequence", "code",
    )
)  # fmt: skip
"""Keys whose texts winf itself writes and that identify nobody."""

OF_A_FILE = ("path", "folder", "sha256", "bytes", "mtime_ns")
"""What finds a recording's file again: where it lies, its content, its exact size, which any listing of a folder shows,
and when it was written, which is when the recording ended."""

INSTANTS = frozenset(("first_ns", "last_ns"))


def published(dataset: Dataset, files: Callable[[str], str], station: Callable[[str], str], shift_ns: int,
              **settings: Any) -> dict[str, Any]:  # fmt: skip
    """The metadata of the published dataset: numbers and winf's own words; no file, host, command or message."""
    facts = _Facts(station, shift_ns)
    inputs = [
        {
            **facts.of(entry),
            "source": files(str(entry["source"])),
            **dict.fromkeys(OF_A_FILE),
            "part": entry.get("part"),
        }
        for entry in dataset.metadata.get("inputs", [])
    ]
    replays = {
        files(name): {
            **facts.of(entry),
            "doubts": [{**facts.of(doubt), "source": files(str(doubt["source"]))} for doubt in entry.get("doubts", [])],
        }
        for name, entry in dataset.metadata.get("replays", {}).items()
    }
    return {
        "format_version": FORMAT_VERSION,
        "tool_version": _core.__version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": "winf anonymize",
        "parameters": facts.of(dataset.metadata.get("parameters", {})),
        "inputs": inputs,
        "skipped": [],
        "truth": [],
        "replays": replays,
        "anonymized": {"scheme": SCHEME, **settings},
    }


class _Facts:
    """Removes every text that winf did not write itself."""

    def __init__(self, station: Callable[[str], str], shift_ns: int) -> None:
        self._station = station
        self._shift_ns = shift_ns

    def of(self, value: Any, key: str = "") -> Any:
        """The value without other texts: null in their place."""
        match value:
            case dict():
                return {name: self.of(each, name) for name, each in value.items()}
            case list():
                return [self.of(each, key) for each in value]
            case str() if key == "observer":
                return self._station(value)
            case str():
                return value if key in FACTS else None
            case int() if key in INSTANTS:
                return value - self._shift_ns
            case _:
                return value
