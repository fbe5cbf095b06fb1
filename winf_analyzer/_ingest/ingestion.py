"""Ingestion of recordings into a dataset."""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winf_analyzer import _core, _schema
from winf_analyzer._dataset import changes, dataset
from winf_analyzer._dataset.creating import sibling_of
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.nodes import counted, stations
from winf_analyzer._dataset.overwriting import check_output, refuse_inputs
from winf_analyzer._ingest import appending
from winf_analyzer._ingest.decoding import Decoding, Tshark, check_observer, redact_keys
from winf_analyzer._ingest.finished_sources import FinishedSources
from winf_analyzer._ingest.inputs import InputFile, Paths, input_files, named_inputs, paths_of
from winf_analyzer._ingest.pool import NATIVE_TABLES, Decoded, Spread, decode, described, number_of_jobs
from winf_analyzer._ingest.tasks import DecodingTask, tasks
from winf_analyzer._ingest.truth.writing import split_logs, write_truth
from winf_analyzer._util.code_identity import fingerprint
from winf_analyzer._util.durable import sha256
from winf_analyzer._util.errors import DatasetError, InterruptedRun, UnusableInput
from winf_analyzer._util.format import given_path
from winf_analyzer._util.interrupts import leaving_nothing
from winf_analyzer._util.progress import Progress
from winf_analyzer._util.shards import Shard, parse_shard

if TYPE_CHECKING:
    import polars as pl


