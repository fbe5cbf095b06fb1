-- title: Channel busy share over time
-- param window_s = 1.0 (0.000001 to 1000000000): width of a row, s
-- column source: recording
-- column observer: address of the recording station
-- column channel_mhz: channel, MHz
-- column t_s: start of the window since the dataset's first exchange, s
-- column busy_share: share of the window in which at least one exchange was on the air, as far as the radio was there
-- column exchanges: exchanges that ended in the window
select
    source,
    observer,
    channel_mhz,
    bin * ($window_s * 1e9)::bigint / 1e9 as t_s,
    round(sum(busy_ns) / ($window_s * 1e9)::bigint, 6) as busy_share,
    sum(exchanges)::bigint as exchanges
from busy_bins(($window_s * 1e9)::bigint)
group by source, observer, channel_mhz, bin
order by source, observer, channel_mhz, bin
