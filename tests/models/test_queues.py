"""Access categories of one station: which of its links share a queue."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.contention import contention_domain
from winf_analyzer._models.saturation.recorded import completeness, queues
from winf_analyzer._models.saturation.recorded.exchange_sums import SUMS

LIMITS_MS = {"be": 2.528, "bk": 2.528, "vi": 4.096, "vo": 2.080, "": 0.0}
AIFSN = {"be": 3, "bk": 7, "vi": 2, "vo": 2, "": 2}


def link(category, *, to="b", carried=100, continued=0, sender="a", aggregating=0, trailers=0):
    return {
        **{"medium": 0, "sender": sender, "receiver": to, "carried": carried, "continued": continued},
        **{"accesses": carried, "txop_ns": carried * LIMITS_MS[category] * 1e6, "sifs_ns": carried * 16e3},
        **{"slot_ns": carried * 9e3, "aifs_ns": carried * (16e3 + AIFSN[category] * 9e3)},
        **{"aggregating": aggregating, "trailers": trailers, "to_groups": 0, "done": carried, "retries": 0},
    }


def to_all(sender="a", trailers=0, to_groups=50):
    found = link("", to=None, carried=0, sender=sender, trailers=trailers)
    return found | {"accesses": 50, "to_groups": to_groups}


def numbers(*rows):
    """The queue of each link."""
    table = pl.DataFrame(list(rows), schema_overrides={"receiver": pl.String})
    found = table.join(queues.of_links(table), on=["medium", "sender", "receiver"], how="left", nulls_equal=True)
    return found["queue"].to_list()


@pytest.mark.parametrize("category", ["be", "bk", "vi", "vo", ""])
def test_a_station_of_one_category_has_one_queue(category):
    assert numbers(link(category), link(category, to="c"), to_all()) == [0, 0, 0]


@pytest.mark.parametrize(("one", "other"), [("be", "vi"), ("be", "vo"), ("be", "bk"), ("bk", "vi"), ("vi", "vo")])
def test_each_category_has_a_queue_of_its_own(one, other):
    first, second = numbers(link(one), link(other, to="c"))
    assert (first, second > 0) == (0, True)


def test_the_same_category_to_several_stations_is_one_queue():
    found = numbers(link("vi"), link("be", to="c"), link("vi", to="d"))
    assert found[0] == found[2] != found[1]


def test_frames_to_all_belong_to_the_queue_that_goes_on():
    """A CF-End gives the rest of a TXOP back."""
    found = numbers(link("be", carried=900), link("vi", to="c", continued=40), to_all())
    assert found[2] == found[1] > 0


def test_frames_to_groups_of_a_station_that_aggregates_have_a_queue_of_their_own():
    assert numbers(link("be", aggregating=100), to_all()) == [0, queues.TO_GROUPS]


def gone(accesses=100, retries=60, done=0, to="c"):
    """A receiver that answers so many of the attempts."""
    return link("be", to=to, carried=0) | {"accesses": accesses, "retries": retries, "done": done}


def test_data_that_is_repeated_and_never_answered_has_a_queue_of_its_own():
    assert numbers(link("be"), gone()) == [0, queues.UNANSWERED]


@pytest.mark.parametrize(
    "changed", [{"done": 1}, {"retries": 39}, {"accesses": 19, "retries": 19}, {"to": None}], ids=lambda each: str(each)
)
def test_data_whose_answers_may_only_not_have_been_heard_has_none(changed):
    assert numbers(link("be"), gone(**changed)) == [0, 0]


def test_of_such_data_each_first_attempt_is_a_packet():
    rows = pl.DataFrame({"queue": [queues.UNANSWERED], "accesses": [100.0], "retries": [60.0]})
    assert rows.select(queues.attempts_lost()).item() == 0.6
    more = {"done": 0.0, "mpdus": 0.0, "txop_limit_ns": 0.0, "continued": 0.0, "to_groups": 0.0, "fresh": 40.0}
    more |= {"fresh_mpdus": 40.0, "unheard": 0.0, "heard_share": 1.0, "answer_missed": 0.0, "answers": 0.0}
    more |= {"acked": 0.0, "silent_numbered": 100.0, "heard": 100.0}
    more |= {"advanced": 0.0, "advanced_heard": 0.0, "unheard_mpdus": 1.0, "retries": 60.0}
    rows = rows.with_columns(**{name: pl.lit(value) for name, value in more.items()})
    assert rows.select(completeness.packets(pl.lit(value=False))).item() == 40
    assert rows.with_columns(queue=0).select(completeness.packets(pl.lit(value=False))).item() == 0


def test_answers_alone_are_in_the_queue_of_the_data_that_they_answer():
    assert numbers(link("be", aggregating=100), to_all(to_groups=20)) == [0, 0]


def test_what_ends_a_txop_is_in_the_queue_of_its_data():
    assert numbers(link("be", aggregating=100), to_all(trailers=20)) == [0, 0]


def test_a_few_packets_of_another_category_are_no_queue():
    assert numbers(link("be", carried=900), link("vo", to="c", carried=10)) == [0, 0]
    assert numbers(link("be", carried=9000), link("vo", to="c", carried=100)) == [0, 0]


def test_stations_of_one_category_each_have_nothing_to_do_with_one_another():
    assert numbers(link("be"), link("vi", sender="c")) == [0, 0]


def test_contenders_of_a_station_have_names_of_their_own():
    stations = pl.DataFrame({"sender": ["a", "a", None], "queue": [0, 2, 0]}).cast({"sender": pl.Categorical})
    found = queues.named(stations)
    assert found["sender"].cast(pl.String).to_list() == ["a", "a/2", None]
    assert found.columns == ["sender"]


@pytest.mark.parametrize("order", [(0, 5), (5, 0)])
def test_of_a_station_with_several_queues_the_first_says_how_its_packets_come(order):
    """In whatever order its links are: what a queue is like differs, as how uneven its packets come."""
    each = (
        dict.fromkeys(SUMS, 1.0)
        | dict.fromkeys(completeness.SHARES, 0.0)
        | {"medium": 0, "sender": "a", "receiver": "b"}
    )
    rows = pl.DataFrame([each | {"queue": queue, "uneven": queue / 10} for queue in order])
    found = contention_domain._summed(rows, ("medium", "sender"))
    assert found["uneven"].to_list() == [0.0]
