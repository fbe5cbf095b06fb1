-- title: The channel is full
-- means: The medium is busy nearly all of the time, so that every new flow takes its share from others and waits long
--    for its turn.
-- param threshold = 0.9: share of the time that the medium is busy or stations count down their backoff; a saturated
--    medium leaves nothing else, and the rest allows for frames that were not heard
-- says: The medium is busy {busy:percent} of the time, {value:percent} with DIFS and backoffs. {sender_most} takes
--    {airtime_share:percent}, more than anyone else.
-- remedy: Move heavy senders to another channel or band, or use narrower cells with less power.
-- without: what {sender_most} sends
-- remove: sender is not distinct from $sender_most
-- frames: ta = $sender_most
-- filter: wlan.ta == {sender_most}
with most as (
    select source, sender as sender_most, sum(air_us) as most_us, count(*) as samples
    from uses
    where sender is not null and not management
    group by source, sender
    qualify row_number() over (partition by source order by most_us desc, sender) = 1
),
accesses as (
    -- What an access costs besides its frames: at most DIFS and half of CWmin (802.11b: 15.5 slots of 20 us, else 7.5
    -- of 9 us); less where several stations count down at the same time.
    select source,
        sum(least(greatest(idle_before_us, 0), case when phy in ('dsss', 'hr_dsss') then 360 else 102 end)) as wait_us
    from uses
    group by source
)
select
    source,
    'channel ' || coalesce(
        (select mode(channel_mhz) from uses where uses.source = spans.source)::varchar || ' MHz', 'unknown'
    ) as subject,
    least((busy_us + wait_us) / span_us, 1) as value,
    least(busy_us / span_us, 1) as busy,
    most_us / span_us as airtime_share,
    uses as samples,
    sender_most
from spans join most using (source) join accesses using (source)
where value >= $threshold
