"""How many of a link's data frames the recorder did not hear, from sequence numbers and from answers without data.

A short form of the query `completeness`, which tries more ways to read the counters and takes too long for every
estimate.
"""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from winf_analyzer._util.duckdb_agg import grouped

MIN_STEPS = 10
"""Sequence numbers a link must have shown before its gaps count."""

_GAPS = """
with numbered as (
    select
        source, coalesce(observer, '') as observer, ta, frame_no, seq, coalesce(retry, false) as retry,
        case when tid is not null then ra end as ra, tid
    from read_parquet($frames)
    where layer = 'mac' and coalesce(direction, 'rx') = 'rx' and coalesce(fcs_ok, true) and parse_error is null
      and seq is not null and coalesce(frag, 0) = 0 and ta is not null and not starts_with(ta, 'node-')
      and (kind in ('data', 'qos_data') or tid is null and kind <> 'qos_null' and not (kind = 'beacon' and $no_beacons))
),
steps as (
    select *,
        -- A step back by up to 256 is a retransmission within a block, anything else a step on.
        (seq - lag(seq) over link + 256 + 8192) % 4096 - 256 as step
    from numbered
    window link as (partition by source, observer, ta, ra, tid order by frame_no)
),
unwrapped as (
    select *,
        sum(coalesce(step, 0)) over (
            partition by source, observer, ta, ra, tid order by frame_no rows unbounded preceding
        ) as number
    from steps
),
positions as (
    select source, observer, ta, ra, tid, number, bool_or(not retry) as is_first
    from unwrapped
    group by all
)
select
    source, nullif(observer, '') as observer, ta as sender, ra as receiver,
    sum(firsts)::double as firsts, sum(span)::double as span
from (
    select source, observer, ta, ra, tid,
        count(*) filter (is_first) as firsts, max(number) - min(number) + 1 as span
    from positions
    group by all
)
group by all
"""


def missed_shares(frames: Sequence[Path], links: pl.DataFrame) -> pl.DataFrame:
    """`source observer sender receiver missed_share`, the larger of what gaps and answers show; null where neither can.

    By gaps: the share of first attempts among the sequence numbers in their range that were not heard. Sequence numbers
    of QoS data count per receiver and TID, others per transmitter (IEEE 802.11-2020, 10.3.2.14.2); some drivers number
    beacons apart, so the reading with fewer gaps is taken. A station's own frames are all in its recording, and those
    of simulators' traces: these have no share.

    Args:
        frames: parts of the `frames` table.
        links: what :func:`.evidence.whole` returns.
    """
    keys = ["source", "observer", "sender"]
    rows = links
    for name, beacons in (("with_beacons", "false"), ("without_beacons", "true")):
        gaps = grouped(_GAPS.replace("$no_beacons", beacons), frames=frames).filter(pl.col("span") >= MIN_STEPS)
        gaps = gaps.with_columns((1 - pl.col("firsts") / pl.col("span")).alias(name)).drop("firsts", "span")
        qos, others = gaps.filter(pl.col("receiver").is_not_null()), gaps.filter(pl.col("receiver").is_null())
        others = others.drop("receiver").rename({name: f"{name}_others"})
        rows = rows.join(qos, on=[*keys, "receiver"], how="left", nulls_equal=True)
        rows = rows.join(others, on=keys, how="left", nulls_equal=True)
        rows = rows.with_columns(pl.coalesce(name, f"{name}_others").alias(name))
    answers = pl.when(pl.col("answers_only") > 0).then(pl.col("answers_only") / pl.col("attempts"))
    overheard = pl.col("observer").ne_missing(pl.col("sender")) & ~pl.col("sender").str.starts_with("node-")
    share = pl.max_horizontal(pl.min_horizontal("with_beacons", "without_beacons"), answers)
    return rows.select(*keys, "receiver", missed_share=pl.when(overheard).then(share))
