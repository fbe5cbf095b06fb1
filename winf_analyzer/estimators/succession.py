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

_COLUMNS = (
    *("medium", "window_start_ns", "sender", "receiver", "flow", "packet_uid"),
    *("sample", "unicast", "complete", "attempt", "payload_bytes", "rate_mbps"),
    *("air_start_ns", "data_start_ns", "data_ns", "end_ns", "data_airtime_us"),
    *("t_slot", "t_sifs", "t_difs", "t_plcp", "t_ack", "cw_min", "access_ns", "service_ns", "queue_ns"),
)

_SENDER = ("medium", "sender")


def successive(recording: Recording) -> pl.DataFrame:
    """Every exchange of a known sender, in the order in which they began at each observer.

    Adds to the columns of the recording:

    * `hol_ns`: when the packet came to the head of the sender's queue, recorded or estimated;
    * `in_ns`: when it entered the queue, recorded; null in captures;
    * `waited_ns`: how long the medium was idle between the sender's previous exchange and this one;
    * `accesses`: how many exchanges began since, this one included.
    """
    rows = recording.uses.select(_COLUMNS).sort("medium", "air_start_ns", "end_ns").collect(engine="streaming")
    reach = pl.col("end_ns").cum_max().shift(1).over("medium")
    idle = (pl.col("air_start_ns") - reach).clip(lower_bound=0).fill_null(0)
    rows = rows.with_columns(
        idle_total=idle.cum_sum().over("medium"), position=pl.int_range(pl.len(), dtype=pl.Int64).over("medium")
    ).filter(pl.col("sender").is_not_null())
    rows = rows.with_columns(
        waited_ns=pl.col("idle_total").diff().over(_SENDER),
        accesses=pl.col("position").diff().over(_SENDER),
        previous_end_ns=pl.col("end_ns").shift(1).over(_SENDER),
    )
    return (
        rows.with_columns(hol_ns=_head_of_line())
        .with_columns(pl.col("hol_ns").forward_fill().over(_SENDER))
        .with_columns(hol_ns=pl.min_horizontal("hol_ns", "air_start_ns"))
        .with_columns(in_ns=pl.col("hol_ns") - pl.col("queue_ns"))
        .drop("idle_total", "position", "previous_end_ns")
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


def _head_of_line() -> pl.Expr:
    """The instant of the packet's first attempt; null in its repetitions, which take it from there."""
    # The window doubles with every repetition, up to 2^5 times CWmin + 1 (10.3.3).
    doublings = (pl.col("attempt").fill_null(1) - 1).clip(0, 5)
    backoff = (pl.col("cw_min") + 1) * 2**doublings * pl.col("t_slot")
    contending = (pl.col("waited_ns") <= pl.col("accesses") * pl.col("t_difs") + backoff).fill_null(False)
    recorded = pl.col("end_ns") - pl.col("service_ns")
    estimated = pl.when(contending).then("previous_end_ns").otherwise(pl.col("air_start_ns") - pl.col("access_ns"))
    repeats = contending & (pl.col("attempt") > 1).fill_null(False)
    return pl.coalesce(recorded, pl.when(~repeats).then(estimated))
