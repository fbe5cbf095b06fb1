"""``dataset.json``, the manifest: what a dataset consists of, and where it comes from.

``tables`` names every part of every table with its rows, octets, SHA-256 and schema. Parts never change: another
content has another name. One rename replaces the manifest, so that a reader sees all tables of a command or none.

A manifest may come from anywhere. What is read from it is checked here, once: types, names, sizes of numbers.
"""

from __future__ import annotations

import hashlib
import json
import marshal
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from winf_analyzer import _core
from winf_analyzer._schema import FORMAT_VERSION
from winf_analyzer._util.durable import is_real_folder, is_regular, sha256
from winf_analyzer._util.errors import DatasetError
from winf_analyzer._util.format import not_utf8
from winf_analyzer._util.os_errors import out_of_files

METADATA = "dataset.json"
SIGNATURE = "winf dataset"
HISTORY = ".history"
"""Folder of earlier manifests, ``NNNNN.json``, and of the parts that only they name, ``TABLE/PART``."""
LOCK = ".lock"
READERS = ".readers"
STAGING = ".incoming-"
"""Prefix of folders in which a command makes its parts."""
LOST = "was lost before the manifest was rebuilt."
"""The fault of a part that :func:`lost` gives."""

FORMER_KEYS = {"format_version", "tool_version", "created", "command", "parameters", "inputs", "skipped"}
"""What ``dataset.json`` held before it named parts; a foreign file of that name lacks some of it."""

MAX_BYTES = 1 << 28
"""Size of a manifest that is not read any more: 256 MiB, a million parts."""

Metadata = dict[str, Any]

_TABLE = re.compile(r"[a-z][a-z0-9_]{0,63}")
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}\.parquet")
_HASHED = re.compile(r"-[0-9a-f]{16}$")
_MAY_NOT_ENCODE = re.compile(rb"\\u[dD]")
"""In a manifest with text that cannot be encoded, and in few others."""

_FITS = 18
"""Digits of a number that is of 64 bits, whatever they are."""


@dataclass(frozen=True)
class Part:
    """One Parquet file of a table."""

    path: str
    """``TABLE/NAME.parquet``, below the dataset's folder."""
    rows: int
    bytes: int
    sha256: str
    schema: str
    """Fingerprint of names and types of its columns; equal where these are."""
    adopted: bool = False
    """Whether it was there before the manifest named parts; such a file is never removed."""

    @property
    def table(self) -> str:
        """The table it belongs to."""
        return self.path.partition("/")[0]

    @property
    def stem(self) -> str:
        """Its name without what tells contents apart: a part replaces the one of the same stem."""
        return stem(self.path)

    def entry(self) -> dict[str, Any]:
        """As the manifest holds it."""
        return {key: value for key, value in asdict(self).items() if value is not False}


def stem(path: str) -> str:
    """The name of a part without folder, suffix, and what tells contents apart."""
    return _HASHED.sub("", path.rpartition("/")[2].removesuffix(".parquet"))


def identity() -> Metadata:
    """Signature and identifier of a new dataset."""
    return {"signature": SIGNATURE, "id": str(uuid.uuid4())}


def describe(file: Path, table: str, name: str | None = None) -> Part:
    """The facts about a Parquet file that becomes a part, named after its content unless ``name`` is given.

    Raises:
        DatasetError: it is no Parquet file, or cannot be read.
    """
    try:
        rows, schema, _ = _core.parquet_footer(file)
        content, size = sha256(file), file.stat().st_size
    except OSError as error:
        raise DatasetError(f"{error}. It cannot be a part of the table {table!r}.") from None
    fingerprint = hashlib.sha256(schema.encode()).hexdigest()[:16]
    return Part(f"{table}/{name or f'{stem(file.name)}-{content[:16]}.parquet'}", rows, size, content, fingerprint)


def parts(metadata: Metadata) -> Iterator[Part]:
    """Every part that a checked manifest names."""
    for entries in metadata.get("tables", {}).values():
        for entry in entries:
            yield Part(**entry)


def lost(metadata: Metadata) -> list[str]:
    """Paths of parts that a lost manifest named, and that nothing has taken the place of since."""
    paths: list[str] = metadata.get("lost", [])
    there = {(part.table, part.stem) for part in parts(metadata)} if paths else set()
    return [path for path in paths if (path.partition("/")[0], stem(path)) not in there]


def with_parts(metadata: Metadata, named: Iterable[Part]) -> Metadata:
    """The manifest with these parts in place of those it names, in the order of their stems."""
    tables: dict[str, list[dict[str, Any]]] = {}
    for part in sorted(named, key=lambda part: (part.table, part.stem, part.path)):
        tables.setdefault(part.table, []).append(part.entry())
    return {**metadata, "tables": tables}


