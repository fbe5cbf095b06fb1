"""What an ingest into an existing dataset changes: recordings that are new or changed, and those that stay.

A recording is the same if its content is, under the same path or file name. Its time of change and size save reading
it; where they differ, its SHA-256 decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winf_analyzer import _core, _schema
from winf_analyzer._dataset import changes, manifest
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._ingest.inputs import RADIO_SUFFIX, STANDARD_INPUT, InputFile, source_names
from winf_analyzer._util import parquet
from winf_analyzer._util.durable import sha256
from winf_analyzer._util.errors import DatasetError, UnusableInput
from winf_analyzer._util.format import path_text

if TYPE_CHECKING:
    import polars as pl

Entry = dict[str, Any]
"""An entry of ``inputs`` or ``skipped`` in ``dataset.json``."""

OF_ALL_RECORDINGS = ("winf estimate", "winf compare", "winf why")
"""Commands whose own tables rest on all recordings together; these are emptied, and the commands fill them again."""

_NUMBERS = re.compile(r"part-(\d+)(?:-(\d+))?")


@dataclass
class InputChanges:
    """What is given, against what a dataset holds."""

    new: list[InputFile] = field(default_factory=list)
    """Recordings to decode, under the names that they get."""
    gone: list[Entry] = field(default_factory=list)
    """Entries whose rows go: another content, or another name, is among the new."""
    inputs: list[Entry] = field(default_factory=list)
    """Entries of ``inputs`` that stay."""
    skipped: list[Entry] = field(default_factory=list)
    """Entries of ``skipped`` that stay."""


def is_growing(metadata: manifest.Metadata) -> bool:
    """Whether recordings can be added: a dataset that `ingest` made, of a manifest with all facts about them."""
    facts = {"inputs", "skipped", "truth", "parameters"}
    entries = [*_entries(metadata), *metadata.get("truth", [])]
    return (
        "ingest" in metadata.get("made", {})
        and facts <= metadata.keys()
        and all(isinstance(entry.get(key), str) for entry in entries for key in ("source", "path", "part"))
    )


def check_provenance(dataset: Dataset) -> None:
    """Refuse to add to a dataset that has rows of recordings or logs that its manifest does not list.

    `winf repair` makes such a manifest where only an earlier version of a lost one is left. Of which content those rows
    are is not known, so that the same recordings would be added once more.

    Raises:
        DatasetError: with one of the parts.
    """
    known = {entry.get("part") for entry in (*_entries(dataset.metadata), *dataset.metadata["truth"])}
    for part in manifest.parts(dataset.metadata):
        if part.table in ("frames", "truth") and part.rows and part.stem not in known:
            raise DatasetError(
                f"{dataset.path}: its manifest was lost, and the one made by `winf repair` does not tell which input "
                f"{part.path} is of. Ingest all of its recordings again, with --force or into another output."
            )


def difference(metadata: manifest.Metadata, given: Sequence[InputFile], *, anew: bool) -> InputChanges:
    """Compare recordings with those of a dataset.

    Args:
        metadata: the dataset's manifest.
        given: the recordings.
        anew: whether those that are the same are decoded again.

    Raises:
        UnusableInput: a new recording has the name of another one, which is not given again and keeps it.
        OSError: a recording cannot be read.
    """
    entries = _entries(metadata)
    by_path: dict[Path, list[Entry]] = {}
    for entry in entries:
        if entry["path"] != STANDARD_INPUT:
            by_path.setdefault(_place(entry), []).append(entry)
    by_name: dict[str, list[Entry]] = {}
    for entry in entries:
        by_name.setdefault(Path(entry["path"]).name, []).append(entry)
    found = InputChanges()
    again: dict[int, InputFile] = {}
    for file in given:
        there = by_path.get(_real(file.name), []) if file.name != STANDARD_INPUT else []
        same = next((each for each in there if _is_untouched(each, file) or _is_same(each, file)), None)
        if not there:
            same = next((each for each in by_name.get(Path(file.name).name, ()) if _is_same(each, file)), None)
        if same is not None and not anew:
            again[id(same)] = file
            if "reason" not in same:  # whatever was there in the meantime could not be used
                found.gone += [each for each in there if each is not same]
            continue
        found.gone += there or [each for each in (same,) if each is not None]
        found.new.append(file)
    gone = {id(entry) for entry in found.gone}
    stays = [entry for entry in entries if id(entry) not in gone and not _is_good_otherwise(entry, by_path)]
    _name(found, stays, again)
    gone = {id(entry) for entry in found.gone}
    found.inputs = [entry for entry in metadata["inputs"] if id(entry) not in gone]
    found.skipped = [entry for entry in metadata["skipped"] if id(entry) not in gone]
    return found


def _is_good_otherwise(entry: Entry, by_path: Mapping[Path, Sequence[Entry]]) -> bool:
    """Whether an entry is about a content that cannot be used, and the dataset has an earlier one of the same path."""
    return "reason" in entry and any("reason" not in each for each in by_path.get(_place(entry), ()))


def keep_what_was_good(metadata: manifest.Metadata, found: InputChanges, skipped: Iterable[Entry]) -> None:
    """Keep the rows of recordings whose present content cannot be used: a copy that failed is no change of them.

    Args:
        metadata: the dataset's manifest.
        found: what has changed; what is kept stays among the inputs.
        skipped: entries about what could not be used; their reasons say what is kept.
    """
    bad = {_place(entry): entry for entry in skipped}
    for entry in [each for each in found.gone if "reason" not in each and _place(each) in bad]:
        found.gone.remove(entry)
        said = bad[_place(entry)]
        said["reason"] = f"{said['reason'].rstrip('.')}. The dataset keeps what it has of it."
    gone = {id(entry) for entry in found.gone}
    found.inputs = [entry for entry in metadata["inputs"] if id(entry) not in gone]


def _name(found: InputChanges, stays: list[Entry], again: dict[int, InputFile]) -> None:
    """Give the new recordings names that are unique in the dataset, as if all had been ingested at once."""
    named = [file.name for file in found.new], [entry["path"] for entry in stays]
    if all(STANDARD_INPUT in each for each in named):
        raise UnusableInput(
            "-: the dataset has another recording from standard input. Write this one into a file, and ingest that."
        )
    paths = [_shown(entry["path"], entry.get("folder")) for entry in stays] + [_shown(file.name) for file in found.new]
    names = source_names(paths)
    renamed = []
    for entry, name in zip(stays, names, strict=False):
        if entry["source"] == name:
            continue
        if id(entry) not in again:
            if entry["source"] in names[len(stays) :]:
                clash = found.new[names[len(stays) :].index(entry["source"])].name
                raise UnusableInput(f"{clash}: the dataset has another recording of this name. Ingest both together.")
            continue
        found.gone.append(entry)
        renamed.append(replace(again[id(entry)], source=name))
    found.new = [replace(file, source=name) for file, name in zip(found.new, names[len(stays) :], strict=True)]
    found.new += renamed


def next_number(metadata: manifest.Metadata) -> int:
    """The number of the next recording; those of recordings that have gone are not used again."""
    stems = [manifest.stem(part.path) for part in manifest.parts(metadata)]
    found = [match for stem in stems if (match := _NUMBERS.fullmatch(stem))]
    return 1 + max((int(match[2] or match[1]) for match in found), default=-1)


def new_logs(metadata: manifest.Metadata, given: Sequence[Path]) -> tuple[list[Entry], list[Path]]:
    """The entries of ``truth`` that stay, and the logs to read: those that are new or have changed."""
    there = metadata["truth"]
    contents = {path: sha256(path) for path in given}
    known = {(Path(entry["path"]).name, entry.get("sha256")) for entry in there}
    new = [path for path, content in contents.items() if (path_text(path.name), content) not in known]
    changed = {path.resolve() for path in new}
    return [entry for entry in there if "part" not in entry or _place(entry) not in changed], new


def replaced_logs(metadata: manifest.Metadata, stay: Iterable[Entry], read: Iterable[Entry]) -> list[Entry]:
    """The entries of ``truth`` that go: of those that do not stay, the ones whose log still says something."""
    places, left = {_place(entry) for entry in read if entry["rows"]}, {id(entry) for entry in stay}
    return [entry for entry in metadata["truth"] if id(entry) not in left and _place(entry) in places]


def next_log(metadata: manifest.Metadata) -> int:
    """The number of the next log."""
    stems = [manifest.stem(part.path) for part in manifest.parts(metadata) if part.table == "truth"]
    return 1 + max((int(stem[5:]) for stem in stems if re.fullmatch(r"tool-\d+", stem)), default=-1)


def remove(dataset: Dataset, change: changes.Change, gone: Iterable[Entry], tables: Iterable[str]) -> set[str]:
    """Take the rows of recordings and logs out of the tables.

    Parts that they share with others are written without them.

    Returns:
        Paths of the parts that go.
    """
    import polars as pl

    by_part: dict[str, list[str]] = {}
    for entry in (gone := [*gone]):
        by_part.setdefault(entry["part"], []).append(entry["source"])
    ids = {id(entry) for entry in gone}
    kept: dict[str, list[str]] = {}
    for entry in _entries(dataset.metadata):
        if id(entry) not in ids:
            kept.setdefault(entry["part"], []).append(entry["source"])
    paths, emptied = set(), set()
    for table in (*tables, "truth"):
        for path in dataset.paths(table):
            if (sources := by_part.get(manifest.stem(path))) is None:
                continue
            paths.add(path)
            rows = parquet.scan(dataset.path / path)
            left = rows.filter(~_of(sources) | pl.col("source").is_in(kept.get(manifest.stem(path), []))).collect()
            if left.is_empty() and manifest.stem(path) not in kept:
                change.removed.add(path)
                emptied.add(table)
            else:
                (change.folder / table).mkdir(exist_ok=True)
                changes.write_part(left, change.folder / table / f"{manifest.stem(path)}.parquet")
    for table in emptied:
        if change.removed.issuperset(dataset.paths(table)) and not change.parts(table):
            (change.folder / table).mkdir(exist_ok=True)
            changes.write_part(pl.DataFrame(schema=_schema.schema(table)), change.folder / table / changes.FIRST_PART)
    return paths


def empty_tables_of_all(change: changes.Change) -> None:
    """Empty the tables that were computed from all recordings that the dataset had."""
    names = {table.name for table in _schema.tables() if table.filled_by.partition(",")[0] in OF_ALL_RECORDINGS}
    change.emptied.update(names)


def check_settings(dataset: Dataset, parameters: dict[str, Any]) -> None:
    """Refuse to add recordings that are decoded otherwise than those that are there.

    Raises:
        DatasetError: with what differs.
    """
    there = dataset.metadata["parameters"]
    for name, option in (("decoder", "--decoder"), ("observer", "--observer"), ("keys", "--key")):
        if there.get(name) != parameters.get(name):
            raise DatasetError(
                f"{dataset.path}: was made with another {option}. Ingest with the same one, or into another dataset."
            )


def is_of_this_version(metadata: manifest.Metadata) -> bool:
    """Whether this version of winf decoded the recordings."""
    return bool(metadata.get("tool_version") == _core.__version__)


def _of(sources: Sequence[str]) -> pl.Expr:
    """Rows of recordings, of all their radios."""
    import polars as pl

    name = pl.col("source").cast(pl.String)
    return name.is_in(sources) | name.str.replace(RADIO_SUFFIX, "").is_in(sources)


def _entries(metadata: manifest.Metadata) -> list[Entry]:
    """Entries about recordings; those about logs have no part."""
    return [*metadata.get("inputs", []), *(entry for entry in metadata.get("skipped", []) if "part" in entry)]


def _is_untouched(entry: Entry, file: InputFile) -> bool:
    """Whether size and time of change of the file under an entry's path are as they were."""
    try:
        state = file.state()
    except OSError:
        return False
    changed = file.changed(state)
    return bool(changed) and entry.get("bytes") == state[2] and entry.get("mtime_ns") == changed["mtime_ns"]


def _is_same(entry: Entry, file: InputFile) -> bool:
    """Whether a file has the content of an entry."""
    try:
        return bool(entry.get("bytes") == file.state()[2] and entry.get("sha256") == sha256(file.path))
    except OSError:  # decoding says what is wrong
        return False


def _real(path: str) -> Path:
    return Path(path).resolve()


def _place(entry: Entry) -> Path:
    """Where the file of an entry lay; a relative path begins in the folder in which it was given."""
    return Path(entry.get("folder") or "", entry["path"]).resolve()


def _shown(path: str, folder: str | None = None) -> Path:
    """The path that a recording's name comes from."""
    return Path("stdin") if path == STANDARD_INPUT else Path(folder or "", path)
