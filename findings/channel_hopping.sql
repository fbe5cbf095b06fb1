-- title: The recorder hopped between channels
-- means: A recorder that changes channels hears each only for a part of the time, so that shares of airtime are too
--    small. What a link may have is estimated from the time for which its channel was listened to, a sample.
-- param threshold = 3: channels with at least as many frames as the minimum
-- param minimum = 10: frames on a channel
-- param changes = 5: times that the channel changed
-- weight = 1: the other findings rest on the recording
-- says: The recorder changed between {channels:count} channels {steps:count} times.
-- remedy: Record again with the radio kept on one channel, or one radio per channel.
-- needs: bool_or(channel_mhz is not null and direction is distinct from 'tx')
-- lacks: the channel of no frame is known
-- given: min(channel_mhz) < max(channel_mhz)
with heard as (
    select source, frame_no, channel_mhz, count(*) over (partition by source, channel_mhz) >= $minimum as counts
    from frames
    where layer = 'mac' and channel_mhz is not null and direction is distinct from 'tx'
),
-- Few frames of a channel may be labelled wrongly: they do not make it a finding, and are told of in one.
steps as (
    select source, channel_mhz, counts,
        channel_mhz <> lag(channel_mhz) over (partition by source order by frame_no) as changed,
        counts and channel_mhz <> lag(if(counts, channel_mhz, null) ignore nulls) over (
            partition by source order by frame_no
        ) as changed_surely
    from heard
)
select
    source,
    source as subject,
    count(distinct channel_mhz) filter (counts)::double as value,
    null::double as airtime_share,
    count(*) filter (changed_surely) as samples,
    count(distinct channel_mhz) as channels,
    count(*) filter (changed) as steps
from steps
group by source
having value >= $threshold and samples >= $changes
