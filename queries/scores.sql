-- title: Errors of each estimator against ground truth, one view per link
-- column log: the log or trace that is the truth
-- column sender: transmitter of the link's data
-- column receiver: receiver of the link's data
-- column quantity: capacity, available, attainable (available plus the flow's goodput), goodput (recorded) or replayed
-- column estimator: name of the estimator; for replayed, the controller; recording: its own goodput
-- column mode: paper or corrected
-- column state: role of the estimating node: the sender if it has an estimate, else the receiver, else an onlooker
-- column windows: windows compared
-- column truth_mbps: mean of the truth, as MSDU payload, Mb/s
-- column estimate_mbps: mean of the estimates, Mb/s
-- column bias_mbps: mean difference, Mb/s
-- column mae_mbps: mean absolute error, Mb/s
-- column rmse_mbps: root mean squared error, Mb/s
-- column mape: mean absolute error as a share of the truth, over windows with traffic
-- column correlation: Pearson's correlation coefficient
-- column within_bounds: share of windows between the truth and the theoretical maximum
-- column aligned_by: how the log's clock was aligned: absolute, refined, offset or correlation
-- column offset_s: offset added to the log's times, s
-- column peak: normalized cross-correlation of log and recording at this offset
-- column second_peak: the second highest peak
-- column matched_by: how the flow's link was found
-- column lost_share: share of datagrams that iperf lost; above 0: the offered load exceeded the goodput
select
    log, sender, receiver, quantity, estimator, mode, state, windows,
    round(truth_bps / 1e6, 5) as truth_mbps,
    round(estimate_bps / 1e6, 5) as estimate_mbps,
    round(bias_bps / 1e6, 5) as bias_mbps,
    round(mae_bps / 1e6, 5) as mae_mbps,
    round(rmse_bps / 1e6, 5) as rmse_mbps,
    round(mape, 5) as mape,
    round(correlation, 5) as correlation,
    round(within_bounds, 5) as within_bounds,
    aligned_by,
    round(offset_ns / 1e9, 6) as offset_s,
    round(peak, 5) as peak,
    round(second_peak, 5) as second_peak,
    matched_by,
    round(lost_share, 5) as lost_share
from scores
qualify row_number() over (
    partition by log, sender, receiver, quantity, estimator, mode
    order by list_position(['sender', 'receiver', 'onlooker'], state), scores.windows desc, source, node, observer
) = 1
order by log, sender, receiver, quantity, estimator, mode
