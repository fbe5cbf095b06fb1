"""What each sender did one after the other: since when a packet was next in line, and which packets went back to back.

A simulator records when a packet came to the head of its queue. A capture does not; there the instant is estimated:

* A sender that kept contending since its previous exchange had the packet waiting: it came to the head of line when
  that exchange ended. A sender contends if the medium was idle for no longer than its backoff needs: one DIFS per
  access to the medium in between, its own included, and the slots of a backoff window.
* Otherwise it found the medium free: the packet came DIFS + E[BO] before its first frame.
* A repetition belongs to the packet of its first attempt.
"""

import polars as pl

from winf_analyzer.estimators.medium import Recording

SAME_INSTANT_NS = 2000
"""Head of line and end of the previous exchange are one instant: clocks count whole microseconds."""

_SENDER = ("medium", "sender")


def successive(recording: Recording, **extra: pl.Expr) -> pl.DataFrame:
    """Every exchange of a known sender, in the order in which they began at each observer.

    Args:
        recording: whose uses of the medium.
        extra: columns of the result besides those below.

    Returns:
        `medium window_start_ns sender receiver sample unicast complete attempt payload_bytes air_start_ns data_ns
        end_ns access_ns` as the recording has them, and

        * `hol_ns`: when the packet came to the head of the sender's queue, recorded or estimated;
        * `in_ns`: when it entered the queue, recorded; null in captures;
        * `waited_ns`: how long the medium was idle between the sender's previous exchange and this one;
        * `accesses`: how many exchanges began since, this one included.
    """
    rows = recording.uses.select(
        *("medium", "window_start_ns", "sender", "receiver", "sample", "unicast", "complete", "attempt"),
        *("payload_bytes", "air_start_ns", "data_ns", "end_ns", "access_ns", "queue_ns", "t_difs"),
        recorded_hol_ns=pl.col("end_ns") - pl.col("service_ns"),
        backoff_window_ns=_backoff_window(),
        **extra,
    )
    rows = rows.sort("medium", "air_start_ns", "end_ns").collect(engine="streaming").lazy()
    idle = (pl.col("air_start_ns") - pl.col("end_ns").cum_max().shift(1).over("medium")).clip(lower_bound=0)
    known = rows.with_columns(
        idle_total=idle.fill_null(0).cum_sum().over("medium"),
        position=pl.int_range(pl.len(), dtype=pl.Int64).over("medium"),
    ).filter(pl.col("sender").is_not_null())
    steps = known.with_columns(
        waited_ns=pl.col("idle_total").diff().over(_SENDER),
        accesses=pl.col("position").diff().over(_SENDER),
        previous_end_ns=pl.col("end_ns").shift(1).over(_SENDER),
    ).drop("idle_total", "position")
    return (
        steps.with_columns(hol_ns=_head_of_line())
        .with_columns(pl.col("hol_ns").forward_fill().over(_SENDER))
        .with_columns(hol_ns=pl.min_horizontal("hol_ns", "air_start_ns"))
        .with_columns(in_ns=pl.col("hol_ns") - pl.col("queue_ns"))
        .drop("previous_end_ns", "recorded_hol_ns", "queue_ns", "backoff_window_ns", "t_difs")
        .collect()
    )


def pairs(rows: pl.DataFrame) -> pl.DataFrame:
    """The second packets of pairs: of one link and size, the second next in line when the first was done.

    Args:
        rows: what :func:`successive` returns.

    Adds `first_hol_ns`, `dispersion_ns` (between the arrivals of the two, the ends of their data) and `delay_sum_ns`
    (of the two arrivals, both counted from `first_hol_ns`: what a pair handed over at one instant has waited).
    """
    link = ("medium", "sender", "receiver")
    samples = rows.filter(pl.col("sample"), pl.col("data_ns").is_not_null(), pl.col("receiver").is_not_null())
    before = {name: pl.col(name).shift(1).over(link) for name in ("data_ns", "end_ns", "payload_bytes", "hol_ns")}
    samples = samples.with_columns(value.alias(f"first_{name}") for name, value in before.items())
    arrivals = pl.col("first_data_ns") + pl.col("data_ns") - 2 * pl.col("first_hol_ns")
    return samples.filter(
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
