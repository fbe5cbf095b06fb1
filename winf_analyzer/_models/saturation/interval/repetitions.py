"""How much what a sender delivers varies because the channel loses some of it: a renewal process.

*Single frames.* A packet that is lost takes one more attempt, with a backoff twice as long. With f the chance that an
attempt fails, and C_k the time of the k-th, its idle slots worth what others send in them included,

    E T = sum_k f^k C_k        E T^2 = sum_k f^k (C_k^2 + 2 C_k (C_1 + ... + C_k-1))

of the n packets of a window the number has a relative variance of (E T^2 - (E T)^2) / (E T)^2 / n. What collisions
alone would give of it, the same without losses, is taken off: those vary with who else contends, and have a term of
their own.

*Aggregates.* Each MPDU is lost by itself, so that of many the share that arrives hardly varies. But MPDUs are handed up
in order (10.25.6.6): what came behind a lost one waits until that was sent again, and from one window to the next goes
not an aggregate but all that waits, up to a BlockAck window, if what was lost is lost again.
"""

import polars as pl

from winf_analyzer._mac.backoffs import ATTEMPTS, backoffs, mean_attempts, mean_backoff

MAX_FAILING = 0.95
"""Share of attempts that fail, at most."""


def variation(rows: pl.DataFrame, accesses: pl.Expr, covered_s: pl.Expr) -> pl.Series:
    """Standard deviation, as a share, of what is delivered in `accesses` that succeed, by loss alone.

    In steps of columns, of which each holds few others: as one expression it is planned for a second.

    Args:
        rows: links, with the columns of :class:`.Cases`, `collision` and `window`.
        accesses: that succeed in the window.
        covered_s: its length.
    """
    loss, collision = pl.col("loss").fill_null(0.0), pl.col("collision")
    rows = rows.select(
        "aggregates",
        "packets_max",
        "window",
        loss=loss,
        accesses=accesses,
        covered_s=covered_s,
        colliding=collision.clip(0, MAX_FAILING),
        failing=(1 - (1 - collision) * (1 - loss)).clip(0, MAX_FAILING),
        exchange_s=pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s"),
    )
    failing = pl.col("failing")
    rows = rows.with_columns(attempts=mean_attempts(failing), backoff=mean_backoff(failing))
    # What is not its own exchanges it waits, in idle slots that are all worth the same.
    waited_s = (pl.col("covered_s") / pl.col("accesses") - pl.col("attempts") * pl.col("exchange_s")).clip(0)
    rows = rows.with_columns(slot_s=waited_s / (pl.col("attempts") * pl.col("backoff")))
    rows = rows.with_columns(backoff.alias(f"backoff_{attempt}") for attempt, backoff in enumerate(backoffs()))
    both, alone = (_squared(rows, rows[share]) for share in ("failing", "colliding"))
    single = ((pl.lit(both) - pl.lit(alone)).clip(0) / pl.col("accesses")).sqrt()
    together = (pl.col("loss") / (pl.col("accesses") * pl.col("packets_max"))).sqrt()
    return rows.select(pl.when("aggregates").then(together).otherwise(single)).to_series()


def in_order() -> pl.Expr:
    """How many times more MPDUs than an aggregate's go over to the next window, as some of those before them are lost.

    Of k MPDUs sent, p k are lost, one of which at least is lost again with a chance of 1 - (1 - p)^(p k).
    """
    loss, most = pl.col("loss").fill_null(0.0).clip(0, MAX_FAILING), pl.col("packets_max")
    again = 1 - (1 - loss) ** (loss * most)
    window = (pl.col("ba_window") / most).clip(1)
    more = (1 - again + again * window * window).sqrt()
    return pl.when("aggregates").then(more).otherwise(1.0)


def _squared(rows: pl.DataFrame, failing: pl.Series) -> pl.Series:
    """Variance of the time of a packet over its squared mean."""
    exchange_s, slot_s = rows["exchange_s"], rows["slot_s"]
    mean, square, before = (pl.zeros(rows.height, eager=True) for _ in range(3))
    for attempt in range(ATTEMPTS):
        time_s = exchange_s + rows[f"backoff_{attempt}"] * slot_s
        reached = failing**attempt
        mean += reached * time_s
        square += reached * (time_s * time_s + 2 * time_s * before)
        before += time_s
    return square / (mean * mean) - 1
