"""C3TCP: bandwidth, forward and backward delay of each hop, as the link layer sees a packet through, and of a path.

Source: D. Kliazovich, F. Granelli, "Cross-layer congestion control in ad hoc wireless networks" (C3TCP), Ad Hoc
Networks 4(6), 2006, sec. 4. With t_in, t_hol, t_out the instants when a packet enters the queue, comes to its head, and
its DATA begins (after backoff and RTS/CTS), and D its bits:

    T_tr = T_DATA + SIFS + T_ACK + DIFS      B = D / ((t_out - t_in) + T_tr)
    D_f  = (t_out - t_hol) + T_tr            D_b = (t_out - t_in) + T_tr, of what goes the other way
    path: B the minimum, D_f and D_b the sums over its hops       cwnd = B (D_f + D_b)/8

Eq. (2) of the paper has the sign of t_out - t_in wrong; both modes take it right. `paper`: eq. (3) and (5) as printed,
the ACK at the data's rate and a DIFS although the access delay holds one already; a window's B is bits over time, the
mean of its packets. `corrected`: the ACK's own airtime, no second DIFS; B smoothed over the packets (EWMA, 1/8), a
window has its value after the last.

`available_bps` is B, `capacity_bps` the same without the wait in the queue, D/D_f. Simulators record the three
instants. In a capture t_hol is estimated (:mod:`.succession`) and t_in unknown: the queue counts as empty, so B is an
upper bound (and equals the capacity) and D_b a lower one.

Along a path one packet is followed: by its number where the recording has one, else by flow, transport sequence and
acknowledgment number (TCP in the clear, with `frames` at hand; of a segment sent twice the first). Of an A-MPDU the
first packet stands for all. Where nothing tells (UDP, or encryption), the path is put together from its hops' estimates
of the window.
"""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import polars as pl

from winf_analyzer.estimators import carried, gathering, idle, paths, sightings, states, windows
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.settings import Mode, Settings
from winf_analyzer.estimators.stretches import SHARE, Request, Stretch, per_link
from winf_analyzer.estimators.succession import successive
from winf_analyzer.estimators.theoretical_maximum import data_time
from winf_analyzer.estimators.windows import LINK

ACK_BITS = 8 * 14
"""An ACK: 14 octets (9.3.1.4)."""

SMOOTHING = 1 / 8
"""Weight of the newest packet in the smoothed bandwidth; the paper is silent."""

MEASURES = ("capacity_bps", "available_bps", "forward_delay_us", "full_delay_us", "exchanges")
RATES = {"available_bps": "slow_ns", "capacity_bps": "fast_ns"}
"""The rates and the times they are bits over."""

SUMS = ("bits", "slow_ns", "fast_ns", "forward_ns", "full_ns", "exchanges")


class Hop(NamedTuple):
    """What one hop, or a path, does to a packet. Bandwidth in bit/s, delays in the unit of the instants, seconds."""

    bandwidth_bps: float
    forward_delay_s: float
    full_delay_s: float


def hop(bits: float, t_in: float, t_hol: float, t_out: float, t_tr: float) -> Hop:
    """B, D_f and (as a TCP ACK would have it) D_b of one hop; instants and `t_tr` in seconds."""
    full = t_out - t_in + t_tr
    return Hop(bits / full, t_out - t_hol + t_tr, full)


def path(hops: Iterable[Hop]) -> Hop:
    """The minimum of the bandwidths and the sums of the delays, of at least one hop."""
    bandwidths, forward, full = zip(*hops, strict=True)
    return Hop(min(bandwidths), sum(forward), sum(full))


def cwnd_bytes(bandwidth_bps: float, forward_s: float, backward_s: float) -> float:
    """The congestion window that fills the path: B (D_f + D_b), octets."""
    return bandwidth_bps * (forward_s + backward_s) / 8


