-- title: Two stations do not hear each other
-- means: A station that does not hear another sends into its frames, and both are lost at the receiver that hears both.
-- param threshold = 0.5: confidence that the pair is hidden, as in the table hidden_pairs
-- param loss = 0.1: share of the attempts lost that must have been overlapped
-- param minimum = 10: attempts that were overlapped, or frames that were not heard though their answers were
-- param answered = 0.1: share of the attempts at the common receiver whose answer must be heard; where fewer are, the
--    recorder misses them, as those that it sends itself
-- needs: attempts >= $minimum
-- lacks: too few frames to one station were heard
-- says: {hidden_from} does not hear {unheard}; of {attempts:count} attempts from {loser} to {common}, {failed:percent}
--    failed.
-- remedy: Send RTS before long frames of these stations, or move the access point so that they hear each other.
-- without: the collisions of {unheard} and {hidden_from}
-- remove: sender in ($unheard, $hidden_from) and receiver = $common and (kind = 'rts_failed' or not coalesce(complete,
--    false))
-- where: sender in ($unheard, $hidden_from) and receiver = $common
-- change attempt: 1
-- frames: ta = $loser and ra = $common and retry or ra = $hidden_from and kind in ('ack', 'cts')
-- filter: (wlan.ta == {loser} && wlan.ra == {common} && wlan.fc.retry == 1) || (wlan.ra == {hidden_from} &&
--    wlan.fc.type_subtype in {{28, 29}})
with losses as (
    select source, sender, receiver, count(*) as all_attempts,
        count(*) filter (not coalesce(complete, false) or kind = 'rts_failed') as all_failed,
        sum(air_us) filter (not coalesce(complete, false) or kind = 'rts_failed') as failed_us,
        avg((kind in ('rts', 'rts_failed'))::int) as behind_rts
    from uses
    where attempted
    group by all
),
answering as (
    select source, receiver
    from uses
    where attempted
    group by all
    having avg((coalesce(complete, false) and kind <> 'rts_failed')::int) >= $answered
),
answerers as (
    select source, any_value(receiver) as answerer
    from uses
    where attempted and complete
    group by source
    having count(distinct receiver) = 1
),
meetings as (
    select source, sender as station, receiver as other from uses
    union
    select source, receiver as station, sender as other from uses
    union
    -- Somebody answers a station that is not heard: where only one is known to answer anybody, it is that one.
    select source, sender as station, answerer as other from hidden_pairs join answerers using (source)
)
select
    pairs.source,
    case when pairs.sender < hidden_from then pairs.sender || ' and ' || hidden_from
        else hidden_from || ' and ' || pairs.sender end as subject,
    confidence as value,
    failed_us / span_us as airtime_share,
    greatest(overlapped, unheard) as samples,
    pairs.sender as unheard,
    hidden_from,
    losses.receiver as common,
    losses.sender as loser,
    all_attempts as attempts,
    all_failed / all_attempts as failed,
    case when behind_rts > 0.5 then 'Most of this data goes behind RTS already: move the access point or one of the'
        || ' stations so that they hear each other.' end as remedy
from hidden_pairs as pairs
-- A recorder does not see what the station that it does not hear loses; either of the two will do.
join losses on pairs.source = losses.source and losses.sender in (pairs.sender, hidden_from)
    and (pairs.receiver = losses.receiver or pairs.receiver is null and losses.sender = hidden_from)
-- Nor whom that station sends to, but who sends to that station, or is the only one that answers: only such a receiver
-- is in its range for certain.
left join meetings on pairs.source = meetings.source and pairs.sender = meetings.station
    and losses.receiver = meetings.other
semi join answering on losses.source = answering.source and losses.receiver = answering.receiver
join spans on pairs.source = spans.source
where (pairs.receiver is not null or meetings.station is not null)
    and confidence >= $threshold and greatest(overlapped, unheard) >= $minimum and all_failed / all_attempts >= $loss
qualify row_number() over (partition by pairs.source, subject order by all_failed desc, pairs.sender) = 1
order by airtime_share desc nulls last, subject
