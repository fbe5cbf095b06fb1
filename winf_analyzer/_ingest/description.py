"""The facts about a recording in words, for the terminal and the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from winf_analyzer._ingest.inputs import source_of
from winf_analyzer._ingest.networks import network_text
from winf_analyzer._mac.summary import parameter_lines
from winf_analyzer._names.codes import reason_text, status_text
from winf_analyzer._util.clocks import date_text, has_date
from winf_analyzer._util.format import format_value

NOT_APPLICABLE = "not_applicable"
"""Verdict of the audit on a simulator's trace."""

UNUSABLE = "unusable"
"""Its verdict on times that nothing may be made of."""

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
"""The physical rules of the audit, by the name of their check."""

LISTED = 8
"""Networks, and codes, that are named."""

COUNTED = 64
"""Channels, and kinds of anything else that is counted, that are named: more than a radio that hops has, where each
frame of a recording may name a channel of its own."""


def describe(entry: dict[str, Any]) -> list[tuple[str, str]]:
    """The facts about a recording as label and text, for the terminal and the report."""
    counts = entry["counts"]
    frames = counts["frames"]
    span_s = (counts["last_ns"] - counts["first_ns"]) / 1e9 if frames else 0.0

    def share_text(count: int) -> str:
        return f"{count} ({100 * count / frames:.1f} %)" if frames else "0"

    def counts_text(members: dict[str, int]) -> str:
        ordered = sorted(members.items(), key=lambda member: -member[1])
        named = [f"{name} {count}" for name, count in ordered[:COUNTED]]
        if (more := len(ordered) - len(named)) > 0:
            named.append(f"and {more} more; --to json lists them")
        return "  ".join(named) or "none"

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


def when_text(counts: dict[str, Any]) -> str:
    """When the recording was made; of a simulation, which part of it."""
    if not counts["frames"]:
        return "no frame"
    first_ns, span_s = counts["first_ns"], (counts["last_ns"] - counts["first_ns"]) / 1e9
    if not has_date(first_ns):
        return f"from {first_ns / 1e9:.3f} s of a clock without date, for {span_s:.3f} s"
    return f"{date_text(first_ns)}, for {span_s:.3f} s"


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
