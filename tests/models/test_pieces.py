"""Links in pieces of bounded size."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.contention import carry_over, pieces
from winf_analyzer._util.memory import MIN_BYTES, set_memory_limit

WINDOW_NS = 100_000_000
STATIONS = 40
"""More than are taken one by one."""

EACH = 34
"""Rows of a link in a window: those of 32 stations around it, and two for its own."""


@pytest.fixture
def links():
    """Of as many stations and one receiver, in every window of three blocks."""
    starts = pl.DataFrame({"window_start_ns": [WINDOW_NS * number for number in range(3 * carry_over.BLOCK)]})
    senders = pl.DataFrame({"medium": 0, "sender": [f"s{number}" for number in range(STATIONS)], "receiver": "ap"})
    return senders.join(starts, how="cross")


@pytest.mark.parametrize(("length_ns", "together"), [(WINDOW_NS, carry_over.BLOCK), (None, 1)], ids=["tumbling", "any"])
def test_a_piece_has_no_more_rows_than_asked_for_and_one_link_s_of_a_block(links, monkeypatch, length_ns, together):
    monkeypatch.setattr(pieces, "ROWS", 100 * EACH)
    found = list(pieces.of_links(links, length_ns))
    assert pl.concat(found).sort(links.columns).equals(links.sort(links.columns))
    assert max(piece.height for piece in found) <= 100 + together
    assert len(found) >= links.height // (100 + together)
    assert min(piece.height for piece in found) >= 50 - together
    assert not pieces.are_one(links)


def test_windows_of_a_link_that_hang_together_are_in_one_piece(links, monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", 1)
    found = list(pieces.of_links(links, WINDOW_NS))
    assert 1 < len(found) <= 3 * STATIONS
    for piece in found:
        assert piece.select("sender", carry_over.block(WINDOW_NS)).n_unique() == 1


def test_as_many_rows_as_the_memory_limit_allows(links):
    assert pieces.are_one(links)
    set_memory_limit(MIN_BYTES)
    try:
        assert pieces._rows() < pieces.ROWS
        assert pieces._rows() * pieces.BYTES_PER_ROW <= MIN_BYTES
    finally:
        set_memory_limit(None)
