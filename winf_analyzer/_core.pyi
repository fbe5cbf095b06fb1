"""Native half of winf_analyzer."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Final, final

__all__ = [
    "DEBUG_BUILD",
    "DecoderUnavailable",
    "Follower",
    "Rows",
    "TableStream",
    "UnusableRecording",
    "__version__",
    "check_decoder",
    "exchanges",
    "first_ns",
    "formats",
    "frames",
    "ingest",
    "merge",
    "recognize",
    "survey",
    "tables",
]

__version__: Final[str]
DEBUG_BUILD: Final[bool]

class DecoderUnavailable(Exception):
    """The decoder is not installed or too old; the message says what to do."""

class UnusableRecording(Exception):
    """Nothing in the input can be used; the message says why."""

@final
class Follower:
    """A recording that is still being written, into one part of a dataset after the other."""

    def __new__(cls, path: str | PathLike[str], source: str, part: str, *, observer: str | None = None) -> Follower: ...
    def complete(self, stopped: bool) -> None:
        """Takes the file's present end for its end; when the user stopped it, a cut record there is no damage."""

    def write_part(
        self,
        dataset: str | PathLike[str],
        seconds: float,
        most_frames: int,
        stop: Callable[[], bool],
    ) -> tuple[int, bool]:
        """Writes the next part below a dataset folder. Returns its number of frames, and whether more may follow."""

    def summary(self) -> str | None:
        """What was read so far as JSON, like that of `ingest`; None before the first part."""

@final
class Rows:
    """Rows that are all there, as a table for every Arrow consumer."""

    def __arrow_c_stream__(self, requested_schema: Any | None = None) -> Any:
        """The Arrow PyCapsule interface."""

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
    decoder: str = ...,
    keys: list[str] = ...,
) -> TableStream:
    """The `frames` table of a recording."""

def exchanges(
    path: str | PathLike[str],
    source: str,
    *,
    observer: str | None = None,
    decoder: str = ...,
    keys: list[str] = ...,
) -> TableStream:
    """The `exchanges` table of a recording."""

def survey(
    path: str | PathLike[str],
    source: str,
    *,
    observer: str | None = None,
    decoder: str = ...,
    keys: list[str] = ...,
) -> tuple[str, Rows, Rows]:
    """Reads a recording once: its facts as JSON, its first 65536 `exchanges`, and its `capabilities`."""

def ingest(
    path: str | PathLike[str],
    source: str,
    dataset: str | PathLike[str],
    part: str,
    *,
    observer: str | None = None,
    decoder: str = ...,
    keys: list[str] = ...,
) -> str:
    """Writes one recording's parts into a dataset folder and returns its summary as JSON."""

def check_decoder(decoder: str) -> None:
    """Fails with DecoderUnavailable where a decoder cannot be used here, with ValueError where there is none."""

def merge(recordings: Sequence[tuple[str | PathLike[str], str, str]], dataset: str | PathLike[str]) -> str:
    """Writes recordings of one channel, given as (path, source, part), into a dataset as one; returns JSON."""

def recognize(path: str | PathLike[str], *, decoder: str = ...) -> str | None:
    """The name of the format a file's content is in, or None where the decoder reads none such."""

def first_ns(path: str | PathLike[str]) -> int | None:
    """The time stamp of a recording's first frame in ns; None where its beginning holds no frame."""

def formats() -> list[tuple[str, str, str]]:
    """Every format that can be read: name, description, where it is implemented."""

def tables() -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    """Every table that is read from a recording: its name, what a row is, and its columns."""
