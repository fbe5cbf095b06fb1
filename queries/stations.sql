-- title: Stations
-- column station: transmitter address
-- column role: ap, ibss, station or simulator
-- column ssid: network name that it advertised or probed for
-- column frames: frames sent, each once per recording that holds it; in a merged dataset once
-- column bytes: MPDU octets of these frames, FCS included
-- column airtime_ms: airtime of these frames, ms; null if no airtime is known
-- column data_frames: those of these frames that are data with payload
-- column signal_dbm: mean signal of its frames at the recorders, dBm
-- column vendor: organization that its address block is assigned to
-- column alias: name that the user gave it
-- column radio: lowest BSSID of the radio, where it announces several networks; else null
select
    node as station,
    role,
    ssid,
    frames_tx as frames,
    bytes_tx as bytes,
    round(airtime_us / 1000, 3) as airtime_ms,
    data_frames,
    signal_dbm,
    vendor,
    alias,
    if(count(distinct node) over (partition by radio) > 1, radio, null) as radio
from nodes
order by frames_tx desc, node