def dumps(metadata: Metadata) -> str:
    """A manifest as text: a line for every part and every recording.

    The standard library's encoder takes ten times as long where it indents: a fifth of ingesting short recordings.
    """
    return _lines(metadata, 2, "\n ") + "\n"


def _lines(value: Any, levels: int, separator: str) -> str:
    """A value with a line for each member of its dictionaries, down to `levels`, and of the lists in them."""
    inner = separator + " "
    if isinstance(value, list) and value:
        return f"[{separator}{(',' + separator).join(_lines(each, 0, inner) for each in value)}{separator[:-1]}]"
    if isinstance(value, dict) and value and levels:
        members = (f"{_text(key)}: {_lines(each, levels - 1, inner)}" for key, each in value.items())
        return f"{{{separator}{(',' + separator).join(members)}{separator[:-1]}}}"
    return _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def visible_parts(root: Path) -> Iterator[str]:
    """Paths of what may be a part, by its place and name: what a dataset holds whose manifest does not name parts."""
    for folder in sorted(root.iterdir()):
        if _TABLE.fullmatch(folder.name) and is_real_folder(folder):
            for file in sorted(folder.iterdir()):
                if _PART.fullmatch(file.name) and is_regular(file):
                    yield f"{folder.name}/{file.name}"


def text(metadata: Mapping[str, Any], key: str) -> str | None:
    """A fact that is a text; null if it is anything else."""
    value = metadata.get(key)
    return value if isinstance(value, str) else None


def is_former(metadata: Mapping[str, Any]) -> bool:
    """Whether it is of a winf that did not name parts."""
    return "tables" not in metadata


def is_signed(metadata: Mapping[str, Any]) -> bool:
    """Whether winf wrote it since manifests carry a signature and an identifier."""
    try:
        return metadata.get("signature") == SIGNATURE and str(uuid.UUID(metadata["id"])) == metadata["id"]
    except (KeyError, ValueError, TypeError, AttributeError):
        return False


def load(root: Path, name: str = METADATA) -> Metadata:
    """The manifest of a dataset, checked.

    Raises:
        DatasetError: there is none, it is damaged, or of a newer format, or tables cannot be read at such a path.
    """
    if fault := not_utf8(root):
        raise DatasetError(fault)
    path = root / name
    try:
        if not is_regular(path):
            raise DatasetError(_no_dataset(root, name))
        if path.stat().st_size > MAX_BYTES:
            raise ValueError("larger than any manifest")
        content = path.read_bytes()
        digest = hashlib.sha256(content).digest()
        if (found := _known.get(digest)) is not None:
            known: Metadata = marshal.loads(found)  # noqa: S302 (written by this process)
            return known
        metadata: Metadata = json.loads(
            content.decode("utf-8"), parse_constant=_refuse_constant, parse_int=_whole_number
        )
        if _MAY_NOT_ENCODE.search(content):
            _check_texts(metadata)
        _check(root, metadata)
        _remember(digest, metadata, len(content))
    except OSError as error:
        raise DatasetError(out_of_files(error) or f"{path}: cannot be read: {error.strerror or error}.") from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise DatasetError(f"{path}: damaged ({reason}). `winf repair` rebuilds what can be rebuilt.") from None
    return metadata


_known: dict[bytes, bytes] = {}
"""The manifest found in order last, by its SHA-256, in a form that is read in a third of the time: a command reads the
same one for each of its steps, and of thousands of recordings each time took longer than the step."""

_REMEMBERED_BYTES = 32 << 20
"""Size of a manifest up to which it is kept."""


def _remember(digest: bytes, metadata: Metadata, size: int) -> None:
    _known.clear()
    if size <= _REMEMBERED_BYTES:
        _known[digest] = marshal.dumps(metadata)


def _check(root: Path, metadata: Any) -> None:
    if not isinstance(metadata, dict):
        raise TypeError("not an object")
    _check_version(root, metadata.get("format_version"))
    _check_shape(metadata)


def _no_dataset(root: Path, name: str) -> str:
    """Why a path is none."""
    if root.is_dir() and (inner := sorted(path.parent for path in root.glob(f"*/{METADATA}"))):
        return f"{root}: a folder of {len(inner)} datasets, of which this command takes one, such as {inner[0]}."
    return f"{root}: not a dataset (no {name} in it). Make one with `winf ingest`."


