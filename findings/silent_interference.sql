-- title: Stations wait although nobody sends
-- means: After a failed attempt a station sends again as soon as its backoff is over. Where it waits much longer
--    although no frame is heard, its radio takes the medium for busy: microwave ovens, cameras, Bluetooth, radar or
--    another channel that leaks in.
-- param threshold = 0.3: share of the repetitions that came later than the longest backoff
-- param minimum = 20: repetitions that must have been seen
-- param heard = 0.8: share of the frames on the air that must have been heard, because the others look like silence
-- weight = 0.3: what takes the medium was not recorded; users notice silence as soon as a third of the airtime lost
-- needs: repetitions >= $minimum
-- lacks: too few frames were sent again
-- needs: source not in (select source from checks where "check" = 'completeness' and value < $heard)
-- lacks: too many frames on the air were not heard
-- says: {late:count} of {samples:count} repetitions of {sender} came later than the longest backoff allows
--    ({median_ms:ms} idle in the median), although no frame was heard. What it waited beyond that is
--    {waited:percent} of the time.
-- remedy: Look at the spectrum with an analyser, move to another channel, or to 5 or 6 GHz.
-- frames: ta = $sender and retry
-- filter: wlan.ta == {sender} && wlan.fc.retry == 1
with timed as (
    select source, sender, receiver, attempted, kind, attempt, complete, channel_mhz, start_ns, exchange_no,
        sender = bssid as of_ap,
        max(air_us) over (partition by source) as frame_us,
        -- Stations that collide are not heard, but send again.
        sum(if(attempt > 1 and again is distinct from attempt, 1, 0)) over seen as collisions,
        sum(coalesce(idle_before_us, 0)) over seen as idle_us, row_number() over seen as place
    from (
        select *, lag(attempt + 1) over (
            partition by source, sender, receiver, seq, tid order by start_ns, exchange_no
        ) as again from uses
    )
    window seen as (partition by source order by start_ns, exchange_no)
),
repetitions as (
    select source, sender, receiver, of_ap, start_ns,
        lag(start_ns) over own as before_ns,
        idle_us - lag(idle_us) over own as idle_since_us,
        -- What it collided with, which the recorder need not have heard; EIFS behind each frame of others; and the
        -- whole contention window of one attempt more than was counted.
        frame_us * (1 + collisions - lag(collisions) over own) + case
            when channel_mhz >= 5000 then 94 * (place - lag(place) over own) + 9 * least(16 << least(attempt, 6), 1024)
            else 364 * (place - lag(place) over own) + 20 * least(32 << least(attempt, 5), 1024) end as longest_us
    from timed
    where attempted and kind <> 'cts_self'
    window own as (partition by source, sender order by start_ns, exchange_no)
    qualify attempt between 2 and 7 and lag(attempt) over own = attempt - 1 and lag(receiver) over own = receiver
        and not coalesce(lag(complete) over own, false)
),
beacons as (
    select source, sender, start_ns from uses where data_kind = 'beacon' and start_ns is not null
),
triggers as (
    select source, sender, start_ns
    from uses
    where data_kind in ('null', 'qos_null', 'ps_poll', 'qos_data') and sender is distinct from bssid
        and start_ns is not null
),
waits as (
    -- For a station that has fallen asleep an access point keeps frames back until it is told that it is awake: behind
    -- a beacon, or by a frame of the station (IEEE 802.11-2020, 11.2.3).
    select repetitions.*
    from repetitions
    asof left join beacons on repetitions.source = beacons.source and repetitions.sender = beacons.sender
        and repetitions.start_ns > beacons.start_ns
    asof left join triggers on repetitions.source = triggers.source and repetitions.receiver = triggers.sender
        and repetitions.start_ns > triggers.start_ns
    where not (coalesce(of_ap, false) and coalesce(greatest(beacons.start_ns, triggers.start_ns) > before_ns, false))
)
select
    source,
    sender as subject,
    count(*) filter (idle_since_us > longest_us) / count(*) as value,
    null::double as airtime_share,
    count(*) as samples,
    sender,
    count(*) filter (idle_since_us > longest_us) as late,
    median(idle_since_us) filter (idle_since_us > longest_us) / 1e3 as median_ms,
    sum(idle_since_us - longest_us) filter (idle_since_us > longest_us) / any_value(span_us) as waited
from waits join spans using (source)
where source not in (select source from checks where "check" = 'completeness' and value < $heard)
group by source, sender
having value >= $threshold and count(*) >= $minimum
order by waited desc, subject
