-- title: Beacons and probes take the air
-- means: Beacons and probe responses go out at the lowest basic rate, from every BSSID, whether or not there is
--    traffic. While they are on the air nobody sends data.
-- param threshold = 0.1: share of the time; A. von Nagy's SSID overhead calculator (revolutionwifi.net) calls up to 10
--    % low overhead
-- param shortest_s = 1: seconds of a recording that tell a share: ten of the usual beacon intervals of 100 TU
-- param fleeting = 100: BSSIDs that beaconed once, from which on they, if most of all are such, are taken for made up:
--    a BSS beacons some ten times a second, and of those out of range a beacon is heard now and then
-- needs: span_us >= 1e6 * $shortest_s
-- lacks: the recording is too short
-- says: Beacons ({beacons:count} of {bssids:count} BSSIDs, {rates}) and probe frames ({probes:count}) take
--    {value:percent} of the time, data {data_share:percent}.
-- remedy: Raise the lowest basic rate to 12 Mb/s or more, turn 802.11b rates off, and offer fewer SSIDs per radio.
-- given: bool_or(kind in ('beacon', 'probe_req', 'probe_resp'))
-- without: the beacons and probes
-- remove: data_kind in ('beacon', 'probe_req', 'probe_resp')
-- frames: kind in ('beacon', 'probe_req', 'probe_resp')
-- filter: wlan.fc.type_subtype in {{4, 5, 8}}
with announced as (
    select source, bssid, count(*) as times
    from uses
    where data_kind = 'beacon' and bssid is not null
    group by all
),
made_up as (
    select source, count(*) filter (times = 1) as fleeting
    from announced
    group by source
    having fleeting >= $fleeting and fleeting > count(*) / 2
)
select
    source,
    'channel ' || coalesce(mode(channel_mhz order by channel_mhz)::varchar || ' MHz', 'unknown') as subject,
    sum(air_us) filter (data_kind in ('beacon', 'probe_req', 'probe_resp')) / any_value(span_us) as value,
    value as airtime_share,
    count(*) filter (data_kind in ('beacon', 'probe_req', 'probe_resp')) as samples,
    count(*) filter (data_kind = 'beacon') as beacons,
    count(*) filter (data_kind in ('probe_req', 'probe_resp')) as probes,
    count(distinct bssid) filter (data_kind = 'beacon') as bssids,
    min(rate_mbps) filter (data_kind = 'beacon') as slowest,
    max(rate_mbps) filter (data_kind = 'beacon') as fastest,
    case when slowest is null then 'at an unknown rate'
        when slowest = fastest then printf('at %.4g Mb/s', slowest)
        else printf('at %.4g to %.4g Mb/s, %.4g in the median', slowest, fastest,
            median(rate_mbps) filter (data_kind = 'beacon')) end
        || coalesce(', of which ' || any_value(fleeting) || ' were heard once', '') as rates,
    case when any_value(fleeting) is not null
        then 'Look for who makes networks up: the signal of their beacons tells how near. '
            || 'No setting of an access point helps.' end as remedy,
    coalesce(sum(air_us) filter (data_kind in ('data', 'qos_data')) / any_value(span_us), 0) as data_share
from uses join spans using (source) left join made_up using (source)
group by source
having value >= $threshold and any_value(span_us) >= 1e6 * $shortest_s
