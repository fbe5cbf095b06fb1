-- title: The answer to use per link: bandwidth that a flow would get, with grade and reasons
-- column sender: transmitter of the link's data
-- column receiver: receiver of the link's data
-- column source: recording the answer rests on: the sender's own if there is one, else the one with the best grade
-- column capacity_mbps: what the sender would deliver without other stations and losses, Mb/s
-- column available_mbps: MSDU bits that a saturating flow would add, Mb/s; null: no estimate, or its bounds alone
-- column low_mbps: lower bound of the 90 % interval, Mb/s
-- column high_mbps: upper bound of the 90 % interval, Mb/s
-- column tcp_mbps: goodput of one bulk TCP flow, Mb/s
-- column tcp_low_mbps: lower bound of its 90 % interval, Mb/s
-- column tcp_high_mbps: upper bound of its 90 % interval, Mb/s
-- column own_mbps: what the link delivered, Mb/s
-- column samples: answered data exchanges it rests on
-- column missed_share: share of the link's data frames that were not heard; null: not measurable
-- column grade: good, fair, poor, or unknown where there is no estimate
-- column reasons: why the grade is not good
select
    sender,
    receiver,
    source,
    round(capacity_bps / 1e6, 4) as capacity_mbps,
    round(available_bps / 1e6, 4) as available_mbps,
    round(available_low_bps / 1e6, 4) as low_mbps,
    round(available_high_bps / 1e6, 4) as high_mbps,
    round(available_tcp_bps / 1e6, 4) as tcp_mbps,
    round(available_tcp_low_bps / 1e6, 4) as tcp_low_mbps,
    round(available_tcp_high_bps / 1e6, 4) as tcp_high_mbps,
    round(own_bps / 1e6, 4) as own_mbps,
    samples,
    round(missed_share, 4) as missed_share,
    grade,
    reasons
from recommended
where whole
qualify row_number() over (
    partition by sender, receiver
    order by
        available_bps is null, observer is distinct from sender,
        list_position(['good', 'fair', 'poor', 'unknown'], grade), samples desc, source
) = 1
order by available_mbps is null, samples desc, sender, receiver
