"""The limit of files that a process may have open, where a library reports it in words of its own."""

from __future__ import annotations

import errno
import re
import resource

_WORDS = re.compile(r"too many open files", re.IGNORECASE)


def out_of_files(error: BaseException) -> str | None:
    """A sentence, if a library or the system says that no more files can be opened; None for every other error."""
    if getattr(error, "errno", None) not in (errno.EMFILE, errno.ENFILE) and not _WORDS.search(str(error)):
        return None
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return f"more than the {most} files that a process may open are needed at once. Raise the limit with `ulimit -n`."
