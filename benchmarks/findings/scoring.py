"""Scores findings: found where the cause is, absent where it is not; what was promised against what was regained."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import polars as pl

import winf_analyzer
from benchmarks.findings.runs import Run
from winf_analyzer._report.findings import CLAIMED

CONSEQUENCES: dict[str, tuple[str, ...]] = {
    "hidden_pair": ("retry_storm",),
    "retry_storm": (),
    "bufferbloat": ("saturated_channel",),
    "missing_aggregation": ("saturated_channel",),
    "saturated_channel": (),
    "rate_anomaly": (),
    "overlapping_bss": (),
    "protection_overhead": (),
    "management_overhead": (),
    "far_client": (),
    "tcp_stalls": ("retry_storm",),
    "roaming": (),
    "sticky_client": (),
    "power_save": (),
    "silent_interference": ("retry_storm",),
    "unfair_share": ("retry_storm", "tcp_stalls"),
    "deauthentication_flood": (),
    "deauthentication_loop": (),
    "channel_switch": (),
    "switch_announced": (),
    "channel_hopping": ("recording_unfit",),
    "group_traffic": (),
    "recording_unfit": (),
    "bulk_in_voice": ("unfair_share", "saturated_channel", "missing_aggregation"),
    "tcp_losses_elsewhere": ("tcp_stalls", "unfair_share"),
    "edca_misuse": (),
    "falling_rate": ("far_client", "hidden_pair", "rate_anomaly", "retry_storm"),
}
"""Findings that are true as well where the cause is, because they follow from it: they count neither for nor against.
Stations out of each other's range collide; greedy flows, and single frames at high load, fill the channel; while
a path is cut, or noise is on, no attempt is answered; the flow that gets less may be that of a station whose frames are
lost; who leaves a channel does not hear its frames; ns-3 sends voice one by one; whoever walks away becomes far, slow,
unheard by others and lossy."""

GREEDY = {
    "missing_aggregation": ("saturated_channel",),
    "tcp_stalls": ("saturated_channel",),
    "unfair_share": ("saturated_channel", "bufferbloat"),
}
"""Findings that are true in both runs of a pair, because the traffic of both fills the channel, or a queue."""

SCHEMA = {
    "part": str,
    "pair": str,
    "cause": str,
    "caused": bool,
    "finding": str,
    "verdict": str,
    "confidence": float,
    "effect_bps": float,
    "effect_low_bps": float,
    "effect_high_bps": float,
    "available_bps": float,
    "without_bps": float,
    "without_low_bps": float,
    "without_high_bps": float,
    "saturated_bps": float,
    "regained_bps": float,
    "saturated_without_bps": float,
}


def score(part: str, runs: list[Run]) -> pl.DataFrame:
    """A row per claimed or missed finding of every run: :data:`SCHEMA`.

    `verdict`: `right`, `wrong`, `missed`, or `follows` (:data:`CONSEQUENCES`, :attr:`.Pair.also`). `regained_bps` is
    what the saturating flow gets without the cause less what it gets with it; null where the finding promises no gain.
    """
    rows = []
    for run in runs:
        without_bps = run.removed_bps
        found = findings_of(run.capture, (run.sender, run.receiver))
        common = {
            "part": part,
            "pair": run.pair.name,
            "cause": run.pair.finding,
            "caused": run.caused,
            "saturated_bps": run.saturated_bps,
            "saturated_without_bps": without_bps,
            "regained_bps": None if without_bps is None else without_bps - run.saturated_bps,
        }
        claimed = found.filter(pl.col("confidence") >= CLAIMED).unique("name", keep="first", maintain_order=True)
        for row in claimed.iter_rows(named=True):
            verdict = _verdict(run, row["name"])
            rows.append(common | {name: row[name] for name in SCHEMA if name in row} | _told(row["name"], verdict))
        if run.caused and run.pair.finding not in claimed["name"].to_list():
            rows.append(common | _told(run.pair.finding, "missed"))
    return pl.DataFrame([{name: row.get(name) for name in SCHEMA} for row in rows], schema=SCHEMA)


def findings_of(capture: Path, link: tuple[str, str] | None = None) -> pl.DataFrame:
    """The table `findings` of a recording, with effects on a link."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        dataset = winf_analyzer.ingest([capture], Path(folder) / "run.winf")
        return winf_analyzer.why(dataset, link=link).findings


def _verdict(run: Run, name: str) -> str:
    if name in GREEDY.get(run.pair.finding, ()) or name in run.pair.also:
        return "follows"
    if not run.caused:
        return "wrong"
    if name == run.pair.finding:
        return "right"
    return "follows" if name in CONSEQUENCES[run.pair.finding] else "wrong"


def _told(name: str, verdict: str) -> dict[str, str]:
    return {"finding": name, "verdict": verdict}
