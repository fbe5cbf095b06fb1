-- title: Hidden-node suspects
-- param minimum = 3 (0 to): minimum number of CTS without their RTS
-- column source: recording
-- column observer: the station that does not hear the sender; null for an anonymous sniffer
-- column sender: the suspect: CTS to it are heard, its RTS are not
-- column receiver: the station that responded to it
-- column protected: recorded exchanges of the link with RTS/CTS
-- column hidden: of them, those with CTS but without RTS
-- column hidden_share: hidden / protected
-- column failed_rts: RTS of the link without CTS
-- column loss_share: share of the link's exchanges without the required response
with senders as (
    select
        source,
        observer,
        sender,
        arg_min(receiver, (first_ns, receiver)) as receiver,
        sum(if(kind = 'rts', exchanges, 0))::bigint as protected,
        sum(if(hidden, exchanges, 0))::bigint as hidden,
        sum(if(kind = 'rts_failed', exchanges, 0))::bigint as failed_rts,
        sum(if(not complete, exchanges, 0)) / sum(exchanges) as loss_share
    from exchange_sums()
    where kind in ('rts', 'rts_failed', 'basic', 'cts_self') and sender is not null
    group by source, observer, sender
)
select
    source,
    observer,
    sender,
    receiver,
    protected,
    hidden,
    round(hidden / nullif(protected, 0), 4) as hidden_share,
    failed_rts,
    round(loss_share, 4) as loss_share
from senders
where hidden >= $minimum
order by hidden_share desc, hidden desc, source, sender
