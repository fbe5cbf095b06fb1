"""Tables of one recording without a dataset, as Arrow streams that are decoded while they are read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from winf_analyzer import _core
from winf_analyzer._core import TableStream
from winf_analyzer._ingest.decoding import Decoding, Tshark
from winf_analyzer._util.format import path_text


def read_frames(
    path: str | os.PathLike[str],
    *,
    observer: str | None = None,
    decoder: str | Tshark = "native",
    keys: Iterable[str] = (),
) -> TableStream:
    """The ``frames`` table of a recording.

    Any consumer of the Arrow PyCapsule interface accepts it: ``polars.DataFrame(read_frames(path))``. Each consumer
    decodes the recording again, in bounded memory. Arguments and their errors are those of `ingest`.

    Raises (when consumed):
        winf_analyzer._core.UnusableRecording: the file is not a recording.
        OSError: it cannot be read.
    """
    return _core.frames(
        path, path_text(Path(path).name), observer=observer, **Decoding.validated(decoder, keys).arguments()
    )


def read_exchanges(
    path: str | os.PathLike[str],
    *,
    observer: str | None = None,
    decoder: str | Tshark = "native",
    keys: Iterable[str] = (),
) -> TableStream:
    """The ``exchanges`` table of a recording; otherwise like `read_frames`."""
    return _core.exchanges(
        path, path_text(Path(path).name), observer=observer, **Decoding.validated(decoder, keys).arguments()
    )
