"""What a recording would show if two stations were hidden from each other: late starts, and failures of the recorder.

A station that does not hear another begins at any time, so as often during the other's frames as these take of the
time. And while a hidden station sends a frame of T lambda times a second, an attempt whose first frame takes t overlaps
one of them with probability

    1 - exp(-lambda (t + T))

and most of these attempts fail. Where the hidden station sends RTS, the recorder hears the CTS and waits: T is the
length of an RTS. Far fewer late starts or failures mean that the stations hear each other, and that the recorder could
not decode what it heard, or was not given it.
"""

from __future__ import annotations

import polars as pl

HEARD_LATE = 0.1
"""Share of the late starts of a hidden station that one in range may have: of a frame whose preamble it missed,
because it was sending or receiving itself, it does not know."""

MIN_LATE_STARTS = 5.0
"""Late starts that must be expected of hidden stations before their absence says that the two wait for each other."""

MIN_FAILURES = 5.0
"""Failures that must be expected beside a hidden station before their number says anything."""

MIN_SHARE = 0.3
"""Share of those expected from which on they confirm that a station is hidden; below, they contradict it."""

MIN_OVERLAP = 0.05
"""Chance of an overlap from which on that many failures confirm it: below, collisions with stations in range, which
start in the same slot, are as many."""

UNCONFIRMED = 0.5
"""What a recorder's not hearing a station counts where its failures say nothing: it may not be able to decode the
station's rates, and sense them all the same. RTS go out at a basic rate: not hearing them counts in full."""

RTS_NS = 352_000
"""The longest RTS: 20 octets at 1 Mb/s behind a long preamble."""


def overlap(frames_per_ns: pl.Expr, own_ns: pl.Expr, other_ns: pl.Expr) -> pl.Expr:
    """Chance that a frame of `own_ns` meets one of `other_ns`, of which a hidden station sends so many."""
    return 1 - (-frames_per_ns * (own_ns + other_ns)).exp()


def contradicted(attempts: pl.Expr, failed: pl.Expr, overlap: pl.Expr) -> pl.Expr:
    """True where far fewer attempts failed than beside a hidden station, of which each meets a frame by that chance."""
    expected = attempts * overlap
    return (expected >= MIN_FAILURES) & (failed < MIN_SHARE * expected)


def late_starts(active: pl.DataFrame) -> pl.DataFrame:
    """`source sender late_share`: of the starts of a station that does not hear `sender`, how many would be late.

    `active`: of :class:`.evidence.PairEvidence`. Of several observers the one that knows most of the sender's frames
    counts.
    """
    share = (pl.col("air_ns") / pl.col("span_ns")).clip(0, 1)
    return active.group_by("source", "sender").agg(late_share=share.max())


def failures(active: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """`source observer sender confirmed`: whether failures of the recorder say that `sender` is hidden from it.

    1 if they do or its RTS are not heard, 0 if they contradict it, else :data:`UNCONFIRMED`.

    Args:
        active: of :class:`.evidence.PairEvidence`.
        links: likewise.
    """
    is_own = pl.col("sender") == pl.col("observer")
    own = active.filter(is_own).select("source", "observer", own_first_ns="first_ns")
    tried = links.filter(is_own, pl.col("attempts") > 0).group_by("source", "observer")
    own = own.join(tried.agg(pl.col("attempts", "failed").sum()), on=["source", "observer"])
    others = active.filter(~is_own).join(own, on=["source", "observer"], how="left")
    sends_rts = pl.col("with_rts") > 0.5
    rts_ns = pl.when(sends_rts).then(pl.coalesce("first_ns", "own_first_ns").clip(upper_bound=RTS_NS))
    other_ns = pl.coalesce(rts_ns, "own_first_ns")
    meets = overlap(pl.col("sent") / pl.col("span_ns"), pl.col("own_first_ns"), other_ns)
    attempts, failed = pl.col("attempts"), pl.col("failed")
    confirms = (attempts * meets >= MIN_FAILURES) & (meets >= MIN_OVERLAP)
    confirmed = pl.when(contradicted(attempts, failed, meets)).then(0.0).when(confirms | sends_rts).then(1.0)
    return others.select("source", "observer", "sender", confirmed=confirmed.otherwise(UNCONFIRMED))


def waits(pairs: pl.DataFrame, overlaps: pl.DataFrame, active: pl.DataFrame, traces: list[str]) -> pl.DataFrame:
    """`source sender other unwaited`: in a trace of all nodes, whether the two start while the other transmits.

    1 where they do, 0 where they wait for each other, else :data:`UNCONFIRMED`. A node for which a trace shows no
    reception may sense the frame all the same, and in traces of ns-2 who receives what is itself inferred from these
    starts. Behind a CTS only the RTS is unprotected.

    Args:
        pairs: `source sender other`, and the attempts of the two, `attempts` and `starts`.
        overlaps: of :class:`.evidence.PairEvidence`.
        active: likewise.
        traces: the traces of all nodes.
    """
    key = ["source", "sender", "other"]
    rts_ns = pl.when(pl.col("with_rts") > 0.5).then(pl.col("sent") * pl.col("first_ns"))
    share = (pl.min_horizontal("air_ns", rts_ns) / pl.col("span_ns")).clip(0, 1)
    shares = active.group_by("source", "sender").agg(share=share.max())
    late = overlaps.group_by(key).agg(pl.col("late_starts").sum())
    back = late.rename({"sender": "other", "other": "sender", "late_starts": "late_back"})
    found = pairs.filter(pl.col("source").is_in(traces)).unique(key).select(*key, "attempts", "starts")
    found = found.join(shares, on=["source", "sender"], how="left")
    found = found.join(shares.rename({"sender": "other", "share": "back"}), on=["source", "other"], how="left")
    found = found.join(late, on=key, how="left").join(back, on=key, how="left")
    expected = pl.sum_horizontal(pl.col("starts") * pl.col("share"), pl.col("attempts") * pl.col("back"))
    began = pl.sum_horizontal("late_starts", "late_back")
    few = pl.when(expected < MIN_LATE_STARTS).then(UNCONFIRMED)
    return found.select(*key, unwaited=few.when(began < HEARD_LATE * expected).then(0.0).otherwise(1.0))
