"""`winf diff`: intervals from batches, the verdict, words, and the report."""

from __future__ import annotations

import random
import tempfile
from contextlib import closing

import duckdb
import pcaps
import polars as pl
import pytest
from air import Air
from finding_scenes import beacons, light

import winf_analyzer
from winf_analyzer._diff.document import sentence, write_document
from winf_analyzer._diff.measures import SCHEMA, measures
from winf_analyzer._diff.verdict import compared
from winf_analyzer._sql.macros import EXCHANGE_CLASS

HOSTILE = "<script>alert(1)</script>"


def side(seed: int, *, load: float = 0.3, retries: float = 0.1) -> pl.DataFrame:
    """The numbers of ten seconds in which one link sends packets of 1 ms, at random, and some of them again."""
    dice, rows, at = random.Random(seed), [], 0.0
    while at < 10_000:
        rows.append((int(at * 1e6), int(at * 1e6) + 10**6, 2 if dice.random() < retries else 1))
        at += 1 + dice.expovariate(load / (1 - load))
    frame = pl.DataFrame(rows, schema=["start_ns", "end_ns", "attempt"], orient="row").with_columns(
        source=pl.lit("a.pcap"), observer=pl.lit(None, pl.String), sender=pl.lit("s"), receiver=pl.lit("r"),
        kind=pl.lit("basic"), data_kind=pl.lit("data"), is_group=pl.lit(value=False),
    )  # fmt: skip
    with closing(duckdb.connect()) as connection:
        connection.execute(EXCHANGE_CLASS)
        with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
            frame.write_parquet(file.name)
            connection.execute(f"create table exchanges as from read_parquet('{file.name}')")
        return measures(connection)


def row(table: pl.DataFrame, **which) -> dict:
    (found,) = table.filter(**which).iter_rows(named=True)
    return found


def test_intervals_hold_the_truth_as_often_as_they_say():
    held = 0
    for seed in range(40):
        found = row(side(seed), part="recording", subject="all frames")
        held += found["low"] <= 0.3 <= found["high"]
    assert 0.77 <= held / 40 <= 0.97


def test_what_did_not_change_is_noise_and_what_did_is_not():
    false = sum(
        compared(side(2 * seed), side(2 * seed + 1))["verdict"].is_in(["more", "less"]).any() for seed in range(12)
    )
    assert false <= 5  # a tenth of the cases, about: 6 of 12 has p < 0.001
    table = compared(side(1), side(2, load=0.4, retries=0.3))
    assert row(table, part="station", subject="s")["verdict"] == "more"
    repeats = row(table, part="link", quantity="share of attempts that repeat")
    assert repeats["verdict"] == "more"
    assert repeats["change_low"] < 0.2 < repeats["change_high"]


def measured(*rows: tuple) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def test_verdicts():
    link = ("link", "a > b", "available bandwidth", "bit/s")
    before = measured((*link, 10e6, 9e6, 11e6), ("finding", "gone", "airtime", "1", 0.2, None, None))
    after = measured(
        (*link, 20e6, 18e6, 22e6),
        ("finding", "new", "airtime", "1", 0.3, None, None),
        ("link", "c > d", "carried", "bit/s", 1e6, None, None),
    )
    table = compared(before, after)
    assert dict(table.select("subject", "verdict").iter_rows()) == {
        "a > b": "more",
        "new": "new",
        "gone": "gone",
        "c > d": "unknown",
    }
    change = row(table, subject="a > b")
    assert change["change_low"] == pytest.approx(10e6 - (2e6**2 + 1e6**2) ** 0.5)
    assert sentence(change) == (
        "Link a > b: available bandwidth rose from 10 Mb/s to 20 Mb/s (change 7.764 Mb/s to 12.24 Mb/s)."
    )
    assert sentence(row(table, subject="new")) == "Finding new appeared: airtime is 30 %."


def test_shares_differ_by_points():
    beacons = ("recording", "beacon", "share of time", "1")
    table = compared(measured((*beacons, 0.3, 0.29, 0.31)), measured((*beacons, 0.1, 0.1, 0.1)))
    assert sentence(row(table)) == ("Beacons: share of time fell from 30 % to 10 % (change -21 points to -19 points).")


def test_many_comparisons_are_allowed_for():
    """Of a hundred values ten differ by 1.7 standard errors: one alone would be a change, ten of a hundred are not."""
    rows = [("link", f"l{n}", "available bandwidth", "bit/s", 0.0, -1.645, 1.645) for n in range(100)]
    moved = [(*each[:4], 2.4 if place < 10 else 0.0, *each[5:]) for place, each in enumerate(rows)]
    moved = [(*each[:5], each[4] - 1.645, each[4] + 1.645) for each in moved]
    table = compared(measured(*rows), measured(*moved))
    assert set(table["verdict"]) == {"noise"}
    assert compared(measured(rows[0]), measured(moved[0]))["verdict"].to_list() == ["more"]


