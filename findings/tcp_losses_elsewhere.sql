-- title: TCP loses segments, and not on the air
-- means: TCP takes every loss for congestion and sends less. Here a wire, a router or a queue loses segments: the radio
--    had delivered them, or never got them, and nothing that is done about the radio will help.
-- param threshold = 0.005: losses per segment, of which those within a round-trip time are one; they keep the window of
--    TCP at sqrt(3 / 2p) = 17 segments (Mathis et al., CCR 27(3), 1997), 20 Mb/s at a round-trip time of 10 ms
-- param duplicates = 3: duplicate acknowledgements between a loss and its repair, by which the receiver says that it
--    lacks the segment (RFC 5681)
-- param minimum = 300: segments of the flow
-- param events = 5: losses that must have been seen, of which those within a round-trip time are one
-- param probe = 1: octets of a keep-alive (RFC 9293, 3.8.4) or a window probe at most, which are sent again and again
-- param answer = 6000: us after a PPDU within which the BlockAck for it comes; the longest PPDU lasts 5484
-- weight = 0.2: what is lost elsewhere takes no airtime; it slows the flow as unfair shares do
-- needs: bool_or(proto in ('tcp', 'ack'))
-- lacks: no TCP header could be read
-- needs: count(*) filter (tcp_payload_bytes > $probe) >= $minimum
-- lacks: too few TCP headers could be read
-- says: Of {segments:count} segments of {flow} from {src_ip}, {behind:count} were acknowledged on the air and yet
--    missing at their receiver, and {before:count} did not come to the radio until their receiver had asked for them;
--    TCP sent {again:count} other segments again.
-- remedy: Look at the wire and the queues on the path, not at the radio.
-- frames: flow = $flow and src_ip = $src_ip and list_contains($lost, transport_seq)
-- filter: ip.src == {src_ip} && tcp.len > 0
with mpdus as (
    select source, flow, src_ip, ta, ra, tid, seq, transport_seq, tcp_payload_bytes,
        payload_bytes - tcp_payload_bytes as more,
        coalesce(start_ns, ts_ns) as sent_ns, coalesce(end_ns, ts_ns) as until_ns
    from frames
    where layer = 'mac' and proto = 'tcp' and tcp_payload_bytes > $probe and seq is not null and ta is not null
        and fcs_ok is distinct from false and parse_error is null and not coalesce(tcp_flags & 7 > 0, false)
        -- One hop: that of the transmitter that sent most of the flow.
        and (source, flow, src_ip, ta) in (
            select (source, flow, src_ip, mode(ta order by ta)) from frames
            where layer = 'mac' and proto = 'tcp' and tcp_payload_bytes > $probe group by source, flow, src_ip
        )
),
acks as (
    select source, flow, dst_ip as src_ip, tcp_ack, coalesce(end_ns, ts_ns) as heard_ns, frame_no,
        tcp_payload_bytes = 0 and tcp_ack = lag(tcp_ack) over every as duplicate
    from frames
    where layer = 'mac' and tcp_ack is not null and fcs_ok is distinct from false and parse_error is null
        and retry is distinct from true and not coalesce(tcp_flags & 7 > 0, false)
    window every as (partition by source, flow, dst_ip order by coalesce(end_ns, ts_ns), frame_no)
),
acknowledged as (
    select *, sum(if(duplicate, 1, 0)) over (
        partition by source, flow, src_ip, tcp_ack order by heard_ns, frame_no rows unbounded preceding
    ) as duplicates
    from acks
),
single as (
    select source, sender, start_ns, end_ns, complete and mpdus = 1 as answered
    from uses where attempted and start_ns is not null
),
bitmaps as (
    select source, ra as sender, ta as receiver, tid, ba_start_seq, ba_bitmap, start_ns
    from frames
    where kind = 'block_ack' and ba_bitmap is not null and start_ns is not null and fcs_ok is distinct from false
),
answered as (
    select mpdus.*,
        coalesce(single.answered and until_ns <= single.end_ns, false) as by_ack,
        (mpdus.seq - ba_start_seq + 4096) % 4096 as place,
        ba_bitmap,
        bitmaps.start_ns - until_ns <= 1000 * $answer as in_time
    from mpdus
    asof left join single on mpdus.source = single.source and mpdus.ta = single.sender
        and mpdus.sent_ns >= single.start_ns
    asof left join bitmaps on mpdus.source = bitmaps.source and mpdus.ta = bitmaps.sender
        and mpdus.ra = bitmaps.receiver and mpdus.tid = bitmaps.tid and mpdus.until_ns <= bitmaps.start_ns
),
copies as (
    -- Frames of the same MSDU are repetitions by the MAC.
    select source, flow, src_ip, transport_seq, seq, ta, tid,
        min(sent_ns) as sent_ns, max(tcp_payload_bytes) as length,
        bool_or(by_ack or coalesce(in_time and 4 * length(ba_bitmap) > place
            and (try_cast('0x' || substr(ba_bitmap, 1 + 2 * (place // 8)::int, 2) as int) >> (place % 8)::int) & 1 = 1,
            false)) as delivered
    from answered
    group by all
),
segments as (
    select copies.*,
        lead(sent_ns) over segment as again_ns,
        row_number() over segment as copy,
        max(transport_seq + length) over (
            partition by source, flow, src_ip order by sent_ns rows between unbounded preceding and 1 preceding
        ) as newest
    from copies
    window segment as (partition by source, flow, src_ip, transport_seq order by sent_ns)
),
numbered as (
    -- Sequence numbers count MPDUs per receiver and TID, of frames without QoS per transmitter (10.3.2.14.2).
    select source, ta, tid, seq, coalesce(start_ns, ts_ns) as sent_ns,
        (seq - lag(seq) over counter + 4096) % 4096 = 1 as next
    from frames
    where layer = 'mac' and kind in ('data', 'qos_data') and seq is not null and not coalesce(retry, false)
        and fcs_ok is distinct from false and not coalesce(is_group, false)
    window counter as (
        partition by source, ta, tid, case when tid is not null then ra end order by coalesce(start_ns, ts_ns), frame_no
    )
),
holes as (
    -- Between two frames whose numbers follow each other nothing was sent: what is missing there did not get lost on
    -- the air, and the recorder did not miss it.
    select segments.source, flow, src_ip, newest as from_seq, transport_seq as until_seq, segments.sent_ns
    from segments
    semi join numbered on segments.source = numbered.source and segments.ta = numbered.ta
        and segments.tid is not distinct from numbered.tid and segments.seq = numbered.seq
        and segments.sent_ns = numbered.sent_ns and numbered.next
    where copy = 1 and transport_seq > newest
),
lost as (
    select source, flow, src_ip, transport_seq, sent_ns as lost_ns, again_ns, 'behind' as place
    from segments
    where again_ns is not null and delivered
    union all
    select segments.source, segments.flow, segments.src_ip, transport_seq, holes.sent_ns, segments.sent_ns, 'before'
    from segments asof join holes on segments.source = holes.source and segments.flow = holes.flow
        and segments.src_ip = holes.src_ip and segments.transport_seq >= holes.from_seq
    where copy = 1 and transport_seq < until_seq and segments.sent_ns > holes.sent_ns
),
proven as (
    -- The receiver says which segment it lacks. Others behind that one may have arrived, though TCP sends them again.
    select lost.*
    from lost
    asof join acknowledged as late on lost.source = late.source and lost.flow = late.flow
        and lost.src_ip = late.src_ip and lost.again_ns >= late.heard_ns
    asof left join acknowledged as early on lost.source = early.source and lost.flow = early.flow
        and lost.src_ip = early.src_ip and lost.lost_ns >= early.heard_ns
    where late.tcp_ack = transport_seq
        and late.duplicates - if(early.tcp_ack = transport_seq, early.duplicates, 0) >= $duplicates
),
counted as (
    select source, flow, src_ip, count(*) filter (place = 'behind') as behind,
        count(*) filter (place = 'before') as before, count(*) filter (begins) as events,
        list(transport_seq order by lost_ns)[:8] as lost
    from (
        select *, coalesce(lost_ns > max(again_ns) over earlier, true) as begins
        from proven
        window earlier as (
            partition by source, flow, src_ip order by lost_ns, again_ns, transport_seq
            rows between unbounded preceding and 1 preceding
        )
    )
    group by all
),
flows as (
    select source, flow, src_ip, count(distinct transport_seq) as segments, count(again_ns) as again
    from segments
    group by all
)
select
    source,
    flow as subject,
    events / segments as value,
    null::double as airtime_share,
    events as samples,
    flow,
    src_ip,
    segments,
    behind,
    before,
    again - behind as again,
    lost,
    case when behind > 4 * before then 'Look behind the radio that received them, at the wire and the queues there.'
        when before > 4 * behind then 'Look ahead of the radio that sent them, at the wire and the queues there, its'
            || ' own included.' end as remedy
from flows join counted using (source, flow, src_ip)
where value >= $threshold and segments >= $minimum and events >= $events
    -- Of an A-MSDU only the first segment is known.
    and (source, flow, src_ip) not in (select (source, flow, src_ip) from mpdus where more > 128)
order by value desc, subject
