"""Tables of one recording without a dataset: Arrow streams, decoded as they are read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from winf_analyzer import _core
from winf_analyzer._core import TableStream
from winf_analyzer._ingest.decoding import Decoding


def read_frames(
    path: str | os.PathLike[str],
    *,
    observer: str | None = None,
    decoder: str = "native",
    keys: Iterable[str] = (),
) -> TableStream:
    """The ``frames`` table of a recording.

    Any consumer of the Arrow PyCapsule interface takes it: ``polars.DataFrame(read_frames(path))``. Each consumer
    decodes the recording anew, in bounded memory. Arguments and the errors about them are those of `ingest`.

    Raises (when consumed):
        winf_analyzer._core.UnusableRecording: the file is no recording.
        OSError: it cannot be read.
    """
    return _core.frames(path, Path(path).name, observer=observer, **Decoding.checked(decoder, keys).arguments())


def read_exchanges(
    path: str | os.PathLike[str],
    *,
    observer: str | None = None,
    decoder: str = "native",
    keys: Iterable[str] = (),
) -> TableStream:
    """The ``exchanges`` table of a recording; otherwise like `read_frames`."""
    return _core.exchanges(path, Path(path).name, observer=observer, **Decoding.checked(decoder, keys).arguments())
