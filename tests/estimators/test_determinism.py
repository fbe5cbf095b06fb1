"""The estimates of a recording have the same bits alone, among others, in any order, on any number of threads."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from unittest import mock

import polars as pl
import pytest
from exchange_builder import exchange, table
from folders import ROOT
from hypothesis import example, given, settings
from hypothesis import strategies as st

from winf_analyzer._mac import sampling
from winf_analyzer._models.saturation.contention import correction, pieces
from winf_analyzer._models.saturation.solvers import dcf_monte_carlo
from winf_analyzer.estimators import ESTIMATES_SCHEMA, Settings, estimate

MS = 1_000_000
WINDOWS = {
    "tumbling": Settings(window_ns=100 * MS),
    "sliding": Settings(window_ns=100 * MS, step_ns=25 * MS),
    "running": Settings(window_ns=100 * MS, running=True),
    "per exchange": Settings(window_ns=100 * MS, per_exchange=True),
}
KEYS = [name for name, dtype in ESTIMATES_SCHEMA.items() if dtype == pl.String()] + ["window_start_ns"]
IN_ANOTHER_PROCESS = """
import sys
import polars as pl
from winf_analyzer.estimators import Settings, estimate
for number, path in enumerate(sys.argv[2:]):
    estimate(pl.scan_parquet(path), settings=Settings(window_ns=100_000_000)).write_parquet(f"{sys.argv[1]}.{number}")
