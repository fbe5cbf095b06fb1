-- title: TCP waits for timeouts
-- means: Where losses come so close together that no duplicate acknowledgements return, TCP sends nothing until its
--    timer expires, and begins again with a small window.
-- param threshold = 3: timeouts: segments sent again after the timer of 200 ms, the least that Linux sets, before which
--    the source was silent
-- param wait = 200: ms after which a repetition is due to the timer
-- param silence = 50: ms for which the source had sent nothing: what it repeats when acknowledgements tell of a loss,
--    a full queue later, or one by one behind a timeout, it repeats while it sends
-- param duplicates = 3: acknowledgements during the silence that make a repetition one without the timer (RFC 5681)
-- weight = 0.3: silence takes no airtime; users notice it as soon as a third of the airtime lost
-- needs: bool_or(proto in ('tcp', 'ack'))
-- lacks: no TCP header could be read
-- needs: max(ts_ns) - min(ts_ns) >= 1e6 * $wait
-- lacks: the recording is too short
-- param probe = 1: octets of a keep-alive (RFC 9293, 3.8.4) or a window probe at most, which are sent again and again
-- says: {samples:count} times {src_ip} sent nothing of {flow} until a timer expired, {median_ms:ms} (median) after the
--    segment had been sent first; {arrived:count} of these segments had been acknowledged on the air.
-- remedy: Look for what loses frames in bursts: roaming, interference, power save, or a queue that drops.
-- frames: flow = $flow and src_ip = $src_ip and tcp_payload_bytes > 0
-- filter: ip.src == {src_ip} && tcp.len > 0
with copies as (
    -- Frames of the same MSDU are repetitions by the MAC.
    select source, flow, src_ip, transport_seq, coalesce(packet_uid, seq) as msdu, any_value(ta) as sender,
        min(coalesce(start_ns, ts_ns)) as sent_ns, max(coalesce(start_ns, ts_ns)) as tried_ns,
        max(if(src_ip like 'node-%', 1, tcp_payload_bytes)) as length
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
paced as (
    select *, lag(tried_ns) over every as quiet_ns, coalesce(sent_ns - quiet_ns >= 1e6 * $silence, false) as is_behind
    from copies
    window every as (partition by source, flow, src_ip order by sent_ns)
),
stretches as (
    select *, sum(is_behind::int) over (partition by source, flow, src_ip order by sent_ns) as stretch
    from paced
),
repeated as (
    select source, flow, src_ip, transport_seq + length as seq_end, sent_ns, sender, stretch,
        lag(tried_ns) over segment as tried_ns,
        (sent_ns - lag(sent_ns) over segment) / 1e6 as wait_ms,
        min(sent_ns) over of_stretch as begun_ns,
        min(quiet_ns) over of_stretch as quiet_ns
    from stretches
    window segment as (partition by source, flow, src_ip, transport_seq order by sent_ns),
        of_stretch as (partition by source, flow, src_ip, stretch)
),
waits as (
    -- What had been sent before the silence, which is shorter than the timer: the MAC repeats frames meanwhile. Of what
    -- follows one timeout the first counts.
    from repeated
    where wait_ms >= $wait and stretch > 0 and tried_ns < begun_ns
),
acknowledged as (
    select source, flow, dst_ip as src_ip, tcp_ack, coalesce(end_ns, ts_ns) as heard_ns,
        row_number() over (partition by source, flow, dst_ip order by coalesce(end_ns, ts_ns)) as place
    from frames
    where layer = 'mac' and tcp_ack is not null and direction is distinct from 'drop'
        and fcs_ok is distinct from false and parse_error is null
        and retry is distinct from true
),
stalls as (
    select waits.*, coalesce(newest.place, 0) - coalesce(before.place, 0) as duplicates
    from waits
    asof left join acknowledged as newest on waits.source = newest.source and waits.flow = newest.flow
        and waits.src_ip = newest.src_ip and waits.begun_ns > newest.heard_ns
    asof left join acknowledged as before on waits.source = before.source and waits.flow = before.flow
        and waits.src_ip = before.src_ip and waits.quiet_ns > before.heard_ns
    -- What had been acknowledged did arrive. Sequence numbers begin again behind 2^32.
    where coalesce((newest.tcp_ack - seq_end + 4294967296) % 4294967296 >= 2147483648, true)
        and duplicates < $duplicates
    qualify row_number() over (partition by waits.source, waits.flow, waits.src_ip, stretch order by sent_ns) = 1
),
answered as (
    select source, sender, start_ns, end_ns, complete from uses where attempted and start_ns is not null
),
told as (
    select stalls.*, coalesce(complete and tried_ns <= end_ns, false) as arrived
    from stalls
    asof left join answered on stalls.source = answered.source and stalls.sender = answered.sender
        and stalls.tried_ns >= answered.start_ns
)
select
    source,
    flow as subject,
    count(*)::double as value,
    null::double as airtime_share,
    count(*) as samples,
    flow,
    src_ip,
    median(wait_ms) as median_ms,
    count(*) filter (arrived) as arrived,
    case when 2 * count(*) filter (arrived) > count(*) then 'Look behind the radio that sent them, where most of them'
        || ' arrived: for a wire or a queue that loses packets, or for acknowledgements that come late.' end as remedy
from told
group by source, flow, src_ip
having count(*) >= $threshold
order by value desc, subject
