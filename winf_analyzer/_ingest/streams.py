"""Tables of one recording without a dataset, as Arrow streams that are decoded while they are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from winf_analyzer import _core
from winf_analyzer._ingest.decoding import Decoding, Tshark, check_observer
from winf_analyzer._util.errors import UnusableInput
from winf_analyzer._util.format import given_path, path_text


@dataclass(frozen=True)
class TableOfRecording:
    """A table of a recording; every Arrow consumer that asks for a stream decodes it anew."""

    stream: _core.TableStream

    def __arrow_c_stream__(self, requested_schema: Any | None = None) -> Any:
        """The Arrow PyCapsule interface.

        Raises:
            UnusableInput: the file cannot be read, or is not a recording.
        """
        try:
            return self.stream.__arrow_c_stream__(requested_schema)
        except _core.UnusableRecording as error:
            raise UnusableInput(str(error)) from None
        except OSError as error:
            raise UnusableInput(str(error.strerror or error)) from error  # which names the file


def read_frames(
    path: str | os.PathLike[str],
    *,
    observer: str | None = None,
    decoder: str | Tshark = "native",
    keys: Iterable[str] = (),
) -> TableOfRecording:
    """The ``frames`` table of a recording.

    Any consumer of the Arrow PyCapsule interface accepts it: ``polars.DataFrame(read_frames(path))``. Each consumer
    decodes the recording again, in bounded memory. Arguments and their errors are those of `ingest`.

    Raises:
        UnusableInput: when it is consumed: the file cannot be read, or is not a recording.
    """
    return _table(_core.frames, path, observer, decoder, keys)


def read_exchanges(
    path: str | os.PathLike[str],
    *,
    observer: str | None = None,
    decoder: str | Tshark = "native",
    keys: Iterable[str] = (),
) -> TableOfRecording:
    """The ``exchanges`` table of a recording; otherwise like `read_frames`."""
    return _table(_core.exchanges, path, observer, decoder, keys)


def _table(
    table: Callable[..., _core.TableStream],
    path: str | os.PathLike[str],
    observer: str | None,
    decoder: str | Tshark,
    keys: Iterable[str],
) -> TableOfRecording:
    file, decoding = given_path(path), Decoding.validated(decoder, keys)
    check_observer(observer)
    return TableOfRecording(table(file, path_text(file.name), observer=observer, **decoding.arguments()))
