"""Findings in words: what is not known, and what is too little to matter."""

from __future__ import annotations

import pytest

from winf_analyzer._findings.wording import effect_sentence, kinds, sentence


def test_an_unknown_rate_reads_as_such():
    assert sentence("most of them at {rate:rate}", {"rate": None}) == "most of them at an unknown rate"
    assert sentence("most of them at {rate:rate}", {"rate": 6.0}) == "most of them at 6 Mb/s"


@pytest.mark.parametrize(
    ("share", "said"), [(0.00005, "less than 0.1 %"), (0.0015, "0.15 %"), (0.001, "0.1 %"), (0.25, "25 %")]
)
def test_shares_of_time(share, said):
    row = {"effect_bps": None, "airtime_share": share}
    assert effect_sentence(row, "these losses") == f"Without these losses, {said} more of the time would be free."


@pytest.mark.parametrize(("low", "said"), [(1e5, False), (0.0, True), (-2e5, True)])
def test_a_gain_whose_interval_includes_none_may_be_nothing(low, said):
    row = {"effect_bps": 4e5, "effect_low_bps": low, "effect_high_bps": 1e6, "airtime_share": 0.1}
    row |= {"sender": "a", "receiver": "b", "available_bps": 5e5}
    row |= {"without_bps": 9e5, "without_low_bps": 6e5, "without_high_bps": 12e5}
    text = effect_sentence(row, "these losses")
    assert text.startswith("Without these losses, a > b would have 0.9 Mb/s available (90 % interval")
    assert ("The gain may be nothing" in text) == said


def test_further_subjects_are_named_with_their_recordings():
    rows = [
        {"name": "storm", "confidence": 0.9, "subject": subject, "source": source, "text": "It storms.", "rank": rank}
        for rank, (subject, source) in enumerate([("a > b", "1.pcap"), ("a > b", "2.pcap"), ("c > d", "2.pcap")])
    ]
    (told,) = kinds([*rows, {**rows[0], "confidence": 0.4, "subject": "e > f"}])
    assert told["text"] == "In 2 recordings, first of all in 1.pcap: It storms."
    assert told["also"] == "Also: 2.pcap; c > d in 2.pcap."
    assert told["rank"] == 1


@pytest.mark.parametrize(
    ("count", "said"), [(1, "sent 1 segment again, of 1 station"), (2, "sent 2 segments again, of 2 stations")]
)
def test_behind_one_a_word_is_in_the_singular(count, said):
    text = "sent {n:count} segments again, of {n:count} stations at {n:percent} losses"
    assert sentence(text, {"n": count}) == f"{said} at {100 * count:.0f} % losses"
