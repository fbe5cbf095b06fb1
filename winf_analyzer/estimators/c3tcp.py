"""C3TCP: bandwidth, forward and backward delay of each hop, as the link layer sees a packet through, and of a path.

Source: D. Kliazovich, F. Granelli, "Cross-layer congestion control in ad hoc wireless networks" (C3TCP), Ad Hoc
Networks 4(6), 2006, sec. 4. With t_in, t_hol, t_out the instants when a packet enters the queue, comes to its head, and
its DATA begins (after backoff and RTS/CTS), and D its bits:

    T_tr = T_DATA + SIFS + T_ACK + DIFS      B = D / ((t_out - t_in) + T_tr)
    D_f  = (t_out - t_hol) + T_tr            D_b = (t_out - t_in) + T_tr, of what goes the other way
    path: B the minimum, D_f and D_b the sums over its hops       window: B (D_f + D_b)/8 octets, `cwnd_bytes`

Eq. (2) of the paper has the sign of t_out - t_in wrong; both modes take it right. `paper`: eq. (3) and (5) as printed,
the ACK at the data's rate and a DIFS although the access delay holds one already; a window's B is bits over time, the
mean of its packets. `corrected`: the ACK's own airtime, no second DIFS; B smoothed over the packets (EWMA, 1/8), a
window has its value after the last.

`available_bps` is B, `capacity_bps` the same without the wait in the queue, D/D_f. Simulators record the three
instants. In a capture t_hol is estimated (:mod:`.head_of_line`) and t_in unknown: the queue counts as empty, so B is an
upper bound (and equals the capacity) and D_b a lower one.

Along a path one packet is followed: by its number where the recording has one, else by flow, transport sequence and
acknowledgment number (TCP in the clear, with `frames` at hand; of a segment sent twice the first). Of an A-MPDU the
first packet stands for all. Where neither is known (UDP, or encryption), the path follows from the estimates
of its hops in the window.
"""

import polars as pl

from winf_analyzer._aggregate import states, windows
from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunk_state import smoothed
from winf_analyzer._aggregate.chunks import GROUP, Chunk, Context
from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._aggregate.frame_fields import KEYS, frames_of
from winf_analyzer._aggregate.head_of_line import with_head_of_line
from winf_analyzer._aggregate.settings import Mode
from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer._paths import paths
from winf_analyzer._paths.hop_tracking import tracked
from winf_analyzer.estimators._estimator import Estimator, Method
from winf_analyzer.estimators.theoretical_maximum import data_time

ACK_BITS = 8 * 14
"""An ACK: 14 octets (9.3.1.4)."""

SMOOTHING = 1 / 8
"""Weight of the newest packet in the smoothed bandwidth; the paper is silent."""

MEASURES = ("capacity_bps", "available_bps", "forward_delay_us", "full_delay_us", "exchanges")
RATES = {"available_bps": "slow_ns", "capacity_bps": "fast_ns"}
"""The rates and the times they are bits over."""

SUMS = ("bits", "slow_ns", "fast_ns", "forward_ns", "full_ns", "exchanges")

MAX_DELAY_NS = 3_600 * 10**9
"""No packet waits an hour: a longer delay is that of damaged time stamps, whose sums would overflow."""


def ack_at_data_rate() -> pl.Expr:
    """T_ACK of an ACK at the rate of the data, nanoseconds."""
    return pl.col("t_plcp") + (ACK_BITS * 1000 / pl.col("rate_mbps")).round().cast(pl.Int64, strict=False)


def hop_times(t_tr: pl.Expr, t_out: pl.Expr) -> dict[str, pl.Expr]:
    """`forward_ns`, D_f of a hop, and `full_ns`, what D_b adds up of it and B divides by.

    Args:
        t_tr: T_tr, nanoseconds.
        t_out: when the DATA begins; `hol_ns` and `in_ns` are the paper's t_hol and t_in.
    """
    entered = pl.min_horizontal("in_ns", "hol_ns")
    return {"forward_ns": t_out - pl.col("hol_ns") + t_tr, "full_ns": t_out - entered + t_tr}


def rates() -> dict[str, pl.Expr]:
    """B and D/D_f, bit/s, of one packet or of sums."""
    return {name: pl.col("bits") * 1e9 / pl.col(time) for name, time in RATES.items()}


def over_hops() -> list[pl.Expr]:
    """What a packet's hops make of its path: the slowest bandwidth (the longest time), the sums of the delays."""
    return [pl.col("slow_ns", "fast_ns").max(), pl.col("forward_ns", "full_ns").sum()]


