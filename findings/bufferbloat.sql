-- title: Packets wait in a full queue
-- means: A queue that is longer than a round trip needs is filled by every bulk transfer; calls and games then wait
--    behind it (bufferbloat).
-- param threshold = 100: ms that the median round-trip time lies above the least; ITU-T G.114 calls 150 ms one way the
--    limit of undisturbed talk
-- param minimum = 30: round-trip times of the flow
-- weight = 0.3: delay takes no airtime; users notice it as soon as a third of the airtime lost
-- needs: bool_or(proto in ('tcp', 'ack'))
-- lacks: no TCP header could be read
-- needs: count(*) filter (proto in ('tcp', 'ack')) >= 2 * $minimum
-- lacks: too few TCP headers could be read
-- says: The round-trip time of {flow} is {median_ms:ms} in the median and {least_ms:ms} at least, from {samples:count}
--    {seen}.
-- remedy: Limit the queues of access point and router by time (FQ-CoDel, CAKE), or shape just below the bottleneck.
-- frames: flow = $flow and src_ip = $src_ip and tcp_payload_bytes > 0
-- filter: ip.src == {src_ip} && tcp.len > 0
with segments as (
    select source, coalesce(observer, '') as place, flow, src_ip, transport_seq, tcp_ack, ta, tcp_tsval, tcp_tsecr,
        coalesce(packet_uid, seq) as msdu,
        coalesce(start_ns, ts_ns) as start_ns, coalesce(end_ns, ts_ns) as end_ns,
        case when src_ip like 'node-%' then 1 else tcp_payload_bytes end as length, proto
    from frames
    where layer = 'mac' and direction is distinct from 'drop' and proto in ('tcp', 'ack')
        and fcs_ok is distinct from false and parse_error is null
),
data as (
    select source, place, flow, src_ip, transport_seq + any_value(length) as seq_end, min(start_ns) as sent_ns
    from segments
    where length > 0 and proto = 'tcp'
    group by source, place, flow, src_ip, transport_seq
    having count(distinct (ta, msdu)) = count(distinct ta) -- Karn's algorithm
),
acknowledged as (
    select source, place, flow, src_ip as peer, tcp_ack, min(end_ns) as heard_ns
    from segments
    where tcp_ack is not null
    group by all
),
peers as (
    select data.*, other.peer
    from data join (select distinct source, place, flow, peer from acknowledged) as other using (source, place, flow)
    where other.peer <> data.src_ip
),
answered as (
    select peers.source, peers.place, peers.flow, peers.src_ip, seq_end, sent_ns, tcp_ack, heard_ns,
        lead(sent_ns) over (partition by peers.source, peers.place, peers.flow, peers.src_ip order by seq_end)
            as next_ns
    from peers
    asof join acknowledged on peers.source = acknowledged.source and peers.place = acknowledged.place
        and peers.flow = acknowledged.flow and peers.peer = acknowledged.peer and peers.seq_end <= acknowledged.tcp_ack
),
told as (
    select source, place, flow, src_ip as peer, tcp_tsval, min(end_ns) as told_ns
    from segments
    where tcp_tsval is not null
    group by all
),
echoed as (
    select source, place, flow, src_ip, tcp_tsecr, min(start_ns) as sent_ns
    from segments
    where length > 0 and proto = 'tcp' and tcp_tsecr is not null
    group by all
),
echoes as (
    -- What waits in front of the radio has not been on the air. A segment echoes the newest time stamp that its source
    -- has (RFC 7323, 4.3): it was sent before the next one came, and has been under way for longer than since then.
    select echoed.source, echoed.place, echoed.flow, echoed.src_ip, (sent_ns - newer_ns) / 1e6 as rtt_ms,
        min((sent_ns - told_ns) / 1e6) over (
            partition by echoed.source, echoed.place, echoed.flow, echoed.src_ip
        ) as least_ms
    from echoed
    join (select *, lead(told_ns) over (partition by source, place, flow, peer order by told_ns) as newer_ns from told)
        as told on echoed.source = told.source and echoed.place = told.place and echoed.flow = told.flow
        and echoed.src_ip <> told.peer and echoed.tcp_tsecr = told.tcp_tsval
    where sent_ns > told_ns
),
samples as (
    -- The newest segment that an ACK covers. One that comes alone may wait for its ACK at the receiver, for 200 ms and
    -- more; at least every second is acknowledged at once (RFC 1122, 4.2.3.2). So others must have been in flight:
    -- covered by the same ACK, or still under way when it came.
    select source, place, flow, src_ip, (heard_ns - sent_ns) / 1e6 as rtt_ms
    from answered
    window of_ack as (partition by source, place, flow, src_ip, tcp_ack)
    qualify seq_end = max(seq_end) over of_ack
        and (count(*) over of_ack > 1 or coalesce(next_ns < heard_ns, false))
),
delays as (
    select source, place, flow, src_ip, rtt_ms, min(rtt_ms) over (partition by source, place, flow, src_ip) as least_ms,
        'segments of ' || src_ip || ' that were not alone on their way' as seen
    from samples
    where rtt_ms >= 0
    union all
    select source, place, flow, src_ip, rtt_ms, least_ms, 'time stamps that ' || src_ip || ' echoed' from echoes
    where rtt_ms >= 0
)
select
    source,
    flow as subject,
    median(rtt_ms) - any_value(least_ms) as value,
    null::double as airtime_share,
    count(*) as samples,
    flow,
    src_ip,
    median(rtt_ms) as median_ms,
    any_value(least_ms) as least_ms,
    seen
from delays
group by source, place, flow, src_ip, seen
having value >= $threshold and count(*) >= $minimum
-- What waits on the way to the radio and behind it shows by time stamps, what waits behind it by both.
qualify row_number() over (partition by source, flow, src_ip order by value desc, seen) = 1
order by value desc, subject
