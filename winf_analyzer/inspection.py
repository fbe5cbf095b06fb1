"""What a recording holds and how it is understood, without making a dataset."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from winf_analyzer import _core
from winf_analyzer.errors import UnusableInput
from winf_analyzer.inputs import recordings


def info(inputs: Iterable[str | os.PathLike[str]], *, observer: str | None = None) -> list[dict[str, Any]]:
    """Facts about each recording: container, counts, clock convention, observer, damage.

    Returns:
        One dictionary per recording. ``error`` is set, and the rest missing, where a recording is unusable.

    Raises:
        UnusableInput: an input does not exist, or none of them is a recording.
    """
    with recordings(inputs) as found:
        facts = [_facts(recording.path, recording.source, observer) for recording in found]
    if all("error" in entry for entry in facts):
        raise UnusableInput("\n".join(entry["error"] for entry in facts))
    return facts


def _facts(path: os.PathLike[str], source: str, observer: str | None) -> dict[str, Any]:
    try:
        return {"source": source, **json.loads(_core.info(path, observer=observer))}
    except (_core.UnusableRecording, OSError) as error:
        return {"source": source, "error": str(error)}
