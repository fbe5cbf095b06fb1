-- title: Bulk traffic is sent as voice
-- means: Voice has the shortest space and backoff (EDCA, IEEE 802.11-2020, 10.23.2). Bulk traffic in that category
--    passes everybody, and collides more often, because its contention window is small.
-- param threshold = 0.05: share of the time that long packets sent as voice take from one station to another; half of
--    what management may take before it counts
-- param bulk = 1000: octets of a packet at least; 60 ms of G.711, the most that codecs are set to, are 480 and headers
-- param minimum = 50: exchanges with such packets
-- weight = 0.2: the airtime is used, but before the turn of others
-- needs: bool_or(tid is not null)
-- lacks: no frame with a traffic identifier was heard
-- given: bool_or(tid in (6, 7))
-- says: {samples:count} times {sender} sent packets of {octets:count} octets (median) to {receiver} as voice (user
--    priority {priority}), longer than those of any voice codec; they take {value:percent} of the time.
-- remedy: Mark this traffic as best effort where it is sent, or let the access point map the marks (RFC 8325).
-- frames: ta = $sender and ra = $receiver and tid in (6, 7) and payload_bytes >= $least
-- filter: wlan.ta == {sender} && wlan.ra == {receiver} && wlan.qos.tid >= 6 && wlan.qos.tid <= 7
select
    source,
    sender || ' > ' || receiver as subject,
    sum(air_us) / any_value(span_us) as value,
    null::double as airtime_share,
    count(*) as samples,
    sender,
    receiver,
    mode(tid order by tid) as priority,
    median(payload_bytes / mpdus) as octets,
    $bulk as least
from uses join spans using (source)
-- User priorities 6 and 7 (10.2.3.2); TIDs from 8 on are traffic streams with parameters of their own.
where attempted and data_kind = 'qos_data' and tid in (6, 7) and mpdus > 0 and payload_bytes >= $bulk * mpdus
group by source, sender, receiver
having value >= $threshold and samples >= $minimum
order by value desc, subject