"""


def traffic(source, seed, count=60, links=8, observer=None):
    """Links of stations of its own that carry alike much, some of them hidden, at several rates and with failures."""
    chance = random.Random(seed)
    stations = [f"02:00:00:{seed % 256:02x}:00:{number:02x}" for number in range(links + 1)]
    rows, at_us = [], 1000.0
    for number in range(count):
        failed = chance.random() < 0.15
        aggregate = {"phy": "ht", "data_kind": "qos_data", "mpdus": 4, "rate_mbps": 65 / 9} if number % 3 else {}
        rows.append(
            exchange(
                at_us,
                kind="rts_failed" if failed and number % 2 else chance.choice(["rts", "basic", "basic"]),
                payload=chance.choice([64, 700, 1500]),
                source=source,
                observer=observer and stations[0],
                sender=stations[1 + number % links],
                receiver=stations[0],
                complete=not failed,
                attempt=chance.choice([1, 1, 1, 2]),
                heard_data=number % links != 1,
                idle_before_us=chance.uniform(50, 700),
                backoff_us=chance.uniform(0, 650),
                **aggregate,
            )
        )
        at_us = rows[-1]["end_ns"] / 1000 + chance.uniform(10, 1200)
    return rows


def of(estimates, source):
    return estimates.filter(pl.col("source") == source).sort(KEYS)


def assert_same_bits(found, expected):
    assert found.height == expected.height > 0
    for name in expected.columns:
        assert found[name].to_list() == expected[name].to_list(), name


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**16), st.sampled_from(sorted(WINDOWS)), st.randoms(use_true_random=False))
@example(1131, "tumbling", random.Random(0))  # one window, beside recordings of several
def test_alone_and_among_others_in_any_order(seed, kind, order):
    alone = traffic("mine", seed)
    others = [traffic(f"other {n}", seed + n, observer=n % 2) for n in range(1, 6)]
    # A copy under another name competes for every cap, and ties with it in every rank.
    recordings = [alone, *others, traffic("copy", seed)]
    order.shuffle(recordings)
    # As if all were long: few links are simulated, and few exchanges tell the MAC parameters.
    with (
        mock.patch.multiple(correction, MAX_LINKS=3, MIN_ATTEMPTS=5),
        mock.patch.multiple(sampling, SAMPLE_ROWS=48, BLOCK_ROWS=12),
    ):
        expected = estimate(table(alone), settings=WINDOWS[kind])
        found = estimate(table([row for rows in recordings for row in rows]), settings=WINDOWS[kind])
    assert_same_bits(of(found, "mine"), of(expected, "mine"))


@pytest.mark.parametrize("kind", ["tumbling", "sliding"])
def test_however_many_links_are_solved_for_at_a_time(kind, monkeypatch):
    """An access point sends to all stations, and the losses of each of its links are those of all."""
    rows = traffic("mine", 11, count=300)
    rows += [row | {"sender": row["receiver"], "receiver": row["sender"]} for row in traffic("mine", 11, count=300)]
    expected = estimate(table(rows), ["saturation"], settings=WINDOWS[kind])
    for most in (200, 1000):
        monkeypatch.setattr(pieces, "ROWS", most)
        assert_same_bits(
            of(estimate(table(rows), ["saturation"], settings=WINDOWS[kind]), "mine"), of(expected, "mine")
        )


def test_links_that_tie_for_the_simulation(monkeypatch):
    """Eight links that carried the same, three of which are simulated: which of them is no matter of chance."""
    monkeypatch.setattr(correction, "MAX_LINKS", 3)
    monkeypatch.setattr(correction, "MIN_ATTEMPTS", 5)
    simulated = []
    real = dcf_monte_carlo.simulate

    def recorded(stations, **options):
        simulated.append(stations.filter("subject").height)
        return real(stations, **options)

    monkeypatch.setattr(dcf_monte_carlo, "simulate", recorded)
    rows = traffic("mine", 7)
    first = estimate(table(rows), ["saturation"], ["corrected"])
    assert max(simulated) > 0
    for others in (["copy"], ["copy", "another copy"]):
        among = [row for source in others for row in traffic(source, 7)]
        found = estimate(table([*among, *rows]), ["saturation"], ["corrected"])
        assert_same_bits(of(found, "mine"), of(first, "mine"))
        for source in others:
            assert_same_bits(of(found, source).drop("source"), of(first, "mine").drop("source"))


@pytest.mark.parametrize("seed", [3, 5])
def test_addresses_make_no_difference(seed):
    """As for a recording that was anonymized: other addresses, in another order."""
    rows = traffic("mine", seed, count=300)
    names = sorted({row["sender"] for row in rows} | {row["receiver"] for row in rows})
    others = [f"06:{random.Random(name).randrange(256):02x}{name[5:]}" for name in names]
    assert [names.index(name) for _, name in sorted(zip(others, names, strict=True))] != [*range(len(names))]
    new = dict(zip(names, others, strict=True))
    renamed = [row | {end: new[row[end]] for end in ("sender", "receiver")} for row in rows]
    with mock.patch.object(correction, "MIN_ATTEMPTS", 5):
        expected, found = (estimate(table(some), ["saturation"], ["corrected"]) for some in (rows, renamed))
    back = {there: here for here, there in new.items()}
    found = found.with_columns(pl.col("sender", "receiver", "node", "peer").replace(back))
    assert_same_bits(of(found, "mine"), of(expected, "mine"))


def test_on_any_number_of_threads_and_twice(tmp_path: Path) -> None:
    rows = [*traffic("mine", 3, count=300), *traffic("other", 4, count=300)]
    table(rows).collect().write_parquet(tmp_path / "exchanges")
    for threads in ("1", "2", "3"):
        subprocess.run(
            [sys.executable, "-c", IN_ANOTHER_PROCESS, tmp_path / threads, *[tmp_path / "exchanges"] * 2],
            env={**os.environ, "POLARS_MAX_THREADS": threads, "RAYON_NUM_THREADS": threads, "PYTHONPATH": str(ROOT)},
            check=True,
        )
    expected = pl.read_parquet(tmp_path / "1.0")
    for again in ("1.1", "2.0", "2.1", "3.0", "3.1"):
        assert_same_bits(pl.read_parquet(tmp_path / again), expected)


@pytest.mark.parametrize("kind", WINDOWS)
def test_the_order_of_the_rows_is_fixed(kind):
    rows = [*traffic("mine", 3), *traffic("other", 4)]
    once, again = (estimate(table(rows), settings=WINDOWS[kind]) for _ in range(2))
    assert once.equals(again)
