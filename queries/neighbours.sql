-- title: Which stations hear each other, and how well
-- param minimum = 1 (0 to): minimum number of frames heard
-- column node: the receiving station, or a recording by an anonymous sniffer
-- column neighbour: the station it hears
-- column heard: frames of the neighbour that the node received without errors
-- column delivery_ratio: heard / frames that the neighbour sent; null if no other recording shows the latter
-- column back_ratio: delivery_ratio in the opposite direction
-- column link_quality: delivery_ratio * back_ratio, the probability of an exchange without retry
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
