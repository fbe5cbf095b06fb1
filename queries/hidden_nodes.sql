-- title: Hidden-node suspects
-- param minimum = 3: minimum number of CTS without their RTS
-- column source: recording
-- column observer: the station that does not hear the sender; null for an anonymous sniffer
-- column sender: the suspect: CTS to it are heard, its RTS are not
-- column receiver: the station that responded to it
-- column protected: recorded exchanges of the link with RTS/CTS
-- column hidden: of them, those with CTS but without RTS
-- column hidden_share: hidden / protected
-- column failed_rts: RTS of the link without CTS
-- column loss_share: share of the link's exchanges without the required response
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
