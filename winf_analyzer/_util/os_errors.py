"""What the system refused, where a library reports it in words of its own."""

from __future__ import annotations

import errno
import os
import re
import resource

_NUMBER = re.compile(r"\(os error (\d+)\)")
_OUT_OF_FILES = re.compile(r"too many open files", re.IGNORECASE)
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


def out_of_files(error: BaseException) -> str | None:
    """A sentence, if a library or the system says that no more files can be opened; None for every other error."""
    if getattr(error, "errno", None) not in (errno.EMFILE, errno.ENFILE) and not _OUT_OF_FILES.search(str(error)):
        return None
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return f"more than the {most} files that a process may open are needed at once. Raise the limit with `ulimit -n`."
