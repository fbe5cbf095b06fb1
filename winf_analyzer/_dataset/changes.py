"""Changes of a dataset: parts are made in a folder of their own, then published all at once.

1. The parts are written, checked and brought to the disk (``.incoming-*``).
2. The new manifest is written beside them: from here on a killed command's parts are listed.
3. The parts move into the folders of their tables. Nothing reads them yet.
4. The present manifest is copied into the history.
5. One rename replaces ``dataset.json``. A reader sees everything before it or everything after it.
6. Parts that the new manifest does not name move into the history, for tools that read ``TABLE/*.parquet``.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winf_analyzer import _core
from winf_analyzer._dataset import locks, manifest
from winf_analyzer._dataset.manifest import HISTORY, METADATA, READERS, Metadata, Part, identity
from winf_analyzer._dataset.overwriting import check_table, check_writable
from winf_analyzer._dataset.staging import leftovers, retire, staging
from winf_analyzer._schema import FORMAT_VERSION
from winf_analyzer._util.durable import is_regular, sha256, sync, write_synced
from winf_analyzer._util.errors import DatasetError
from winf_analyzer._util.os_errors import as_os_error

if TYPE_CHECKING:
    import polars as pl

PART = "part-{:05}.parquet"
FIRST_PART = PART.format(0)

_open: dict[tuple[str, int], Change] = {}
"""The change that a thread is making, by the dataset's real path and the thread."""


@dataclass
class Change:
    """A change in the making: new parts of tables, and new facts for the manifest."""

    root: Path
    folder: Path
    """Holds ``TABLE/NAME.parquet`` for every new part."""
    action: str
    """What ``winf history`` calls it."""
    left: list[Path] = field(default_factory=list)
    """Staging folders of killed commands."""
    facts: Metadata = field(default_factory=dict)
    """What the manifest says from then on, besides what it says already."""
    replaced: set[str] = field(default_factory=set)
    """Tables of which no part stays."""
    emptied: set[str] = field(default_factory=set)
    """Tables of which no row stays, not even one that another command publishes while this change is in the making."""
    removed: set[str] = field(default_factory=set)
    """Paths of further parts that go. Of other tables a new part replaces the one of the same stem."""
    made: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By command, a fingerprint as ``key`` and other notes for :mod:`.making`."""
    finished: dict[Path, Part] = field(default_factory=dict)
    """New parts that are on the disk already, and what the manifest says of them; others are read to publish them."""
    keeps_others: bool = True
    """Whether tables without a new part stay."""
    keeps_history: bool = True
    """Whether the present manifest stays in the history; a growing dataset has thousands of them."""

    def replace(self, table: str, frames: Iterable[pl.DataFrame | pl.LazyFrame]) -> None:
        """Make a table of these frames, a part for each, one held at a time.

        Raises:
            DatasetError: they cannot be written, or the table's folder is none that winf made.
        """
        check_table(self.root, table)
        folder = self.folder / table
        for old in folder.glob("*.parquet"):
            old.unlink()
        folder.mkdir(exist_ok=True)
        for number, frame in enumerate(frames):
            write_part(frame, folder / PART.format(number))
        self.replaced.add(table)

    def finish(self, file: Path) -> Part:
        """Bring a new part, which does not change any more, to the disk; what the manifest will say of it.

        For threads that write many: to publish them is then to name them.
        """
        part = self.finished[file] = manifest.describe(file, file.parent.name)
        sync(file)
        return part

    def parts(self, table: str) -> list[Path]:
        """The new parts of a table, in the order of their names."""
        return sorted((self.folder / table).glob("*.parquet"))


def current(root: Path) -> Change | None:
    """The change that this thread is making of a dataset."""
    return _open.get((os.path.realpath(root), threading.get_ident()))


@contextmanager
def change(
    root: Path,
    action: str,
    *,
    target: Path | None = None,
    published: Callable[[Metadata], None] | None = None,
    waits: bool = False,
) -> Iterator[Change]:
    """Make a change that is published when the block ends without an error.

    A change inside a change of the same dataset is part of that one, and published with it.

    Args:
        root: the dataset's folder, with a manifest or, for a new one, without.
        action: the command that makes it, for the history.
        target: the path for messages.
        published: gets the manifest once it is published.
        waits: take the writer's lock only to publish, and wait for it. Otherwise another writer is an error at once.

    Raises:
        DatasetError: another process is writing; winf did not write what is there; it cannot be written.
    """
    key = os.path.realpath(root), threading.get_ident()
    if key in _open:
        yield _open[key]
        return
    target = target or root
    check_writable(root, target)
    lock: AbstractContextManager[list[Path]] = nullcontext([]) if waits else writing(root, target)
    with _told(target), lock as left, staging(root, target) as folder:
        making = _open[key] = Change(root, folder, action, left)
        try:
            yield making
        finally:
            del _open[key]
        with writing(root, target, waits=waits):
            metadata = _publish(making)
    if published is not None:
        published(metadata)


@contextmanager
def writing(root: Path, target: Path | None = None, *, waits: bool = False) -> Iterator[list[Path]]:
    """Hold the writer's lock of a dataset; what killed commands left in it is given, and removed at the end.

    Raises:
        DatasetError: another process is writing; the dataset cannot be written.
    """
    with _told(target or root), locks.writer(root, target=target, wait=waits), leftovers(root) as folders:
        yield folders


@contextmanager
def _told(target: Path) -> Iterator[None]:
    """Errors of the system as one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # what a part holds, not what the system refused
            raise
        raise DatasetError(f"{target}: cannot be written: {error.strerror or error}.") from error


