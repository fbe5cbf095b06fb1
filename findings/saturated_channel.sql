-- title: The channel is full
-- means: The medium is busy nearly all of the time, so that every new flow takes its share from others and waits long
--    for its turn.
-- param threshold = 0.8: share of the time; saturated senders of the development runs of docs/findings.md leave
--    backoffs and little else idle
-- says: The medium is busy {busy:percent} of the time. {sender_most} takes {airtime_share:percent}, more than anyone
--    else.
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
)
select
    source,
    'channel ' || coalesce(
        (select mode(channel_mhz) from uses where uses.source = spans.source)::varchar || ' MHz', 'unknown'
    ) as subject,
    busy_us / span_us as value,
    least(value, 1) as busy,
    most_us / span_us as airtime_share,
    uses as samples,
    sender_most
from spans join most using (source)
where value >= $threshold
