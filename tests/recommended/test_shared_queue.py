"""Which links of a sender carry TCP flows that make room for a further one."""

import polars as pl

from winf_analyzer._recommended.shared_queue import with_yielding

KEY = {"source": "s", "observer": None, "window_start_ns": 0}


def link(sender: str, receiver: str, mpdus: int, octets: int) -> dict[str, object]:
    bits = 8 * mpdus * octets
    return KEY | {"sender": sender, "receiver": receiver, "mpdus": mpdus, "bits": bits, "own_bits": bits}


def yielding(*links: dict[str, object]) -> dict[tuple[str, str], tuple[int | None, int | None]]:
    rows = pl.DataFrame(links, schema_overrides={"observer": pl.String})
    found = with_yielding(rows, rows)
    ends = zip(found["sender"], found["receiver"], strict=True)
    return dict(zip(ends, zip(found["yielding_bits"], found["yielding_links"], strict=True), strict=True))


def test_flows_of_all_links_of_the_sender_are_added() -> None:
    flows = [
        link("ap", "a", 1000, 1508),
        link("a", "ap", 500, 60),
        link("ap", "b", 200, 1508),
        link("b", "ap", 200, 72),
    ]
    found = yielding(*flows, link("ap", "c", 50, 1000))
    total = 8 * 1508 * 1200
    assert [found["ap", receiver] for receiver in ("a", "b", "c")] == [(total, 2)] * 3
    assert found["a", "ap"] == (None, None)


def test_what_nobody_acknowledges_makes_no_room() -> None:
    for back in (link("a", "ap", 500, 400), link("a", "ap", 40, 60), link("a", "b", 500, 60)):
        assert yielding(link("ap", "a", 1000, 1508), back)["ap", "a"] == (None, None)
