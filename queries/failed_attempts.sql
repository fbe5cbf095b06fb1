-- title: Failed attempts by link
-- param minimum = 1 (0 to): minimum number of attempts of a link
-- param views = 0 (0 to 1): 1: what every recorder saw of a link; 0: of a link whose sender recorded itself, not what others saw then
-- column source: recording
-- column observer: address of the recording station; only the sender's own recording has every attempt; null: an anonymous sniffer
-- column sender: transmitter of the data
-- column receiver: receiver of the data
-- column attempts: transmissions to the receiver: an RTS, or data without RTS; other control frames are none
-- column rts_without_cts: RTS without CTS
-- column data_without_ack: data without acknowledgment
-- column failed_share: (rts_without_cts + data_without_ack) / attempts; null: the recorder, not the sender, heard no response of the receiver
-- column repeated: attempts that are retries
-- column most_attempts: maximum number of attempts of one packet
with links as (
    select
        source,
        observer,
        sender,
        receiver,
        sum(exchanges)::bigint as attempts,
        sum(if(kind = 'rts_failed', exchanges, 0))::bigint as rts_without_cts,
        sum(if(kind <> 'rts_failed' and not complete, exchanges, 0))::bigint as data_without_ack,
        case when bool_or(complete) or observer = sender or starts_with(sender, 'node-') then
            round(sum(if(not complete, exchanges, 0)) / sum(exchanges), 4)
        end as failed_share,
        sum(if(attempt > 1, exchanges, 0))::bigint as repeated,
        max(attempt) as most_attempts
    from exchange_sums()
    where kind in ('rts', 'basic', 'cts_self', 'rts_failed')
        and coalesce(data_kind not in ('block_ack_req', 'ps_poll', 'trigger', 'ndpa', 'beamforming_poll'), true)
        and sender is not null
        and receiver is not null
        and receiver[2] not in ('1', '3', '5', '7', '9', 'b', 'd', 'f')
    group by source, observer, sender, receiver
    having attempts >= $minimum
),
spans as (select source, min(first_ns) as first_ns, max(until_ns) as until_ns from exchange_sums() group by source)
select links.*
from links
where $views = 1 or observer is not distinct from sender or not exists (
    select 1
    from links as own
    join spans as here on here.source = links.source
    join spans as there on there.source = own.source
    where own.observer = own.sender and own.sender = links.sender and own.receiver = links.receiver
        and own.attempts >= 0.9 * links.attempts
        and of_one_time(here.source, here.first_ns, here.until_ns, there.source, there.first_ns, there.until_ns)
)
order by failed_share is null, rts_without_cts + data_without_ack desc, attempts desc, source, observer, sender, receiver
