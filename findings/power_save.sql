-- title: Power-save signalling takes the air
-- means: Stations that fall asleep and wake up often announce it with null frames, or fetch every frame with a PS-Poll.
-- param threshold = 0.05: share of the time; half of what management may take before it counts
-- param minimum = 50: null frames and PS-Polls
-- says: {samples:count} null frames and PS-Polls of {whose} take {value:percent} of the time.
-- remedy: Turn off legacy power save on stations with mains power, or use U-APSD or TWT.
-- given: bool_or(kind in ('null', 'qos_null', 'ps_poll'))
-- without: the null frames and PS-Polls
-- remove: data_kind in ('null', 'qos_null', 'ps_poll')
-- frames: kind in ('null', 'qos_null', 'ps_poll')
-- filter: wlan.fc.type_subtype in {{26, 36, 44}}
with signals as (
    select source, sender, sum(air_us) as signal_us, count(*) as signals
    from uses
    where data_kind in ('null', 'qos_null', 'ps_poll')
    group by source, sender
)
select
    source,
    arg_max(sender, signals) as subject,
    sum(signal_us) / any_value(span_us) as value,
    value as airtime_share,
    sum(signals)::bigint as samples,
    if(count(*) = 1, subject, count(*) || ' stations, most of them of ' || subject || ',') as whose
from signals join spans using (source)
group by source
having value >= $threshold and samples >= $minimum
