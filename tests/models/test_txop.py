"""TXOPs: who has them, and how long they may last."""

import polars as pl
import pytest
from one_chunk import chunk

from winf_analyzer._mac.sampling import access_category
from winf_analyzer._models.saturation.recorded import completeness, exchange_sums, txop


@pytest.mark.parametrize(
    ("tid", "data_kind", "limit_ns"),
    [(5, "qos_data", 4_096_000), (6, "qos_data", 2_080_000), (0, "qos_data", 2_528_000), (None, "data", 0)],
)
def test_the_limit_is_that_of_the_access_category(tid: int | None, data_kind: str, limit_ns: int) -> None:
    rows = pl.DataFrame({"tid": [tid], "data_kind": [data_kind]}, schema_overrides={"tid": pl.Int32})
    assert rows.select(access_category=access_category()).select(txop.limit_ns()).item() == limit_ns


@pytest.mark.parametrize(
    ("continued", "fragments", "trailers", "limit_ns"),
    [
        *[(0, 0, 0, 0.0), (30, 0, 0, 4_096_000.0), (0, 0, 90, 4_096_000.0), (2, 0, 0, 0.0), (0, 0, 15, 0.0)],
        *[(900, 900, 0, 0.0), (930, 900, 0, 4_096_000.0)],
    ],
)
def test_a_sender_has_txops_where_it_was_seen_to_go_on_after_sifs_with_more_than_fragments(
    continued: int, fragments: int, trailers: int, limit_ns: float
) -> None:
    sums = pl.DataFrame(
        {
            "continued": [continued],
            "fragments": [fragments],
            "trailers": [trailers],
            "accesses": [1000],
            "carried": [100],
            "txop_ns": [100 * 4_096_000],
            "declared_txop_ns": [0],
        }
    )
    assert sums.select(txop.used_ns()).item() == limit_ns
    declared = sums.with_columns(declared_txop_ns=100 * 1_504_000)
    assert declared.select(txop.used_ns()).item() == (1_504_000.0 if limit_ns else 0.0)


@pytest.mark.parametrize(("declared_ns", "within_ns"), [(-1, 5_484_000), (0, 5_484_000), (1_024_000, 896_000), (9, 1)])
def test_data_in_one_ppdu_lasts_no_longer_than_a_declared_limit(declared_ns: int, within_ns: int) -> None:
    """Less a handshake of 40 us, the preamble, SIFS and the answer."""
    row = pl.DataFrame({"t_txop": declared_ns, "t_plcp": 44_000, "t_sifs": 16_000, "t_ack": 28_000})
    assert row.select(txop.within_ns(pl.lit(5_484_000), pl.lit(40_000))).item() == within_ns


def test_only_after_an_exchange_of_its_own_a_sender_goes_on():
    """In each medium, and wherever the recording is cut into chunks."""
    senders = [(0, "a"), (1, "b"), (0, "a"), (0, "b"), (1, "b"), (0, None), (0, None), (0, "a")]
    rows = pl.DataFrame(senders, schema={"medium": pl.Int32, "sender": pl.String}, orient="row")
    expected = [None, None, True, False, True, False, True, False]
    for cut in range(len(senders) + 1):
        state: dict = {}
        parts = [exchange_sums._before(chunk(part, state)) for part in (rows[:cut], rows[cut:])]
        assert pl.concat(parts).to_list() == expected


@pytest.mark.parametrize(("heard_share", "packets"), [(1.0, 150.0), (0.8, 187.5)])
def test_frames_that_went_on_after_sifs_are_packets_as_well_where_frames_were_missed(heard_share, packets):
    """100 TXOPs of one or two frames, of which all or four in five were heard."""
    row = {"done": 100.0, "continued": 50.0, "txop_limit_ns": 4e6, "accesses": 100.0, "unheard": 0.0, "mpdus": 150.0}
    row |= {"fresh": 100.0, "fresh_mpdus": 100.0, "to_groups": 0.0, "heard_share": heard_share, "answer_missed": 0.0}
    row |= {"advanced_heard": 1500.0, "advanced": 1500.0 / heard_share, "queue": 0, "retries": 0.0}
    assert pl.DataFrame([row]).select(completeness.packets(pl.lit(value=False))).item() == pytest.approx(
        packets, rel=0.01
    )
