"""TOML files of bounded size, which whoever made a folder may have written."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from winf_analyzer._util.errors import UsageError


def read_toml(path: Path, kind: str, max_bytes: int) -> dict[str, Any]:
    """The content of a file.

    Args:
        path: the file; of those that nobody named only regular ones, since a pipe would be waited for.
        kind: what it is to be, for the message.
        max_bytes: of a device there may be no end.

    Raises:
        UsageError: it cannot be read, is larger, or is not TOML; one sentence.
    """
    try:
        with path.open("rb") as file:
            octets = file.read(max_bytes + 1)
        if len(octets) > max_bytes:
            size = f"{max_bytes >> 20} MiB" if max_bytes >= 1 << 20 else f"{max_bytes >> 10} KiB"
            raise UsageError(f"{path}: larger than {size}, which no {kind} is.")
        return tomllib.loads(octets.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason: object = (error.strerror if isinstance(error, OSError) else None) or error
    except RecursionError:
        reason = "nested too deeply"
    raise UsageError(f"{path}: cannot be read as a {kind}: {reason}.")
