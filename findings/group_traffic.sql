-- title: Broadcast and multicast take the air
-- means: Frames to a group go out at the lowest basic rate and one by one, whoever wants them. One video stream, or the
--    chatter of many devices (ARP, mDNS, SSDP), holds the medium longer than all data.
-- param threshold = 0.1: share of the time; what management may take before it counts
-- param minimum = 50: group addressed data frames
-- param shortest_s = 1: seconds of a recording that tell a share
-- needs: span_us >= 1e6 * $shortest_s
-- lacks: the recording is too short
-- says: {samples:count} broadcast and multicast frames, most of {sender_most}, take {value:percent} of the time at
--    {rate_mbps:rate}; data to single stations takes {data_share:percent}.
-- remedy: Have the access point send multicast as unicast (IGMP snooping, proxy ARP), raise the lowest basic rate, and
--    look for the device that they come from.
-- given: bool_or(is_group and kind in ('data', 'qos_data'))
-- without: the broadcast and multicast frames
-- remove: is_group and data_kind in ('data', 'qos_data')
-- frames: is_group and kind in ('data', 'qos_data')
-- filter: wlan.fc.type == 2 && wlan.ra[0] & 1
with senders as (
    select source, sender, sum(air_us) as group_us, count(*) as frames, median(rate_mbps) as rate_mbps
    from uses
    where is_group and data_kind in ('data', 'qos_data')
    group by source, sender
),
single as (
    select source, sum(air_us) as data_us
    from uses
    where not coalesce(is_group, false) and data_kind in ('data', 'qos_data')
    group by source
)
select
    source,
    arg_max(sender, group_us) as subject,
    sum(group_us) / any_value(span_us) as value,
    value as airtime_share,
    sum(frames)::bigint as samples,
    subject as sender_most,
    arg_max(rate_mbps, group_us) as rate_mbps,
    coalesce(any_value(data_us) / any_value(span_us), 0) as data_share
from senders join spans using (source) left join single using (source)
group by source
having value >= $threshold and samples >= $minimum and any_value(span_us) >= 1e6 * $shortest_s
