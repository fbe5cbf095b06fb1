"""Facts about recordings and how they are interpreted, without making a dataset."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from winf_analyzer import _core
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._ingest.decoding import NATIVE, Decoding, Tshark
from winf_analyzer._ingest.inputs import Paths, input_files, path_list, recording_of, source_of
from winf_analyzer._ingest.networks import network_text
from winf_analyzer._mac.summary import parameter_lines
from winf_analyzer._names.codes import reason_text, status_text
from winf_analyzer._sql.datasets import datasets_at
from winf_analyzer._util.clocks import EPOCH_NS
from winf_analyzer._util.errors import UnusableInput, UsageError
from winf_analyzer._util.format import format_value


def info(
    inputs: Paths,
    *,
    observer: str | None = None,
    decoder: str | Tshark = "native",
    keys: Iterable[str] = (),
) -> list[dict[str, Any]]:
    """Facts about each recording: container, counts, clock convention, observer, damage.

    The arguments are those of `ingest`; datasets among the inputs, folders of datasets and globs, too, stand for the
    recordings in them, with what ``dataset.json`` says and the ``dataset`` that it is from.

    Returns:
        One dictionary per recording; for an unusable recording only ``source`` and ``error``.

    Raises:
        UnusableInput: an input does not exist, or no input is a recording.
        UsageError, DecoderError: as in `ingest`.
    """
    decoding = Decoding.validated(decoder, keys)
    known: list[dict[str, Any]] = []
    others: list[str | os.PathLike[str]] = []
    for given in path_list(inputs):
        datasets = datasets_at(given)
        known += [entry for path in datasets for entry in _of_dataset(path)]
        if datasets != [Path(given)]:  # a folder or a glob may hold both
            others.append(given)
    try:
        recordings = [*known, *_of_files(others, decoding, observer)] if others else known
    except UnusableInput:
        if not known:
            raise
        recordings = known
    if recordings and all("error" in entry for entry in recordings):
        raise UnusableInput("\n".join(entry["error"] for entry in recordings))
    return recordings


def _of_files(inputs: list[str | os.PathLike[str]], decoding: Decoding, observer: str | None) -> list[dict[str, Any]]:
    with input_files(inputs, decoding.decoder) as files:
        recordings = [
            recording_facts(recording.path, recording.source, decoding, observer=observer) for recording in files
        ]
        for recording, entry in zip(files, recordings, strict=True):
            if "error" in entry:
                entry["error"] = recording.said(UnusableInput(entry["error"]))
    return recordings


def _of_dataset(path: Path) -> list[dict[str, Any]]:
    """Facts about the recordings of a dataset, also about those that could not be used."""
    from winf_analyzer._ingest.overheard import overheard

    dataset = Dataset.open(path)
    metadata = dataset.metadata
    skipped = [
        {"source": entry.get("source") or str(entry.get("path")), "error": str(entry.get("reason"))}
        for entry in metadata.get("skipped", [])
    ]
    inputs = metadata.get("inputs", [])
    heard = (
        overheard(dataset, [entry["source"] for entry in inputs])
        if {"frames", "capabilities"} <= set(dataset.tables)
        else {}
    )
    facts = [{**entry, **heard.get(entry.get("source"), {})} for entry in inputs]
    if {"exchanges", "capabilities"} <= set(dataset.tables):
        _add_parameters(facts, dataset)
    return [{**entry, "dataset": str(path)} for entry in [*facts, *skipped]]


def _add_parameters(recordings: list[dict[str, Any]], dataset: Dataset) -> None:
    """`mac_parameters` of the recordings in a dataset, as of files; merged ones have none of their own."""
    from winf_analyzer._mac.of_dataset import mac_parameters

    by_name: dict[str, list[dict[str, Any]]] = {str(entry.get("source")): [] for entry in recordings}
    for row in mac_parameters(dataset).filter("used").iter_rows(named=True):
        source = str(row["source"])
        found = by_name.get(source, by_name.get(recording_of(source)))
        if found is not None:
            found.append({name: row[name] for name in _SHOWN})
    for entry in recordings:
        entry["mac_parameters"] = by_name[str(entry.get("source"))]


def without_recordings(inputs: Paths, recordings: list[dict[str, Any]]) -> list[str]:
    """A sentence for each dataset among the inputs of which `info` has found no recording."""
    told = {entry.get("dataset") for entry in recordings}
    paths = [path for given in path_list(inputs) for path in datasets_at(given) if str(path) not in told]
    return [_without_recordings(path) for path in paths]


def _without_recordings(path: Path) -> str:
    if Dataset.open(path).paths("frames"):
        return (
            f"{path}: what is known of its recordings is lost; ingest them again with --force. Its tables are there, "
            "for `winf sql`."
        )
    return f"{path}: holds no recordings."


def describe(entry: dict[str, Any]) -> list[tuple[str, str]]:
    """The facts about a recording as label and text, for the terminal and the report."""
    counts = entry["counts"]
    frames = counts["frames"]
    span_s = (counts["last_ns"] - counts["first_ns"]) / 1e9 if frames else 0.0

    def share_text(count: int) -> str:
        return f"{count} ({100 * count / frames:.1f} %)" if frames else "0"

    def counts_text(members: dict[str, int]) -> str:
        ordered = sorted(members.items(), key=lambda member: -member[1])
        return "  ".join(f"{name} {count}" for name, count in ordered) or "none"

    lines = [
        ("when", when_text(counts)),
        *who_lines(entry),
        ("container", container_text(entry["container"])),
        ("frames", f"{frames} in {span_s:.3f} s"),
        ("kinds", counts_text(counts["kinds"])),
        ("PHYs", counts_text(counts["phys"])),
        ("channels", counts_text({f"{channel} MHz:": count for channel, count in counts["channels"].items()})),
        ("MAC time (TSFT)", share_text(counts["with_tsft"])),
        ("FCS checked", f"{share_text(counts['with_fcs'])}, bad {counts['bad_fcs']}"),
        ("airtime known", share_text(counts["with_airtime"])),
        *radio_lines(entry, frames),
        (
            "exchanges",
            f"{counts['exchanges']}, complete {counts['complete_exchanges']}, "
            f"CTS without its RTS {counts['hidden_exchanges']}",
        ),
    ]
    lines += code_lines(counts)
    lines += [("MAC parameters", line) for line in parameter_lines(entry.get("mac_parameters", []))]
    lines += merge_lines(entry)
    if counts["assumptions"]:
        lines.append(("assumed", counts_text(counts["assumptions"])))
    for other in entry.get("other_radios", []):
        name = source_of(entry["source"], other["radio"])
        lines += [
            ("source", f"{name}: {share_text(other['frames'])} of the frames"),
            *radio_lines(other, other["frames"]),
        ]
        lines += merge_lines(other)
    lines += [
        ("damage" if warning["damage"] else "warning", _warning_text(entry, warning)) for warning in entry["warnings"]
    ]
    return lines


def container_text(facts: Mapping[str, Any]) -> str:
    """The container and what its headers say; what it is goes without the label of the line."""
    return "  ".join(
        format_value(value) if key == "container" else f"{key} {format_value(value)}" for key, value in facts.items()
    )


NOT_APPLICABLE = "not_applicable"
UNUSABLE = "unusable"
"""Verdict of the audit on a simulator's trace."""

