"""Search of a published dataset for what it must not contain."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer._anonymize.columns import kinds
from winf_analyzer._anonymize.metadata import FACTS, OF_A_FILE
from winf_analyzer._anonymize.pseudonyms import BROADCAST, NULL_ADDRESS, has_addresses_only, names_no_host
from winf_analyzer._anonymize.tables import REMOVED
from winf_analyzer._dataset.checking import waiting
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.manifest import HISTORY

MIN_NAME = 4
"""Characters from which on a name is searched for within other texts; shorter ones stand in any text by chance."""

_ADDRESS = re.compile(
    r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}|(?:\d{1,3}\.){3}\d{1,3}", re.IGNORECASE
)
_WHOLE_ADDRESS = re.compile(rf"(?:{_ADDRESS.pattern})(?!\w)", re.IGNORECASE)
"""In texts, where no letter follows an address: ``null::bigint`` in the SQL of a finding holds none."""
_HEXADECIMAL = re.compile(r"[0-9a-f]{12,}", re.IGNORECASE)
_NAME = r"(?:ssid|station|flow|host|address|file)-[0-9a-f]{16}"
_FORMS = {
    "station": rf"(?:[0-9a-f]{{2}}:){{5}}[0-9a-f]{{2}}|node-\d+|recording-\d+(?:#\d+)?|{_NAME}",
    "file": rf"(?:recording|log|replay)-\d+(?:#\d+)?|{_NAME}(?:#\d+)?",
    "ssid": rf"\x00*|{_NAME}",
    "presence": REMOVED,
    "text": "",
}
"""What a column of a kind may hold, where its form shows that it was replaced."""
_OWN_WORDS = FACTS | {"part"}
"""Keys of facts about recordings whose texts winf itself writes."""


def leaks(original: Dataset, published: Dataset) -> list[str]:
    """Addresses and names of a dataset that are still in the published one, sorted; none is what is wanted.

    Every text of every table, dataset.json, and the octets of every file are searched: addresses in any notation,
    and names of networks, recordings and their folders.
    """
    addresses = set(filter(_names_somebody, _addresses(_texts(original), _WHOLE_ADDRESS)))
    found = addresses & (_addresses(_texts(published)) | _addresses(_octets(published)))
    hexadecimal = {address.replace(":", "") for address in addresses if address.count(":") == 5}
    runs = {run for text in _texts(published) for run in _HEXADECIMAL.findall(text.lower())}
    found |= {digits for digits in hexadecimal if any(digits in run for run in runs)}
    return sorted(found | _names_in(published, _names(original)))


def faults(dataset: Dataset) -> list[str]:
    """What speaks against publishing a dataset, judged by its own content, a sentence each.

    Raises:
        DatasetError: a table has a column that is not declared.
    """
    problems = []
    if "anonymized" not in dataset.metadata:
        problems.append("dataset.json: not made by `winf anonymize`.")
    if (dataset.path / HISTORY).exists():
        problems.append(f"{HISTORY}: holds earlier versions; `winf gc` removes them.")
    problems += [f"{path}: belongs to an earlier version." for path in waiting(dataset.path, dataset.metadata)]
    for entry in dataset.metadata.get("inputs", []):
        problems += [
            f"dataset.json: {key} of {entry['source']} is there." for key in OF_A_FILE if entry.get(key) is not None
        ]
    for table in dataset.tables:
        for column, kind in kinds(table).items():
            if (form := _FORMS.get(kind)) is not None:
                values = _values(dataset, table, column)
                others = values.filter(~values.str.contains(rf"^(?:{form})$"))
                if len(others):
                    problems.append(f"{table}.{column}: {len(others)} values that are no pseudonyms.")
    return problems


def _values(dataset: Dataset, table: str, column: str) -> pl.Series:
    rows = dataset.scan(table).select(pl.col(column).drop_nulls().unique()).collect(engine="streaming")
    return rows.to_series()


def _texts(dataset: Dataset) -> Iterator[str]:
    yield json.dumps(dataset.metadata, ensure_ascii=False)
    for table in dataset.tables:
        for column, type_ in dataset.scan(table).collect_schema().items():
            if type_ == pl.String:
                yield from _values(dataset, table, column)


def _octets(dataset: Dataset) -> Iterator[str]:
    for table in dataset.tables:
        for part in dataset.parts(table):
            yield part.read_bytes().decode("latin-1")


def _addresses(texts: Iterator[str], form: re.Pattern[str] = _ADDRESS) -> set[str]:
    found = {match.lower().replace("-", ":") for text in texts for match in form.findall(text)}
    return set(filter(_is_address, found))


def _is_address(text: str) -> bool:
    if len(text) == 17 and text.count(":") == 5:
        return True
    try:
        ipaddress.ip_address(text)
    except ValueError:  # a time of day
        return False
    return True


def _names_somebody(address: str) -> bool:
    """That it is the address of a station or host, or made of one."""
    if len(address) == 17 and address.count(":") == 5:
        return address not in (BROADCAST, NULL_ADDRESS)
    return not names_no_host(ipaddress.ip_address(address))


def _names(dataset: Dataset) -> set[str]:
    """Names of networks, recordings and their folders."""
    found: set[str] = set()
    for table in dataset.tables:
        for column, kind in kinds(table).items():
            if kind in ("ssid", "file"):
                found.update(_values(dataset, table, column))
    for entry in dataset.metadata.get("inputs", []):
        found.update(Path(str(entry.get("path") or "")).parts)
    return {name for name in found if len(name.strip("\0")) >= MIN_NAME}


def _names_in(dataset: Dataset, names: set[str]) -> set[str]:
    """Those of the names that a text contains which is no pseudonym, and not made of pseudonyms of addresses alone.

    Winf's own words are not searched: `part-00000` names no network that is called "part".
    """
    texts = [pl.Series(list(_leaves(dataset.metadata.get("inputs", []))), dtype=pl.String)]
    for table in dataset.tables:
        stated = dataset.scan(table).collect_schema()
        texts += (_values(dataset, table, column) for column in kinds(table) if stated[column] == pl.String)
    found: set[str] = set()
    for values in texts:
        foreign = values.filter(~values.str.contains(rf"^(?:{_FORMS['station']}|{_FORMS['file']}|{REMOVED})$"))
        foreign = pl.Series([text for text in foreign if not has_addresses_only(text)], dtype=pl.String)
        if names and len(foreign):
            found.update(foreign.str.extract_many(sorted(names), ascii_case_insensitive=True).explode().drop_nulls())
    return found


def _leaves(value: Any, key: str = "") -> Iterator[str]:
    """The texts in metadata, but for those that winf itself writes."""
    match value:
        case dict():
            for name, each in value.items():
                yield from _leaves(each, name)
        case list():
            for each in value:
                yield from _leaves(each, key)
        case str() if key not in _OWN_WORDS:
            yield value
