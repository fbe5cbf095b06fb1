"""What was sent unheard, from stations that waited for it: planted counts, and simulated recordings."""

import random

import polars as pl
import pytest
from folders import ROOT

import winf_analyzer
from winf_analyzer._aggregate.aggregate import Derived
from winf_analyzer._models.saturation import unheard_load
from winf_analyzer.estimators import saturation

SAMPLE = ROOT / "tests/benchmarks/sample"
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
    few, enough = (idle_times(at_random=count) for count in (unheard_load.MIN_ACCESSES - 1, unheard_load.MIN_ACCESSES))
    many = [few.with_columns(medium=pl.lit(number, pl.UInt32)) for number in range(1, 5)]
    found = unheard_load._enough(pl.concat([*many, enough]))
    assert found.keys() == {0}
    assert found[0].equals(enough)


def excess(**counts):
    return unheard_load._excess(idle_times(**counts), WINDOW)


@pytest.mark.parametrize("seed", range(5))
def test_idle_times_at_random_show_nothing(seed):
    assert excess(seed=seed) is None


@pytest.mark.parametrize("remainder_us", [4, 8, 15])
def test_one_remainder_too_often_is_found_with_its_mean(remainder_us):
    found = excess(planted=150, remainder_us=remainder_us)
    assert found.attempts == pytest.approx(150, rel=0.2)
    assert found.slots == pytest.approx(33.5 + remainder_us / SLOT_US, abs=3)


def test_who_waited_for_what_was_heard_is_not_counted():
    assert excess(planted=1000, remainder_us=0) is None
    assert excess(planted=1000, remainder_us=1) is None


def test_one_idle_time_is_no_backoff():
    assert excess(planted=200, spread=False) is None


def test_senders_whose_aifs_is_not_known_are_left_out():
    right = idle_times(at_random=100, planted=200, remainder_us=1, slots=(0, 15))
    wrong = idle_times(at_random=100, planted=200, remainder_us=6, slots=(0, 15)).with_columns(sender=pl.lit("b"))
    assert unheard_load._on_grid(pl.concat([right, wrong]), WINDOW)["sender"].to_list() == ["a"]


def test_slots_too_short_for_the_stamps_show_nothing():
    rows = idle_times(planted=500).with_columns(slot_ns=pl.lit(5_000, pl.Int64), remainder_us=pl.lit(2, pl.Int64))
    assert unheard_load._excess(rows, WINDOW) is None


@pytest.fixture(scope="module")
def loads(tmp_path_factory):
    """What :func:`.saturation._loads` makes of samples of the study."""
    found = {}
    real = saturation._LOADS.function

    def of(name):
        if name not in found:
            kept = []

            def spy(*arguments, **options):
                kept.append(real(*arguments, **options))
                return kept[-1]

            with pytest.MonkeyPatch.context() as patch:
                spied = Derived(spy, saturation._LOADS.inputs)
                patch.setitem(saturation.SATURATION.corrected.inputs, "loads", spied)
                dataset = winf_analyzer.ingest([SAMPLE / f"{name}.pcap.gz"], tmp_path_factory.mktemp(name) / "run.winf")
                winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected", window="1s")
            found[name] = kept[0].learned.filter(pl.col("sender").cast(pl.String) == unheard_load.completeness.PUT_BACK)
        return found[name]

    return of


@pytest.mark.slow("estimates of recordings")
def test_a_link_that_the_recorder_does_not_hear_is_put_back(loads):
    """Of three links in 802.11g one was left out: 400 exchanges of 298 us per second."""
    rows = loads("unheard")
    seconds = rows["covered_ns"].sum() / 1e9
    assert rows["accesses"].sum() / seconds == pytest.approx(400, rel=0.3)
    assert rows["air_ns"].sum() / rows["accesses"].sum() == pytest.approx(298_000, rel=0.15)


@pytest.mark.slow("estimates of recordings")
@pytest.mark.parametrize(
    "name", ["pair", "contention", "loss", "sniffer", "clocks", "missed", "neighbours", "edca", "ac"]
)
def test_nothing_is_put_back_where_everything_was_heard_or_counted(loads, name):
    assert loads(name).is_empty()
