"""Native half of winf_analyzer."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Final, final

__all__ = [
    "DEBUG_BUILD",
    "TableStream",
    "UnusableRecording",
    "__version__",
    "exchanges",
    "formats",
    "frames",
    "info",
    "ingest",
    "merge",
    "recognize",
    "tables",
]

__version__: Final[str]
DEBUG_BUILD: Final[bool]

class UnusableRecording(Exception):
    """Nothing in the input can be used; the message says why."""

@final
class TableStream:
    """A table of one recording; every Arrow consumer that asks for a stream decodes it anew."""

    def __arrow_c_stream__(self, requested_schema: Any | None = None) -> Any:
        """The Arrow PyCapsule interface."""

def frames(path: str | PathLike[str], source: str, *, observer: str | None = None) -> TableStream:
    """The `frames` table of a recording."""

def exchanges(path: str | PathLike[str], source: str, *, observer: str | None = None) -> TableStream:
    """The `exchanges` table of a recording."""

def info(path: str | PathLike[str], *, observer: str | None = None) -> str:
    """What a recording holds and how it is understood, as JSON."""

def ingest(
    path: str | PathLike[str],
    source: str,
    dataset: str | PathLike[str],
    part: str,
    *,
    observer: str | None = None,
) -> str:
    """Writes one recording's parts into a dataset folder and returns its summary as JSON."""

def merge(recordings: Sequence[tuple[str | PathLike[str], str, str]], dataset: str | PathLike[str]) -> str:
    """Writes recordings of one channel, given as (path, source, part), into a dataset as one; returns JSON."""

def recognize(path: str | PathLike[str]) -> str | None:
    """The name of the format a file's content is in, or None."""

def formats() -> list[tuple[str, str, str]]:
    """Every format that can be read: name, description, where it is implemented."""

def tables() -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    """Every table that is read from a recording: its name, what a row is, and its columns."""
