"""Traffic of a recording's links over time, from its exchanges."""

from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._evaluate.correlation import BinnedVolume
from winf_analyzer._util.clocks import EPOCH_NS
from winf_analyzer._util.errors import UnusableInput

LINK = ("sender", "receiver")
MAX_BINS = 200_000
MIN_BIN_NS = 500_000

Link = tuple[str, str]


@dataclass(frozen=True)
class RecordedTraffic:
    """Acknowledged unicast data of a dataset."""

    data: pl.LazyFrame
    """`source`, `observer`, `sender`, `receiver`, `flow`, `t_ns` (end), `bytes` (MSDU payload), `mpdus`."""
    links: pl.DataFrame
    """Per source, observer, link and flow: `bytes`, `mpdus`; most bytes first."""
    spans: pl.DataFrame
    """Per source: `first_ns`, `last_ns`, of exchanges of any kind."""

    @classmethod
    def of(cls, dataset: Dataset) -> "RecordedTraffic":
        """The traffic of a dataset, by two scans of its exchanges.

        Raises:
            UnusableInput: no exchange carried data at a known time.
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
        """Start of the first exchange."""
        return int(self.spans.select(pl.col("first_ns").min()).item())

    @property
    def last_ns(self) -> int:
        """End of the last exchange."""
        return int(self.spans.select(pl.col("last_ns").max()).item())

    @property
    def clock(self) -> str:
        """Origin of its times, as in column `clock` of the truth table."""
        return "epoch" if self.first_ns > EPOCH_NS else "simulation"

    def bin_ns(self, interval_ns: int) -> int:
        """A bin width of a fiftieth of a log's interval, limited by :data:`MIN_BIN_NS` and :data:`MAX_BINS`."""
        return max(MIN_BIN_NS, interval_ns // 50, -(-(self.last_ns - self.first_ns) // MAX_BINS))

    def volume(self, link: Link, flow: str | None, bin_ns: int) -> BinnedVolume:
        """The traffic of a link per bin, optionally of one flow.

        Each bin is taken from the recorder with the largest volume, since recordings may be consecutive or parallel.
        """
        first_ns, last_ns = self.first_ns, self.last_ns
        bin_index = (pl.col("t_ns") - first_ns) // bin_ns
        chosen = self.data.filter(_is_link(link), _is_flow(flow))
        per_observer = chosen.group_by("source", "observer", bin_index=bin_index).agg(bits=8 * pl.col("bytes").sum())
        best = per_observer.group_by("bin_index").agg(pl.col("bits").max()).collect(engine="streaming")
        bins = pl.int_range(0, (last_ns - first_ns) // bin_ns + 1, eager=True).alias("bin_index").to_frame()
        filled = bins.join(best, on="bin_index", how="left", maintain_order="left")
        return BinnedVolume(first_ns, bin_ns, filled["bits"].fill_null(0))

    def goodput(self, link: Link, flows: Collection[str] | None, bin_ns: int) -> pl.DataFrame:
        """The throughput of a link, optionally of some flows.

        Returns `source`, `observer`, `t_ns` (multiples of the bin's width), `window_ns`, `value` (bit/s).
        """
        binned = pl.col("t_ns") // bin_ns * bin_ns
        chosen = pl.lit(True) if flows is None else pl.col("flow").is_in(sorted(flows))
        sums = (
            self.data.filter(_is_link(link), chosen)
            .group_by("source", "observer", t_ns=binned)
            .agg(pl.col("bytes").sum())
        )
        rate = 8e9 * pl.col("bytes") / bin_ns
        found = sums.collect(engine="streaming").with_columns(window_ns=pl.lit(bin_ns, pl.Int64), value=rate)
        return found.drop("bytes").sort("source", "observer", "t_ns")

    def msdu_bytes(self, link: Link, flow: str | None) -> float:
        """Mean size of a link's MSDUs, optionally of one flow."""
        per_observer = self.links.filter(_is_link(link), _is_flow(flow))
        return float(per_observer["bytes"].sum()) / float(per_observer["mpdus"].sum())


def _data(exchanges: pl.LazyFrame) -> pl.LazyFrame:
    is_data = pl.col("data_kind").is_in(["data", "qos_data"]).fill_null(True)
    names = [pl.col(name).cast(pl.String) for name in ("source", "observer", *LINK, "flow")]
    return (
        exchanges.filter(
            pl.col("complete"),
            is_data,
            pl.col("kind") != "broadcast",
            pl.col("payload_bytes") > 0,
            ~pl.col("is_group"),
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


def _is_link(link: Link) -> pl.Expr:
    return (pl.col("sender") == link[0]) & (pl.col("receiver") == link[1])


def _is_flow(flow: str | None) -> pl.Expr:
    return pl.lit(True) if flow is None else pl.col("flow") == flow
