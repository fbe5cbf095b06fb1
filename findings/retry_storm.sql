-- title: Many attempts are not acknowledged
-- means: A frame that nobody acknowledges is sent again after a longer backoff, mostly at a lower rate: it costs its
--    airtime, and that of its repetitions.
-- param threshold = 0.25: share of the attempts; collisions alone cause no more among four backlogged stations with
--    CWmin 15 (Bianchi, JSAC 2000)
-- param minimum = 50: attempts that must have been seen
-- says: Of {samples:count} attempts from {sender} to {receiver}, {value:percent} failed, most of them at
--    {worst_rate_mbps:rate} ({worst_share:percent} of {worst_attempts:count}).
-- remedy: Bring the stations closer together or use a higher gain, and look for interference and hidden stations.
-- without: these losses
-- remove: sender = $sender and receiver = $receiver and (kind = 'rts_failed' or not coalesce(complete, false))
-- where: sender = $sender and receiver = $receiver
-- change attempt: 1
-- frames: ta = $sender and ra = $receiver and retry
-- filter: wlan.ta == {sender} && wlan.ra == {receiver} && wlan.fc.retry == 1
with answering as (
    -- Stations of which some answer was heard: without that, no answer is no sign that a frame failed.
    select distinct source, receiver from uses where attempted and kind <> 'rts_failed' and complete
),
by_rate as (
    select source, sender, receiver, rate_mbps, count(*) as attempts,
        -- An answer that only the recorder missed brings no repetition.
        count(*) filter (kind = 'rts_failed') + least(
            count(*) filter (kind <> 'rts_failed' and not coalesce(complete, false)), count(*) filter (attempt > 1)
        ) as failed,
        sum(air_us) filter (not coalesce(complete, false)) as failed_us
    from uses left join answering using (source, receiver)
    -- Of data that was not heard it is not known whether it was sent.
    where attempted and (heard_data or complete or (kind = 'rts_failed' and answering.receiver is not null))
    group by all
)
select
    source,
    sender || ' > ' || receiver as subject,
    sum(failed) / sum(attempts) as value,
    sum(failed_us) / any_value(span_us) as airtime_share,
    sum(attempts)::bigint as samples,
    sender,
    receiver,
    arg_max(rate_mbps, failed) as worst_rate_mbps,
    max(failed) / arg_max(attempts, failed) as worst_share,
    arg_max(attempts, failed) as worst_attempts
from by_rate join spans using (source)
group by source, sender, receiver
having value >= $threshold and samples >= $minimum
order by airtime_share desc nulls last, subject
