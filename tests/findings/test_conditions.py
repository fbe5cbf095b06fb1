"""What was looked for and not found was looked at: of each recording, over the time in which something was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from air import Air, beacon
from finding_scenes import AP, BACKOFFS, OBSERVERS, OTHER_AP, SCENES, A, B, C, far, light, prompt, unfair

import winf_analyzer
from winf_analyzer._findings import analysis, questions, registry
from winf_analyzer._sql.named_queries import named_query

TITLES = {name: each.title for name, each in registry.findings_registry().items()}
TCP = ("bufferbloat", "tcp_stalls", "tcp_losses_elsewhere", "unfair_share")


def _capture(folder: Path, scene, name: str = "recording.pcap") -> Path:
    scene(air := Air())
    (folder / name).write_bytes(air.capture())
    return folder / name


def _full(air: Air, spells: int = 1, pause_s: float = 0, count: int = 1200) -> None:
    """A channel that two stations fill; while nobody records, they go on."""
    for number in range(count):
        if number and number % (count // spells) == 0:
            air.wait(1e6 * pause_s)
        spell = number // (count // spells) if pause_s else 0
        seq, backoff_us = number // 2 + 500 * spell, BACKOFFS[number % len(BACKOFFS)]
        air.exchange((A, B)[number % 2], AP, AP, seq=seq, backoff_us=backoff_us)


@pytest.mark.parametrize("pause_s", [0, 2400])
def test_pauses_of_the_recorder_are_no_time_in_which_nobody_sent(pause_s, tmp_path):
    told = winf_analyzer.why(_capture(tmp_path, lambda air: _full(air, 3, pause_s)))
    row = told.findings.row(0, named=True)
    assert (row["name"], row["value"]) == ("saturated_channel", pytest.approx(0.945, abs=0.002))
    assert "busy 78 % of the time" in row["text"]
    assert told.recordings == ["recording.pcap (1.93 s, 1200 exchanges)"]
    dataset = winf_analyzer.ingest([tmp_path / "recording.pcap"], tmp_path / "run.winf")
    again = winf_analyzer.sql(dataset, row["sql"])
    assert again["busy"].item() == pytest.approx(0.78, abs=0.001)
    for query in ("totals", "recordings"):
        assert winf_analyzer.sql(dataset, named_query(query))["busy_share"].item() == pytest.approx(0.78, abs=0.001)
    for query in ("airtime", "station_airtime"):
        assert winf_analyzer.sql(dataset, named_query(query))["share"].sum() == pytest.approx(0.78, abs=0.001)


def test_a_channel_is_full_in_a_recording_of_an_hour_and_not_looked_at_in_one_of_half_a_second(tmp_path):
    short = winf_analyzer.why(_capture(tmp_path, lambda air: _full(air, count=400)))
    assert short.not_looked_at[TITLES["saturated_channel"]] == "the recording is too short"

    def slow(air: Air) -> None:
        for number in range(100):
            air.exchange(A, AP, AP, seq=number, body=bytes(2200), rate_mbps=1, backoff_us=310)

    finding = registry.findings_registry()["saturated_channel"]
    with analysis.questioned(_dataset(tmp_path, slow)) as connection:
        shift = "number * (select last_ns - first_ns from spans)::bigint"
        again = f"start_ns + {shift} as start_ns, end_ns + {shift} as end_ns"
        connection.execute(f"create temp table long as select * replace ({again}) from uses, range(2000) as t (number)")
        connection.execute("create or replace temp table uses as from long")
        connection.execute(f"create or replace temp table spans as {questions.PRELUDE['spans']}")
        assert connection.execute("select span_us > 3.6e9 from spans").fetchone() == (True,)
        (row,) = questions.ask(connection, finding)
    assert row["value"] > 0.99


def _dataset(folder: Path, scene, name: str = "recording", **options) -> winf_analyzer.Dataset:
    return winf_analyzer.ingest([_capture(folder, scene, f"{name}.pcap")], folder / f"{name}.winf", **options)


def test_of_beacons_alone_hardly_anything_can_be_told(tmp_path):
    def only_beacons(air: Air) -> None:
        for number in range(98):
            air.until(102_400 * number)
            air.send(beacon(AP, seq=number), 1)

    told = winf_analyzer.why(_capture(tmp_path, only_beacons))
    few = "too few frames to one station were heard"
    assert told.not_looked_at[TITLES["retry_storm"]] == few
    assert told.not_looked_at[TITLES["hidden_pair"]] == few
    assert TITLES["management_overhead"] in told.looked_at


def test_who_is_far_is_known_to_a_recorder_at_the_other_end(tmp_path):
    capture = _capture(tmp_path, far)
    sniffed, own = winf_analyzer.why(capture), winf_analyzer.why(capture, observer=OBSERVERS["far_client"])
    assert "far_client" in own.findings["name"]
    for name in ("far_client", "sticky_client"):
        assert TITLES[name] not in sniffed.looked_at
        assert sniffed.not_looked_at[TITLES[name]] == (
            "it is not known which station recorded, or it measured too few signals"
        )


def test_each_recording_has_what_was_looked_for_in_it(tmp_path):
    captures = [_capture(tmp_path, scene, f"{scene.__name__}.pcap") for scene in (light, prompt)]
    told = winf_analyzer.why(captures)
    for name in TCP[:2]:
        assert TITLES[name] in told.looked_at
        assert told.not_looked_at[TITLES[name]] == "no TCP header could be read in light.pcap"
    assert "no TCP header could be read in light.pcap" in "\n".join(told.lines())


def test_hidden_stations_that_were_not_heard_need_no_protection(tmp_path):
    """RTS protect stations that are hidden from one another, whichever recording shows that they are."""
    finding = registry.findings_registry()["protection_overhead"]
    with analysis.questioned(_dataset(tmp_path, SCENES["protection_overhead"][0])) as connection:
        for sender, is_found in ((C, True), (A, False)):
            pairs = (
                f"select 'another.pcap' as source, '{sender}' as sender, '{OTHER_AP}' as hidden_from, 0.9 as confidence"
            )
            connection.execute(f"create or replace temp table hidden_pairs as {pairs}")
            assert bool(questions.ask(connection, finding)) == is_found


def test_a_recording_without_times_has_no_shares_of_time(tmp_path):
    dataset = _dataset(tmp_path, unfair)
    with analysis.questioned(dataset) as connection:
        connection.execute("delete from spans")
        met = questions.conditions_met(connection, registry.findings_registry().values())
    lacks = questions.lacking(met, registry.findings_registry()["power_save"])
    assert lacks == "no times on the air are known"
