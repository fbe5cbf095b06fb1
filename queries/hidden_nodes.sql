-- title: Hidden-node suspects
-- param minimum = 3: links with fewer exchanges at this observer are left out
-- column source: recording
-- column observer: who does not hear the sender; null for an anonymous sniffer
-- column sender: the suspect: its CTS answers are heard, its RTS are not
-- column receiver: who answered it
-- column protected: exchanges of the link opened by RTS/CTS, as far as heard
-- column hidden: of them, CTS heard without its RTS
-- column hidden_share: hidden / protected
-- column failed_rts: RTS of the link that nobody answered
-- column loss_share: exchanges of the link without the answer that was due
select
    source,
    observer,
    sender,
    any_value(receiver) as receiver,
    count(*) filter (where kind = 'rts') as protected,
    count(*) filter (where hidden) as hidden,
    round(count(*) filter (where hidden) / nullif(count(*) filter (where kind = 'rts'), 0), 4) as hidden_share,
    count(*) filter (where kind = 'rts_failed') as failed_rts,
    round(count(*) filter (where not complete) / count(*), 4) as loss_share
from exchanges
where kind in ('rts', 'rts_failed', 'basic', 'cts_self') and sender is not null
group by source, observer, sender
having hidden >= $minimum
order by hidden_share desc, hidden desc, source, sender
