"""What a dataset holds already, by content and settings, is not made again.

The manifest says under ``made`` for each command: a fingerprint of what it read, of its settings and of the code, and
the parts that it wrote. A command that was killed, or is given twice, so goes on where the dataset is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from winf_analyzer._dataset import changes, manifest
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._util import code_identity
from winf_analyzer._util.errors import DatasetError


def fingerprint(dataset: Dataset, reads: Iterable[str], settings: Mapping[str, Any]) -> str:
    """A fingerprint of the tables that a command reads, of its settings, and of the code.

    Args:
        dataset: the dataset.
        reads: names of the tables that it reads.
        settings: everything else that its results depend on.
    """
    tables = set(reads)
    contents = sorted(part.sha256 for part in manifest.parts(dataset.metadata) if part.table in tables)
    return code_identity.fingerprint({**settings, "contents of tables": contents})


def made(dataset: Dataset, action: str, key: str) -> dict[str, Any] | None:
    """What a command noted when it made the same; None where it did not, or where its tables have changed since."""
    noted: dict[str, Any] | None = dataset.metadata.get("made", {}).get(action)
    if noted is None or noted["key"] != key:
        return None
    named = {part.path for part in manifest.parts(dataset.metadata)}
    if not named.issuperset(noted["parts"]):
        return None
    # The command that made it may have been killed after that.
    with suppress(DatasetError), changes.writing(dataset.path):
        pass
    return noted
