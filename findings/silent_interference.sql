-- title: Stations wait although nobody sends
-- means: After a failed attempt a station sends again as soon as its backoff is over. Where it waits much longer
--    although no frame is heard, its radio takes the medium for busy: microwave ovens, cameras, Bluetooth, radar or
--    another channel that leaks in.
-- param threshold = 0.3: share of the repetitions that came later than the longest backoff
-- param minimum = 50: repetitions that must have been seen
-- says: {late:count} of {samples:count} repetitions of {sender} came later than the longest backoff allows
--    ({median_ms:ms} idle in the median), although no frame was heard.
-- remedy: Look at the spectrum with an analyser, move to another channel, or to 5 or 6 GHz.
-- without: this interference
-- frames: ta = $sender and retry
-- filter: wlan.ta == {sender} && wlan.fc.retry == 1
with repetitions as (
    select source, sender, idle_before_us,
        -- DIFS and the whole contention window of one attempt more than was counted.
        case when channel_mhz >= 5000 then 34 + 9 * least(16 << least(attempt, 6), 1024)
            else 50 + 20 * least(32 << least(attempt, 5), 1024) end as longest_us
    from uses
    where attempted and attempt between 2 and 7 and idle_before_us is not null and kind <> 'cts_self'
)
select
    source,
    sender as subject,
    count(*) filter (idle_before_us > longest_us) / count(*) as value,
    sum(idle_before_us - longest_us) filter (idle_before_us > longest_us) / any_value(span_us) as airtime_share,
    count(*) as samples,
    sender,
    count(*) filter (idle_before_us > longest_us) as late,
    median(idle_before_us) filter (idle_before_us > longest_us) / 1e3 as median_ms
from repetitions join spans using (source)
group by source, sender
having value >= $threshold and count(*) >= $minimum
order by airtime_share desc, subject
