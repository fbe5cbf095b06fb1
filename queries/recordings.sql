-- title: Recordings: when, how long, how busy, and how far to trust them
-- column source: recording
-- column first_ns: time stamp of the first frame, ns
-- column duration_s: from the first frame to the last, s
-- column channel_mhz: channel with most frames, MHz; null: none is recorded
-- column frames: recorded frames
-- column bssids: stations that announced a network
-- column airtime_share: sum of the airtimes of exchanges over the recorded time, as the view with the most airtime holds them
-- column data_share: share of that airtime that carried data
-- column retry_share: unicast data frames with the Retry bit; null if the recording does not contain it
-- column heard_share: share of the frames on the air that the recorder heard, by the audit; null: unknown
-- column verdict: worst verdict of the checks of the audit that had something to check; null: none had
-- column busy_share: share of the recorded time with an exchange on the air, in the view with most of it; overlapping ones count once
with seen as (
    select
        source, min(first_ns) as first_ns, max(last_ns) as last_ns,
        sum(frames)::bigint as frames,
        count(distinct ta) filter (where kind in ('beacon', 'probe_resp') and fcs_ok is distinct from false) as bssids
    from frame_sums()
    group by source
),
held as (
    select *, last_ns - first_ns as duration_ns, nullif(duration_ns - paused_ns(source, first_ns, last_ns), 0) as recorded_ns
    from seen
),
data as (
    select source, sum(if(retry, frames, 0)) / nullif(sum(if(retry is null, 0, frames)), 0) as retry_share
    from frame_sums()
    where kind in ('data', 'qos_data') and not is_group
    group by source
),
tuned as (
    select source, channel_mhz
    from frame_sums()
    where channel_mhz is not null
    group by source, channel_mhz
    qualify row_number() over (partition by source order by sum(frames) desc, min(first_ns), channel_mhz) = 1
),
used as (
    select
        source, sum(airtime_ns) as airtime_ns,
        sum(airtime_ns) filter (where data_kind in ('data', 'qos_data')) as data_ns
    from exchange_sums()
    where timed
    group by source, observer
    qualify row_number() over (partition by source order by sum(airtime_ns) desc, observer nulls first) = 1
),
busy as (
    select source, max(busy_ns) as busy_ns
    from (select source, observer, sum(busy_ns) as busy_ns from busy_bins(3600000000000) group by source, observer)
    group by source
),
audited as (
    select
        source, max(value) filter (where "check" = 'completeness') as heard_share,
        max_by(verdict, list_position(['good', 'doubtful', 'unusable'], verdict)) filter (where value is not null) as verdict
    from audit
    group by source
)
select
    source,
    first_ns,
    round(duration_ns / 1e9, 6) as duration_s,
    channel_mhz,
    frames,
    bssids,
    round(airtime_ns / recorded_ns, 6) as airtime_share,
    round(coalesce(data_ns, 0) / airtime_ns, 6) as data_share,
    round(retry_share, 6) as retry_share,
    round(heard_share, 6) as heard_share,
    verdict,
    round(busy_ns / recorded_ns, 6) as busy_share
from held
left join data using (source)
left join tuned using (source)
left join used using (source)
left join busy using (source)
left join audited using (source)
order by first_ns, source
