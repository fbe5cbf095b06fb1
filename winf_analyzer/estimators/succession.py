"""What each sender did one after the other: since when a packet was next in line, and which packets went back to back.

A simulator records when a packet came to the head of its queue. A capture does not; there the instant is estimated:

* A sender that kept contending since its previous exchange had the packet waiting: it came to the head of line when
  that exchange ended. A sender contends if the medium was idle for no longer than its backoff needs: one DIFS per
  access to the medium in between, its own included, and the slots of a backoff window.
* Otherwise it found the medium free: the packet came DIFS + E[BO] before its first frame.
* A repetition belongs to the packet of its first attempt.
"""

import polars as pl

from winf_analyzer.estimators.stretches import SHARE, Stretch

SAME_INSTANT_NS = 2000
"""Head of line and end of the previous exchange are one instant: clocks count whole microseconds."""

_SENDER = ("medium", "sender")


def successive(stretch: Stretch) -> pl.DataFrame:
    """Every exchange of a known sender, in the order in which they ended at each observer.

    Returns:
        The columns of the recording, but its stamps of RTS, CTS and ACK, and

        * `hol_ns`: when the packet came to the head of the sender's queue, recorded or estimated;
        * `in_ns`: when it entered the queue, recorded; null in captures;
        * `waited_ns`: how long the medium was idle between the sender's previous exchange and this one;
        * `accesses`: how many exchanges ended since, this one included.
    """
    if "successive" not in stretch.shared:
        stretch.shared["successive"] = _successive(stretch)
    found: pl.DataFrame = stretch.shared["successive"]
    return found


_COLUMNS = (
    *(
        SHARE,
        "medium",
        "window_start_ns",
        "sender",
        "receiver",
        "sample",
        "unicast",
        "complete",
        "attempt",
        "payload_bytes",
    ),
    *("air_start_ns", "data_start_ns", "data_ns", "end_ns", "access_ns", "queue_ns", "data_airtime_us", "rate_mbps"),
    *("t_difs", "t_sifs", "t_plcp", "t_ack", "flow", "packet_uid"),
)


def _successive(stretch: Stretch) -> pl.DataFrame:
    media, senders = stretch.carried.get(_successive, (None, None))
    rows = stretch.rows.select(
        *_COLUMNS, recorded_hol_ns=pl.col("end_ns") - pl.col("service_ns"), backoff_window_ns=_backoff_window()
    )
    rows = rows.with_columns(ended_ns=pl.col("end_ns").shift(1).over("medium"))
    if media is not None:
        rows = rows.join(media, on="medium", how="left", maintain_order="left").with_columns(
            pl.coalesce("ended_ns", "last_ended_ns")
        )
    else:
        rows = rows.with_columns(last_idle=pl.lit(0, pl.Int64), last_position=pl.lit(0, pl.Int64))
    idle = (pl.col("air_start_ns") - pl.col("ended_ns")).clip(lower_bound=0)
    rows = rows.with_columns(
        idle_total=idle.fill_null(0).cum_sum().over("medium") + pl.col("last_idle").fill_null(0),
        position=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("medium") + pl.col("last_position").fill_null(0),
    )
    latest = rows.group_by("medium").agg(
        last_ended_ns=pl.col("end_ns").last(),
        last_idle=pl.col("idle_total").last(),
        last_position=pl.col("position").last(),
    )
    latest = latest if media is None else pl.concat([media, latest]).unique("medium", keep="last", maintain_order=True)
    known = rows.filter(pl.col("sender").is_not_null()).with_columns(is_carried=pl.lit(value=False))
    known = known if senders is None else pl.concat([senders, known], how="diagonal")
    steps = known.with_columns(
        waited_ns=pl.col("idle_total").diff().over(_SENDER),
        accesses=pl.col("position").diff().over(_SENDER),
        previous_end_ns=pl.col("end_ns").shift(1).over(_SENDER),
    )
    steps = steps.with_columns(hol_ns=_head_of_line()).with_columns(pl.col("hol_ns").forward_fill().over(_SENDER))
    stretch.carried[_successive] = latest, _last_of(steps)
    return (
        steps.filter(~pl.col("is_carried"))
        .with_columns(hol_ns=pl.min_horizontal("hol_ns", "air_start_ns"))
        .with_columns(in_ns=pl.col("hol_ns") - pl.col("queue_ns"))
        .select(*_COLUMNS, "hol_ns", "in_ns", "waited_ns", "accesses")
    )


