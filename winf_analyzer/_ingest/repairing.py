"""What can be rebuilt of a damaged dataset: the manifest, and tables that follow from others."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import polars as pl

from winf_analyzer import _core, _schema
from winf_analyzer._dataset import changes, manifest
from winf_analyzer._dataset.checking import FROM_FRAMES, RECORDED, fault_of, faults
from winf_analyzer._dataset.dataset import FIRST_PART, Dataset
from winf_analyzer._dataset.manifest import FORMER_KEYS, HISTORY, METADATA, Metadata, Part
from winf_analyzer._dataset.neighbours import merged_neighbours
from winf_analyzer._dataset.nodes import counted, stations
from winf_analyzer._dataset.overwriting import check_table
from winf_analyzer._dataset.staging import earlier_manifests, staging
from winf_analyzer._ingest.ingestion import provenance
from winf_analyzer._ingest.merging import spans_of
from winf_analyzer._ingest.pool import NATIVE_TABLES
from winf_analyzer._util.durable import is_real_folder, is_regular, sha256
from winf_analyzer._util.errors import DatasetError
from winf_analyzer._util.format import given_path

FIRST_STEM = manifest.stem(FIRST_PART)

PER_RECORDING = ("capabilities", "audit", "warnings")
"""Tables that have a part for each recording of a merged dataset. `hearings` has one for each that could be merged."""


class Repaired(NamedTuple):
    """What `repair` did, and could not do."""

    done: list[str]
    """A sentence per repair."""
    left: list[str]
    """A sentence per fault that remains."""


def repair(dataset: Dataset | str | os.PathLike[str]) -> Repaired:
    """Rebuild what can be rebuilt of a dataset.

    A lost or damaged manifest is made again from the parts and the history; what parts of recordings it must have named
    besides those that are there stays a fault. A damaged part is taken from the history if it is there. `nodes` and
    `neighbours` are computed again from the frames; other tables that commands computed are emptied, for the command to
    fill. Their damaged parts are kept in ``.history/damaged``; those that have the content that the manifest says go
    into the history, where `undo` finds them. Tables of recordings are left as they are: only the recordings can give
    them.

    Args:
        dataset: a dataset or its path.

    Raises:
        DatasetError: the folder is no dataset, another process is writing, or it cannot be written.
    """
    root = dataset.path if isinstance(dataset, Dataset) else given_path(dataset)
    if not root.is_dir():
        raise DatasetError(f"{root}: no such folder.")
    done: list[str] = []
    gone: set[str] = set()
    try:
        manifest.load(root)
    except DatasetError as error:
        sentence, gone = _rebuilt_manifest(root, error)
        done.append(sentence)
    with changes.writing(root):  # which clears what killed commands left
        metadata = manifest.load(root)
    bad = [] if manifest.is_former(metadata) else [part for part in manifest.parts(metadata) if fault_of(root, part)]
    if bad or gone:
        done += _repaired_parts(Dataset.open(root), bad, gone)
    left = [f"{path}: {fault}" for path, fault in faults(root)]
    return Repaired(done, left)


def _rebuilt_manifest(root: Path, damage: DatasetError) -> tuple[str, set[str]]:
    """Make a manifest of the parts that say themselves which table of winf they are of.

    Returns:
        What was done, and the tables of which no part is left.
    """
    earlier = [metadata for _, metadata in earlier_manifests(root)]
    found = [part for path in manifest.visible_parts(root) if (part := _own_part(root, path))]
    if not found or not _may_rebuild(root):
        raise damage
    facts = earlier[-1] if earlier else _lost_provenance()
    version = 1 + max((metadata.get("version", 0) for metadata in earlier), default=0)
    new = {key: value for key, value in facts.items() if key not in ("superseded", "obsolete", "lost")}
    # Two versions are missing from the history at most: the lost one, and one that was being published.
    new |= {"signature": manifest.SIGNATURE, "version": version + 1, "action": "repair"}
    if not manifest.is_signed(new):
        new |= manifest.identity()
    if lost := _lost_parts(root, found, [part for metadata in earlier[-1:] for part in manifest.parts(metadata)]):
        new["lost"] = lost
    with changes.writing(root), staging(root, root) as folder:
        if is_regular(root / METADATA):
            (root / HISTORY).mkdir(exist_ok=True)
            (root / METADATA).replace(root / HISTORY / "damaged.json")
        changes.commit(root, folder, manifest.with_parts(new, found), {}, present=None)
    origin = (
        f"provenance is that of version {facts.get('version', 0)}"
        if earlier
        else "its provenance is lost, and recordings without any part are not known"
    )
    gone = {table.name for table in _schema.tables()} - {part.table for part in found}
    return f"{METADATA} was rebuilt from {len(found)} parts; {origin}.", gone if _is_of_recordings(found) else set()


def _is_of_recordings(found: Iterable[Part]) -> bool:
    """Whether these are of a dataset that has all tables, and not of one of replays alone."""
    return any(part.table in ("nodes", *NATIVE_TABLES) for part in found)


def _lost_parts(root: Path, found: list[Part], earlier: list[Part]) -> list[str]:
    """Paths of parts that nothing but recordings can give, and that are nowhere.

    A lost manifest has named them: an earlier one did, or parts of the same recordings are in other tables.

    Args:
        root: the dataset.
        found: the parts that are there.
        earlier: those that the last of the earlier manifests named.
    """
    if not _is_of_recordings(found):
        return []
    there: dict[str, set[str]] = {table: set() for table in RECORDED}
    for part in found:
        there.setdefault(part.table, set()).add(part.stem)
    lost = {
        (part.table, part.stem): part.path
        for part in earlier
        if part.table in RECORDED
        and part.stem not in there[part.table]
        and not is_regular(root / HISTORY / part.path, part.bytes)
    }
    # Of an unusable recording there are warnings alone.
    witnesses = {part.stem for part in found if part.table in NATIVE_TABLES and part.table != "warnings" and part.rows}
    is_merged = not there["hearings"] or any(part.rows for part in found if part.table == "hearings")
    known = {part.table for part in (*earlier, *found)} if earlier else RECORDED  # an older winf had fewer tables
    if is_merged:
        tells = {"hearings", *PER_RECORDING} - {"warnings"}
        witnesses = {part.stem for part in found if part.table in tells and part.rows}
    for table in (table for table in RECORDED if table in known):
        stems = there[table]
        recordings = {_recording(stem) for stem in stems}
        wanted = witnesses if table in (PER_RECORDING if is_merged else NATIVE_TABLES) else set()
        absent = {stem for stem in wanted if stem not in stems | recordings and _recording(stem) not in stems}
        absent -= {recording for stem in absent if (recording := _recording(stem)) != stem}  # the same, less exactly
        for stem in sorted(absent) or ([] if stems else [FIRST_STEM]):
            lost.setdefault((table, stem), f"{table}/{stem}.parquet")
    if any(table in ("frames", "hearings") for table, _ in lost):  # of which these are computed
        lost |= {(table, FIRST_STEM): f"{table}/{FIRST_STEM}.parquet" for table in FROM_FRAMES if table not in there}
    return sorted(lost.values())


def _recording(stem: str) -> str:
    """Of the stem of a part of a followed recording, which has several in some tables, that of its parts in others."""
    return "-".join(stem.split("-")[:2])


def _own_part(root: Path, path: str) -> Part | None:
    table, _, name = path.partition("/")
    try:
        _, _, said = _core.parquet_footer(root / path)
        return manifest.describe(root / path, table, name) if said.get("winf.table") == table else None
    except (OSError, DatasetError):
        return None


def _may_rebuild(root: Path) -> bool:
    """Whether ``dataset.json`` is gone, damaged, or winf's: that of another program stays."""
    import json

    if not is_regular(root / METADATA):  # a pipe of that name would be waited for
        return not os.path.lexists(root / METADATA)
    try:
        content = json.loads((root / METADATA).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return True
    return isinstance(content, dict) and (manifest.is_signed(content) or content.keys() >= FORMER_KEYS)


def _lost_provenance() -> Metadata:
    return provenance("unknown", {}, [], []) | {"truth": []}


def _repaired_parts(dataset: Dataset, bad: list[Part], gone: set[str]) -> list[str]:
    """Repair damaged parts, and tables without any; a sentence for each repair."""
    done = []
    root = dataset.path
    kept = [part for part in bad if is_regular(root / HISTORY / part.path, part.bytes)]
    with changes.writing(root):
        for part in kept:
            if not fault_of(root / HISTORY, part):
                check_table(root, part.table)
                (root / part.table).mkdir(exist_ok=True)
                (root / HISTORY / part.path).replace(root / part.path)
                bad.remove(part)
                done.append(f"{part.path} was taken from the history.")
    tables = {part.table for part in bad} | gone
    lost = {path.partition("/")[0] for path in dataset.metadata.get("lost", [])}
    whole_frames = {"frames", "hearings"}.isdisjoint(tables | lost)
    rebuilt: list[str] = [table for table in FROM_FRAMES if table in tables and whole_frames]
    emptied = sorted(tables - {*RECORDED, *FROM_FRAMES} & {table.name for table in _schema.tables()})
    if rebuilt or emptied:
        with dataset.change("repair") as change:
            for part in bad:
                if part.table in {*rebuilt, *emptied} and not _is_as_written(root, part):
                    _set_aside(root, part)  # what is computed again may get its name
            for table in rebuilt:
                change.replace(table, [_computed(dataset, table)])
                done.append(f"{table} was computed again.")
            for table in emptied:
                change.replace(table, [pl.DataFrame(schema=_schema.schema(table))])
                done.append(f"{table} was emptied; {_schema.table(table).filled_by} fills it again.")
    return done


def _is_as_written(root: Path, part: Part) -> bool:
    """Whether a part has the content that the manifest says, whatever is wrong with it.

    It goes into the history then, like every part that is replaced, where `winf undo` finds it.
    """
    file = root / part.path
    return is_regular(file, part.bytes) and sha256(file) == part.sha256


def _set_aside(root: Path, part: Part) -> None:
    if is_real_folder((root / part.path).parent) and os.path.lexists(root / part.path):
        kept = root / HISTORY / "damaged" / part.path.replace("/", "-")
        kept.parent.mkdir(parents=True, exist_ok=True)
        (root / part.path).replace(kept)


def _computed(dataset: Dataset, table: str) -> pl.DataFrame:
    frames = dataset.parts("frames")
    if table == "nodes":
        return pl.DataFrame(stations(counted(frames), frames), schema=_schema.schema(table))
    if "merged" in dataset.metadata.get("parameters", {}):
        return merged_neighbours(frames, dataset.parts("hearings"), spans_of(dataset.metadata["inputs"]))
    return pl.DataFrame(counted(frames).neighbours(), schema=_schema.schema(table))
