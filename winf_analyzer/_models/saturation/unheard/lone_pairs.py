"""A recording of one pair of stations and nobody else: what may be sent beside them that it does not hold.

Where there is an access point, there are beacons, and most channels have more stations than two. A recording without
any of them was filtered by an address, or its radio hears nobody else, or the pair is alone. Which of these, only the
pair's own frames can tell: beside another station some of them collide, and the more it sends, the more. So the largest
load that the recording does not contradict is the one beside which as few failures as there were, none, are still
:data:`LIKELY`. The answer stays that of a pair alone, within a per cent or two of what a station that sends next to
nothing changes; its interval reaches down to what is left beside that load.

Once frames were repeated, their times tell more (:mod:`.late_repetitions`), and nothing is presumed here: but where
some of the pair's own frames are missing. Then as many repetitions as were seen, and as many late ones beyond those
behind missing frames, must be :data:`LIKELY` beside the load.
"""

import polars as pl

from winf_analyzer._aggregate.windows import LINK
from winf_analyzer._models.saturation.failures.collision_survival import presumed_apart
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.waits import late_repetitions, one_more
from winf_analyzer._models.saturation.waits.late_repetitions import KnownMissing, Told
from winf_analyzer._util.student import NORMAL_90

LIKELY = 0.05
"""Probability of no failure below which a load is contradicted: of a 90 % interval, what one side leaves out."""

MIN_UNKNOWN = 0.1
"""Airtime share up to which a load that is not contradicted is left out: a pair that is heard well has an interval as
wide as that anyway."""

MAX_LOAD = 0.5
"""Airtime share that a station leaves to a backlogged one at least, if their exchanges are alike."""

NONE = 1e-9
"""A probability that adds nothing."""

LINK_KNOWN = [pl.col(name).is_not_null() for name in LINK]
"""An answer to a frame that is not in the recording has no receiver."""


def media(links: pl.DataFrame) -> list[int]:
    """The media with frames of one pair of stations alone, none of a simulator's trace, which holds everybody's."""
    stations = pl.concat(links.select("medium", pl.col(name).cast(pl.String).alias("station")) for name in LINK)
    stations = stations.drop_nulls().group_by("medium").agg(stations=pl.col("station").n_unique())
    found = links.group_by("medium").agg(
        known=pl.all_horizontal(LINK_KNOWN).any(),
        to_groups=pl.col("to_groups").sum(),
        traced=completeness.is_traced().any(),
    )
    found = found.join(stations, on="medium").filter(pl.col("stations") == 2, "known", ~pl.col("traced"))
    return found.filter(pl.col("to_groups") == 0)["medium"].sort().to_list()


def unknown(
    load: one_more.Load | None, told: Told, senders: pl.DataFrame, observer: str | None, known: KnownMissing
) -> one_more.Load | None:
    """The `load` that is presumed, none by default, and as its deviation what the recording leaves open.

    Args:
        load: what :mod:`.late_repetitions` presumes.
        told: what the medium tells.
        senders: of :func:`.contention_domain.per_sender`, those of this medium.
        observer: who recorded.
        known: frames that are known to be missing.
    """
    repeated = told.late + told.within
    if not told.access_s or (repeated and told.missing <= completeness.NEGLIGIBLE):
        return load
    destroyed = senders.select((presumed_apart() * pl.col("accesses")).sum() / pl.col("accesses").sum()).item()
    expected = late_repetitions.collisions(senders, observer, told.access_s)
    late_anyway = late_repetitions.late_anyway(told, observer, known)
    most = largest(expected, destroyed * (1 - told.missing), repeated, told.late, late_anyway)
    if most < MIN_UNKNOWN:
        return load
    load = load or one_more.Load(late_repetitions.NOTHING / told.access_s, told.access_s, told.aifs_s)
    return load._replace(doubt=max(load.doubt, (most - load.share) / NORMAL_90))


def mostly_missing(senders: pl.DataFrame) -> one_more.Load | None:
    """What is unknown of a pair of whose frames most were not recorded: any load may be beside it.

    Args:
        senders: of :func:`.contention_domain.per_sender`, those of this medium.
    """
    rows = senders.filter(~pl.col("aggregates")).sort("accesses", "air_ns")
    missing = rows.filter(pl.col("heard_share") < late_repetitions.MIN_HEARD)
    if missing.is_empty() or missing.height < rows.height:
        return None
    access_s, aifs_s = rows.select("access_s", "aifs_s").row(-1)
    if not access_s:
        return None
    doubt = MAX_LOAD / NORMAL_90
    return one_more.Load(late_repetitions.NOTHING / access_s, access_s, aifs_s, doubt)


def stands_for_nothing() -> pl.Expr:
    """True of a station that was put back for its deviation alone, and sends next to nothing."""
    airtime = pl.col("packets_per_s") * (pl.col("access_s") + pl.col("packet_s"))
    return completeness.is_put_back() & (airtime < 2 * late_repetitions.NOTHING)


def largest(
    expected: list[tuple[float, float]], destroyed: float, repeated: int = 0, late: int = 0, late_anyway: float = 0.0
) -> float:
    """The largest airtime share that so few failures do not contradict, 0 if each is contradicted.

    Args:
        expected: airtime shares, and the collisions beside each of them.
        destroyed: share of the collisions that are failures.
        repeated: how many repetitions were seen.
        late: how many of them were late.
        late_anyway: how many are late without a load.
    """
    possible = [
        share
        for share, collisions in expected
        if _is_likely(repeated, collisions * destroyed)
        and _is_likely(late, late_anyway + late_repetitions.LATE[0] * collisions * destroyed)
    ]
    return min(max(possible, default=0.0), MAX_LOAD)


def _is_likely(count: int, expected: float) -> bool:
    """Whether a Poisson variable is no more than `count` with a probability of :data:`LIKELY`.

    Of fewer than `expected` the probabilities fall from each number to the one below; a long recording has many.
    """
    if count >= expected:
        return True
    total, number = 0.0, count
    while total < LIKELY and number >= 0 and (term := late_repetitions.poisson(number, expected)) > NONE:
        total += term
        number -= 1
    return total >= LIKELY