LISTED = 8
"""Networks, and codes, that are named."""


def when_text(counts: dict[str, Any]) -> str:
    """When the recording was made; of a simulation, which part of it."""
    if not counts["frames"]:
        return "no frame"
    first_ns, span_s = counts["first_ns"], (counts["last_ns"] - counts["first_ns"]) / 1e9
    if first_ns <= EPOCH_NS:
        return f"from {first_ns / 1e9:.3f} s of a clock without date, for {span_s:.3f} s"
    try:
        began = datetime.fromtimestamp(first_ns / 1e9, tz=UTC)
    except (ValueError, OverflowError, OSError):  # a stamp of the year 10000
        return f"from {first_ns} ns, for {span_s:.3f} s"
    return f"{began:%Y-%m-%d %H:%M:%S} UTC, for {span_s:.3f} s"


def who_lines(entry: dict[str, Any]) -> list[tuple[str, str]]:
    """Networks and number of stations as label and text; nothing where they were not looked for."""
    if "networks" not in entry:
        return []
    named = entry["networks"][:LISTED]
    lines = [("network", network_text(network)) for network in named]
    if (more := entry["number_of_networks"] - len(named)) > 0:
        lines.append(("", f"{more} more BSSIDs; --to json lists them"))
    busiest = ", ".join(f"{each['address']} ({each['frames']})" for each in entry["stations"][:3])
    lines.append(
        ("stations", f"{entry['number_of_stations']} sent frames; most of all {busiest}" if busiest else "none")
    )
    return lines


