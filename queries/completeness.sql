-- title: Frames missed by the recorder, per link
-- param restart = 256 (1 to 2047): a larger step of the sequence number is a restart of the counter, not a gap
-- param fewest = 20 (1 to): minimum number of sequence numbers, exchanges or MPDUs for an estimate
-- column source: recording
-- column sender: transmitter
-- column receiver: receiver
-- column heard: recorded data and management frames of the link, retries included
-- column missed_estimate: estimated number of missed frames
-- column missed_share: missed_estimate / (heard + missed_estimate)
-- column evidence: the method below with the highest estimate, since each overlooks some missed frames
-- column by_sequence: share of missed first attempts: 1 - recorded first attempts / sequence numbers in their range
-- column sequence_numbers: sequence numbers in the range, of all frames of the sender with a common counter
-- column by_exchange: share of the link's exchanges, as shown by CTS, ACK or BlockAck, whose data or other content was missed
-- column exchanges: exchanges shown; of those without receiver, the link's share
-- column by_block_ack: share of the MPDUs acknowledged in BlockAck bitmaps that were never recorded
-- column acknowledged: MPDUs acknowledged in BlockAck bitmaps
with readable as (
    select
        *,
        coalesce(start_ns, ts_ns) as at_ns,
        kind = 'qos_data' and not is_group as is_own
    from frames
    where layer = 'mac' and parse_error is null and ta is not null
),
counted as (
    -- Sequence number spaces (IEEE 802.11-2020, 10.3.2.14.2): one per receiver and TID for individually addressed QoS
    -- data, one for all other frames. Some drivers use separate counters for beacons, or for responses to single
    -- stations, and some radios with several BSSIDs (whose addresses differ in the last octet) share one counter: each
    -- interpretation is tried.
    select
        source, ta, ra, seq, retry, reading, at_ns, frame_no,
        case when is_own then ra || ' ' || coalesce(tid, 0) else '' end as space,
        case when reading.per_radio then substr(ta, 1, 14) else ta end as counter,
        case reading.apart
            when 'beacons' then kind = 'beacon'
            when 'responses' then kind not in ('beacon', 'data', 'qos_data', 'null') and not is_group
            else false
        end as is_apart
    from readable
    cross join (
        select {apart: apart, per_radio: per_radio} as reading
        from (values ('nothing'), ('beacons'), ('responses')) as aparts (apart)
        cross join (values (false), (true)) as radios (per_radio)
    )
    where
        seq is not null and coalesce(frag, 0) = 0 and kind <> 'qos_null'
        and (not is_own or (reading.apart = 'nothing' and not reading.per_radio))
),
steps as (
    -- Step from frame to frame, forward or backward, modulo 4096.
    select *, (seq - lag(seq) over counter + 6144) % 4096 - 2048 as step
    from counted
    window counter as (partition by source, counter, space, reading, is_apart order by at_ns, frame_no)
),
epochs as (
    select
        *,
        coalesce(step between -64 and $restart, false) as continues,
        sum(case when step between -64 and $restart then 0 else 1 end) over counter as epoch
    from steps
    window counter as (partition by source, counter, space, reading, is_apart order by at_ns, frame_no)
),
positions as (
    select
        *,
        sum(case when continues then step else 0 end) over (
            partition by source, counter, space, reading, is_apart, epoch order by at_ns, frame_no
        ) as position
    from epochs
),
spans as (
    select
        source, counter, space, reading, is_apart, epoch,
        max(position) - min(position) + 1 as numbers,
        count(distinct position) filter (where not retry) as firsts
    from positions
    group by all
),
readings as (
    select source, counter, space, reading, sum(numbers) as numbers, sum(firsts) as firsts, count(*) as epochs
    from spans
    group by all
),
spaces as (
    -- The interpretation with the fewest gaps and restarts of the counter, which count as 64 missed numbers each.
    select source, ta, space, numbers, firsts
    from (select distinct source, ta, counter, space, reading from counted)
    join readings using (source, counter, space, reading)
    qualify row_number() over (
        partition by source, ta, space order by (numbers - firsts + 64 * (epochs - 1)) / numbers, reading.per_radio, reading.apart
    ) = 1
),
by_sequence as (
    select
        source, ta as sender, ra as receiver,
        sum(heard)::bigint as heard,
        sum(heard * (numbers - firsts) / greatest(firsts, 1)) as missed,
        sum(numbers)::bigint as numbers
    from (
        select source, ta, ra, space, count(*) as heard
        from counted
        where reading.apart = 'nothing' and not reading.per_radio
        group by all
    )
    join spaces using (source, ta, space)
    group by all
),
shown as (
    -- A CTS to the sender or an acknowledgment shows that a frame was transmitted, whether it was recorded or not. It
    -- is usually data, but its kind is unknown if it was missed, so recorded frames of any kind count.
    select
        source, sender, receiver,
        count(*) filter (where heard_data) as with_data,
        count(*) filter (where not heard_data) as without
    from exchanges
    where
        sender is not null
        and (ack_ns is not null or (kind = 'rts' and cts_ns is not null))
    group by all
),
by_exchange as (
    -- A CTS or ACK alone does not contain the receiver's address: it is distributed over the sender's links.
    select
        link.source, link.sender, link.receiver, link.with_data,
        link.without
        + coalesce(unknown.without, 0) * link.with_data / greatest(sum(link.with_data) over sender, 1) as without
    from (select * from shown where receiver is not null) as link
    left join (select * from shown where receiver is null) as unknown using (source, sender)
    window sender as (partition by link.source, link.sender)
),
reports as (
    -- Data and BlockAck of one agreement in one sequence; its first BlockAck also acknowledges earlier frames.
    select
        *,
        sum(case when is_near then step else 0 end) over agreement as position,
        count(bitmap) over agreement as report
    from (
        select *, sum(case when is_near then 0 else 1 end) over agreement as epoch
        from (
            select
                *,
                (number - lag(number) over agreement + 6144) % 4096 - 2048 as step,
                coalesce(step between -1024 and 1024, false) as is_near
            from (
                select source, ta as sender, ra as receiver, tid, seq as number, null as bitmap, at_ns, frame_no
                from readable
                where is_own and seq is not null
                union all
                select source, ra, ta, tid, ba_start_seq, ba_bitmap, at_ns, frame_no
                from readable
                where kind = 'block_ack' and ba_bitmap is not null
            )
            window agreement as (partition by source, sender, receiver, tid order by at_ns, frame_no)
        )
        window agreement as (partition by source, sender, receiver, tid order by at_ns, frame_no)
    )
    window agreement as (partition by source, sender, receiver, tid, epoch order by at_ns, frame_no)
),
acknowledged as (
    select source, sender, receiver, tid, epoch, position + bit as position
    from reports, unnest(range(4 * length(bitmap))) as bits (bit)
    where bitmap is not null and get_bit(from_hex(bitmap)::bit, (bit + 7 - 2 * (bit % 8))::integer) = 1
    group by source, sender, receiver, tid, epoch, position + bit
    having min(report) > 1
),
by_block_ack as (
    select
        source, sender, receiver,
        count(*) as acknowledged,
        count(*) filter (where heard.position is null) as unheard
    from acknowledged
    left join (select distinct source, sender, receiver, tid, epoch, position from reports where bitmap is null) as heard
        using (source, sender, receiver, tid, epoch, position)
    group by source, sender, receiver
),
shares as (
    select
        source, sender, receiver,
        coalesce(heard, 0) as heard,
        numbers,
        with_data + without as exchanges,
        acknowledged,
        case when numbers >= $fewest then missed / (missed + heard) end as sequence_share,
        case when exchanges >= $fewest then without / exchanges end as exchange_share,
        case when acknowledged >= $fewest then unheard / acknowledged end as block_ack_share,
        greatest(without, unheard) as fewest_missed
    from by_sequence
    full join by_exchange using (source, sender, receiver)
    full join by_block_ack using (source, sender, receiver)
),
estimates as (
    select *, greatest(sequence_share, exchange_share, block_ack_share) as share from shares
)
select
    source,
    sender,
    receiver,
    heard,
    round(case when heard = 0 then fewest_missed else heard * share / nullif(1 - share, 0) end, 1) as missed_estimate,
    round(share, 4) as missed_share,
    case share
        when sequence_share then 'sequence numbers'
        when exchange_share then 'exchanges'
        when block_ack_share then 'block acks'
    end as evidence,
    round(sequence_share, 4) as by_sequence,
    numbers as sequence_numbers,
    round(exchange_share, 4) as by_exchange,
    round(exchanges, 1) as exchanges,
    round(block_ack_share, 4) as by_block_ack,
    acknowledged
from estimates
order by source, heard desc, sender, receiver
