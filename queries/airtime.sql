-- title: Airtime, octets and frames by network, station and class of frame
-- column bssid: basic service set of the exchange; null: unknown, or all of them
-- column ssid: network name that the BSSID announced; null: none was heard
-- column station: transmitter of the data; null if it was not readable
-- column class: data, data_again, beacon, probe, management, null_data, control, data_unheard (only the control frames around it were heard) or unreadable
-- column exchanges: uses of the medium
-- column packets: data and management MPDUs; an exchange without one counts as one
-- column bytes: octets of those MPDUs, FCS included
-- column airtime_ms: from the start of the first frame to the end of the last, SIFS included, ms; null: no times are known
-- column share: share of the recorded time, without recordings whose part another holds too
with used as (
    select
        source, observer, sender, receiver, if(regexp_matches(bssid, '^.[13579bdf]'), null, bssid) as bssid, exchange_class(kind, data_kind, attempt) as class,
        sum(exchanges) as exchanges, sum(packets) as packets, sum(bytes) as bytes,
        sum(airtime_ns) filter (where timed) as airtime_ns
    from exchange_sums()
    group by all
),
best as (
    -- Of several nodes' views of one recording the one that holds most of a sender.
    select source, observer, sender, sum(airtime_ns) as airtime_ns
    from used
    group by source, observer, sender
    qualify row_number() over (
        partition by source, sender
        order by sum(airtime_ns) desc nulls last, sum(exchanges) desc, observer nulls first
    ) = 1
),
bounds as (select source, min(first_ns) as first_ns, max(until_ns) as until_ns from exchange_sums() group by source),
spans as (select *, until_ns - first_ns - paused_ns(source, first_ns, until_ns) as span_ns from bounds),
span as (select sum(span_ns) as span_ns from spans),
again as (
    -- What others hold of a sender that recorded itself at the same time, no less of it.
    select distinct heard.source, heard.sender, here.span_ns
    from best as heard
    join best as own on own.observer = own.sender and own.sender = heard.sender and own.source <> heard.source
        and own.airtime_ns >= 0.9 * coalesce(heard.airtime_ns, 0)
    join spans as here on here.source = heard.source
    join spans as there on there.source = own.source
    where heard.observer is distinct from heard.sender
        and of_one_time(here.source, here.first_ns, here.until_ns, there.source, there.first_ns, there.until_ns)
),
unused as (select sender, sum(span_ns) as span_ns from again group by sender),
ap as (
    -- A station of an IBSS is not its BSSID.
    select node, any_value(ssid) as ssid, if(bool_or(role = 'ap'), node, null) as bssid
    from nodes
    where role in ('ap', 'ibss')
    group by node
)
select
    coalesce(used.bssid, sends.bssid, receives.bssid) as bssid,
    coalesce(announced.ssid, sends.ssid, receives.ssid) as ssid,
    used.sender as station,
    class,
    sum(exchanges)::bigint as exchanges,
    sum(packets)::bigint as packets,
    coalesce(sum(bytes), 0)::bigint as bytes,
    round(sum(used.airtime_ns) / 1e6, 3) as airtime_ms,
    round(sum(used.airtime_ns) / nullif(any_value(span.span_ns) - coalesce(any_value(unused.span_ns), 0), 0), 6) as share
from used
join best on used.source = best.source
    and used.observer is not distinct from best.observer and used.sender is not distinct from best.sender
anti join again on again.source = used.source and again.sender = used.sender
left join unused on unused.sender = used.sender
left join ap as announced on announced.node = used.bssid
left join ap as sends on sends.node = used.sender
left join ap as receives on receives.node = used.receiver
cross join span
group by 1, 2, 3, 4
order by airtime_ms desc nulls last, packets desc, station nulls last, bssid nulls last, class
