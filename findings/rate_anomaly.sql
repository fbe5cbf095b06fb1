-- title: A slow station takes the airtime of fast ones
-- means: DCF gives every station the same number of accesses, not the same time. One that sends at a low rate holds the
--    medium several times as long for each, and all stations get about its throughput (Heusse et al., INFOCOM 2003).
-- param threshold = 3: airtime per bit, over that of the other stations
-- param minimum = 50: exchanges that must have been seen
-- param share = 0.15: share of the time that it must take, to or from its access point
-- needs: bool_or(rate_mbps > 0)
-- lacks: no rate is known
-- needs: attempts >= 2 * $minimum
-- lacks: too few frames to one station were heard
-- says: What {slow_sender} sends to {slow_receiver} goes at {rate_mbps:rate} and takes {station_share:percent} of the
--    time, {value:times} as long per bit as what goes to and from other stations, at {others_mbps:rate}.
-- remedy: Bring the station closer, steer it to another band, or turn low rates off so that it roams.
-- without: the low rate of {station}
-- where: sender = $slow_sender and receiver = $slow_receiver and data_kind in ('data', 'qos_data')
--    and rate_mbps < $others_mbps
-- change rate_mbps: $others_mbps
-- change data_airtime_us: data_airtime_us - 8 * length_bytes * (1 / rate_mbps - 1 / $others_mbps)
-- change start_ns: start_ns + (8000 * length_bytes * (1 / rate_mbps - 1 / $others_mbps))::bigint
-- change data_start_ns: data_start_ns + (8000 * length_bytes * (1 / rate_mbps - 1 / $others_mbps))::bigint
-- change rts_start_ns: rts_start_ns + (8000 * length_bytes * (1 / rate_mbps - 1 / $others_mbps))::bigint
-- change rts_ns: rts_ns + (8000 * length_bytes * (1 / rate_mbps - 1 / $others_mbps))::bigint
-- change cts_start_ns: cts_start_ns + (8000 * length_bytes * (1 / rate_mbps - 1 / $others_mbps))::bigint
-- change cts_ns: cts_ns + (8000 * length_bytes * (1 / rate_mbps - 1 / $others_mbps))::bigint
-- frames: ta = $slow_sender and ra = $slow_receiver and kind in ('data', 'qos_data') and rate_mbps < $others_mbps
-- filter: wlan.ta == {slow_sender} && wlan.ra == {slow_receiver} && wlan.fc.type == 2
with links as (
    -- An access point is slow to one station and fast to another: whose link it is, is the station's.
    select source, sender, receiver, case when sender = bssid then receiver else sender end as station,
        sum(air_us) as station_us,
        sum(8.0 * length_bytes) as bits,
        sum(data_airtime_us) as data_us,
        sum(8.0 * length_bytes / rate_mbps) as psdu_us,
        count(*) as exchanges
    from uses
    where attempted and rate_mbps > 0 and length_bytes > 0 and data_airtime_us > 0
    group by all
),
stations as (
    select source, station, sum(bits) as bits, sum(data_us) as data_us, sum(psdu_us) as psdu_us,
        sum(exchanges) as exchanges
    from links
    group by source, station
),
-- Few stations take so much of the time: each of them is compared with all others, not all with all.
busy as (
    select links.*, span_us
    from links join spans using (source)
    where station_us / span_us >= $share and exchanges >= $minimum
),
beside as (
    select a.source, a.sender, a.receiver, a.station, a.station_us, a.span_us, a.exchanges,
        a.bits / a.psdu_us as rate_mbps,
        a.bits / a.data_us as own_mbps, sum(b.bits) / sum(b.psdu_us) as others_mbps,
        sum(b.bits) / sum(b.data_us) as others_per_us,
        sum(b.exchanges) as others_exchanges
    from busy as a join stations as b on a.source = b.source and a.station <> b.station
    group by all
)
select
    source,
    station as subject,
    others_per_us / own_mbps as value,
    station_us * (1 - rate_mbps / others_mbps) / span_us as airtime_share,
    exchanges as samples,
    station,
    sender as slow_sender,
    receiver as slow_receiver,
    rate_mbps,
    others_mbps,
    station_us / span_us as station_share
from beside
where value >= $threshold and rate_mbps < others_mbps and others_exchanges >= $minimum
order by airtime_share desc, subject
