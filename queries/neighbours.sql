-- title: Who hears whom
-- param minimum = 1: pairs with fewer frames heard are left out
-- column node: who hears: a station, or a recording by an anonymous sniffer
-- column neighbour: whom it hears
-- column heard: frames of the neighbour that the node received whole
-- column delivery_ratio: heard / frames the neighbour sent, where recordings other than the node's own tell
-- column back_ratio: the same in the other direction
-- column link_quality: delivery_ratio * back_ratio: the chance of an exchange without a retry
-- column signal_dbm: mean signal of the neighbour's frames at the node, dBm
select
    there.node,
    there.neighbour,
    there.heard,
    round(there.delivery_ratio, 4) as delivery_ratio,
    round(back.delivery_ratio, 4) as back_ratio,
    round(there.delivery_ratio * back.delivery_ratio, 4) as link_quality,
    there.signal_dbm
from neighbours as there
left join neighbours as back on back.node = there.neighbour and back.neighbour = there.node
where there.heard >= $minimum
order by there.node, there.heard desc, there.neighbour