def adopted(root: Path, metadata: Metadata) -> Metadata:
    """A manifest that names parts, made of one that does not: what lies in the folders of tables is adopted.

    Raises:
        DatasetError: a file in the place of a part is none.
    """
    if not manifest.is_former(metadata):
        return metadata
    found = []
    for path in manifest.visible_parts(root):
        table, _, name = path.partition("/")
        part = manifest.describe(root / path, table, name)
        found.append(Part(**{**part.entry(), "adopted": True}))
    kept = {key: value for key, value in metadata.items() if key not in ("files", "incoming")}
    return manifest.with_parts({**kept, **identity(), "adopted": True}, found)


def _publish(change: Change) -> Metadata:
    has_manifest = os.path.lexists(change.root / METADATA)
    old = adopted(change.root, manifest.load(change.root)) if has_manifest else {"tables": {}}
    said: Metadata = (
        old if change.keeps_others else {key: old[key] for key in ("signature", "id", "adopted") if key in old}
    )
    _empty(change, old)
    files = sorted(change.folder.glob("*/*.parquet"))
    staged = {file: change.finished.get(file) or change.finish(file) for file in files}
    new = list(staged.values())
    stems = {(part.table, part.stem) for part in new}
    stays = [
        part
        for part in manifest.parts(old)
        if change.keeps_others
        and part.table not in change.replaced
        and part.path not in change.removed
        and (part.table, part.stem) not in stems
    ]
    named = {part.path: part for part in [*stays, *new]}
    gone = {part.path: part.bytes for part in manifest.parts(old) if part.path not in named}
    facts = {"format_version": FORMAT_VERSION, "tool_version": _core.__version__, **identity(), **said, **change.facts}
    metadata = manifest.with_parts(facts, named.values()) | {
        "version": old.get("version", 0) + 1,
        "published": datetime.now(UTC).isoformat(timespec="seconds"),
        "action": change.action,
        "superseded": _waiting(change.root, old.get("superseded", {})) | (gone if change.keeps_history else {}),
        "obsolete": _waiting(change.root, old.get("obsolete", {})) | ({} if change.keeps_history else gone),
    }
    noted = {action: {**notes, "parts": sorted({part.path for part in new})} for action, notes in change.made.items()}
    metadata["made"] = {**said.get("made", {}), **noted}
    moved = {file: part.path for file, part in staged.items()}
    commit(change.root, change.folder, metadata, moved, present=old if has_manifest and change.keeps_history else None)
    return metadata


