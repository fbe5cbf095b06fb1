"""Windows of BlockAck agreements, as BlockAcks show them."""

import polars as pl
import pytest

from winf_analyzer._mac import aggregation


@pytest.mark.parametrize(
    ("length", "kept", "mpdus"),
    [(32, 8, 64), (56, 32, 256), (88, 32, 512), (152, 32, 1024), (60, 32, 256), (32, 4, 32)],
)
def test_the_window_is_that_of_the_bitmap_or_of_the_length(length: int, kept: int, mpdus: int) -> None:
    """Of 802.11be-2024, table 9-41; of a bitmap no more than 32 octets are kept, two characters each."""
    frame = {"kind": "block_ack", "ra": "A", "ta": "B", "source": "s", "length_bytes": length}
    frames = pl.LazyFrame([frame | {"ba_bitmap": "f" * (2 * kept)}])
    assert aggregation.windows(frames).collect()["shown"].to_list() == [mpdus]
