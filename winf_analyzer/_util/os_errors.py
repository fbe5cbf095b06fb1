"""What the system refused, where a library reports it in words of its own."""

from __future__ import annotations

import errno
import os
import re

_NUMBER = re.compile(r"\(os error (\d+)\)")
_UNNUMBERED = "Invalid thrift: transport error"
"""What Polars says when the header of a page or the footer of a Parquet file cannot be written."""


def as_os_error(error: Exception) -> OSError | None:
    """The `OSError` behind an exception of a library that wrote; None where it is another fault."""
    if isinstance(error, OSError) and error.errno is not None:
        return error
    if found := _NUMBER.search(str(error)):
        number = int(found[1])
        # The class follows from the number: BrokenPipeError for EPIPE.
        return OSError(number, os.strerror(number)) if number in errno.errorcode else None
    if _UNNUMBERED in str(error):
        return OSError(errno.EIO, "the disk is full or refused a write")
    return error if isinstance(error, OSError) else None
