"""What was sent unheard, from stations that waited for it: planted counts, and simulated recordings."""

import random
from dataclasses import replace
from types import SimpleNamespace

import polars as pl
import pytest
from folders import ROOT

import winf_analyzer
from winf_analyzer._aggregate.aggregate import Derived
from winf_analyzer._mac.of_dataset import mac_parameters
from winf_analyzer._models.saturation.loads import LOADS
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.unheard import unheard_load
from winf_analyzer._models.saturation.waits import idle_times as waits
from winf_analyzer.estimators import Settings, estimate_each, saturation

SAMPLE = ROOT / "tests/benchmarks/sample"
LONE_PAIR = ROOT / "tests/data/saturation/lone_pair.pcap.gz"
"""Two seconds of ns-3's `pair-g54-adhoc-basic-1x0` of the accuracy study, its sender's recording."""
SLOT_US, WINDOW = 20, 16.0


def idle_times(at_random=2000, planted=0, *, remainder_us=8, slots=(20, 48), spread=True, seed=1):
    """Attempts at any time, and `planted` ones whose idle time leaves one remainder."""
    draw = random.Random(seed)
    cells = [(draw.randrange(120), draw.randrange(SLOT_US)) for _ in range(at_random)]
    first, last = slots
    cells += [(draw.randrange(first, last) if spread else first, remainder_us) for _ in range(planted)]
    rows = pl.DataFrame(cells, schema={"slots": pl.Int64, "remainder_us": pl.Int64}, orient="row")
    return (
        rows.group_by("slots", "remainder_us")
        .agg(attempts=pl.len().cast(pl.Int64))
        .with_columns(medium=pl.lit(0, pl.UInt32), sender=pl.lit("a"), slot_ns=pl.lit(1000 * SLOT_US, pl.Int64))
    )


def test_media_with_few_attempts_are_left_out_at_once():
    few, enough = (idle_times(at_random=count) for count in (waits.MIN_ACCESSES - 1, waits.MIN_ACCESSES))
    many = [few.with_columns(medium=pl.lit(number, pl.UInt32)) for number in range(1, 5)]
    found = waits.enough(pl.concat([*many, enough]))
    assert found.keys() == {0}
    assert found[0].equals(enough)


def excess(**counts):
    return waits._excess(idle_times(**counts), WINDOW)


@pytest.mark.parametrize("seed", range(5))
def test_idle_times_at_random_show_nothing(seed):
    assert excess(seed=seed) is None


