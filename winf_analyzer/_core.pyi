"""Native half of winf_analyzer."""

from os import PathLike
from typing import Any, Final, final

__all__ = [
    "DEBUG_BUILD",
    "DecoderUnavailable",
    "TableStream",
    "UnusableRecording",
    "__version__",
    "check_decoder",
    "exchanges",
    "formats",
    "frames",
    "info",
    "ingest",
    "recognize",
    "tables",
]

__version__: Final[str]
DEBUG_BUILD: Final[bool]

class DecoderUnavailable(Exception):
    """The decoder is not installed or too old; the message says what to do."""

class UnusableRecording(Exception):
    """Nothing in the input can be used; the message says why."""

@final
class TableStream:
    """A table of one recording; every Arrow consumer that asks for a stream decodes it anew."""

    def __arrow_c_stream__(self, requested_schema: Any | None = None) -> Any:
        """The Arrow PyCapsule interface."""

def frames(
    path: str | PathLike[str],
    source: str,
    *,
    observer: str | None = None,
    decoder: str = "native",
    keys: list[str] = ...,
) -> TableStream:
    """The `frames` table of a recording."""

def exchanges(
    path: str | PathLike[str],
    source: str,
    *,
    observer: str | None = None,
    decoder: str = "native",
    keys: list[str] = ...,
) -> TableStream:
    """The `exchanges` table of a recording."""

def info(
    path: str | PathLike[str], *, observer: str | None = None, decoder: str = "native", keys: list[str] = ...
) -> str:
    """What a recording holds and how it is understood, as JSON."""

def ingest(
    path: str | PathLike[str],
    source: str,
    dataset: str | PathLike[str],
    part: str,
    *,
    observer: str | None = None,
    decoder: str = "native",
    keys: list[str] = ...,
) -> str:
    """Writes one recording's parts into a dataset folder and returns its summary as JSON."""

def check_decoder(decoder: str) -> None:
    """Fails with DecoderUnavailable where a decoder cannot be used here, with ValueError where there is none."""

def recognize(path: str | PathLike[str]) -> str | None:
    """The name of the format a file's content is in, or None."""

def formats() -> list[tuple[str, str, str]]:
    """Every format that can be read: name, description, where it is implemented."""

def tables() -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    """Every table that is read from a recording: its name, what a row is, and its columns."""
