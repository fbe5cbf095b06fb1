"""What the links of a recording carried over time, from its exchanges."""

from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._evaluate.correlation import Volume
from winf_analyzer._util.errors import UnusableInput

LINK = ("sender", "receiver")
MOST_BINS = 200_000
SHORTEST_BIN_NS = 500_000
EPOCH_NS = 10**18
"""Stamps beyond this (2001) count from 1970; simulations and monotonic clocks are far below."""

Link = tuple[str, str]


@dataclass(frozen=True)
class Recorded:
    """Acknowledged unicast data of a dataset."""

    data: pl.LazyFrame
    """`source`, `observer`, `sender`, `receiver`, `flow`, `t_ns` (end), `bytes` (MSDU payload), `mpdus`."""
    links: pl.DataFrame
    """Per source, observer, link and flow: `bytes`, `mpdus`; most first."""
    spans: pl.DataFrame
    """Per source: `first_ns`, `last_ns`, of exchanges of any kind."""

    @classmethod
    def of(cls, dataset: Dataset) -> "Recorded":
        """Two scans of the exchanges.

        Raises:
            UnusableInput: none of them carried data with a known time.
        """
        exchanges = dataset.scan("exchanges").with_columns(t_ns=pl.coalesce("end_ns", "ack_ns", "data_ns", "start_ns"))
        data = _data(exchanges)
        keys = ["source", "observer", *LINK, "flow"]
        links = data.group_by(keys).agg(pl.col("bytes", "mpdus").sum())
        links = links.sort("bytes", *keys, descending=[True, *[False] * len(keys)])
        found = links.collect(engine="streaming")
        if found.is_empty():
            raise UnusableInput(
                f"{dataset.path}: no exchange carried data at a known time, so there is nothing to compare."
            )
        first_ns, last_ns = pl.coalesce("start_ns", "t_ns").min(), pl.col("t_ns").max()
        spans = exchanges.group_by(pl.col("source").cast(pl.String)).agg(first_ns=first_ns, last_ns=last_ns)
        return cls(data, found, spans.drop_nulls().sort("source").collect(engine="streaming"))

    @property
    def first_ns(self) -> int:
        """The first exchange."""
        return int(self.spans.select(pl.col("first_ns").min()).item())

    @property
    def last_ns(self) -> int:
        """The end of the last exchange."""
        return int(self.spans.select(pl.col("last_ns").max()).item())

    @property
    def clock(self) -> str:
        """What its times count from, in the words of the truth table."""
        return "epoch" if self.first_ns > EPOCH_NS else "simulation"

    def bin_ns(self, interval_ns: int) -> int:
        """A width of bins that is fine beside a log's interval, and that the span does not have too many of."""
        return max(SHORTEST_BIN_NS, interval_ns // 50, -(-(self.last_ns - self.first_ns) // MOST_BINS))

    def volume(self, link: Link, flow: str | None, bin_ns: int) -> Volume:
        """What a link carried per bin, of one flow where it is named.

        The recorder that heard most of a bin counts: recordings may follow one another, or lie side by side.
        """
        first_ns, last_ns = self.first_ns, self.last_ns
        place = (pl.col("t_ns") - first_ns) // bin_ns
        chosen = self.data.filter(_is(link), _of(flow))
        heard = chosen.group_by("source", "observer", place=place).agg(bits=8 * pl.col("bytes").sum())
        most = heard.group_by("place").agg(pl.col("bits").max()).collect(engine="streaming")
        bins = pl.int_range(0, (last_ns - first_ns) // bin_ns + 1, eager=True).alias("place").to_frame()
        filled = bins.join(most, on="place", how="left", maintain_order="left")
        return Volume(first_ns, bin_ns, filled["bits"].fill_null(0))

    def goodput(self, link: Link, flows: Collection[str] | None, bin_ns: int) -> pl.DataFrame:
        """What a link carried, of some flows where they are named.

        Returns `source`, `observer`, `t_ns` (multiples of the bin's width), `window_ns`, `value` (bit/s).
        """
        binned = pl.col("t_ns") // bin_ns * bin_ns
        chosen = pl.lit(True) if flows is None else pl.col("flow").is_in(sorted(flows))
        sums = (
            self.data.filter(_is(link), chosen).group_by("source", "observer", t_ns=binned).agg(pl.col("bytes").sum())
        )
        rate = 8e9 * pl.col("bytes") / bin_ns
        found = sums.collect(engine="streaming").with_columns(window_ns=pl.lit(bin_ns, pl.Int64), value=rate)
        return found.drop("bytes").sort("source", "observer", "t_ns")

    def msdu_bytes(self, link: Link, flow: str | None) -> float:
        """Mean size of the MSDUs that a link carried, of one flow where it is named."""
        heard = self.links.filter(_is(link), _of(flow))
        return float(heard["bytes"].sum()) / float(heard["mpdus"].sum())


def _data(exchanges: pl.LazyFrame) -> pl.LazyFrame:
    group = pl.col("receiver").str.contains(r"^[0-9a-f][13579bdf]:")
    is_data = pl.col("data_kind").is_in(["data", "qos_data"]).fill_null(True)
    names = [pl.col(name).cast(pl.String) for name in ("source", "observer", *LINK, "flow")]
    return (
        exchanges.filter(
            pl.col("complete"),
            is_data,
            pl.col("kind") != "broadcast",
            pl.col("payload_bytes") > 0,
            ~group,
            pl.col("sender").is_not_null(),
        )
        .select(
            *names,
            "t_ns",
            bytes=pl.col("payload_bytes").cast(pl.Int64),
            mpdus=pl.max_horizontal(pl.col("mpdus").cast(pl.Int64), 1),
        )
        .filter(pl.col("t_ns").is_not_null())
    )


def _is(link: Link) -> pl.Expr:
    return (pl.col("sender") == link[0]) & (pl.col("receiver") == link[1])


def _of(flow: str | None) -> pl.Expr:
    return pl.lit(True) if flow is None else pl.col("flow") == flow