def _check_version(root: Path, version: Any) -> None:
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise TypeError("format_version is no positive whole number")
    if version > FORMAT_VERSION:
        raise DatasetError(f"{root}: made by a newer winf (format {version}, this one reads {FORMAT_VERSION}).")


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _whole_number(digits: str) -> int:
    """A number of 64 bits: others fail wherever they are stored.

    Told from its digits alone, since a search of a whole manifest finds as many in the SHA-256 of parts.
    """
    if len(digits) > _FITS and (len(digits) > _FITS + 2 or not -(2**63) <= int(digits) < 2**63):
        raise ValueError("a number of more than 64 bits")
    return int(digits)


def _check_texts(document: Any) -> None:
    """Encodable text only: other text fails wherever it is printed or stored."""
    todo = [document]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            todo += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            todo += value
        elif isinstance(value, str):
            value.encode()


_TEXTS = ("source", "path", "folder", "part", "sha256")
"""What entries about recordings and logs are told by; null where it was taken out for publication."""


def _check_shape(metadata: Metadata) -> None:
    kinds = {"inputs": list, "skipped": list, "truth": list, "lost": list, "parameters": dict, "replays": dict}
    for key, kind in kinds.items():
        if not isinstance(metadata.get(key, kind()), kind):
            raise TypeError(f"{key} is no {'list' if kind is list else 'object'}")
    for key in ("inputs", "skipped", "truth"):
        if not all(isinstance(entry, dict) for entry in metadata.get(key, [])):
            raise TypeError(f"an entry of {key} is no object")
        for text in (entry.get(name) for entry in metadata.get(key, []) for name in _TEXTS):
            if not isinstance(text, str | None) or "\0" in (text or ""):  # no path holds that octet
                raise TypeError(f"an entry of {key} has something else in place of a text")
    if not all(isinstance(entry.get("source"), str) for entry in metadata.get("inputs", [])):
        raise TypeError("a recording has no name")
    if not all(map(is_part_path, metadata.get("lost", []))):
        raise TypeError("lost is no list of parts")
    for key in ("superseded", "obsolete"):
        _check_sizes(key, metadata.get(key, {}))
    made = metadata.get("made", {})
    if not isinstance(made, dict) or not all(map(_is_note, made.values())):
        raise TypeError("made is no object of fingerprints and parts")
    version = metadata.get("version", 1)
    if not isinstance(version, int) or version < 1:
        raise TypeError("version is no positive whole number")
    if is_former(metadata):
        return
    if not is_signed(metadata):
        raise ValueError("it names parts and has no signature of winf")
    if not isinstance(metadata["tables"], dict):
        raise TypeError("tables is no object")
    for table, entries in metadata["tables"].items():
        _check_table(table, entries)


def _is_note(note: Any) -> bool:
    """Whether a value of ``made`` is what :mod:`.making` writes."""
    if not isinstance(note, dict) or not isinstance(note.get("key"), str) or not isinstance(note.get("parts"), list):
        return False
    texts = [note.get(key, []) for key in ("notes", "problems")]
    return all(isinstance(text, str) for text in note["parts"]) and all(
        isinstance(lines, list) and all(isinstance(line, str) for line in lines) for lines in texts
    )


def _check_sizes(key: str, sizes: Any) -> None:
    if not isinstance(sizes, dict) or not all(
        is_part_path(path) and isinstance(size, int) for path, size in sizes.items()
    ):
        raise TypeError(f"{key} is no object of parts and their octets")


def _check_table(table: str, entries: Any) -> None:
    if not isinstance(entries, list) or not _TABLE.fullmatch(table):
        raise TypeError(f"{table!r} is no table with a list of parts")
    for entry in entries:
        if not isinstance(entry, dict) or not entry.keys() <= Part.__dataclass_fields__.keys():
            raise TypeError(f"a part of {table!r} is no object of the facts about a part")
        path = entry.get("path")
        if not is_part_path(path) or Part(**entry).table != table:
            raise ValueError(f"{path!r} is no path of a part of {table!r}")
        numbers, texts = (entry["rows"], entry["bytes"]), (entry["sha256"], entry["schema"])
        if not all(type(number) is int and number >= 0 for number in numbers):
            raise TypeError(f"{path!r} has no count of rows and octets")
        if not all(isinstance(text, str) for text in texts) or not isinstance(entry.get("adopted", False), bool):
            raise TypeError(f"{path!r} has no SHA-256 and schema")
    paths = [entry["path"] for entry in entries]
    if len(set(paths)) < len(paths):
        raise ValueError(f"a part of {table!r} is named twice")


def is_part_path(path: Any) -> bool:
    """Whether a text is ``TABLE/NAME.parquet``, with nothing that leads out of the dataset."""
    if not isinstance(path, str):
        return False
    table, _, name = path.partition("/")
    return bool(_TABLE.fullmatch(table) and _PART.fullmatch(name))
