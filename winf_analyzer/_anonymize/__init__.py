"""Datasets that may be published: pseudonyms for addresses and names, and a search for what is left of them."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from winf_analyzer._anonymize.metadata import published
from winf_analyzer._anonymize.pseudonyms import MIN_KEY_BYTES, Pseudonyms
from winf_analyzer._anonymize.scan import faults, leaks
from winf_analyzer._anonymize.tables import Substitution
from winf_analyzer._dataset import dataset as datasets
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.history import gc
from winf_analyzer._dataset.manifest import Metadata
from winf_analyzer._ingest.ingestion import ingest
from winf_analyzer._schema import complete
from winf_analyzer._sql.datasets import datasets_at
from winf_analyzer._util import parquet
from winf_analyzer._util.errors import DatasetError, UsageError
from winf_analyzer._util.scratch import scratch_folder

__all__ = ["anonymize", "check_public", "faults", "leaks"]

MAX_KEY_BYTES = 1 << 16


def anonymize(
    recording: Dataset | str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    key_file: str | os.PathLike[str] | None = None,
    keep_vendor: bool = False,
    shift_times: bool = False,
    force: bool = False,
    ingested: Callable[[Metadata], object] | None = None,
) -> Dataset:
    """Write a copy of a dataset that names no station, host, network or file.

    MAC addresses, IP addresses (those that share a prefix still do) and names of networks become pseudonyms, recordings
    and logs are numbered, sentences and the facts about files are left out. Rows, times and sizes stay, so that
    estimates are those of the original. Who knows the stations' traffic can recognize it: see docs/anonymize.md.

    Args:
        recording: a dataset, or a recording, of which one is made first.
        output: the dataset folder to create.
        key_file: a file with at least 16 octets that nobody else has; datasets under one key have the same pseudonyms.
            Without it the key is random and forgotten.
        keep_vendor: MAC addresses keep their first three octets.
        shift_times: the first frame falls in the first hour of 1970; differences of times stay.
        force: replace an existing dataset.
        ingested: told what ``dataset.json`` says of the dataset that is made first, with damage and what was left out:
            the copy holds no message and no name of a file.

    Raises:
        UsageError: the key cannot be read, or is too short.
        DatasetError: there are several datasets at this path, the output exists or cannot be written, or something of
            the original was found in it (nothing is left there then).
        UnusableInput: the recording contains nothing usable.
    """
    pseudonyms = Pseudonyms(_key(key_file), keep_vendor=keep_vendor)
    with _dataset(recording, ingested) as original:
        substitution = Substitution(original, pseudonyms, shift_times=shift_times)
        inputs = [original.path, *([key_file] if key_file else [])]
        with datasets.create(output, force=force, inputs=inputs, action="anonymize") as staged:
            _write(original, substitution, staged)
            facts = published(
                original,
                substitution.file,
                substitution.station,
                substitution.shift_ns,
                keep_vendor=keep_vendor,
                shift_times=shift_times,
            )
            datasets.write_metadata(staged, facts)
            datasets.seal(staged)  # so that it can be read before it is published
            made = Dataset.open(staged)
            datasets.write_metadata(staged, facts)
            if remaining := leaks(original, made) + faults(made):
                named = ", ".join(each.removesuffix(".") for each in remaining[:3])
                raise DatasetError(
                    f"{output}: not written, because the copy still contains {named}"
                    f"{' and others' if len(remaining) > 3 else ''}. Try another key, and report this."
                )
    if force:
        gc(output)  # the history may hold what the copy must not
    return Dataset.open(output)


def check_public(dataset: Dataset | str | os.PathLike[str]) -> list[str]:
    """What speaks against publishing a dataset, a sentence each, judged by its own content; none is what is wanted.

    Raises:
        DatasetError: there is no dataset at this path, or it has a column of which nobody knows what it may tell.
    """
    return faults(dataset if isinstance(dataset, Dataset) else Dataset.open(dataset))


def _write(original: Dataset, substitution: Substitution, staged: Path) -> None:
    for table in original.tables:
        (staged / table).mkdir()
        for number, part in enumerate(original.parts(table)):
            rows = complete(parquet.scan(part), table)
            datasets.write_part(substitution.rewrite(rows, table), staged / table / datasets.PART.format(number))


@contextmanager
def _dataset(
    recording: Dataset | str | os.PathLike[str], ingested: Callable[[Metadata], object] | None
) -> Iterator[Dataset]:
    """The dataset, or one made of the recording that is gone afterwards."""
    if isinstance(recording, Dataset):
        yield recording
    elif datasets_at(recording):  # of a folder of them opening it says that this is one too many
        yield Dataset.open(recording)
    else:
        with scratch_folder() as folder:
            made = ingest(recording, folder / "recording.winf")
            if ingested:
                ingested(made.metadata)
            yield made


def _key(file: str | os.PathLike[str] | None) -> bytes:
    if file is None:
        return secrets.token_bytes(32)
    try:
        with Path(file).open("rb") as opened:
            key = opened.read(MAX_KEY_BYTES)
    except OSError as error:
        raise UsageError(f"{file}: the key cannot be read: {error.strerror or error}.") from None
    if len(key) < MIN_KEY_BYTES:
        raise UsageError(f"{file}: a key needs at least {MIN_KEY_BYTES} octets, this has {len(key)}.")
    return key
