"""Names that the user gives stations in a file.

``aliases.toml`` has a line per address::

"02:00:00:00:00:01" = "access point, room 12"
"02:00:00:00:01:01" = "my laptop"
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from winf_analyzer._util.errors import UsageError
from winf_analyzer._util.toml_files import read_toml

FILE = "aliases.toml"
"""Read from the folder in which the program runs, else from the user's configuration."""

MAX_BYTES = 2**20

_ADDRESS = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}|node-\d+")


def aliases(path: str | os.PathLike[str] | None = None) -> dict[str, str]:
    """Name by address.

    Args:
        path: the file; by default the one of the current folder, else that of the user; without any, no aliases.

    Raises:
        UsageError: the file cannot be read, or holds something else than addresses with names.
    """
    found = Path(path) if path is not None else next((place for place in _places() if place.is_file()), None)
    if found is None:
        return {}
    names = {}
    for address, name in read_toml(found, "list of aliases", MAX_BYTES).items():
        if not isinstance(name, str) or not _ADDRESS.fullmatch(address.lower()):
            raise UsageError(
                f'{found}: {address!a} is no address with a name; write "02:00:00:00:00:01" = "my laptop".'
            )
        names[address.lower()] = name
    return names


def _places() -> list[Path]:
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return [Path(FILE), Path(home) / "winf" / FILE]
