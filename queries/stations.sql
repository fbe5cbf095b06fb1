-- title: Stations
-- column station: transmitter address
-- column role: ap, ibss, station or simulator
-- column ssid: network name it announced, or asked to join
-- column frames: frames it sent
-- column bytes: MPDU octets it sent, FCS included
-- column airtime_ms: time on the air of what it sent, ms; null where no airtime is known
-- column data_frames: data frames with payload it sent
-- column signal_dbm: mean signal of its frames at the recorders, dBm
select
    node as station,
    role,
    ssid,
    frames_tx as frames,
    bytes_tx as bytes,
    round(airtime_us / 1000, 3) as airtime_ms,
    data_frames,
    signal_dbm
from nodes
order by frames_tx desc, node