def _empty(change: Change, old: Metadata) -> None:
    """Put a part without rows in the place of what is to go; tables that have no rows keep their parts."""
    for table in {part.table for part in manifest.parts(old) if part.rows} & change.emptied:
        (change.folder / table).mkdir(exist_ok=True)
        _core.write_part(change.folder / table / FIRST_PART, table)
        change.replaced.add(table)


def _waiting(root: Path, sizes: dict[str, int]) -> dict[str, int]:
    """Of the parts that were to leave the folders of their tables, those that are still there."""
    return {path: size for path, size in sizes.items() if is_regular(root / path)}


def commit(root: Path, folder: Path, metadata: Metadata, moved: dict[Path, str], *, present: Metadata | None) -> None:
    """Publish a manifest whose new parts lie elsewhere on the same file system.

    Args:
        root: the dataset.
        folder: a staging folder in it.
        metadata: the new manifest.
        moved: the paths in the dataset that files become.
        present: the present manifest, for the history; None if it does not stay there.

    Raises:
        OSError: it cannot be written; the dataset is as before.
        DatasetError: a file that winf did not write is in the place of a part.
    """
    write_synced(folder / METADATA, manifest.dumps(metadata))
    sync(folder)
    for file, path in moved.items():
        _into_place(root, file, path)
    for table in {path.partition("/")[0] for path in moved.values()}:
        sync(root / table)
    if present is not None:
        history = root / HISTORY
        history.mkdir(exist_ok=True)
        write_synced(folder / "present.json", manifest.dumps(present))
        (folder / "present.json").replace(history / f"{present.get('version', 0):05d}.json")
        sync(history)
    (root / READERS).touch()
    sync(root)
    (folder / METADATA).replace(root / METADATA)
    with suppress(OSError):  # published; what follows is done again by the next command
        sync(root)
        retire(root, metadata)


def _into_place(root: Path, file: Path, path: str) -> None:
    there = root / path
    there.parent.mkdir(exist_ok=True)
    check_table(root, there.parent.name)
    if os.path.lexists(there) and not (is_regular(there, file.stat().st_size) and sha256(there) == sha256(file)):
        raise DatasetError(f"{there}: is in the place of a new part and is not winf's. Move that file away.")
    file.replace(there)


def write_part(frame: pl.DataFrame | pl.LazyFrame, path: Path) -> None:
    """Write one Parquet part of the table whose folder ``path`` is in, streaming where the frame is lazy.

    Raises:
        DatasetError: it cannot be written, for example because the disk is full.
    """
    table = path.parent.name
    metadata, schema = dict(_core.parquet_metadata(table)), _core.ArrowSchema(table)
    write = frame.sink_parquet if hasattr(frame, "sink_parquet") else frame.write_parquet
    try:
        write(path, compression="zstd", compression_level=1, metadata=metadata, arrow_schema=schema)
    except Exception as error:
        if (failed := as_os_error(error)) is None:
            raise
        raise DatasetError(f"{path.parent}: cannot be written: {failed.strerror or failed}.") from error


def state(folder: Path, facts: Metadata) -> None:
    """The facts about the dataset that this thread makes in a folder, for its manifest.

    As :func:`write_metadata`, but without a file: of many recordings it is as long as the manifest, and written, synced
    and read again.
    """
    making = _open[os.path.realpath(folder.parent), threading.get_ident()]
    making.made.update(facts.get("made", {}))
    making.facts.update({key: value for key, value in facts.items() if key != "made"})


def write_metadata(folder: Path, facts: Metadata) -> None:
    """Leave the facts about a dataset in the folder in which it is made; they go into its manifest."""
    write_synced(folder / METADATA, manifest.dumps(facts))


def seal(root: Path) -> None:
    """Make a folder that holds parts, and facts by `write_metadata`, a dataset."""
    facts, found = json.loads((root / METADATA).read_text(encoding="utf-8")), []
    for path in manifest.visible_parts(root):
        table, _, name = path.partition("/")
        found.append(manifest.describe(root / path, table, name))
    version = {"version": 1, "action": "seal"}
    write_metadata(root, manifest.with_parts({**facts, **identity(), **version}, found))
