-- title: TCP retransmissions by flow and hop, without MAC retries
-- param minimum = 1 (0 to): minimum number of segments of a hop
-- column source: recording
-- column observer: address of the recording station; null for an anonymous sniffer
-- column flow: conversation
-- column sender: network source of the data
-- column transmitter: station that sent the frames of this hop
-- column segments: segments with data, not counting MAC retries
-- column retransmissions: of them, those with a sequence number that was sent before
-- column retransmission_share: retransmissions / segments
-- column mac_retries: MAC retries of these segments
with frames_of_data as (
    select source, observer, flow, src_ip, ta, transport_seq, coalesce(packet_uid, seq) as msdu,
        coalesce(start_ns, ts_ns) as start_ns
    from frames
    -- In a simulation a packet counts at its transmitter, not at the nodes that receive it.
    where layer = 'mac' and proto = 'tcp' and (src_ip like 'node-%' or tcp_payload_bytes > 0)
        and (direction = 'tx' or direction is null or (direction = 'rx' and src_ip not like 'node-%'))
        and fcs_ok is distinct from false and parse_error is null
),
sent as (
    select source, observer, flow, src_ip, ta, transport_seq, count(*) - 1 as mac_retries,
        row_number() over (
            partition by source, observer, flow, src_ip, ta, transport_seq
            order by min(start_ns)
        ) > 1 as is_retransmission
    from frames_of_data
    group by source, observer, flow, src_ip, ta, transport_seq, msdu
)
select source, observer, flow, src_ip as sender, ta as transmitter, count(*) as segments,
    count(*) filter (where is_retransmission) as retransmissions,
    round(retransmissions / segments, 4) as retransmission_share,
    sum(mac_retries)::bigint as mac_retries
from sent
group by source, observer, flow, src_ip, ta
having count(*) >= $minimum
order by retransmissions desc, segments desc, source, observer, flow, transmitter