def test_the_report_holds_names_as_text(tmp_path):
    table = compared(
        measured(("station", HOSTILE, "share of time", "1", 0.1, 0.09, 0.11)),
        measured(("station", HOSTILE, "share of time", "1", 0.5, 0.49, 0.51)),
    )
    write_document(tmp_path / "d.html", HOSTILE, "b", table)
    html = (tmp_path / "d.html").read_text(encoding="utf-8")
    assert HOSTILE not in html
    assert "Station &lt;script&gt;" in html
    write_document(tmp_path / "d.html", "a", "b", table)  # over a former report
    (tmp_path / "mine.html").write_text("<p>mine")
    with pytest.raises(winf_analyzer.WinfError, match="not a report"):
        write_document(tmp_path / "mine.html", "a", "b", table)


def test_a_dataset_beside_itself_has_not_changed(demo_dataset, tmp_path):
    found = winf_analyzer.diff(demo_dataset, demo_dataset, output=tmp_path / "d.html")
    assert found.changed.is_empty()
    assert {"recording", "station", "link"} <= set(found.rows["part"])
    assert found.report == tmp_path / "d.html"


@pytest.fixture
def hurt(tmp_path):
    """A recording full of beacons, in which findings were looked for, and one of the same in which they were not."""
    air = Air()
    beacons(air)
    (tmp_path / "a.pcap").write_bytes(air.capture())
    sides = [winf_analyzer.ingest([tmp_path / "a.pcap"], tmp_path / f"{name}.winf") for name in ("looked", "not")]
    winf_analyzer.why(sides[0])
    return sides


def test_where_nobody_looked_for_findings_none_has_disappeared(hurt, tmp_path):
    looked, not_looked = hurt
    found = winf_analyzer.diff(looked, not_looked, output=tmp_path / "d.html")
    assert "finding" not in set(found.rows["part"])
    assert found.changed.is_empty()
    line = f"Not compared: findings, which {not_looked.path} lacks; `winf why` makes them."
    assert line in found.not_compared
    assert line.replace("`", "") in (tmp_path / "d.html").read_text(encoding="utf-8").replace("&#39;", "'")
    winf_analyzer.estimate(looked, estimators=["saturation"], mode="corrected")
    lacks = [each for each in winf_analyzer.diff(looked, not_looked).not_compared if "bandwidth" in each]
    winf_analyzer.estimate(not_looked, estimators=["saturation"], mode="corrected")
    assert not any("bandwidth" in each for each in winf_analyzer.diff(looked, not_looked).not_compared)
    assert lacks == [
        f"Not compared: available bandwidth and capacity, which {not_looked.path} lacks; `winf estimate` makes them."
    ], "beacons alone have no link, but they were looked at"
    winf_analyzer.why(not_looked)
    both = winf_analyzer.diff(looked, not_looked)
    assert "finding" in set(both.rows["part"])
    assert not any("findings" in each for each in both.not_compared)


@pytest.mark.parametrize("channels", [(2412, 2437), (2412, 2412), (2412, None)])
def test_recordings_of_different_channels_are_called_so(channels, tmp_path):
    sides = []
    for name, channel_mhz in zip("ab", channels, strict=True):
        beacon = pcaps.beacon("02:00:00:00:00:01", b"net")
        records = [
            (
                number * 10**8,
                pcaps.radiotap(beacon, tsft_us=number * 100_000, channel_mhz=channel_mhz or 2412 + 5 * number),
            )
            for number in range(9)
        ]
        (tmp_path / f"{name}.pcap").write_bytes(pcaps.pcap(records))
        sides.append(winf_analyzer.ingest([tmp_path / f"{name}.pcap"], tmp_path / f"{name}.winf"))
    said = [each for each in winf_analyzer.diff(*sides).not_compared if "channel" in each]
    first, second = (side.path for side in sides)
    both = f"{first} on channel 1 (2.4 GHz), {second} on channel 6 (2.4 GHz)"
    differ = [f"Recorded on different channels, {both}: what changed may be the channel."]
    assert said == (differ if channels == (2412, 2437) else [])


def test_a_finding_disappears_where_nothing_was_found(hurt, tmp_path):
    air = Air()
    light(air)
    (tmp_path / "clean.pcap").write_bytes(air.capture())
    clean = winf_analyzer.ingest([tmp_path / "clean.pcap"], tmp_path / "clean.winf")
    assert winf_analyzer.why(clean).findings.is_empty()
    found = winf_analyzer.diff(hurt[0], clean)
    assert set(found.rows.filter(part="finding")["verdict"]) == {"gone"}


def test_the_program_says_what_was_not_compared(winf, hurt):
    said = winf("diff", *(side.path for side in hurt)).stdout
    first, second = (side.path for side in hurt)
    assert f"available bandwidth and capacity, which {first} and {second} lack" in " ".join(said.split())
    assert "replays" not in said
