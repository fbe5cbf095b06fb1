-- title: A station's data rate falls
-- means: The signal between a station and its access point becomes weaker, as of one that is carried away. Its frames
--    go at lower and lower rates and take the medium from all others, until it roams or is lost.
-- param threshold = 3: the median rate of the first third of the recorded time, over that of the last; a third of the
--    rate needs 12 dB less (54 and 18 Mb/s in IEEE 802.11-2020, table 17-18)
-- param signal = 6: dB by which the signal falls from the first third to the last; half of these 12 dB
-- param bytes = 500: octets of a frame at least, because small ones, as acknowledgements of TCP, may go at other rates
-- param minimum = 30: such frames in each third, first attempts, of which rate control tries one in ten at other rates
-- param seconds = 10: recorded time
-- param heard = 0.8: share of the frames on the air that must have been heard: a recorder that the station leaves
--    misses those at high rates
-- needs: span_us >= 1e6 * $seconds
-- lacks: the recording is too short
-- needs: count(*) filter (rate_mbps > 0 and length_bytes >= $bytes) >= 3 * $minimum
-- lacks: too few long frames with a rate were heard
-- needs: bool_or(signal_dbm < 0)
-- lacks: no signal was measured
-- needs: source not in (select source from checks where "check" = 'completeness' and value < $heard)
-- lacks: too many frames on the air were not heard
-- says: The median rate from {sender} to {receiver} fell from {early_mbps:rate} in the first third of the recording to
--    {middle_mbps:rate} and {late_mbps:rate} in the last, and the signal of {station} from {early_dbm:dbm} to
--    {late_dbm:dbm}.
-- remedy: Add an access point where the station goes, or make it roam earlier (802.11k, 802.11v, a minimum basic rate).
-- without: the fall of the rate from {sender} to {receiver}
-- where: sender = $sender and receiver = $receiver and data_kind in ('data', 'qos_data') and rate_mbps < $early_mbps
-- change rate_mbps: $early_mbps
-- change data_airtime_us: data_airtime_us - 8 * length_bytes * (1 / rate_mbps - 1 / $early_mbps)
-- change start_ns: start_ns + (8000 * length_bytes * (1 / rate_mbps - 1 / $early_mbps))::bigint
-- change data_start_ns: data_start_ns + (8000 * length_bytes * (1 / rate_mbps - 1 / $early_mbps))::bigint
-- change rts_start_ns: rts_start_ns + (8000 * length_bytes * (1 / rate_mbps - 1 / $early_mbps))::bigint
-- change rts_ns: rts_ns + (8000 * length_bytes * (1 / rate_mbps - 1 / $early_mbps))::bigint
-- change cts_start_ns: cts_start_ns + (8000 * length_bytes * (1 / rate_mbps - 1 / $early_mbps))::bigint
-- change cts_ns: cts_ns + (8000 * length_bytes * (1 / rate_mbps - 1 / $early_mbps))::bigint
-- frames: ta = $sender and ra = $receiver and kind in ('data', 'qos_data') and rate_mbps <= $late_mbps
--    and ts_ns >= $late_ns
-- filter: wlan.ta == {sender} && wlan.ra == {receiver} && wlan.fc.type == 2
with heard as (
    select frames.source, observer, end_ns, ta, ra, bssid, is_group, kind, rate_mbps, length_bytes, signal_dbm, retry,
        direction, least(3 * (coalesce(start_ns, ts_ns) - first_ns) // (last_ns - first_ns), 2) as third
    from frames join spans on frames.source = spans.source
    where layer = 'mac' and fcs_ok is distinct from false and parse_error is null
        and coalesce(start_ns, ts_ns) >= first_ns
),
thirds as (
    -- Repetitions go at lower rates on purpose.
    select source, ta, ra, third, any_value(observer) as observer, mode(bssid order by bssid) as bssid,
        median(rate_mbps) as rate_mbps, count(*) as frames
    from heard
    where kind in ('data', 'qos_data') and rate_mbps > 0 and length_bytes >= $bytes
        and ta is not null and not coalesce(retry, false) and not coalesce(is_group, false)
    group by all
),
links as (
    select source, ta as sender, ra as receiver, any_value(observer) as observer, any_value(bssid) as bssid,
        any_value(rate_mbps) filter (third = 0) as early_mbps,
        any_value(rate_mbps) filter (third = 1) as middle_mbps,
        any_value(rate_mbps) filter (third = 2) as late_mbps,
        sum(frames) as frames
    from thirds
    group by all
    having min(frames) >= $minimum and count(*) = 3
        and early_mbps / late_mbps >= $threshold and middle_mbps between late_mbps and early_mbps
),
ends as (
    -- The recorder measures the other end; a third party that station which is no access point.
    select *, case when sender = observer then receiver when receiver = observer then sender
        when sender = bssid then receiver else sender end as station
    from links
),
signals as (
    select source, station, median(signal_dbm) filter (third = 0) as early_dbm,
        median(signal_dbm) filter (third = 2) as late_dbm
    from (
        select source, ta as station, third, signal_dbm, direction from heard where ta is not null
        union all
        -- An answer does not name its sender, but what it answers names whom it is from.
        select heard.source, uses.receiver, third, signal_dbm, direction
        from heard join uses on heard.source = uses.source and heard.end_ns = uses.ack_ns and heard.ra = uses.sender
        where heard.ta is null and heard.kind in ('ack', 'block_ack')
    )
    where signal_dbm < 0 and direction is distinct from 'tx'
    group by all
),
taken as (
    select source, sender, receiver, sum(air_us) as air_us,
        sum(length_bytes) / sum(length_bytes / rate_mbps) as rate_mbps
    from uses
    where attempted and rate_mbps > 0 and length_bytes > 0
    group by all
)
select
    source,
    sender || ' > ' || receiver as subject,
    early_mbps / late_mbps as value,
    greatest(air_us * (1 - taken.rate_mbps / early_mbps), 0) / span_us as airtime_share,
    frames::bigint as samples,
    sender,
    receiver,
    station,
    early_mbps,
    middle_mbps,
    late_mbps,
    early_dbm,
    late_dbm,
    first_ns + 2 * (last_ns - first_ns) // 3 as late_ns
from ends join signals using (source, station) join taken using (source, sender, receiver) join spans using (source)
where early_dbm - late_dbm >= $signal and span_us >= 1e6 * $seconds
    and source not in (select source from checks where "check" = 'completeness' and value < $heard)
order by airtime_share desc, subject
