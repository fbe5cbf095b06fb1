-- title: TCP stalls
-- means: For longer than a timer of TCP nothing that was sent came through, and no acknowledgement returned. Then TCP
--    sends it again, and begins with a small window.
-- param threshold = 0.05: share of the time in which nothing was acknowledged although segments were under way, which
--    were then sent again
-- param wait = 200: ms without an acknowledgement, the least that Linux sets its timer to above the round-trip time
-- param duplicates = 3: acknowledgements behind the silence that make a repetition one without the timer (RFC 5681)
-- param trips = 2: usual round-trip times that the silence must then have lasted: of a flow with a window of few
--    segments one is a silence anyway
-- weight = 0.3: silence takes no airtime; users notice it as soon as a third of the airtime lost
-- needs: bool_or(proto in ('tcp', 'ack'))
-- lacks: no TCP header could be read
-- needs: max(ts_ns) - min(ts_ns) >= 1e6 * $wait
-- lacks: the recording is too short
-- param probe = 1: octets of a keep-alive (RFC 9293, 3.8.4) or a window probe at most, which are sent again and again
-- says: {flow} stood still for {value:percent} of the time, {median_ms:ms} at a time (median): no acknowledgement came,
--    and {src_ip} sent {segments:count} segments again. In {arrived:count} of {times:count} silences the segment had
--    been acknowledged on the air: what was missing got lost elsewhere.
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
segments as (
    select source, flow, src_ip, transport_seq + length as seq_end, sent_ns, tried_ns, sender,
        lag(sent_ns) over segment as first_ns,
        lag(tried_ns) over segment as before_ns,
        count(*) over (partition by source, flow, src_ip, transport_seq) as times
    from copies
    window segment as (partition by source, flow, src_ip, transport_seq order by sent_ns)
),
acknowledged as (
    select source, flow, dst_ip as src_ip, tcp_ack, coalesce(end_ns, ts_ns) as heard_ns,
        row_number() over every as place,
        lead(coalesce(end_ns, ts_ns)) over every as next_ns
    from frames
    where layer = 'mac' and tcp_ack is not null and direction is distinct from 'drop'
        and fcs_ok is distinct from false and parse_error is null
        and retry is distinct from true
    window every as (partition by source, flow, dst_ip order by coalesce(end_ns, ts_ns))
),
trips as (
    -- Of segments that were sent once (Karn's algorithm).
    select segments.source, segments.flow, segments.src_ip, median(heard_ns - sent_ns) as rtt_ns
    from segments asof join acknowledged on segments.source = acknowledged.source
        and segments.flow = acknowledged.flow and segments.src_ip = acknowledged.src_ip
        and segments.seq_end <= acknowledged.tcp_ack
    where times = 1 and heard_ns >= sent_ns
    group by all
),
silences as (
    select source, flow, src_ip, heard_ns as from_ns, next_ns as until_ns, place
    from acknowledged
    where coalesce(next_ns - heard_ns >= 1e6 * $wait, true)
    union all
    select source, flow, src_ip, 0, min(heard_ns), 0 from acknowledged group by source, flow, src_ip
    union all
    -- Where no acknowledgement is heard, the source that sends nothing tells.
    (
        select source, flow, src_ip, tried_ns,
            lead(sent_ns) over (partition by source, flow, src_ip order by sent_ns) as next_ns, 0
        from copies anti join acknowledged using (source, flow, src_ip)
        qualify next_ns - tried_ns >= 1e6 * $wait
    )
),
waits as (
    -- How much of a silence a segment was under way in.
    select segments.*, from_ns, place,
        least(coalesce(until_ns, sent_ns), sent_ns) - greatest(from_ns, first_ns) as quiet_ns
    from segments join silences on segments.source = silences.source and segments.flow = silences.flow
        and segments.src_ip = silences.src_ip and from_ns < sent_ns
        and (until_ns is null or until_ns > first_ns)
    where sent_ns - first_ns >= 1e6 * $wait and quiet_ns >= 1e6 * $wait
    qualify row_number() over (
        partition by segments.source, segments.flow, segments.src_ip, seq_end, sent_ns order by quiet_ns desc
    ) = 1
),
repeated as (
    select waits.*, coalesce(newest.place, 0) - waits.place as answers, tcp_ack
    from waits
    asof left join acknowledged as newest on waits.source = newest.source and waits.flow = newest.flow
        and waits.src_ip = newest.src_ip and waits.sent_ns > newest.heard_ns
),
stalls as (
    -- Of what follows one silence the first counts. What had been acknowledged did arrive. Sequence numbers begin again
    -- behind 2^32.
    select repeated.* exclude (quiet_ns), max(quiet_ns) over silence as quiet_ns, count(*) over silence as segments
    from repeated left join trips using (source, flow, src_ip)
    where coalesce((tcp_ack - seq_end + 4294967296) % 4294967296 >= 2147483648, true)
        and (answers < $duplicates or coalesce(quiet_ns >= $trips * rtt_ns, false))
    window silence as (partition by source, flow, src_ip, from_ns)
    qualify row_number() over (silence order by sent_ns) = 1
),
answered as (
    select source, sender, start_ns, end_ns, complete from uses where attempted and start_ns is not null
),
told as (
    select stalls.*, coalesce(complete and before_ns <= end_ns, false) as arrived
    from stalls
    asof left join answered on stalls.source = answered.source and stalls.sender = answered.sender
        and stalls.before_ns >= answered.start_ns
)
select
    source,
    flow as subject,
    sum(quiet_ns) / 1e3 / any_value(span_us) as value,
    null::double as airtime_share,
    -- Segments that the radio fails to deliver are observations each; of what has arrived only the silence is one.
    if(2 * count(*) filter (arrived) > count(*), count(*), sum(segments))::bigint as samples,
    sum(segments)::bigint as segments,
    count(*) as times,
    flow,
    src_ip,
    median(quiet_ns) / 1e6 as median_ms,
    count(*) filter (arrived) as arrived,
    case when 2 * count(*) filter (arrived) > count(*) then 'Look behind the radio that sent them, where most of them'
        || ' arrived: for a wire or a queue that loses packets, or for acknowledgements that come late.' end as remedy
from told join spans using (source)
group by source, flow, src_ip
having value >= $threshold
order by value desc, subject