def ingest(
    inputs: Paths,
    output: str | os.PathLike[str],
    *,
    observer: str | None = None,
    decoder: str | Tshark = "native",
    keys: Iterable[str] = (),
    force: bool = False,
    jobs: int | None = None,
    shard: str | None = None,
    spread: Spread | None = None,
    command: str | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Decode recordings, rebuild the exchanges and write the dataset, or add to it what it does not hold yet.

    A recording that the dataset holds, by its content, is left as it is; one that has changed takes the place of what
    it was. The tables have the same rows as after one ingest of all, recordings in the order in which they were added.
    Tables that rest on all recordings together, such as `estimates`, are emptied.

    Args:
        inputs: files, folders, globs, or ``-`` for standard input; formats are detected from the content. Logs of iperf
            and FlowMonitor among them become the ``truth`` table.
        output: the dataset folder to create, or a dataset that `ingest` made.
        observer: address of the capturing station (``aa:bb:cc:dd:ee:ff`` or ``node-3``), if it cannot be inferred.
        decoder: ``native``, or ``tshark`` for formats that only Wireshark reads; `Tshark` is the latter with options.
        keys: for encrypted frames, with tshark: ``wep:HEX``, ``wpa-psk:HEX`` or ``wpa-pwd:PASSPHRASE:SSID``.
        force: replace an existing dataset instead of adding to it.
        jobs: recordings decoded at a time; by default one per core. The dataset is the same.
        shard: of the inputs only this share, ``i/n``; `collect` makes one dataset of all shares.
        spread: runs the tasks on other machines, which share the file system.
        command: command line for the provenance; by default that of the process.
        progress: called before each recording is read.

    Returns:
        The finished dataset. Damage and unusable recordings are listed in its ``warnings`` table, the latter also in
        ``metadata["skipped"]``.

    Raises:
        UnusableInput: no input is usable.
        UsageError: no input is named, the observer is not an address, or a key is malformed.
        DecoderError: tshark is not installed, or too old.
        DatasetError: the output exists and was not made by `ingest` with the same decoder, observer and keys, or cannot
            be written (for example because the disk is full).
        InterruptedRun: interrupted by the user; no files are left behind.
    """
    target, inputs = given_path(output), named_inputs(inputs)
    share = parse_shard(shard)
    grown = None if force else _growing(target, share, paths_of(inputs))
    if grown is None:
        check_output(target, force=force, inputs=paths_of(inputs))
    decoding = Decoding.validated(decoder, keys)
    check_observer(observer)
    logs, captures = split_logs(inputs, decoder)
    if logs and not captures and grown is None:
        raise UnusableInput(
            f"{logs[0]}: ground truth without a recording. Name the recording it belongs to as well, or compare it with"
            f" a dataset: winf compare DATASET --iperf {logs[0]}"
        )
    run = _Ingest(decoding, observer, number_of_jobs(jobs), share, spread, command, progress)
    state = "is as it was" if os.path.lexists(target) else "was not created"
    try:
        with input_files(captures, decoder) as files:
            if grown is None:
                run.create(target, files, logs, force=force)
            elif run.shard.is_whole:
                run.add(grown, files, logs)
            else:
                run.check_finished(grown, files)
    except KeyboardInterrupt:
        raise InterruptedRun(f"interrupted; {output} {state}") from None
    except OSError as error:
        raise DatasetError(f"{output}: cannot be written: {error.strerror or error}.") from error
    return Dataset.open(output)


def _growing(target: Path, shard: Shard, inputs: Iterable[str | os.PathLike[str]]) -> Dataset | None:
    """The dataset at ``target`` if recordings can be added to it, or if it is the shard's.

    None where a new one is to be made, or refused.
    """
    if target.is_symlink() or not target.is_dir():
        return None
    try:
        there = Dataset.open(target)
    except DatasetError:
        return None
    said = shard.facts("ingest").get("shard")
    if not appending.is_growing(there.metadata) or there.metadata.get("shard") != said:
        return None
    refuse_inputs(target, inputs)
    appending.check_provenance(there)
    return there


@dataclass(frozen=True)
class _Ingest:
    """The settings of a run."""

    decoding: Decoding
    observer: str | None
    jobs: int
    shard: Shard
    spread: Spread | None
    command: str | None
    progress: Progress | None

    def create(self, target: Path, files: list[InputFile], logs: list[Path], *, force: bool) -> None:
        """Make the dataset of these recordings, or of the shard's."""
        sibling = sibling_of(target)  # in which a new dataset is made, unlike one that is replaced
        with (
            dataset.create(target, force=force, inputs=[*logs, *(file.path for file in files)]) as staged,
            leaving_nothing(sibling if staged.parent.name == sibling.name else staged),
        ):
            work = self.shard.of(tasks(files, self.decoding))
            decoded = self._decode(work, staged)
            if not decoded.sources and self.shard.is_whole:
                raise UnusableInput("\n".join(entry["reason"] for entry in decoded.skipped))
            own_logs = logs if self.shard.is_first else []
            truth, problems = write_truth(staged, decoded.sources, own_logs)
            skipped = decoded.skipped + _about_logs(problems)
            write_derived_tables(staged, decoded.counts)
            facts = provenance(self.command, self._parameters(), decoded.sources, skipped)
            key = content_key([*decoded.sources, *skipped, *truth], self.decoding, self.observer)
            facts |= self.shard.facts("ingest") | {"truth": truth, "made": {"ingest": {"key": key}}}
            changes.state(staged, facts)

    def add(self, grown: Dataset, files: list[InputFile], logs: list[Path]) -> None:
        """Add the recordings and logs that are new or have changed; without any the dataset stays as it is."""
        metadata = grown.metadata
        appending.check_settings(grown, self._parameters())
        found = appending.difference(metadata, files, anew=not appending.is_of_this_version(metadata))
        truth_there, new_logs = appending.new_logs(metadata, logs)
        if not (found.new or found.gone or new_logs):
            return
        with grown.change("ingest") as change, leaving_nothing(change.folder):
            decoded = self._decode(tasks(found.new, self.decoding, appending.next_number(metadata)), change.folder)
            appending.keep_what_was_good(metadata, found, decoded.skipped)
            truth, problems = write_truth(change.folder, decoded.sources, new_logs, appending.next_log(metadata))
            replaced = appending.replaced_logs(metadata, truth_there, truth)
            truth_there = [entry for entry in metadata["truth"] if entry not in replaced]
            gone = [*found.gone, *replaced]
            write_derived_tables(change.folder, of=grown, without=appending.remove(grown, change, gone, NATIVE_TABLES))
            came = [*decoded.sources, *(entry for entry in truth if entry["rows"])]
            if came or any("reason" not in entry for entry in gone):
                appending.empty_tables_of_all(change)
            sources, truth = [*found.inputs, *decoded.sources], [*truth_there, *truth]
            skipped = [*found.skipped, *decoded.skipped, *_about_logs(problems)]
            change.facts.update(provenance(self.command, self._parameters(), sources, skipped) | {"truth": truth})
            key = content_key([*sources, *skipped, *truth], self.decoding, self.observer)
            change.made["ingest"] = {"key": key}

    def check_finished(self, there: Dataset, files: list[InputFile]) -> None:
        """Leave the shard's dataset as it is if it holds the shard's recordings.

        Raises:
            DatasetError: it holds others.
        """
        work = self.shard.of(tasks(files, self.decoding))
        own = [recording for task in work for recording in task.recordings]
        appending.check_settings(there, self._parameters())
        anew = not appending.is_of_this_version(there.metadata)
        found = appending.difference(there.metadata, own, anew=anew)
        if found.new or len(own) != len(found.inputs) + len(found.skipped):
            raise DatasetError(
                f"{there.path}: is shard {self.shard} of other recordings. Choose another output or pass --force to "
                "replace it."
            )

    def _decode(self, work: list[DecodingTask], staged: Path) -> Decoded:
        for table in NATIVE_TABLES:
            (staged / table).mkdir()
        making = changes.current(staged.parent)
        finished = FinishedSources(making.left if making else (), NATIVE_TABLES, self.decoding, self.observer)
        return decode(
            work,
            staged,
            self.decoding,
            finished,
            observer=self.observer,
            jobs=self.jobs,
            finish=making.finish if making else described,
            progress=self.progress,
            spread=self.spread,
        )

    def _parameters(self) -> dict[str, Any]:
        return {**self.decoding.parameters(), "observer": self.observer}


def _about_logs(problems: list[str]) -> list[dict[str, Any]]:
    return [{"path": problem.partition(":")[0], "reason": problem} for problem in problems]


def ingested(
    inputs: Paths, output: Path, *, observer: str | None, decoder: str | Tshark, keys: Iterable[str]
) -> Dataset | None:
    """The dataset at ``output`` if the same code made it of the same content with the same arguments, or None.

    Raises:
        UnusableInput, UsageError, DecoderError: as in `ingest`.
    """
    decoding = Decoding.validated(decoder, keys)
    logs, captures = split_logs(inputs, decoder)
    try:
        there = Dataset.open(output)
    except DatasetError:
        return None
    noted = there.metadata.get("made", {}).get("ingest", {}).get("key")
    if noted is None:
        return None
    with input_files(captures, decoder) as files:
        contents = [(file.source, sha256(file.path)) for file in files]
    contents += [(log.name, sha256(log)) for log in logs]
    return there if noted == _fingerprint(contents, decoding, observer) else None


def content_key(entries: Iterable[dict[str, Any]], decoding: Decoding, observer: str | None) -> str:
    """The fingerprint of what a dataset was made of, by the entries about recordings and logs in ``dataset.json``."""
    return _fingerprint(
        [(each["source"], each.get("sha256")) for each in entries if "source" in each], decoding, observer
    )


def _fingerprint(contents: Sequence[tuple[str, str | None]], decoding: Decoding, observer: str | None) -> str:
    """A fingerprint of recordings and logs in any order, of arguments, and of the code."""
    ordered = sorted(contents, key=str)
    return fingerprint({"contents": ordered, "decoding": decoding, "observer": observer})


def write_derived_tables(
    folder: Path,
    counts: _core.FrameCounts | None = None,
    *,
    neighbour_rows: pl.DataFrame | None = None,
    of: Dataset | None = None,
    without: Container[str] = (),
) -> None:
    """Write ``nodes`` and ``neighbours``, and create missing tables of later steps without rows.

    Args:
        folder: the folder in which the dataset's new parts are made.
        counts: the counts of all frames; by default those of the parts of ``frames`` are read.
        neighbour_rows: the ``neighbours`` table of merged recordings.
        of: the dataset that they are added to.
        without: its parts of ``frames`` that go, as its manifest names them.
    """
    there = [] if of is None else zip(of.paths("frames"), of.parts("frames"), strict=True)
    stays = [file for path, file in there if path not in without]
    frames = [*stays, *sorted((folder / "frames").glob("*.parquet"))]
    if counts is None:
        counts = counted(frames)
    derived = ("nodes", "neighbours")
    for table in derived:
        (folder / table).mkdir()
    _core.write_part(folder / "nodes" / dataset.FIRST_PART, "nodes", stations(counts, frames))
    if neighbour_rows is None:
        _core.write_part(folder / "neighbours" / dataset.FIRST_PART, "neighbours", counts.neighbours())
    else:
        dataset.write_part(neighbour_rows, folder / "neighbours" / dataset.FIRST_PART)
    for table in (each.name for each in _schema.tables() if each.name not in derived):
        if not any((folder / table).glob("*.parquet")) and (of is None or table not in of.tables):
            (folder / table).mkdir(exist_ok=True)
            _core.write_part(folder / table / dataset.FIRST_PART, table)


def provenance(
    command: str | None, parameters: dict[str, Any], sources: list[dict[str, Any]], skipped: list[dict[str, str]]
) -> dict[str, Any]:
    """The content of ``dataset.json``."""
    return {
        "format_version": _schema.FORMAT_VERSION,
        "tool_version": _core.__version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command or redact_keys(sys.argv),
        "parameters": parameters,
        "inputs": sources,
        "skipped": skipped,
    }
