"""Exchanges as an 802.11b link at 11 Mb/s (control frames at 1 Mb/s, long preamble) puts them on the air."""

from collections.abc import Iterable
from typing import Any

import polars as pl

from winf_analyzer._schema import complete
from winf_analyzer.estimators import EXCHANGES_SCHEMA

A, B, C, D = (f"02:00:00:00:00:0{n}" for n in "abcd")

SLOT, SIFS, DIFS, BACKOFF, PLCP = 20.0, 10.0, 50.0, 310.0, 192.0
T_RTS, T_CTS, T_ACK = 352.0, 304.0, 304.0
HEADER = 28

STAMPS = tuple(
    f"{frame}{point}_ns" for frame in ("rts", "cts", "data", "ack") for point in ("_start", "")
)  # the end of a frame has no suffix


def t_data(payload: int) -> float:
    """Airtime of a data frame, microseconds."""
    return PLCP + 8 * (HEADER + payload) / 11


def exchange(
    start_us: float = 0.0,
    *,
    kind: str = "rts",
    payload: int = 1500,
    keep: Iterable[str] | None = None,
    **columns: Any,
) -> dict[str, Any]:
    """One exchange whose first frame starts at `start_us`.

    `keep`: the frame stamps that were recorded, all by default; `columns`: values that replace the made ones.
    """
    durations = {"rts": T_RTS, "cts": T_CTS, "data": t_data(payload), "ack": T_ACK}
    if kind == "basic":
        durations = {name: durations[name] for name in ("data", "ack")}
    elif kind == "broadcast":
        durations = {"data": durations["data"]}
    elif kind == "rts_failed":
        durations = {"rts": T_RTS}
    elif kind == "cts_self":
        del durations["rts"]
    row: dict[str, Any] = dict.fromkeys(EXCHANGES_SCHEMA.names())
    at = start_us
    for name, duration in durations.items():
        row[f"{name}_start_ns"], row[f"{name}_ns"] = round(at * 1000), round((at + duration) * 1000)
        at += duration + SIFS
    row |= {
        "source": "s",
        "sender": A,
        "receiver": B,
        "kind": kind,
        "data_kind": None if kind == "rts_failed" else "data",
        "phy": "hr_dsss",
        "start_ns": round(start_us * 1000),
        "end_ns": round((at - SIFS) * 1000),
        "nav_rts_us": 3 * SIFS + T_CTS + durations["data"] + T_ACK if kind == "rts" else None,
        "nav_cts_us": 2 * SIFS + durations["data"] + T_ACK if kind in ("rts", "cts_self") else None,
        "data_airtime_us": durations.get("data"),
        "ack_airtime_us": durations.get("ack"),
        "payload_bytes": None if kind == "rts_failed" else payload,
        "length_bytes": None if kind == "rts_failed" else payload + HEADER,
        "mpdus": 0 if kind == "rts_failed" else 1,
        "attempt": 1,
        "complete": kind != "rts_failed",
        "hidden": False,
        "rate_mbps": None if kind == "rts_failed" else 11.0,
        "channel_mhz": 2412,
    }
    if keep is not None:
        row |= dict.fromkeys((*STAMPS, "start_ns"))
        row |= {name: stamp for name, stamp in exchange(start_us, kind=kind, payload=payload).items() if name in keep}
    return row | columns


def table(rows: Iterable[dict[str, Any]]) -> pl.LazyFrame:
    """The `exchanges` table with these rows."""
    stated = pl.LazyFrame(list(rows), schema=EXCHANGES_SCHEMA).drop("is_group")
    return complete(stated, "exchanges").select(EXCHANGES_SCHEMA.names())


def busy_second(count: int = 100, **columns: Any) -> list[dict[str, Any]]:
    """`count` exchanges evenly spread over the window [1 s, 2 s), and one in each neighbouring window, so that the
    recording covers the whole of it."""
    starts = [500_000.0, *(1_000_500 + n * 1e6 / count for n in range(count)), 2_500_000.0]
    return [exchange(start, **columns) for start in starts]


def one(estimates: pl.DataFrame, **where: Any) -> dict[str, Any]:
    """The only row for which the columns have these values (None: null)."""
    rows = estimates.filter(
        pl.col(name).is_null() if value is None else pl.col(name) == value for name, value in where.items()
    )
    assert rows.height == 1, f"{rows.height} rows for {where}: {estimates}"
    return rows.row(0, named=True)
