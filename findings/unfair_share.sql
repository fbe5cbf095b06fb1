-- title: One flow gets far less than another
-- means: Flows that compete for the same medium get very different shares: stations with better signal, shorter round
--    trips or deeper queues crowd the others out.
-- param threshold = 4: bytes of the flow with most, over those of the flow with least
-- param minimum = 20: segments of each flow
-- param full = 0.9: share of its largest segment that a flow's median segment holds; with smaller ones a flow waits for
--    its application, not for the medium
-- param together = 0.8: share of the recorded time in which both flows send
-- weight = 0.2: the airtime is used, but not by those who should have it
-- needs: bool_or(proto in ('tcp', 'ack'))
-- lacks: no TCP header could be read
-- needs: count(*) filter (tcp_payload_bytes > 0) >= 2 * $minimum
-- lacks: too few TCP headers could be read
-- says: {flow_most} got {value:times} the bytes of {flow_least} while both were sending.
-- remedy: Use fair queueing per station (airtime fairness) at the access point, and check the slow flow's signal and
--    rate.
-- frames: flow = $flow_least and src_ip = $least_ip and tcp_payload_bytes > 0
-- filter: ip.src == {least_ip} && tcp.len > 0
with flows as (
    select source, flow, src_ip, count(distinct transport_seq) as segments,
        sum(bytes) as bytes, min(first_ns) as first_ns, max(last_ns) as last_ns
    from (
        select source, flow, src_ip, transport_seq, max(tcp_payload_bytes) as bytes,
            min(coalesce(start_ns, ts_ns)) as first_ns, max(coalesce(start_ns, ts_ns)) as last_ns
        from frames
        where layer = 'mac' and proto = 'tcp' and tcp_payload_bytes > 0 and fcs_ok is distinct from false
        group by all
    )
    group by source, flow, src_ip
    having count(distinct transport_seq) >= $minimum and median(bytes) >= $full * max(bytes)
),
lasting as (
    select flows.*
    from flows join spans using (source)
    where flows.last_ns - flows.first_ns >= $together * (spans.last_ns - spans.first_ns)
)
select
    source,
    arg_min(flow, bytes) as subject,
    max(bytes) / min(bytes) as value,
    null::double as airtime_share,
    min(segments) as samples,
    arg_max(flow, bytes) as flow_most,
    subject as flow_least,
    arg_min(src_ip, bytes) as least_ip
from lasting
group by source
having value >= $threshold
