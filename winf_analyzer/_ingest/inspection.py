"""What a recording holds and how it is understood, without making a dataset."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from winf_analyzer import _core
from winf_analyzer._ingest.decoding import NATIVE, Decoding
from winf_analyzer._ingest.inputs import Paths, recordings, source_of
from winf_analyzer._mac.summary import parameter_lines
from winf_analyzer._util.errors import UnusableInput, UsageError
from winf_analyzer._util.format import show


def info(
    inputs: Paths,
    *,
    observer: str | None = None,
    decoder: str = "native",
    keys: Iterable[str] = (),
) -> list[dict[str, Any]]:
    """Facts about each recording: container, counts, clock convention, observer, damage.

    Arguments are those of `ingest`.

    Returns:
        One dictionary per recording. ``error`` is set, and the rest missing, where a recording is unusable.

    Raises:
        UnusableInput: an input does not exist, or none of them is a recording.
        UsageError, DecoderError: as from `ingest`.
    """
    decoding = Decoding.checked(decoder, keys)
    with recordings(inputs, decoder) as found:
        facts = [facts_of(recording.path, recording.source, decoding, observer=observer) for recording in found]
    if all("error" in entry for entry in facts):
        raise UnusableInput("\n".join(entry["error"] for entry in facts))
    return facts


def described(entry: dict[str, Any]) -> list[tuple[str, str]]:
    """A recording's facts as label and text, for the terminal and the report."""
    counts = entry["counts"]
    frames = counts["frames"]
    span_s = (counts["last_ns"] - counts["first_ns"]) / 1e9 if frames else 0.0

    def share(count: int) -> str:
        return f"{count} ({100 * count / frames:.1f} %)" if frames else "0"

    def listed(members: dict[str, int]) -> str:
        ordered = sorted(members.items(), key=lambda member: -member[1])
        return "  ".join(f"{name} {count}" for name, count in ordered) or "none"

    lines = [
        ("container", "  ".join(f"{key} {show(value)}" for key, value in entry["container"].items())),
        ("frames", f"{frames} in {span_s:.3f} s"),
        ("kinds", listed(counts["kinds"])),
        ("PHYs", listed(counts["phys"])),
        ("channels", listed({f"{channel} MHz:": count for channel, count in counts["channels"].items()})),
        ("MAC time (TSFT)", share(counts["with_tsft"])),
        ("FCS checked", f"{share(counts['with_fcs'])}, bad {counts['bad_fcs']}"),
        ("airtime known", share(counts["with_airtime"])),
        *radio(entry, frames),
        (
            "exchanges",
            f"{counts['exchanges']}, complete {counts['complete_exchanges']}, hidden {counts['hidden_exchanges']}",
        ),
    ]
    lines += [("MAC parameters", line) for line in parameter_lines(entry.get("mac_parameters", []))]
    lines += merged(entry)
    if counts["assumptions"]:
        lines.append(("assumed", listed(counts["assumptions"])))
    for other in entry.get("other_radios", []):
        name = source_of(entry["source"], other["radio"])
        lines += [("source", f"{name}: {share(other['frames'])} of the frames"), *radio(other, other["frames"])]
        lines += merged(other)
    lines += [("damage" if warning["damage"] else "doubt", _said(entry, warning)) for warning in entry["warnings"]]
    return lines


def radio(entry: dict[str, Any], frames: int) -> list[tuple[str, str]]:
    """Whose a radio is that recorded so many frames, and how its clock was understood, as label and text."""
    return [
        ("recorded by", entry["observer"] or "an anonymous sniffer, or a simulator's global trace"),
        *([("clock", time_scale(entry, frames))] if "timed_by_mac" in entry else []),
        *(("time stamps", convention(group)) for group in entry["clock"]),
    ]


def _said(entry: dict[str, Any], warning: dict[str, Any]) -> str:
    """A warning, with the source it is about where that is not the recording's first radio."""
    number = warning.get("radio", 0)
    return f"{source_of(entry['source'], number)}: {warning['message']}" if number else str(warning["message"])


def time_scale(entry: dict[str, Any], frames: int) -> str:
    """Which clock times a radio's frames, and how it behaved, as a phrase."""
    if not entry["timed_by_mac"]:
        return "the host's" if frames else "none"
    said = ["the MAC's" if not entry["timed_by_host"] else f"the MAC's, for {entry['timed_by_host']} frames the host's"]
    if (ppm := entry["clock_drift_ppm"]) is not None:
        said.append(
            f"drift against the host's {ppm:+.2f} ± {entry['clock_drift_error_ppm']:.2f} ppm"
            f" over {entry['clock_span_s']:.1f} s (spread {entry['clock_spread_us']:.0f} us)"
        )
    jumps = (("clock_wraps", "wraps"), ("clock_jumps", "jumps"), ("host_clock_jumps", "jumps of the host's clock"))
    said += [f"{what} {entry[key]}" for key, what in jumps if entry[key]]
    return ", ".join(said)


def merged(entry: dict[str, Any]) -> list[tuple[str, str]]:
    """How a radio's clock was brought onto that of a merge, if it was, as label and text."""
    return [("merged", alignment(entry["alignment"]))] if entry.get("alignment") else []


def alignment(found: dict[str, Any]) -> str:
    """How a merged recording's clock was brought onto the common one, as a phrase."""
    if not found["shared_frames"]:
        return "its clock is the common one"
    return (
        f"{found['offset_us']:+.1f} us ahead at first, "
        f"drift {found['drift_ppm']:+.2f} ± {found['drift_error_ppm']:.2f} ppm, "
        f"by {found['shared_frames']} shared frames (spread {found['spread_us']:.1f} us, pieces {found['pieces']})"
    )


def convention(group: dict[str, Any]) -> str:
    """A clock convention as a phrase."""
    who = {"tx": "sent", "rx": "received"}.get(group["direction"], "recorded")
    which = f"{who} {group['phy'] or 'other'} frames: {group['convention'].replace('_', ' ')}"
    if group["ambiguous"]:
        return f"{which} (presumed: no SIFS-spaced neighbours decide it)"
    if group["pairs"] == 0:
        return f"{which} (as the other {who} frames)"
    return f"{which} ({100 * group['explained_share']:.1f} % of {group['pairs']} SIFS-spaced pairs agree)"


def facts_of(
    path: str | os.PathLike[str], source: str, decoding: Decoding = NATIVE, *, observer: str | None = None
) -> dict[str, Any]:
    """Facts about one recording; only ``source`` and ``error`` where it is unusable."""
    try:
        found, exchanges, capabilities = _core.survey(path, source, observer=observer, **decoding.arguments())
    except ValueError as error:  # the observer is no address
        raise UsageError(str(error)) from None
    except (_core.UnusableRecording, OSError) as error:
        return {"source": source, "error": str(error)}
    return {"source": source, **json.loads(found), "mac_parameters": _mac_parameters(exchanges, capabilities)}


def _mac_parameters(exchanges: _core.Rows, capabilities: _core.Rows) -> list[dict[str, Any]]:
    """The MAC parameters that count for the stations of a recording, as its first exchanges show them."""
    import polars as pl

    from winf_analyzer._mac import infer
    from winf_analyzer._mac.advertised import declared_parameters

    parameters = infer(pl.DataFrame(exchanges).lazy(), declared_parameters(pl.DataFrame(capabilities)))
    used = parameters.filter("used").drop("source", "observer", "used")
    return used.to_dicts()