def _packets(chunk: Chunk, mode: Mode) -> pl.DataFrame:
    """Every sample with its bits and times: `slow_ns` that of B, `fast_ns` that of the capacity."""
    ack, t_data = pl.col("t_ack"), data_time()
    t_tr = t_data + pl.col("t_sifs") + (ack_at_data_rate() + pl.col("t_difs") if mode == "paper" else ack)
    t_out = pl.coalesce("data_start_ns", pl.col("data_ns") - t_data)
    return (
        chunk.once(with_head_of_line)
        .lazy()
        .filter("sample")
        .with_columns(t_tr=t_tr, t_out=t_out)
        .with_columns(
            bits=8 * pl.col("payload_bytes"),
            exchanges=pl.lit(1, pl.Int64),
            **hop_times(pl.col("t_tr"), pl.col("t_out")),
        )
        .filter(pl.col("t_tr") > 0, pl.col("t_out") >= pl.col("hol_ns"), pl.col("full_ns") >= pl.col("forward_ns"))
        .filter(pl.col("forward_ns") > 0, pl.col("full_ns") <= MAX_DELAY_NS)
        .select(
            *(GROUP, *WINDOW, *LINK, "link", "end_ns", "flow", "packet_uid", "data_start_ns"),
            *("bits", "forward_ns", "full_ns", "exchanges"),
            slow_ns="full_ns",
            fast_ns="forward_ns",
        )
        .collect(engine="in-memory")
    )


def _of_links(chunk: Chunk, mode: Mode) -> pl.DataFrame:
    """:data:`SUMS` per part of time and link, `end_ns` of its last packet, and, corrected, the smoothed rates then."""
    packets = chunk.once(_packets, mode)
    if mode == "corrected":
        packets = packets.with_columns(**rates())
        packets = smoothed(chunk, _of_links, packets, tuple(RATES), ("link",), weight=SMOOTHING)
    return chunk.per_link(packets.lazy(), *_sums(mode))


def _of_paths(chunk: Chunk, mode: Mode) -> pl.DataFrame:
    """The same per path."""
    keys = ("path", "source", "observer")
    if chunk.context.hops.is_empty():
        return pl.DataFrame()
    packets = _followed(chunk, mode).sort("end_ns", "packet", maintain_order=True)
    if mode == "corrected":
        packets = packets.with_columns(**rates())
        packets = smoothed(chunk, _of_paths, packets, tuple(RATES), ("medium", *keys), weight=SMOOTHING)
    return packets.group_by(*WINDOW, *keys).agg(_sums(mode))


def _sums(mode: Mode) -> list[pl.Expr]:
    return [pl.col(SUMS).sum(), pl.col("end_ns", *(RATES if mode == "corrected" else ())).last()]


def _followed(chunk: Chunk, mode: Mode) -> pl.DataFrame:
    """The packets that were seen on every hop of a path, one row each.

    A hop is measured by the observer nearest to its sender. A packet counts in the window of its last hop; `end_ns` is
    when it was last seen.
    """
    hops, media = chunk.context.hops, chunk.context.media.select("medium", "source", "observer")
    seen = chunk.once(_packets, mode).join(hops, on="flow", how="semi")
    seen = seen.join(media, on="medium", maintain_order="left")
    flows = seen.filter(pl.col("packet_uid").is_null()).select("flow").unique().lazy()
    fields = frames_of(chunk, flows=flows).filter(pl.col("transport_seq").is_not_null())
    seen = seen.join(fields.collect(engine="streaming"), on=list(KEYS), how="left", maintain_order="left")
    numbered = pl.format("{} {}", "source", "packet_uid")
    # TCP ACKs without data share a sequence number.
    sequenced = pl.format("{} {} {}", "src_ip", "transport_seq", pl.col("tcp_ack").fill_null(-1))
    seen = seen.with_columns(packet=pl.coalesce(numbered, sequenced), rank=paths.distance())
    seen = seen.filter(pl.col("packet").is_not_null())
    legs = tracked(chunk, (_followed, mode), seen, ("flow", "packet")).join(hops, on=["flow", *LINK])
    return (
        legs.group_by("path", "flow", "packet", "passing")
        .agg(
            *over_hops(),
            pl.col(WINDOW).sort_by("end_ns", *LINK).last(),
            pl.col("bits", "exchanges").min(),
            paths.shared("source"),
            paths.shared("observer"),
            end_ns=pl.col("until_ns").first(),
            legs=pl.len(),
            hops=pl.col("hops").first(),
        )
        .filter(pl.col("legs") == pl.col("hops"))
    )


