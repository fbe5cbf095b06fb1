"""What a backlogged station gets among stations that have only so much to send: a fixed point of DCF and EDCA.

After G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE JSAC 18(3), 2000,
with three changes.

*Idle slots as the clock.* A backoff counter stands still while the medium is busy (10.3.3, 10.23.2.4), so time is
counted in the idle slots that all stations share. A backlogged station that draws b waits b of them. With f the
chance that an attempt fails and W_k = min(2^k W, CWmax+1), the mean over the attempts of a packet is

    b(f) = sum(f^k (W_k - 1)/2) / sum(f^k)        z(f) = sum(f^k / W_k) / sum(f^k)

and a station attempts 1/b(f) times per idle slot. The share z of its attempts follows its own last one without an idle
slot between them and meets nobody; the rest, q = (1-z)/b, is the chance that it starts in a given slot.

*Stations with less to send.* Station i has lambda_i packets per second. It attempts as often as it takes to
deliver them, or as often as a backlogged one if that is less:

    a_i = min(1/b(f_i), lambda_i E / (k_i (1-f_i)))        E: time per idle slot, k_i: packets per access

*Aggregation.* A station that aggregates sends what came in since its last access: k_i = lambda_i (1/lambda_i + D_i +
T_i) up to the limit of an A-MPDU, with D_i the wait for the medium.

With p_i = (1-z_i)(1 - prod_{j != i}(1-q_j)) the chance of a collision, l_i that of a loss on the channel, and
1-f = (1-p)(1-l), the time per idle slot is

    E = slot + sum_i a_i (1-p_i) T_i + sum_i P(i is the longest of a collision) F_i

T: the exchange and the AIFS after it; F: what a collision occupies. A loss on the channel costs T like a success.
"""

import polars as pl

ROUNDS = 80
"""Damped iterations; the change of the last is below 1e-4 in every case of the tests."""

DAMPING = 0.5
"""Weight of the last iterate."""

ATTEMPTS = 7
"""Attempts per packet that enter the mean backoff: dot11ShortRetryLimit."""

WINDOW_MAX = 1024
"""CWmax+1 (9.4.2.28, 17.4.4)."""

BACKLOGGED = 1e9
"""Packets per second that no station can send."""

STATIONS = pl.Schema(
    {
        "case": pl.Int64(),
        "subject": pl.Boolean(),
        "packets_per_s": pl.Float64(),
        "packets_max": pl.Float64(),
        "access_s": pl.Float64(),
        "packet_s": pl.Float64(),
        "first_s": pl.Float64(),
        "first_packet_s": pl.Float64(),
        "tail_s": pl.Float64(),
        "request_s": pl.Float64(),
        "loss": pl.Float64(),
        "vulnerable": pl.Float64(),
        "window": pl.Float64(),
        "slot_s": pl.Float64(),
    }
)
"""What :func:`solve` takes: a row per station of each case.

`subject`: the station whose queue is filled, at most one per case; `packets_per_s`: what a station has to send;
`packets_max`: most packets per access; `access_s`, `packet_s`: T = access_s + packets x packet_s, AIFS included;
`first_s`, `first_packet_s`: F likewise; `tail_s`: the part of F after the frame; `request_s`: T of the BlockAckReq that
follows an aggregate nobody answered, null where none does; `loss`: chance that the channel loses an attempt;
`vulnerable`: chance that a collision destroys; `window`: CWmin+1."""


LIMITS = {
    "packets_per_s": (0.0, 1e9),
    "packets_max": (1.0, 1024.0),
    "access_s": (1e-6, 10.0),
    "packet_s": (0.0, 1.0),
    "first_s": (1e-6, 10.0),
    "first_packet_s": (0.0, 1.0),
    "tail_s": (0.0, 1.0),
    "request_s": (1e-6, 1.0),
    "loss": (0.0, 0.95),
    "vulnerable": (0.0, 1.0),
    "window": (2.0, 1024.0),
    "slot_s": (1e-6, 1e-3),
}
"""Between which values a parameter makes sense; damaged recordings hold others."""


def sane(name: str) -> pl.Expr:
    """The parameter within its limits; what is no number is the lowest, but an unknown `request_s` stays unknown."""
    if name not in LIMITS:
        return pl.col(name)
    low, high = LIMITS[name]
    value = pl.col(name).cast(pl.Float64)
    known = pl.when(value.is_finite()).then(value.clip(low, high))
    return known.otherwise(None if name == "request_s" else low).alias(name)