@pytest.mark.parametrize("seed", range(10))
def test_long_idle_times_of_which_few_are_as_long_show_nothing(seed):
    """Packets at random, in short slots: where three are expected of half of the remainders, a dozen have no others."""
    draw, slot_us = random.Random(seed), 9
    times_us = [draw.expovariate(700 / 1e6) for _ in range(3500)]
    rows = pl.DataFrame(
        {"slots": [int(us // slot_us) for us in times_us], "remainder_us": [int(us % slot_us) for us in times_us]}
    )
    of_sender = {"medium": pl.lit(0, pl.UInt32), "sender": pl.lit("a"), "slot_ns": pl.lit(1000 * slot_us, pl.Int64)}
    assert waits._excess(rows.with_columns(attempts=pl.lit(1, pl.Int64), **of_sender), WINDOW) is None


@pytest.mark.parametrize("remainder_us", [4, 8, 15])
def test_one_remainder_too_often_is_found_with_its_mean(remainder_us):
    found = excess(planted=150, remainder_us=remainder_us)
    assert found.attempts == pytest.approx(150, rel=0.2)
    assert found.slots == pytest.approx(33.5 + remainder_us / SLOT_US, abs=3)


def test_few_of_them_are_a_number_less_certain_than_many():
    few, many = excess(at_random=200, planted=20), excess(at_random=200, planted=400)
    assert few.deviation == pytest.approx(few.attempts**0.5, rel=0.5)
    assert few.deviation / few.attempts > 3 * many.deviation / many.attempts > 0


def test_who_waited_for_what_was_heard_is_not_counted():
    assert excess(planted=1000, remainder_us=0) is None
    assert excess(planted=1000, remainder_us=1) is None


def test_one_idle_time_is_no_backoff():
    assert excess(planted=200, spread=False) is None


def test_senders_whose_aifs_is_not_known_are_left_out():
    right = idle_times(at_random=100, planted=200, remainder_us=1, slots=(0, 15))
    wrong = idle_times(at_random=100, planted=200, remainder_us=6, slots=(0, 15)).with_columns(sender=pl.lit("b"))
    assert waits._on_grid(pl.concat([right, wrong]), WINDOW)["sender"].to_list() == ["a"]


def test_slots_too_short_for_the_stamps_show_nothing():
    rows = idle_times(planted=500).with_columns(slot_ns=pl.lit(5_000, pl.Int64), remainder_us=pl.lit(2, pl.Int64))
    assert waits._excess(rows, WINDOW) is None


def chunk(state, *exchanges):
    """Exchanges of media: the medium, and whether it is to one station and answered."""
    columns = {"medium": pl.UInt32, "unicast": pl.Boolean, "complete": pl.Boolean}
    rows = pl.DataFrame(exchanges, schema=columns, orient="row").with_columns(kind=pl.lit("basic"))
    return SimpleNamespace(rows=rows, state=state)


def test_behind_an_unanswered_attempt_the_medium_is_reserved_in_whichever_chunk_it_was():
    answered, lost, beacon = (True, True), (True, False), (False, False)
    state = {}
    first = chunk(state, (0, *lost), (0, *answered), (0, *lost), (1, *beacon), (1, *answered))
    assert waits._reserved(first).to_list() == [False, True, False, False, False]
    second = chunk(state, (0, *answered), (1, *lost), (2, *answered))
    assert waits._reserved(second).to_list() == [True, False, False]
    assert waits._reserved(chunk(state, (1, *answered))).to_list() == [True]


def starting(*starts_ms, idle_us):
    """What is counted of a sender's attempts that begin then, and so long after the medium fell idle."""
    rows = pl.DataFrame({"air_start_ns": [round(ms * 1e6) for ms in starts_ms], "idle_before_us": idle_us})
    of_all = {"medium": pl.lit(0, pl.UInt32), "sender": pl.lit("a"), "kind": pl.lit("basic"), "tid": pl.lit(0)}
    of_all |= {"attempt": pl.lit(1), "heard_data": pl.lit(value=True), "unicast": pl.lit(value=True)}
    of_all |= {"complete": pl.lit(value=True), "t_difs": pl.lit(28_000), "t_slot": pl.lit(9_000), "cw_min": pl.lit(15)}
    rows = rows.with_columns(**of_all)
    return waits._idle_times(SimpleNamespace(rows=rows, uses=rows.lazy(), state={}))


def in_even_bursts(gaps_ms, idle_us=1_000.0):
    starts = [sum(gaps_ms[:number]) for number in range(len(gaps_ms) + 1)]
    return waits._in_even_bursts(starting(*starts, idle_us=idle_us))["sender"].to_list() == ["a"]


def test_bursts_at_equal_intervals_are_told_from_attempts_at_random():
    draw = random.Random(1)
    assert in_even_bursts([33.3] * 100)
    some_sooner = [draw.choice((33.3, 33.3, 33.3, 66.7)) for _ in range(100)]  # one in four begins while others send
    assert in_even_bursts(some_sooner)
    assert not in_even_bursts([33.3] * 19), "too few"
    assert not in_even_bursts([draw.expovariate(1 / 33.3) for _ in range(100)])
    assert not in_even_bursts([33.3] * 100, idle_us=28.0 + 15 * 9.0), "no later than a backoff takes"
    assert in_even_bursts([33.3] * 50 + [3e6] + [33.3] * 50), "a pause is no interval"


def test_attempts_within_a_backoff_are_no_bursts():
    idle_us = [1_000.0, 100.0, 100.0] * 40
    found = starting(*(100 * (number // 3) + number % 3 for number in range(120)), idle_us=idle_us)
    assert found.select(pl.col("attempts", "gaps", "gap_ticks").sum()).row(0) == (120, 39, 39_000)


@pytest.mark.parametrize(("variation", "found"), [(0.1, False), (0.9, True)])
def test_who_bursts_at_equal_intervals_waits_for_nothing_unheard(variation, found, monkeypatch):
    monkeypatch.setattr(waits, "_load", lambda senders, excess: excess)
    # Most start on the grid of what was heard.
    times = pl.concat([idle_times(planted=150), idle_times(at_random=0, planted=300, remainder_us=0, slots=(0, 15))])
    square = (1 + variation) * 333**2
    bursts = {"gaps": pl.lit(1), "gap_ticks": pl.lit(333.0), "gap_square": pl.lit(square)}
    sender = {"sender": "a", "window": float(WINDOW), "answer_off": 0.0, "answer_missed": 0.0}
    sender |= {"gaps": 1000.0, "gap_ticks": 1e5, "gap_square": 2e7}
    told = waits.unheard(pl.DataFrame([sender]), times.with_columns(**bursts))
    assert (told is not None) == found


def test_a_version_has_the_media_of_its_recording():
    media = pl.DataFrame(
        [(0, "a.pcap", "x"), (1, "a.pcap", None), (2, "changed", None), (3, "changed", "x"), (4, "b.pcap", "x")],
        schema={"medium": pl.UInt32, "source": pl.String, "observer": pl.String},
        orient="row",
    )
    found = unheard_load._recordings(media, [("changed", "a.pcap")])
    assert sorted(found.rows()) == [(2, 1), (3, 0)]


@pytest.fixture(scope="module")
def loads(tmp_path_factory):
    """What :data:`.loads.LOADS` makes of samples of the study."""
    found = {}
    real = LOADS.function

    def of(name):
        if name not in found:
            kept = []

            def spy(*arguments, **options):
                kept.append(real(*arguments, **options))
                return kept[-1]

            with pytest.MonkeyPatch.context() as patch:
                spied = Derived(spy, LOADS.inputs)
                patch.setitem(saturation.SATURATION.corrected.inputs, "loads", spied)
                recording = LONE_PAIR if name == "lone pair" else SAMPLE / f"{name}.pcap.gz"
                dataset = winf_analyzer.ingest([recording], tmp_path_factory.mktemp("run") / "run.winf")
                winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected", window="1s")
            found[name] = kept[0].learned.filter(pl.col("sender").cast(pl.String) == completeness.PUT_BACK)
        return found[name]

    return of


@pytest.mark.slow("estimates of recordings")
def test_a_link_that_the_recorder_does_not_hear_is_put_back(loads):
    """Of three links in 802.11g one was left out: 400 exchanges of 298 us per second."""
    rows = loads("unheard")
    seconds = rows["covered_ns"].sum() / 1e9
    assert rows["accesses"].sum() / seconds == pytest.approx(400, rel=0.3)
    assert rows["air_ns"].sum() / rows["accesses"].sum() == pytest.approx(298_000, rel=0.15)


def taken_out(exchanges, sender):
    return exchanges.filter(pl.col("sender").ne_missing(sender))


def made_shorter(exchanges, sender):
    """As `rate_anomaly` does: its exchanges begin later, and those of others are where they were."""
    later = pl.when(pl.col("sender") == sender).then(MADE_SHORTER_NS).otherwise(0)
    return exchanges.with_columns(pl.col("start_ns", "data_start_ns") + later)


def put_back_in_versions(folder, settings, change):
    """What is put back of the sample, "recorded", and of it with its busiest other sender's exchanges "changed"."""
    dataset = winf_analyzer.ingest([SAMPLE / "unheard.pcap.gz"], folder / "run.winf", force=True)
    recorded = dataset.scan("exchanges").collect().with_columns(source=pl.lit("recorded"))
    others = recorded.filter(pl.col("sender") != pl.col("observer"), pl.col("kind") != "broadcast")
    (busiest,) = others["sender"].mode().sort().head(1)
    changed = change(recorded, busiest).with_columns(source=pl.lit("changed"))
    parameters = mac_parameters(dataset)
    of_both = pl.concat([parameters.with_columns(source=pl.lit(source)) for source in ("recorded", "changed")])
    kept = []

    def spy(context, **inputs):
        found = LOADS.function(context, **inputs)
        kept.append(found.learned.join(context.media_names, on="medium"))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(saturation.SATURATION.corrected.inputs, "loads", Derived(spy, LOADS.inputs))
        both = pl.concat([recorded, changed]).lazy()
        list(estimate_each(both, ["saturation"], ["corrected"], settings, None, of_both))
    put_back = kept[0].filter(pl.col("sender").cast(pl.String) == completeness.PUT_BACK)
    return dict(put_back.group_by(pl.col("source").cast(pl.String)).agg(pl.col("accesses").sum()).iter_rows())


MADE_SHORTER_NS = 124_000
VERSIONS = Settings(window_ns=10_000_000_000, versions=(("changed", "recorded"),))


@pytest.mark.slow("estimates of recordings")
@pytest.mark.parametrize("change", [taken_out, made_shorter])
def test_what_nobody_recorded_is_the_same_in_a_version_whatever_was_changed(tmp_path, change):
    alone = put_back_in_versions(tmp_path, replace(VERSIONS, versions=()), change)
    assert alone.get("changed", 0) != pytest.approx(alone["recorded"], rel=0.2), "nothing that a version could mislead"
    found = put_back_in_versions(tmp_path, VERSIONS, change)
    assert found["recorded"] == alone["recorded"]
    assert found["changed"] == pytest.approx(found["recorded"], rel=0.02)


@pytest.mark.slow("estimates of recordings")
@pytest.mark.parametrize("name", ["contention", "loss", "sniffer", "clocks", "missed", "neighbours", "edca", "ac"])
def test_nothing_is_put_back_where_everything_was_heard_or_counted(loads, name):
    assert loads(name).is_empty()


@pytest.mark.slow("estimates of recordings")
def test_of_a_lone_pair_the_load_beside_it_is_open_and_none_is_put_back(loads):
    found = loads("lone pair")
    assert (found["air_ns"] < 1e6).all()
    assert found["doubt"].to_list() == pytest.approx([0.15] * 3, rel=0.2)
