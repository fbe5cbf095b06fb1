-- title: RTS and CTS cost more than they protect
-- means: RTS, CTS and CTS-to-self go out at a basic rate. Before short frames they take longer than the data, and where
--    hardly anything collides they protect nothing.
-- param threshold = 0.1: share of the time that RTS, CTS and their SIFS take; the development runs of docs/findings.md
-- param failed = 0.1: share of the RTS without answer up to which there was nothing to protect from
-- param minimum = 50: protected exchanges
-- param ratio = 0.2: time of RTS and CTS over that of the data they protect; less is worth it before long frames
-- says: RTS and CTS before {samples:count} exchanges take {value:percent} of the time, {ratio:times} as long as the
--    data they protect; {failed_share:percent} of the RTS had no answer.
-- remedy: Raise the RTS threshold so that short frames go without, and turn 802.11b protection off where no such
--    station is left.
-- given: bool_or(kind in ('rts', 'cts'))
-- without: RTS and CTS
-- remove: kind = 'rts_failed'
-- where: kind in ('rts', 'cts_self') and data_start_ns is not null
-- change start_ns: data_start_ns
-- change kind: 'basic'
-- change rts_ns: null
-- change rts_start_ns: null
-- change cts_ns: null
-- change cts_start_ns: null
-- change heard_rts: false
-- change nav_rts_us: null
-- change nav_cts_us: null
-- frames: kind in ('rts', 'cts')
-- filter: wlan.fc.type_subtype in {{27, 28}}
select
    source,
    'channel ' || coalesce(mode(channel_mhz order by channel_mhz)::varchar || ' MHz', 'unknown') as subject,
    sum(case
        when kind in ('rts', 'cts_self') and data_start_ns > start_ns then (data_start_ns - start_ns) / 1e3
        when kind = 'rts_failed' then air_us
    end) / any_value(span_us) as value,
    value as airtime_share,
    count(*) filter (kind in ('rts', 'cts_self') and data_start_ns > start_ns) as samples,
    sum((data_start_ns - start_ns) / 1e3) filter (kind in ('rts', 'cts_self') and data_start_ns > start_ns)
        / nullif(sum(data_airtime_us) filter (kind in ('rts', 'cts_self')), 0) as ratio,
    coalesce(count(*) filter (kind = 'rts_failed') / nullif(count(*) filter (kind in ('rts', 'rts_failed')), 0), 0)
        as failed_share
from uses join spans using (source)
group by source
having value >= $threshold and samples >= $minimum and failed_share <= $failed and ratio >= $ratio
    -- Beside hidden stations RTS and CTS protect what nobody else sees.
    and not exists (select 1 from hidden_pairs where confidence >= 0.5)