def solve(stations: pl.DataFrame) -> pl.DataFrame:
    """Adds `delivered_per_s` (packets), `collision` (chance per attempt) and `packets` (per access) to each station."""
    table = stations.with_columns(**_start())
    for _ in range(ROUNDS):
        table = _iterate(table)
    delivered = pl.col("attempts") * pl.col("data_share") * (1 - pl.col("fail")) * pl.col("packets")
    return table.with_columns(delivered_per_s=delivered / pl.col("cycle_s"))


def _start() -> dict[str, pl.Expr]:
    guess = 2 / pl.col("window") * pl.when("subject").then(1.0).otherwise(0.1)
    return {
        "attempts": guess,
        "start": guess,
        "packets": pl.when("subject").then("packets_max").otherwise(1.0),
        "fail": pl.lit(0.0),
    }


def _iterate(table: pl.DataFrame) -> pl.DataFrame:
    """One round: collisions from starts, time from attempts, attempts from time."""
    data_share = pl.when(pl.col("request_s").is_null()).then(1.0).otherwise(1 - pl.col("fail"))
    request_s = pl.col("request_s").fill_null(0.0)
    table = (
        table.with_columns(data_share=data_share)
        .with_columns(
            data_s=pl.col("access_s") + pl.col("packets") * pl.col("packet_s"),
            first=pl.col("first_s") + pl.col("packets") * pl.col("first_packet_s"),
        )
        .with_columns(
            exchange_s=_mixed("data_s", request_s), occupied_s=_mixed("first", request_s), **_backoff(pl.col("fail"))
        )
        .with_columns(
            collided_s=pl.col("vulnerable") * pl.col("occupied_s") + (1 - pl.col("vulnerable")) * pl.col("exchange_s")
        )
        .sort("case", "collided_s", "subject")
    )
    silent = (1 - pl.col("start")).clip(1e-9, 1).log()
    shorter = silent.cum_sum().over("case") - silent
    all_silent = silent.sum().over("case")
    longest = pl.col("start") * (all_silent - shorter - silent).exp() * (1 - shorter.exp())
    table = table.with_columns(longest=longest, collision=(1 - pl.col("zero")) * (1 - (all_silent - silent).exp()))
    busy = pl.col("attempts") * (1 - pl.col("collision")) * pl.col("exchange_s")
    table = table.with_columns(
        fail=1 - (1 - pl.col("collision") * pl.col("vulnerable")) * (1 - pl.col("loss")),
        cycle_s=pl.col("slot_s") + (busy + pl.col("longest") * pl.col("collided_s")).sum().over("case"),
        residual_s=(busy * pl.col("exchange_s") / 2).sum().over("case"),
    )
    wait = pl.col("cycle_s") * pl.col("mean") + pl.col("residual_s") / pl.col("cycle_s")
    gathered = (1 + pl.col("packets_per_s") * (wait + pl.col("exchange_s"))).clip(1, pl.col("packets_max"))
    table = table.with_columns(packets=pl.when("subject").then("packets").otherwise(_damped("packets", gathered)))
    per_attempt = pl.col("packets") * pl.col("data_share") * (1 - pl.col("fail"))
    needed = pl.col("packets_per_s") * pl.col("cycle_s") / per_attempt.clip(1e-6)
    backlogged = 1 / pl.col("mean")
    wanted = pl.when("subject").then(backlogged).otherwise(pl.min_horizontal(backlogged, needed))
    table = table.with_columns(attempts=_damped("attempts", wanted))
    return table.with_columns(start=(pl.col("attempts") * (1 - pl.col("zero"))).clip(0, 1))


def _mixed(data: str, request_s: pl.Expr) -> pl.Expr:
    """Mean over a station's attempts, of which some are BlockAckReqs."""
    return pl.col("data_share") * pl.col(data) + (1 - pl.col("data_share")) * request_s


def _backoff(fail: pl.Expr) -> dict[str, pl.Expr]:
    """`mean`, b(f), and `zero`, z(f)."""
    weight, slots, zeros = pl.lit(0.0), pl.lit(0.0), pl.lit(0.0)
    for attempt in range(ATTEMPTS):
        width = pl.min_horizontal(pl.col("window") * 2**attempt, WINDOW_MAX)
        weight += fail**attempt
        slots += fail**attempt * (width - 1) / 2
        zeros += fail**attempt / width
    return {"mean": slots / weight, "zero": zeros / weight}


def _damped(name: str, value: pl.Expr) -> pl.Expr:
    return DAMPING * pl.col(name) + (1 - DAMPING) * value
