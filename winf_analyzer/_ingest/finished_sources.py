"""Recordings that a killed ingest had decoded: their parts are taken over instead of being made again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from winf_analyzer._ingest.decoding import Decoding
from winf_analyzer._ingest.inputs import InputFile
from winf_analyzer._util.code_identity import fingerprint
from winf_analyzer._util.durable import is_regular, sha256


class FinishedSources:
    """What killed runs left in their staging folders, by a fingerprint of content, settings and code."""

    def __init__(
        self, folders: Iterable[Path], tables: Iterable[str], decoding: Decoding, observer: str | None
    ) -> None:
        self._tables = tuple(tables)
        self._settings = {"decoding": decoding, "observer": observer}
        self._found: dict[str, tuple[Path, dict[str, Any]]] = {}
        for folder in folders:
            for file in folder.glob("part-*.json"):
                try:
                    record = json.loads(file.read_text(encoding="utf-8"))
                    self._found[record["key"]] = folder, record
                except (OSError, ValueError, KeyError, TypeError, RecursionError):
                    continue  # torn: it was being written

    def note(
        self,
        recordings: Sequence[InputFile],
        facts: Sequence[dict[str, Any]],
        staged: Path,
        part: str,
        parts: dict[str, str],
    ) -> None:
        """Leave a record of decoded recordings beside their parts, for the case that this run is killed.

        Args:
            recordings: what was decoded.
            facts: of each.
            staged: the folder with the parts.
            part: their stem.
            parts: their SHA-256 by table.
        """
        key = self._key(recordings, [each["sha256"] for each in facts])
        record = {"key": key, "facts": list(facts), "part": part, "parts": parts}
        (staged / f"{part}.json").write_text(json.dumps(record), encoding="utf-8")

    def take(self, recordings: Sequence[InputFile], staged: Path, part: str) -> list[dict[str, Any]] | None:
        """Move the parts of recordings into the new staging folder; their facts, or None where they are not whole."""
        if not self._found:
            return None
        try:
            contents = [sha256(recording.path) for recording in recordings]
        except OSError:  # decoding says which one cannot be read
            return None
        folder, record = self._found.pop(self._key(recordings, contents), (Path(), {}))
        if not record:
            return None
        moves = {folder / table / f"{record.get('part')}.parquet": table for table in self._tables}
        is_whole = all(is_regular(file) and sha256(file) == record["parts"][table] for file, table in moves.items())
        if not is_whole:
            return None
        for file, table in moves.items():
            file.replace(staged / table / f"{part}.parquet")
        facts: list[dict[str, Any]] = record["facts"]
        return facts

    def _key(self, recordings: Sequence[InputFile], contents: Sequence[str]) -> str:
        sources = [recording.source for recording in recordings]
        return fingerprint({**self._settings, "sources": sources, "contents": list(contents)})
