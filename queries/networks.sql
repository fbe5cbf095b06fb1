-- title: Networks and what they announce
-- column bssid: basic service set
-- column ssid: network name that it announced first; null: none was heard
-- column country: country whose rules hold, as it announced first
-- column channel_mhz: channel on which most of its announcements were received, MHz
-- column bss_primary_mhz: primary channel that most of its announcements name, MHz; null: none tells it
-- column bss_width_mhz: width of its channel that most of them name, MHz; null: none tells it
-- column bss_centre_mhz: centre of that channel, MHz; of 80+80 MHz that of the segment with the primary channel
-- column beacons: beacons heard
-- column stations: associated stations by its BSS Load elements, median
-- column utilization_min: channel utilization by its BSS Load elements, minimum, 0 to 1
-- column utilization: median of the same
-- column utilization_max: maximum of the same
-- column be_aifsn: AIFSN of best effort that it announced last, slots
-- column be_cw_min: CWmin of best effort that it announced last, slots
-- column be_cw_max: CWmax of best effort that it announced last, slots
-- column be_txop_limit_us: TXOP limit of best effort that it announced last, us; 0: one frame exchange
-- column source: the recording
with announcements as (
    select *
    from frames
    where
        layer = 'mac'
        and kind in ('beacon', 'probe_resp')
        and bssid <> '00:00:00:00:00:00'
        and parse_error is null
        and fcs_ok is distinct from false
),

channels as (
    select source, bssid, channel_mhz
    from announcements
    where channel_mhz is not null
    group by source, bssid, channel_mhz
    qualify row_number() over (partition by source, bssid order by count(*) desc, channel_mhz) = 1
),

heard as (
    select
        source,
        bssid,
        arg_min(ssid, frame_no) as ssid,
        count(*) filter (where kind = 'beacon') as beacons,
        median(bss_load_stations) as stations,
        min(bss_load_utilization) as utilization_min,
        median(bss_load_utilization) as utilization,
        max(bss_load_utilization) as utilization_max
    from announcements
    group by all
),

announced as (
    select
        source,
        bssid,
        arg_min(country, frame_no) as country,
        arg_max(be_aifsn, last_ns) as be_aifsn,
        arg_max(be_cw_min, last_ns) as be_cw_min,
        arg_max(be_cw_max, last_ns) as be_cw_max,
        arg_max(be_txop_limit_us, last_ns) as be_txop_limit_us
    from capabilities
    where kind in ('beacon', 'probe_resp')
    group by all
)

select
    bssid,
    ssid,
    country,
    channel_mhz,
    bss_primary_mhz,
    bss_width_mhz,
    bss_centre_mhz,
    beacons,
    stations,
    round(utilization_min, 4) as utilization_min,
    round(utilization, 4) as utilization,
    round(utilization_max, 4) as utilization_max,
    be_aifsn,
    be_cw_min,
    be_cw_max,
    be_txop_limit_us,
    source
from heard
left join channels using (source, bssid)
left join operating_channels() using (source, bssid)
left join announced using (source, bssid)
order by beacons desc, bssid, source
