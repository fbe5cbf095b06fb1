-- title: Slowest exchanges
-- param rows = 20 (1 to 1000000000): number of exchanges
-- column source: recording
-- column exchange_no: number of the exchange in the recording
-- column sender: transmitter of the data
-- column receiver: receiver of the data
-- column kind: kind of the exchange
-- column duration_us: from the start of the first frame to the end of the last, us
-- column payload_bytes: MSDU octets carried
-- column rate_mbps: data rate, Mb/s
-- column attempt: 1 is the first attempt
-- column complete: it has the required response
select
    source,
    exchange_no,
    sender,
    receiver,
    kind,
    (end_ns - start_ns) / 1000 as duration_us,
    payload_bytes,
    round(rate_mbps, 1) as rate_mbps,
    attempt,
    complete
from exchanges
where end_ns is not null and start_ns is not null
order by duration_us desc, source, exchange_no
limit $rows