def code_lines(counts: dict[str, Any]) -> list[tuple[str, str]]:
    """Reason codes, and status codes other than success, as label and text; nothing where there were none."""
    coded = [("reason code", counts.get("reason_codes", {}), reason_text)]
    failures = {code: count for code, count in counts.get("status_codes", {}).items() if code != "0"}
    coded.append(("status code", failures, status_text))
    return [
        (label, f"{text(int(code))}: {'1 frame' if count == 1 else f'{count} frames'}")
        for label, by_code, text in coded
        for code, count in sorted(by_code.items(), key=lambda item: -item[1])[:LISTED]
    ]


def radio_lines(entry: dict[str, Any], frames: int) -> list[tuple[str, str]]:
    """Observer, clock and time stamp conventions of a radio that recorded ``frames`` frames, as label and text."""
    return [
        ("recorded by", entry["observer"] or ("a simulator" if is_trace(entry) else "an anonymous sniffer")),
        *([("clock", clock_text(entry, frames))] if "timed_by_mac" in entry else []),
        *(("time stamps", convention_text(group)) for group in entry["clock"]),
        *(("audit", audit_text(check)) for check in known_checks(entry) if tells(check)),
    ]


def is_trace(entry: dict[str, Any]) -> bool:
    """Whether a recording is the trace of a simulator: the audit of recorders does not apply to it."""
    checks = entry.get("audit", [])
    return bool(checks) and all(check["verdict"] == NOT_APPLICABLE for check in checks)


def _warning_text(entry: dict[str, Any], warning: dict[str, Any]) -> str:
    """A warning, prefixed with its source unless that is the recording's first radio."""
    number = warning.get("radio", 0)
    return f"{source_of(entry['source'], number)}: {warning['message']}" if number else str(warning["message"])


def clock_text(entry: dict[str, Any], frames: int) -> str:
    """The clock that times a radio's frames, and its drift, wraps and jumps."""
    if not entry["timed_by_mac"]:
        return "the host's" if frames else "none"
    parts = [
        "the MAC's" if not entry["timed_by_host"] else f"the MAC's, for {entry['timed_by_host']} frames the host's"
    ]
    if (ppm := entry["clock_drift_ppm"]) is not None:
        parts.append(
            f"drift against the host's {ppm:+.2f} ± {entry['clock_drift_error_ppm']:.2f} ppm"
            f" over {entry['clock_span_s']:.1f} s (spread {entry['clock_spread_us']:.0f} us)"
        )
    jumps = (("clock_wraps", "wraps"), ("clock_jumps", "jumps"), ("host_clock_jumps", "jumps of the host's clock"))
    parts += [f"{label} {entry[key]}" for key, label in jumps if entry[key]]
    return ", ".join(parts)


def merge_lines(entry: dict[str, Any]) -> list[tuple[str, str]]:
    """The alignment of a merged radio's clock as label and text; empty if it was not merged."""
    return [("merged", alignment_text(entry["alignment"]))] if entry.get("alignment") else []


def alignment_text(alignment: dict[str, Any]) -> str:
    """How the clock of a merged recording was aligned with the common clock."""
    if not alignment["shared_frames"]:
        return "reference clock"
    return (
        f"{alignment['offset_us']:+.1f} us ahead at the first frame, "
        f"drift {alignment['drift_ppm']:+.2f} ± {alignment['drift_error_ppm']:.2f} ppm, "
        f"by {alignment['shared_frames']} shared frames"
        f" (spread {alignment['spread_us']:.1f} us, pieces {alignment['pieces']})"
    )


