-- title: The channel is full
-- means: The medium is busy nearly all of the time, so that every new flow takes its share from others and waits long
--    for its turn.
-- param threshold = 0.9: share of the time that the medium is busy or stations count down their backoff, in the median
--    fifth of a second; a saturated medium leaves nothing else, and the rest allows for frames that were not heard
-- param minimum = 5: fifths of a second
-- param heavy = 0.01: share of the time below which it makes no difference who takes more than anyone else: dozens of
--    stations take the rest
-- needs: span_us >= 2e5 * $minimum
-- lacks: the recording is too short
-- says: The medium is busy {busy:percent} of the time; in the median fifth of a second {value:percent} with DIFS and
--    backoffs. {crowd}{sender_most} takes {airtime_share:percent}, more than anyone else.
-- remedy: Move heavy senders to another channel or band, or use narrower cells with less power.
-- without: {cause}
-- remove: sender is not distinct from $sender_most
-- frames: ta = $sender_most
-- filter: wlan.ta == {sender_most}
with most as (
    select source, sender as sender_most, sum(air_us) as most_us, count(*) as samples,
        count(*) over (partition by source) as senders
    from uses
    where sender is not null and not management
    group by source, sender
    qualify row_number() over (partition by source order by most_us desc, sender) = 1
),
accesses as (
    -- What an access costs besides its frames: at most DIFS and half of CWmin (802.11b: 15.5 slots of 20 us, else 7.5
    -- of 9 us); less where several stations count down at the same time.
    select source, end_ns // 200_000_000 as part, sum(air_us) as part_us,
        sum(least(greatest(idle_before_us, 0), case when phy in ('dsss', 'hr_dsss') then 360 else 102 end)) as wait_us
    from uses
    group by all
),
ranked as (
    select source, least((coalesce(part_us, 0) + coalesce(wait_us, 0)) / 2e5, 1) as share,
        -- Of fifths that were recorded; in those without any use nobody sent.
        last_ns // 200_000_000 - first_ns // 200_000_000 + 1
            - round((last_ns - first_ns - 1e3 * span_us) / 2e8)::bigint as parts,
        row_number() over (partition by source order by share desc) as place
    from accesses join spans using (source)
),
filled as (
    select source, sum(share) / (2 - any_value(parts) % 2) as share
    from ranked
    where place in ((parts + 1) // 2, parts // 2 + 1)
    group by source
)
select
    source,
    'channel ' || coalesce(
        (select mode(channel_mhz order by channel_mhz) from uses where uses.source = spans.source)::varchar || ' MHz',
        'unknown'
    ) as subject,
    share as value,
    least(busy_us / span_us, 1) as busy,
    most_us / span_us as airtime_share,
    uses as samples,
    sender_most,
    airtime_share < $heavy as untold,
    if(untold, 'Of ' || senders || ' senders none has much of it: ', '') as crowd,
    if(untold, '', 'what ' || sender_most || ' sends') as cause,
    if(untold, 'Find out who all these are: many stations with little each, or addresses that somebody makes up.', null)
        as remedy
from spans join most using (source) join filled using (source)
where value >= $threshold and span_us >= 2e5 * $minimum
