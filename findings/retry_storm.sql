-- title: Many attempts are not acknowledged
-- means: A frame that nobody acknowledges is sent again after a longer backoff, mostly at a lower rate: it costs its
--    airtime, and that of its repetitions.
-- param threshold = 0.25: share of the attempts; collisions alone cause no more among four backlogged stations with
--    CWmin 15 (Bianchi, JSAC 2000)
-- param minimum = 50: attempts that must have been seen
-- param heard = 0.5: share of the CTS ahead of a station's data that must be heard for a missing one to say something
-- param alone = 0.9: share of the MPDUs sent alone from which on the model can take losses away; which of an aggregate
--    were lost, and how long it would be without, no exchange tells
-- needs: attempts >= $minimum
-- lacks: too few frames to one station were heard
-- says: Of {attempts:count} attempts from {sender} to {receiver}, {value:percent} failed, most often {worst}.
-- remedy: Bring the stations closer together or use a higher gain, and look for interference and hidden stations.
-- without: these losses
-- remove: sender = $sender and receiver = $receiver and (kind = 'rts_failed' or not coalesce(complete, false))
-- where: sender = $sender and receiver = $receiver
-- change attempt: 1
-- frames: ta = $sender and ra = $receiver and retry
-- filter: wlan.ta == {sender} && wlan.ra == {receiver} && wlan.fc.retry == 1
with answering as (
    -- Stations of which some answer was heard, and most CTS of which the data was: of the others a missing CTS is no
    -- sign that the RTS failed, and what follows it no repetition.
    select source, receiver
    from uses
    where attempted and kind <> 'rts_failed'
    group by all
    having bool_or(complete or cts_ns is not null)
        and coalesce(avg((cts_ns is not null)::int) filter (kind = 'rts' and heard_rts and heard_data), 1) >= $heard
),
tried as (
    select source, sender, receiver, kind = 'rts_failed' as unanswered, rate_mbps, complete, attempt, air_us,
        coalesce(packet_uid, seq) as msdu, tid, mpdus
    from uses left join answering using (source, receiver)
    -- Of data that was not heard it is not known whether it was sent.
    where attempted and (kind not in ('rts', 'rts_failed') or answering.receiver is not null)
        and (heard_data or complete or kind = 'rts_failed')
),
packets as (
    -- What happened to one MSDU, however often it was sent, is one observation.
    select source, sender, receiver,
        greatest(count(distinct (msdu, tid)) filter (not unanswered), count(*) filter (attempt = 1)) as packets,
        coalesce(sum(mpdus) filter (mpdus = 1) / nullif(sum(mpdus), 0), 1) < $alone as untold
    from tried
    group by all
),
by_rate as (
    select source, sender, receiver, unanswered, rate_mbps, count(*) as attempts,
        count(*) filter (not coalesce(complete, false)) as lost,
        sum(air_us) filter (not coalesce(complete, false)) as lost_us,
        count(*) filter (attempt > 1) as again
    from tried
    group by all
),
proven as (
    -- An answer that only the recorder missed brings no repetition. One that was due does, mostly at a lower rate: of
    -- the data of a link so many attempts failed as others are repetitions, at any rate.
    select source, sender, receiver, least(sum(again) / nullif(sum(lost), 0), 1) as share
    from by_rate
    where not unanswered
    group by all
),
failures as (
    select by_rate.*, lost * if(unanswered, 1, share) as failed, lost_us * if(unanswered, 1, share) as failed_us
    from by_rate left join proven using (source, sender, receiver)
),
worst as (
    from failures
    qualify row_number() over (partition by source, sender, receiver order by failed desc, unanswered, rate_mbps) = 1
)
select
    source,
    sender || ' > ' || receiver as subject,
    sum(failures.failed) / sum(failures.attempts) as value,
    sum(failures.failed_us) / any_value(span_us) as airtime_share,
    any_value(packets) as samples,
    any_value(untold) as untold,
    sum(failures.attempts)::bigint as attempts,
    sender,
    receiver,
    case when any_value(worst.unanswered) then 'RTS without CTS (' || any_value(worst.failed)::bigint || ' times)'
        else coalesce('at ' || printf('%.4g', any_value(worst.rate_mbps)) || ' Mb/s', 'at an unknown rate')
            || printf(' (%.0f %% of %d)', 100 * any_value(worst.failed / worst.attempts), any_value(worst.attempts))
    end as worst
from failures
join worst using (source, sender, receiver)
join packets using (source, sender, receiver)
join spans using (source)
group by source, sender, receiver
having value >= $threshold and sum(failures.attempts) >= $minimum
order by airtime_share desc nulls last, subject
