-- title: Assumptions in airtimes
-- column source: recording
-- column assumption: the assumption; a frame may have several
-- column frames: frames with this assumption
-- column share: share of the recording's frames
with needed as (
    select source, unnest(string_split(assumptions, ',')) as assumption, sum(frames) as frames
    from frame_sums()
    where assumptions is not null
    group by source, assumptions
),
total as (select source, sum(frames) as frames from frame_sums() group by source)
select
    needed.source,
    needed.assumption,
    sum(needed.frames)::bigint as frames,
    round(sum(needed.frames) / any_value(total.frames), 6) as share
from needed
join total using (source)
group by needed.source, needed.assumption
order by frames desc, needed.source, needed.assumption
