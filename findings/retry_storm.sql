-- title: Many attempts are not acknowledged
-- means: A frame that nobody acknowledges is sent again after a longer backoff, mostly at a lower rate: it costs its
--    airtime, and that of its repetitions. Stations that contend collide; what is lost beyond that the channel loses.
-- param threshold = 0.25: share of the attempts lost among those that did not collide: the next lower rate, three
--    quarters as fast (IEEE 802.11-2020, table 17-4), would then deliver more. What collides is told from how often the
--    others send in a slot (Bianchi, JSAC 2000, eq. 9: p = 1 - (1 - tau)^(n - 1))
-- param sifs = 18: us of idle medium in front of an exchange that contended; within a TXOP it is less
-- param minimum = 50: attempts that must have been seen
-- param heard = 0.5: share of the CTS ahead of a station's data that must be heard for a missing one to say something
-- param deviations = 1: standard deviations by which more must have failed, because few attempts fail more often or
--    less by chance
-- param crowded = 0.1: share of the attempts that collide from which on the model cannot take losses away: it would
--    take the collisions away with them
-- param alone = 0.9: share of the MPDUs sent alone from which on the model can take losses away; which of an aggregate
--    were lost, and how long it would be without, no exchange tells
-- needs: attempts >= $minimum
-- lacks: too few frames to one station were heard
-- says: Of {attempts:count} attempts from {sender} to {receiver}, {failed:percent} failed, most often {worst};
--    collisions with the other stations that send explain {collided:percent}.
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
accesses as (
    select source, sender, start_ns // 1000000000 as second, idle_before_us, channel_mhz, phy,
        attempted,
        idle_before_us > $sifs as contended,
        -- What collides is mostly not heard, but it is repeated.
        attempt > 1 and (attempt - 1, seq, tid)
            is distinct from (lag(attempt) over own, lag(seq) over own, lag(tid) over own) as missed
    from uses
    where sender is not null and start_ns is not null
    window own as (partition by source, sender order by start_ns, exchange_no)
),
spaces as (
    -- Of a station that contends, the shortest space in front of its frames is AIFS, that of a backoff of no slots: at
    -- most SIFS and 7 slots of 20 us. Others have 34 us.
    select source, sender, if(shortest_us <= 150, shortest_us, 34) as aifs_us,
        if(shortest_us <= 150, coalesce(channel_mhz, 0) < 5000 and shortest_us >= 45, null) as long_slots, dsss
    from (
        select source, sender, quantile_disc(idle_before_us, 0.02) as shortest_us, max(channel_mhz) as channel_mhz,
            bool_and(phy in ('dsss', 'hr_dsss')) as dsss
        from accesses
        where contended
        group by all
    )
),
slots as (
    select source, if(bool_and(long_slots), 20, 9) as slot_us, if(bool_and(long_slots and dsss), 31, 15) as cw_min
    from spaces
    group by all
),
turns as (
    -- Behind twice CWmin nobody contended: the medium was idle, or stations collided that were not heard.
    select source, sender, second, attempted, missed, greatest(idle_before_us - aifs_us, 0) / slot_us as waited,
        contended and waited <= 2 * cw_min as contended
    from accesses join spaces using (source, sender) join slots using (source)
),
seconds as (
    select source, second, 1 + coalesce(sum(1 + waited) filter (contended), 0) as slots from turns group by all
),
rates as (
    -- tau of each station, measured instead of solved for: saturated or not, it is how often it sends in a slot. Of its
    -- attempts that were missed a frame shows one; where a share r of its frames do, it were r / (1 - r) for each.
    select source, second, sender, count(*) filter (attempted) as attempts,
        count(*) filter (missed) / count(*) as again,
        count(*) filter (contended) + count(*) filter (missed) / (1 - least(again, 0.9)) as accesses,
        least(accesses / any_value(slots), 0.99) as tau
    from turns join seconds using (source, second)
    group by all
),
together as (
    select source, second, sum(ln(1 - tau)) as none from rates group by all
),
collisions as (
    select source, sender, sum(attempts * (1 - exp(none - ln(1 - tau)))) / sum(attempts) as collided
    from rates join together using (source, second)
    group by all
    having sum(attempts) > 0
),
worst as (
    from failures
    qualify row_number() over (partition by source, sender, receiver order by failed desc, unanswered, rate_mbps) = 1
),
links as (
    select source, sender, receiver, sum(failures.failed) / sum(failures.attempts) as failed,
        least(coalesce(any_value(collided), 0), 0.99) as collided,
        sum(failures.attempts)::bigint as attempts, sum(failures.failed_us) as failed_us,
        case when any_value(worst.unanswered) then 'RTS without CTS (' || any_value(worst.failed)::bigint || ' times)'
            else coalesce('at ' || printf('%.4g', any_value(worst.rate_mbps)) || ' Mb/s', 'at an unknown rate')
                || printf(' (%.0f %% of %d)', 100 * any_value(worst.failed / worst.attempts), any_value(worst.attempts))
        end as worst
    from failures
    join worst using (source, sender, receiver)
    left join collisions using (source, sender)
    group by source, sender, receiver
)
select
    source,
    sender || ' > ' || receiver as subject,
    (failed - collided) / (1 - collided) as value,
    failed_us / span_us as airtime_share,
    packets as samples,
    untold or collided >= $crowded as untold,
    links.attempts,
    sender,
    receiver,
    failed,
    collided,
    worst
from links
join packets using (source, sender, receiver)
join spans using (source)
where value >= $threshold and links.attempts >= $minimum
    and failed - $deviations * sqrt(failed * (1 - failed) / links.attempts) >= 1 - (1 - collided) * (1 - $threshold)
order by airtime_share desc nulls last, subject
