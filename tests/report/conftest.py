"""A small dataset made up by hand, with what reports must survive: hostile names, empty tables, many links."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from winf_analyzer._dataset.dataset import Dataset, seal, write_metadata
from winf_analyzer._report import report
from winf_analyzer._schema import FORMAT_VERSION
from winf_analyzer.estimators import ESTIMATES_SCHEMA

AP = "02:00:00:00:00:01"
FRAMES = {
    "source": pl.String,
    "frame_no": pl.Int64,
    "layer": pl.String,
    "direction": pl.String,
    "ts_ns": pl.Int64,
    "kind": pl.String,
    "ta": pl.String,
    "ra": pl.String,
    "retry": pl.Boolean,
    "assumptions": pl.String,
}
EXCHANGES = {
    "source": pl.String,
    "observer": pl.String,
    "sender": pl.String,
    "receiver": pl.String,
    "kind": pl.String,
    "start_ns": pl.Int64,
    "end_ns": pl.Int64,
    "complete": pl.Boolean,
    "hidden": pl.Boolean,
    "channel_mhz": pl.Int32,
    "attempt": pl.Int64,
}
NODES = {
    "node": pl.String,
    "role": pl.String,
    "ssid": pl.String,
    "frames_tx": pl.Int64,
    "bytes_tx": pl.Int64,
    "airtime_us": pl.Float64,
    "data_frames": pl.Int64,
    "retries": pl.Int64,
    "signal_dbm": pl.Float64,
}
WARNINGS = {
    "source": pl.String,
    "frame_no": pl.Int64,
    "offset": pl.Int64,
    "code": pl.String,
    "message": pl.String,
}

Synthetic = Callable[..., Dataset]


@pytest.fixture
def synthetic(tmp_path: Path) -> Synthetic:
    """Make a dataset; see `_write`."""
    return lambda **options: _write(tmp_path / "run.winf", **options)


def _write(
    root: Path,
    *,
    source: str = "office.pcap",
    ssid: str = "office",
    message: str = "the last record is cut short",
    stations: int = 3,
    seconds: int = 8,
    uses: int = 40,
    without: tuple[str, ...] = (),
) -> Dataset:
    """Stations that send to one access point in turn, heard by an anonymous sniffer.

    Station ``i`` uses the medium ``uses // i`` times a second, with RTS/CTS, 2.3 ms each; every fourth of station 1 is
    hidden. Without stations every table is empty; tables named in ``without`` are missing.
    """
    names = [f"02:00:00:00:01:{number:02x}" for number in range(1, stations + 1)]
    exchanges = []
    for number, name in enumerate(names, start=1):
        for second in range(seconds):
            for use in range(max(uses // number, 1)):
                start = (second * 1000 + use * 24 + number * 3) * 1_000_000
                kind = "rts_failed" if use % 10 == 9 else "rts"
                hidden = number == 1 and use % 4 == 0
                complete = kind == "rts"
                exchanges.append((source, None, name, AP, kind, start, start + 2_293_273, complete, hidden, 2412, 1))
    frames = [
        (source, place, "mac", None, row[5], "data", row[2], AP, place % 8 == 0, "long_preamble" if place % 3 else None)
        for place, row in enumerate(exchanges, start=1)
    ]
    nodes = [(name, "station", ssid, 100, 150_000, 130_000.0, 90, 9, -40.0) for name in names]
    warnings = [(source, 7, 4096, "truncated_record", message)] if names else []
    tables = {
        "frames": pl.DataFrame(frames, FRAMES, orient="row").with_columns(channel_mhz=pl.lit(2412, pl.Int32)),
        "exchanges": pl.DataFrame(exchanges, EXCHANGES, orient="row"),
        "nodes": pl.DataFrame(nodes, NODES, orient="row"),
        "warnings": pl.DataFrame(warnings, WARNINGS, orient="row"),
        "estimates": pl.DataFrame(_estimates(source, names, seconds), ESTIMATES_SCHEMA),
    }
    for table, rows in tables.items():
        if table not in without:
            (root / table).mkdir(parents=True)
            rows.write_parquet(root / table / "part-00000.parquet")
    write_metadata(root, _metadata(source, message, tables))
    seal(root)
    return Dataset.open(root)


def _estimates(source: str, names: list[str], seconds: int) -> list[dict[str, Any]]:
    values = {
        ("rt_winf", "corrected"): (4.52e6, 0.75),
        ("rt_winf", "paper"): (7.47e6, 0.83),
        ("idle_gap", "corrected"): (None, 0.77),
        ("idle_gap", "paper"): (None, 0.83),
    }
    return [
        {
            "estimator": estimator,
            "mode": mode,
            "source": source,
            "observer": None,
            "node": {"sender": name, "receiver": AP, "onlooker": None}[state],
            "peer": {"sender": AP, "receiver": name, "onlooker": name}[state],
            "sender": name,
            "receiver": AP,
            "state": state,
            "window_start_ns": second * 10**9,
            "window_ns": 10**9,
            "covered_ns": 10**9,
            "capacity_bps": capacity and capacity * (1 + 0.02 * math.sin(second)),
            "available_bps": (capacity or 11e6) * (idle + 0.1 * math.sin(second + number)),
            "idle_ratio": idle,
            "exchanges": 36 // number + 1,
        }
        for number, name in enumerate(names, start=1)
        for state in ("sender", "receiver", "onlooker")
        for (estimator, mode), (capacity, idle) in values.items()
        for second in range(seconds)
    ]


def _metadata(source: str, message: str, tables: dict[str, pl.DataFrame]) -> dict[str, Any]:
    frames, exchanges = tables["frames"], tables["exchanges"]
    counts = {
        "frames": frames.height,
        "exchanges": exchanges.height,
        "first_ns": frames["ts_ns"].min(),
        "last_ns": frames["ts_ns"].max(),
        "with_tsft": frames.height,
        "with_fcs": frames.height,
        "bad_fcs": 0,
        "with_airtime": frames.height,
        "with_signal": frames.height,
        "sent": 0,
        "parse_errors": 0,
        "complete_exchanges": int(exchanges["complete"].sum()),
        "hidden_exchanges": int(exchanges["hidden"].sum()),
        "kinds": {"data": frames.height} if frames.height else {},
        "phys": {"hr_dsss": frames.height} if frames.height else {},
        "channels": {"2412": frames.height} if frames.height else {},
        "assumptions": {"long_preamble": frames["assumptions"].count()} if frames.height else {},
    }
    group = {"direction": None, "phy": "hr_dsss", "convention": "mpdu_start"}
    clock = [{**group, "pairs": frames.height, "explained_share": 0.998, "ambiguous": False}]
    warning = {"frame_no": 7, "offset": 4096, "code": "truncated_record", "damage": True, "message": message}
    return {
        "format_version": FORMAT_VERSION,
        "tool_version": "0.1.0",
        "created": "2026-01-01T00:00:00+00:00",
        "command": f"winf ingest {source} -o run.winf",
        "parameters": {"decoder": "native", "observer": None},
        "inputs": [
            {
                "source": source,
                "path": f"captures/{source}",
                "bytes": 1_234_567,
                "sha256": "5e" * 32,
                "part": "part-00000",
                "observer": None,
                "container": {"format": "pcap, little-endian, microseconds", "link type": "radiotap (127)"},
                "counts": counts,
                "clock": clock if frames.height else [],
                "warnings": [warning] if frames.height else [],
                "damaged": bool(frames.height),
            }
        ],
        "skipped": [],
    }


@dataclass
class Opened:
    """A page and what went wrong in it."""

    page: Any
    troubles: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no chromium on the PATH: install it to test the report in a browser")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, synthetic, tmp_path):
    """Open the report of a synthetic dataset from disk, listening for errors, dialogs and requests."""
    contexts = []

    def open_report(*, width: int = 1280, dark: bool = False, **options) -> Opened:
        path = report(synthetic(**options), tmp_path / "report.html")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        seen = Opened(context.new_page())
        seen.page.on("console", lambda message: seen.troubles.append(f"console: {message.text}"))
        seen.page.on("pageerror", lambda error: seen.troubles.append(f"error: {error}"))
        seen.page.on("dialog", lambda dialog: (seen.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        seen.page.on(
            "request",
            lambda request: (
                None if request.url.startswith(("file:", "data:", "blob:")) else seen.troubles.append(request.url)
            ),
        )
        seen.page.goto(path.as_uri())
        seen.page.wait_for_load_state("load")
        return seen

    yield open_report
    for context in contexts:
        context.close()