def _finish(context: Context, mode: Mode, links: pl.DataFrame, along: pl.DataFrame) -> pl.DataFrame:
    """Bandwidth and delays per node, link, state and window, and per path; the module's text has the formulas."""
    links = _summary(context, links, LINK, mode)
    links = _with_backward(links, links.select(*WINDOW, sender="receiver", receiver="sender", back="full_delay_us"))
    rows = states.values_by_state(context, links, (*MEASURES, "backward_delay_us"))
    rows = rows.join(context.coverage, on=WINDOW)
    return pl.concat([rows, _of_followed(context, along, mode)], how="diagonal_relaxed").drop("full_delay_us")


def _summary(context: Context, parts: pl.DataFrame, keys: tuple[str, ...], mode: Mode) -> pl.DataFrame:
    """:data:`MEASURES` per window and `keys`."""
    settings, by, group = context.settings, ("medium", *keys), [*WINDOW, *keys]
    sums = parts.group_by(group).agg(pl.col(SUMS).sum())
    sums = windows.accumulate(sums, SUMS, settings, context.windows, keys).filter(pl.col("exchanges") > 0)
    if mode == "paper":
        sums = sums.with_columns(**rates())
    else:
        last = windows.spread(parts.select(*group, "end_ns", *RATES), settings)
        last = last.group_by(group).agg(pl.col(list(RATES)).sort_by("end_ns", *RATES).last())
        sums = sums.join(last, on=group, how="left", nulls_equal=True).sort(WINDOW)
        sums = sums.with_columns(pl.col(list(RATES)).forward_fill().over(by))
    count = pl.col("exchanges")
    return sums.select(
        *group,
        *RATES,
        "exchanges",
        forward_delay_us=pl.col("forward_ns") / count / 1000,
        full_delay_us=pl.col("full_ns") / count / 1000,
    )


def _with_backward(rows: pl.DataFrame, reverse: pl.DataFrame) -> pl.DataFrame:
    keys = [name for name in reverse.columns if name != "back"]
    return rows.join(reverse, on=keys, how="left").rename({"back": "backward_delay_us"})


def _of_followed(context: Context, parts: pl.DataFrame, mode: Mode) -> pl.DataFrame:
    """Rows of the paths on which packets could be followed."""
    if context.hops.is_empty():
        return pl.DataFrame()
    rows = _summary(context, parts, ("path",), mode)
    turned = paths.stations().list.reverse().list.join(paths.SEPARATOR).cast(pl.Categorical)
    delay = pl.col("full_delay_us")
    back = rows.group_by("window_start_ns", path=turned).agg(back=ordered_sum(delay) / delay.count())
    sources = parts.group_by("path").agg(pl.col("source", "observer").sort_by("end_ns", "source", "observer").first())
    return (
        _with_backward(rows, back)
        .join(context.coverage, on=WINDOW)
        .join(sources, on="path")
        .with_columns(**paths.ends())
        .drop("medium")
    )


def _paper(context: Context, links: pl.DataFrame, along: pl.DataFrame) -> pl.DataFrame:
    return _finish(context, "paper", links, along)


def _corrected(context: Context, links: pl.DataFrame, along: pl.DataFrame) -> pl.DataFrame:
    return _finish(context, "corrected", links, along)


def _inputs(mode: Mode) -> dict[str, Aggregate]:
    return {
        "links": Aggregate(_of_links, (mode,), keys=None),
        "along": Aggregate(_of_paths, (mode,), keys=None),
    }


def cwnd_bytes() -> pl.Expr:
    """B (D_f + D_b), octets: the window that C3TCP's module gives TCP, before it is cut to whole segments."""
    return pl.col("available_bps") * (pl.col("forward_delay_us") + pl.col("backward_delay_us")) / 8e6


C3TCP = Estimator(
    "c3tcp",
    "bandwidth with the wait in the queue, forward and backward delay, per hop and followed along paths",
    "Kliazovich, Granelli: Cross-layer congestion control in ad hoc wireless networks, Ad Hoc Networks 4, 2006",
    paper=Method(_paper, _inputs("paper")),
    corrected=Method(_corrected, _inputs("corrected")),
    derived={"cwnd_bytes": cwnd_bytes()},
)
