-- title: Busy links send single frames
-- means: At high rates most of an access is preamble, backoff and acknowledgement. A station that has several frames
--    for one receiver and sends each by itself pays for that every time (A-MPDU, IEEE 802.11-2020, 9.7).
-- param threshold = 0.05: share of the time that overhead of single frames of one link takes; the development runs of
--    docs/findings.md
-- param minimum = 200: data exchanges of the link
-- param single = 0.95: share of them with one MPDU
-- param queued = 0.5: share of them before which the station had not paused since its last one to the same receiver, so
--    that frames for it waited
-- param pause = 200: us without any use of the medium, more than DIFS and a backoff
-- needs: count(phy) > 0
-- lacks: the PHY of no frame is known
-- needs: attempts >= $minimum
-- lacks: too few frames to one station were heard
-- says: {sender} sent {single:percent} of {samples:count} frames to {receiver} one by one at {rate_mbps:rate}, while
--    others waited; preambles and acknowledgements of them take {value:percent} of the time.
-- remedy: Turn on A-MPDU aggregation at both ends for this traffic class, and check that BlockAck agreements are made.
-- given: bool_or(phy in ('ht', 'vht', 'he', 'eht'))
-- without: the overhead of single frames
-- frames: ta = $sender and ra = $receiver and kind = 'qos_data'
-- filter: wlan.ta == {sender} && wlan.ra == {receiver} && wlan.fc.type_subtype == 40
with stations as (
    select source, sender, receiver, mpdus, rate_mbps, air_us, length_bytes, start_ns,
        sum((coalesce(idle_before_us, $pause) >= $pause)::int) over (
            partition by source, sender order by start_ns
        ) as stretch
    from uses
    where delivered and data_kind = 'qos_data' and phy in ('ht', 'vht', 'he', 'eht') and rate_mbps > 0
),
links as (
    -- What comes for several receivers at once goes to each of them alone: that is no reason to call it queued.
    select *, coalesce(stretch = lag(stretch) over (partition by source, sender, receiver order by start_ns), false)
        as queued
    from stations
)
select
    source,
    sender || ' > ' || receiver as subject,
    sum(air_us - 8.0 * length_bytes / rate_mbps) / any_value(span_us) as value,
    value as airtime_share,
    count(*) as samples,
    sender,
    receiver,
    median(rate_mbps) as rate_mbps,
    count(*) filter (coalesce(mpdus, 1) <= 1) / count(*) as single
from links join spans using (source)
group by source, sender, receiver
having value >= $threshold and samples >= $minimum and single >= $single
    and count(*) filter (queued) / count(*) >= $queued
order by value desc, subject
