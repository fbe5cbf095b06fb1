-- title: TCP waits for timeouts
-- means: Where losses come so close together that no duplicate acknowledgements return, TCP sends nothing until its
--    timer expires, and begins again with a small window.
-- param threshold = 3: segments sent again after the timer of 200 ms, the least that Linux sets
-- param wait = 200: ms after which a repetition is due to the timer
-- weight = 0.3: silence takes no airtime; users notice it as soon as a third of the airtime lost
-- needs: bool_or(proto in ('tcp', 'ack'))
-- lacks: no TCP header could be read
-- needs: max(ts_ns) - min(ts_ns) >= 1e6 * $wait
-- lacks: the recording is too short
-- param probe = 1: octets of a keep-alive (RFC 9293, 3.8.4) or a window probe at most, which are sent again and again
-- says: {samples:count} segments of {flow} were sent again {median_ms:ms} (median) after the first time.
-- remedy: Look for what loses frames in bursts: roaming, interference, power save, or a queue that drops.
-- frames: flow = $flow and src_ip = $src_ip and tcp_payload_bytes > 0
-- filter: ip.src == {src_ip} && tcp.len > 0
with copies as (
    -- Frames of the same MSDU are repetitions by the MAC.
    select source, flow, src_ip, transport_seq, coalesce(packet_uid, seq) as msdu,
        min(coalesce(start_ns, ts_ns)) as sent_ns, max(if(src_ip like 'node-%', 1, tcp_payload_bytes)) as length
    from frames
    where layer = 'mac' and proto = 'tcp' and (src_ip like 'node-%' or tcp_payload_bytes > $probe)
        and direction is distinct from 'drop' and fcs_ok is distinct from false and parse_error is null
        and not coalesce(tcp_flags & 7 > 0, false)
        -- One hop: that of the transmitter that sent most of the flow.
        and (source, flow, src_ip, ta) in (
            select (source, flow, src_ip, mode(ta order by ta)) from frames
            where layer = 'mac' and proto = 'tcp' group by source, flow, src_ip
        )
    group by source, flow, src_ip, transport_seq, msdu
),
waits as (
    select source, flow, src_ip, transport_seq + length as seq_end, sent_ns,
        (sent_ns - lag(sent_ns) over segment) / 1e6 as wait_ms
    from copies
    window segment as (partition by source, flow, src_ip, transport_seq order by sent_ns)
),
acknowledged as (
    select source, flow, dst_ip as src_ip, tcp_ack, coalesce(end_ns, ts_ns) as heard_ns
    from frames
    where layer = 'mac' and tcp_ack is not null and direction is distinct from 'drop'
        and fcs_ok is distinct from false and parse_error is null
),
stalls as (
    select waits.*
    from waits
    asof left join acknowledged on waits.source = acknowledged.source and waits.flow = acknowledged.flow
        and waits.src_ip = acknowledged.src_ip and waits.sent_ns > acknowledged.heard_ns
    -- What had been acknowledged did arrive. Sequence numbers begin again behind 2^32.
    where wait_ms >= $wait and coalesce((tcp_ack - seq_end + 4294967296) % 4294967296 >= 2147483648, true)
)
select
    source,
    flow as subject,
    count(*)::double as value,
    null::double as airtime_share,
    count(*) as samples,
    flow,
    src_ip,
    median(wait_ms) as median_ms
from stalls
group by source, flow, src_ip
having count(*) >= $threshold
order by value desc, subject