def convention_text(group: dict[str, Any]) -> str:
    """The time stamp convention of a group of frames, and its evidence."""
    received_or_sent = {"tx": "sent", "rx": "received"}.get(group["direction"], "recorded")
    frames = f"{received_or_sent} {group['phy'] or 'other'} frames"
    if group.get("contradicted"):
        return f"{frames}: none (answers to them are stamped before them)"
    prefix = f"{frames}: {group['convention'].replace('_', ' ')}"
    if shift := group.get("shift_us"):
        prefix += f" {shift:+.0f} us"
    if late := group.get("late_answers_us"):
        prefix += f", answers {late:+.0f} us"
    if group["ambiguous"]:
        return f"{prefix} (assumed: no SIFS-spaced pairs)"
    if group["pairs"] == 0:
        return f"{prefix} (like the other {received_or_sent} frames)"
    agree = "SIFS-spaced pair agrees" if group["pairs"] == 1 else "SIFS-spaced pairs agree"
    return f"{prefix} ({100 * group['explained_share']:.1f} % of {group['pairs']} {agree})"


AUDITED = {
    "sifs": "answers within 4 us of SIFS",
    "nav_end": "CTS frames that reserve until the same instant as their RTS",
    "beacon_schedule": "beacons as far apart as their timestamps",
    "ampdu_span": "A-MPDUs within 15 % of the airtime of their octets",
    "tx_source": "sent frames from the observer",
    "overlap": "heard frames that one radio cannot have received beside another",
    "completeness": "frames heard, of those that sequence numbers or answers tell of",
    "recorded_once": "heard frames recorded once",
    "clock_speed": "speed of the slower of the clocks of recorder and stations over that of the faster",
}


def known_checks(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The audit of a radio, without the checks of a newer winf, of which this one knows no words."""
    return [check for check in entry.get("audit", []) if check["check"] in AUDITED]


def tells(check: Mapping[str, Any]) -> bool:
    """Whether a check of the audit says something: it had cases, or that it had none makes times unusable."""
    return bool(check["pairs"]) or check["verdict"] == UNUSABLE


def audit_text(check: dict[str, Any]) -> str:
    """A physical rule, how far the recording keeps it, and what follows."""
    of = "by" if check["check"] == "clock_speed" else "of"
    share = "none" if check["value"] is None else f"{100 * check['value']:.1f} % {of} {check['pairs']}"
    follows = "" if check["consequence"] == "none" else f" ({check['consequence']})"
    return f"{AUDITED[check['check']]}: {share}, {check['verdict']}{follows}"


def recording_facts(
    path: str | os.PathLike[str], source: str, decoding: Decoding = NATIVE, *, observer: str | None = None
) -> dict[str, Any]:
    """Facts about one recording; only ``source`` and ``error`` if it is unusable."""
    try:
        facts, exchanges, capabilities = _core.survey(path, source, observer=observer, **decoding.arguments())
    except ValueError as error:  # the observer is not an address
        raise UsageError(str(error)) from None
    except (_core.UnusableRecording, OSError) as error:
        return {"source": source, "error": str(error)}
    return {"source": source, **json.loads(facts), "mac_parameters": _mac_parameters(exchanges, capabilities)}


def _mac_parameters(exchanges: _core.ArrowTable, capabilities: _core.ArrowTable) -> list[dict[str, Any]]:
    """The MAC parameters in use of a recording's stations, inferred from its first exchanges."""
    from winf_analyzer._mac.advertised import COLUMNS, advertised_parameters
    from winf_analyzer._mac.inference import infer_rows
    from winf_analyzer._mac.sampling import sample_of

    rows = infer_rows([sample_of(exchanges)], advertised_parameters(capabilities.records(list(COLUMNS))))
    return [{name: row[name] for name in _SHOWN} for row in rows if row["used"]]


_SHOWN = ("station", "access_category", "parameter", "value", "unit", "origin", "samples", "confidence")
"""What is told of a MAC parameter."""