def _last_of(steps: pl.DataFrame) -> pl.DataFrame:
    """What the next exchange of every sender has to know of its last one."""
    return steps.group_by(_SENDER).agg(
        pl.col("end_ns", "idle_total", "position").last(),
        recorded_hol_ns=pl.col("hol_ns").last(),
        is_carried=pl.lit(value=True),
    )


def pairs(stretch: Stretch) -> pl.DataFrame:
    """The second packets of pairs: of one link and size, the second next in line when the first was done.

    To the columns of :func:`successive` it adds `first_hol_ns`, `dispersion_ns` (between the arrivals of the two, the
    ends of their data) and `delay_sum_ns` (of the two arrivals, both counted from `first_hol_ns`: what a pair handed
    over at one instant has waited).
    """
    if "pairs" not in stretch.shared:
        stretch.shared["pairs"] = _pairs(stretch)
    found: pl.DataFrame = stretch.shared["pairs"]
    return found


def _pairs(stretch: Stretch) -> pl.DataFrame:
    link = ("medium", "sender", "receiver")
    samples = successive(stretch).filter(
        pl.col("sample"), pl.col("data_ns").is_not_null(), pl.col("receiver").is_not_null()
    )
    samples = samples.with_columns(is_carried=pl.lit(value=False))
    lasts = stretch.carried.get(_pairs)
    samples = samples if lasts is None else pl.concat([lasts, samples], how="diagonal")
    firsts = ("data_ns", "end_ns", "payload_bytes", "hol_ns")
    stretch.carried[_pairs] = samples.group_by(link).agg(pl.col(firsts).last(), is_carried=pl.lit(value=True))
    samples = samples.with_columns(pl.col(name).shift(1).over(link).alias(f"first_{name}") for name in firsts)
    arrivals = pl.col("first_data_ns") + pl.col("data_ns") - 2 * pl.col("first_hol_ns")
    return samples.filter(
        ~pl.col("is_carried"),
        pl.col("payload_bytes") == pl.col("first_payload_bytes"),
        (pl.col("hol_ns") - pl.col("first_end_ns")).abs() <= SAME_INSTANT_NS,
        pl.col("data_ns") > pl.col("first_data_ns"),
        pl.col("first_data_ns") > pl.col("first_hol_ns"),
    ).with_columns(dispersion_ns=pl.col("data_ns") - pl.col("first_data_ns"), delay_sum_ns=arrivals)


def _backoff_window() -> pl.Expr:
    """CW + 1 slots; the window doubles with every repetition, up to 2^5 times CWmin + 1 (10.3.3)."""
    doublings = (pl.col("attempt").fill_null(1) - 1).clip(0, 5)
    return (pl.col("cw_min") + 1) * 2**doublings * pl.col("t_slot")


def _head_of_line() -> pl.Expr:
    """The instant of the packet's first attempt; null in its repetitions, which take it from there."""
    allowed = pl.col("accesses") * pl.col("t_difs") + pl.col("backoff_window_ns")
    contending = (pl.col("waited_ns") <= allowed).fill_null(False)
    estimated = pl.when(contending).then("previous_end_ns").otherwise(pl.col("air_start_ns") - pl.col("access_ns"))
    repeats = contending & (pl.col("attempt") > 1).fill_null(False)
    return pl.coalesce("recorded_hol_ns", pl.when(~repeats).then(estimated))