def segments(window_bytes: float, mss_bytes: int) -> int:
    """Whole segments in a window, at least one."""
    return max(1, int(window_bytes // mss_bytes))


def c3tcp(recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame:
    """Bandwidth and delays per node, link, state and window, and per path; the module's text has the formulas."""
    spans = idle.coverage(recording)
    links = _summary(gathering.rows(recording, (_of_links, mode)), LINK, mode, settings, spans)
    links = _with_backward(links, links.select(*WINDOW, sender="receiver", receiver="sender", back="full_delay_us"))
    rows = states.ends(links, gathering.media(recording), (*MEASURES, "backward_delay_us"))
    rows = rows.join(spans, on=WINDOW)
    along = _along_paths(recording, mode, settings, spans)
    return pl.concat([rows, along], how="diagonal_relaxed").drop("full_delay_us")


def gathers(recording: Recording, mode: Mode, settings: Settings) -> list[Request]:
    """What :func:`c3tcp` gathers."""
    links: Request = (_of_links, mode)
    return [links] if recording.hops.is_empty() else [links, (_of_paths, mode)]


def _of_links(stretch: Stretch, settings: Settings, mode: Mode) -> pl.DataFrame:
    """:data:`SUMS` per part of time and link, `end_ns` of its last packet, and, corrected, the smoothed rates then."""
    packets = _packets(stretch, mode)
    if mode == "corrected":
        packets = _smoothed(stretch, _of_links, packets, ("link",))
    return per_link(stretch, packets.lazy(), *_sums(mode))


def _of_paths(stretch: Stretch, settings: Settings, mode: Mode) -> pl.DataFrame:
    """The same per path."""
    keys = ("path", "source", "observer")
    packets = _followed(stretch, mode).sort("end_ns", maintain_order=True)
    if mode == "corrected":
        packets = _smoothed(stretch, _of_paths, packets, ("medium", *keys))
    return packets.group_by(*WINDOW, *keys).agg(_sums(mode))


def _sums(mode: Mode) -> list[pl.Expr]:
    return [pl.col(SUMS).sum(), pl.col("end_ns", *(RATES if mode == "corrected" else ())).last()]


def _packets(stretch: Stretch, mode: Mode) -> pl.DataFrame:
    """Every sample with its bits and times: `slow_ns` that of B, `fast_ns` that of the capacity."""
    return stretch.shared.once(f"packets {mode}", lambda: _measured(stretch, mode))


def _measured(stretch: Stretch, mode: Mode) -> pl.DataFrame:
    sifs, ack, t_data = pl.col("t_sifs"), pl.col("t_ack"), data_time()
    if mode == "paper":
        at_data_rate = pl.col("t_plcp") + (ACK_BITS * 1000 / pl.col("rate_mbps")).round().cast(pl.Int64, strict=False)
        t_tr = t_data + sifs + at_data_rate + pl.col("t_difs")
    else:
        t_tr = t_data + sifs + ack
    t_out = pl.coalesce("data_start_ns", pl.col("data_ns") - t_data)
    entered = pl.min_horizontal("in_ns", "hol_ns")
    return (
        successive(stretch)
        .lazy()
        .filter("sample")
        .with_columns(t_tr=t_tr, t_out=t_out)
        .with_columns(
            bits=8 * pl.col("payload_bytes"),
            forward_ns=pl.col("t_out") - pl.col("hol_ns") + pl.col("t_tr"),
            full_ns=pl.col("t_out") - entered + pl.col("t_tr"),
            exchanges=pl.lit(1, pl.Int64),
        )
        .filter(pl.col("t_tr") > 0, pl.col("t_out") >= pl.col("hol_ns"), pl.col("full_ns") >= pl.col("forward_ns"))
        .select(
            *(SHARE, *WINDOW, *LINK, "link", "end_ns", "flow", "packet_uid", "data_start_ns"),
            *("bits", "forward_ns", "full_ns", "exchanges"),
            slow_ns="full_ns",
            fast_ns="forward_ns",
        )
        .collect(engine="in-memory")
    )


def _smoothed(stretch: Stretch, key: Hashable, packets: pl.DataFrame, by: tuple[str, ...]) -> pl.DataFrame:
    """`packets`, in the order of time, with the rates that are smoothed over them, each among those alike in `by`."""
    packets = packets.with_columns(**_rates())
    # A smoothed rate that stands before the others is where their smoothing goes on.
    before = stretch.carried.get(key, packets.clear())
    packets = pl.concat([before, packets], how="diagonal")
    packets = packets.with_columns(pl.col(name).ewm_mean(alpha=SMOOTHING, adjust=False).over(by) for name in RATES)
    stretch.carried[key] = packets.group_by(by).agg(pl.col(RATES).last())
    return packets.slice(before.height)


def _rates() -> dict[str, pl.Expr]:
    return {name: pl.col("bits") * 1e9 / pl.col(time) for name, time in RATES.items()}


def _summary(
    parts: pl.DataFrame, keys: tuple[str, ...], mode: Mode, settings: Settings, spans: pl.DataFrame
) -> pl.DataFrame:
    """:data:`MEASURES` per medium, window (of `spans`) and `keys`."""
    by, group = ("medium", *keys), [*WINDOW, *keys]
    parts_sums = windows.resummed(parts.select(*group, *SUMS), keys)
    sums = windows.accumulate(parts_sums, SUMS, settings, spans, keys).filter(pl.col("exchanges") > 0)
    if mode == "paper":
        sums = sums.with_columns(**_rates())
    else:
        last = windows.spread(parts.select(*group, "end_ns", *RATES), settings)
        last = last.group_by(group).agg(pl.col(list(RATES)).sort_by("end_ns").last())
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


def _along_paths(recording: Recording, mode: Mode, settings: Settings, spans: pl.DataFrame) -> pl.DataFrame:
    """Rows of the paths on which packets could be followed."""
    if recording.hops.is_empty():
        return pl.DataFrame()
    parts = gathering.rows(recording, (_of_paths, mode))
    rows = _summary(parts, ("path",), mode, settings, spans)
    turned = paths.stations().list.reverse().list.join(paths.SEPARATOR)
    back = rows.group_by("window_start_ns", path=turned.cast(pl.Categorical)).agg(back=pl.col("full_delay_us").mean())
    sources = parts.group_by("path").agg(pl.col("source", "observer").sort_by("end_ns").first())
    return (
        _with_backward(rows, back)
        .join(spans, on=WINDOW)
        .join(sources, on="path")
        .with_columns(**paths.ends())
        .drop("medium")
    )


def _followed(stretch: Stretch, mode: Mode) -> pl.DataFrame:
    """The packets that were seen on every hop of a path, each one row: the slowest hop's bandwidth, the delays' sums.

    A hop is measured by the observer nearest to its sender. A packet counts in the window of its last hop; `end_ns` is
    when it was last seen.
    """
    seen = _packets(stretch, mode).join(stretch.hops, on="flow", how="semi")
    seen = seen.join(stretch.media.select("medium", "source", "observer"), on="medium")
    flows = seen.filter(pl.col("packet_uid").is_null()).select("flow").unique().lazy()
    told = carried.frames_of(stretch, flows=flows).filter(pl.col("transport_seq").is_not_null())
    seen = seen.join(told.collect(engine="streaming"), on=list(carried.KEYS), how="left", maintain_order="left")
    numbered = pl.format("{} {}", "source", "packet_uid")
    # TCP ACKs without data share a sequence number.
    sequenced = pl.format("{} {} {}", "src_ip", "transport_seq", pl.col("tcp_ack").fill_null(-1))
    seen = seen.with_columns(packet=pl.coalesce(numbered, sequenced), rank=paths.distance())
    seen = seen.filter(pl.col("packet").is_not_null())
    legs = sightings.settled(stretch, (_followed, mode), seen, ("flow", "packet"))
    legs = legs.join(stretch.hops, on=["flow", *LINK])
    return (
        legs.group_by("path", "flow", "packet", "passing")
        .agg(
            pl.col("slow_ns", "fast_ns").max(),
            pl.col("forward_ns", "full_ns").sum(),
            pl.col(WINDOW).sort_by("end_ns").last(),
            pl.col("bits", "exchanges").min(),
            paths.shared("source"),
            paths.shared("observer"),
            end_ns=pl.col("until_ns").first(),
            legs=pl.len(),
            hops=pl.col("hops").first(),
        )
        .filter(pl.col("legs") == pl.col("hops"))
    )
