"""Sequence numbers that were heard, as a query: what the native pass is held to."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from winf_analyzer._util.duckdb_agg import grouped

_GAPS = """
with heard as (
    select *, channel_mhz <> lag(channel_mhz, 1, channel_mhz) over (partition by source order by frame_no) as moves
    from $frames
    where layer = 'mac' and coalesce(direction, 'rx') = 'rx' and channel_mhz is not null
),
stays as (
    -- Of a radio that hops; the counts of its stays on a channel add up.
    select source, frame_no, sum(moves::int) over (partition by source order by frame_no) as stay from heard
),
numbered as (
    select
        frames.source, coalesce(observer, '') as observer, ta, frames.frame_no, seq, coalesce(retry, false) as retry,
        case when tid is not null then ra end as ra, tid,
        coalesce(stay, 0) as stay
    from $frames as frames asof left join stays
        on frames.source = stays.source and frames.frame_no >= stays.frame_no
    where layer = 'mac' and coalesce(direction, 'rx') = 'rx' and coalesce(fcs_ok, true) and parse_error is null
      and seq is not null and coalesce(frag, 0) = 0 and ta is not null and not starts_with(ta, 'node-')
      and (kind in ('data', 'qos_data') or tid is null and kind <> 'qos_null' and not (kind = 'beacon' and $no_beacons))
),
steps as (
    select *,
        -- A step back by up to 256 is a retransmission within a block, anything else a step on.
        (seq - lag(seq) over link + 256 + 8192) % 4096 - 256 as step
    from numbered
    window link as (partition by source, observer, ta, ra, tid, stay order by frame_no)
),
unwrapped as (
    select *,
        sum(coalesce(step, 0)) over (
            partition by source, observer, ta, ra, tid, stay order by frame_no rows unbounded preceding
        ) as number
    from steps
),
positions as (
    select source, observer, ta, ra, tid, stay, number, bool_or(not retry) as is_first
    from unwrapped
    group by all
)
select
    source, nullif(observer, '') as observer, ta as sender, ra as receiver,
    sum(firsts)::bigint as firsts, sum(heard)::bigint as heard, sum(span)::bigint as span
from (
    select source, observer, ta, ra, tid, stay,
        count(*) filter (is_first) as firsts, count(*) as heard, max(number) - min(number) + 1 as span
    from positions
    group by all
)
group by all
"""


def gaps_by_query(frames: Sequence[Path]) -> pl.DataFrame:
    """What `_core.SequenceGaps` finds in parts of `frames`, sorted by name."""
    keys = ["source", "observer", "sender", "receiver"]
    with_beacons, without = (grouped(_GAPS.replace("$no_beacons", text), frames=frames) for text in ("false", "true"))
    both = with_beacons.join(without, on=keys, how="left", nulls_equal=True, suffix="_without_beacons")
    return both.with_columns(pl.selectors.integer().fill_null(0)).sort(keys)
