-- title: TCP round-trip times by flow, from a segment to the first acknowledgment that covers it
-- param minimum = 1 (0 to): minimum number of samples of a flow
-- column source: recording
-- column observer: address of the recording station; null for an anonymous sniffer
-- column flow: conversation
-- column sender: network source of the data
-- column samples: segments that were sent once and whose acknowledgment was recorded
-- column rtt_min_ms: shortest round-trip time measured at the recorder, ms
-- column rtt_median_ms: median, ms
-- column rtt_p95_ms: 95th percentile, ms; null: fewer than 20 samples, which have none
-- column rtt_max_ms: longest, ms
with segments as (
    select source, coalesce(observer, '') as place, flow, src_ip, proto, transport_seq, tcp_ack, ta,
        coalesce(packet_uid, seq) as msdu, -- the same when the MAC sends it again
        coalesce(start_ns, ts_ns) as start_ns, coalesce(end_ns, ts_ns) as end_ns,
        case when src_ip like 'node-%' then 1 else tcp_payload_bytes end as length -- ns-2 numbers packets
    from frames
    where layer = 'mac' and direction is distinct from 'drop' and proto in ('tcp', 'ack')
        and fcs_ok is distinct from false and parse_error is null
),
data as (
    select source, place, flow, src_ip, transport_seq + any_value(length) as seq_end, min(start_ns) as sent_ns
    from segments
    where length > 0 and proto = 'tcp'
    group by source, place, flow, src_ip, transport_seq
    -- Karn's algorithm: if a segment was sent twice, it is unknown which one is acknowledged.
    having count(distinct (ta, msdu)) = count(distinct ta)
),
acknowledged as (
    select source, place, flow, src_ip, tcp_ack, min(end_ns) as heard_ns
    from segments
    where tcp_ack is not null
    group by source, place, flow, src_ip, tcp_ack
),
peers as (
    select data.*, other.src_ip as peer
    from data
    join (select distinct source, place, flow, src_ip from acknowledged) as other using (source, place, flow)
    where other.src_ip <> data.src_ip
),
samples as (
    select peers.source, peers.place, peers.flow, peers.src_ip, (heard_ns - sent_ns) / 1e6 as rtt_ms
    from peers
    asof join acknowledged
        on peers.source = acknowledged.source and peers.place = acknowledged.place and peers.flow = acknowledged.flow
            and peers.peer = acknowledged.src_ip and peers.seq_end <= acknowledged.tcp_ack
)
select source, nullif(place, '') as observer, flow, src_ip as sender, count(*) as samples,
    round(min(rtt_ms), 3) as rtt_min_ms, round(median(rtt_ms), 3) as rtt_median_ms,
    case when count(*) >= 20 then round(quantile_cont(rtt_ms, 0.95), 3) end as rtt_p95_ms, round(max(rtt_ms), 3) as rtt_max_ms
from samples
where rtt_ms >= 0
group by source, place, flow, src_ip
having count(*) >= $minimum
order by samples desc, source, observer, flow, sender
