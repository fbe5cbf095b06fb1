"""How many of a link's data frames the recorder did not hear, from sequence numbers and from answers without data."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from winf_analyzer._util.duckdb_agg import grouped

MIN_STEPS = 10
"""Sequence numbers a link must have shown before its gaps count."""

_GAPS = """
with numbered as (
    select
        source, coalesce(observer, '') as observer, ta, frame_no, seq,
        case when tid is not null then ra end as ra, tid
    from read_parquet($frames)
    where layer = 'mac' and coalesce(direction, 'rx') = 'rx' and coalesce(fcs_ok, true) and parse_error is null
      and seq is not null and ta is not null and not starts_with(ta, 'node-')
      and (kind in ('data', 'qos_data')
           or tid is null and (kind in ('action', 'mgmt_other') or kind like 'assoc%' or kind like 'auth%'))
),
steps as (
    select *,
        -- A step back by up to 256 is a retransmission within a block, anything else a step on.
        (seq - lag(seq) over link + 256 + 8192) % 4096 - 256 as step
    from numbered
    window link as (partition by source, observer, ta, ra, tid order by frame_no)
),
unwrapped as (
    select source, observer, ta, ra, tid,
        sum(coalesce(step, 0)) over (
            partition by source, observer, ta, ra, tid order by frame_no rows unbounded preceding
        ) as number
    from steps
),
heard as (
    select distinct * from unwrapped
)
select
    source, nullif(observer, '') as observer, ta as sender, ra as receiver,
    sum(heard)::double as heard, sum(span)::double as span
from (
    select source, observer, ta, ra, tid, count(*) as heard, max(number) - min(number) + 1 as span
    from heard
    group by all
)
group by all
"""


def missed_shares(frames: Sequence[Path], links: pl.DataFrame) -> pl.DataFrame:
    """`source observer sender receiver missed_share`, the larger of what gaps and answers show; null where neither can.

    Sequence numbers of QoS data count per receiver and TID, others per transmitter (IEEE 802.11-2020, 10.3.2.14.2). A
    station's own frames are all in its recording, and those of simulators' traces: these have no share.

    Args:
        frames: parts of the `frames` table.
        links: what :func:`.evidence.whole` returns.
    """
    gaps = grouped(_GAPS, frames=frames).filter(pl.col("span") >= MIN_STEPS)
    gaps = gaps.with_columns(gap_share=1 - pl.col("heard") / pl.col("span")).drop("heard", "span")
    qos, others = gaps.filter(pl.col("receiver").is_not_null()), gaps.filter(pl.col("receiver").is_null())
    keys = ["source", "observer", "sender"]
    rows = links.join(qos, on=[*keys, "receiver"], how="left", nulls_equal=True)
    rows = rows.join(
        others.drop("receiver").rename({"gap_share": "other_share"}), on=keys, how="left", nulls_equal=True
    )
    answers = pl.when(pl.col("answers_only") > 0).then(pl.col("answers_only") / pl.col("attempts"))
    overheard = pl.col("observer").ne_missing(pl.col("sender")) & ~pl.col("sender").str.starts_with("node-")
    share = pl.max_horizontal(pl.coalesce("gap_share", "other_share"), answers)
    return rows.select(*keys, "receiver", missed_share=pl.when(overheard).then(share))
