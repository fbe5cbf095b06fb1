-- title: Busy share over time by class of frame and BSS, of the recorder with the most airtime
-- param window_s = 1.0 (0.000001 to 1000000000): width of a row, s
-- column source: recording
-- column observer: address of the recording station; null for an anonymous sniffer
-- column t_s: start of the window since the dataset's first exchange, s
-- column class: class of the exchange, as in the query airtime
-- column bssid: basic service set of the exchange; null: unknown
-- column busy_share: share of the window; overlapping exchanges count once, for the one that started first
with best as (from recorders() order by airtime_ns desc, source, observer nulls first limit 1)
select
    bins.source,
    bins.observer,
    round(bin * ($window_s * 1e9)::bigint / 1e9, 9) as t_s,
    class,
    bssid,
    round(sum(busy_ns) / ($window_s * 1e9)::bigint, 6) as busy_share
from busy_bins(($window_s * 1e9)::bigint) as bins
join best on best.source = bins.source and best.observer is not distinct from bins.observer
group by bins.source, bins.observer, bin, class, bssid
having sum(busy_ns) > 0
order by t_s, class, bssid nulls last
