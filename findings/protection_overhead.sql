-- title: RTS and CTS cost more than they protect
-- means: RTS, CTS and CTS-to-self go out at a basic rate. Before short frames they take longer than the data, and where
--    hardly anything collides they protect nothing.
-- param threshold = 0.1: share of the time that RTS, CTS and their SIFS take; the development runs of docs/findings.md
-- param failed = 0.1: share of the RTS without answer up to which there was nothing to protect from
-- param minimum = 50: protected exchanges
-- param ratio = 0.2: time of RTS and CTS over that of the data they protect; less is worth it before long frames
-- param dsss = 20: data frames from and to a station, all of them DSSS, that make it one of 802.11b
-- says: {what} before {samples:count} exchanges take {value:percent} of the time, {ratio:times} as long as the
--    data they protect; {failed_share:percent} of the RTS {heard}had no answer.
-- remedy: Raise the RTS threshold so that short frames go without.
-- given: bool_or(kind in ('rts', 'cts'))
-- without: {instead}
-- remove: kind = 'rts_failed'
-- where: data_start_ns is not null and (kind = 'rts' or kind = 'cts_self' and not ($non_erp
--    and coalesce(phy not in ('dsss', 'hr_dsss'), true)))
-- change start_ns: if($non_erp and phy not in ('dsss', 'hr_dsss'), coalesce(cts_start_ns, data_start_ns),
--    data_start_ns)
-- change kind: if($non_erp and phy not in ('dsss', 'hr_dsss') and cts_start_ns is not null, 'cts_self', 'basic')
-- change rts_ns: null
-- change rts_start_ns: null
-- change cts_ns: if($non_erp and phy not in ('dsss', 'hr_dsss'), cts_ns, null)
-- change cts_start_ns: if($non_erp and phy not in ('dsss', 'hr_dsss'), cts_start_ns, null)
-- change heard_rts: false
-- change nav_rts_us: null
-- change nav_cts_us: if($non_erp and phy not in ('dsss', 'hr_dsss'), nav_cts_us, null)
-- frames: kind in ('rts', 'cts')
-- filter: wlan.fc.type_subtype in {{27, 28}}
with links as (
    select source, sender, receiver, count(*) as frames, count(*) filter (phy in ('dsss', 'hr_dsss')) as dsss
    from uses
    where attempted and phy is not null
    group by all
),
ends as (
    select source, unnest([sender, receiver]) as station, frames, dsss from links
),
non_erp as (
    -- Beside stations of 802.11b, OFDM frames have to be protected (IEEE 802.11-2020, 10.27): an access point says so,
    -- or it shows.
    select source, true as is_there from capabilities where non_erp_present or use_protection
    union
    select source, true
    from ends
    where source in (select source from uses where phy in ('erp', 'ht', 'vht', 'he', 'eht'))
    group by source, station
    having sum(frames) >= $dsss and sum(dsss) = sum(frames)
),
protected as (
    select uses.*, sender is not distinct from observer as is_own, coalesce(is_there, false) as has_non_erp,
        has_non_erp and coalesce(phy not in ('dsss', 'hr_dsss'), true) as must_stay,
        case when kind in ('rts', 'cts_self') and data_start_ns > start_ns then (data_start_ns - start_ns) / 1e3 end
            as ahead_us,
        if(must_stay, (cts_start_ns - start_ns) / 1e3, ahead_us) as spared_us
    from uses left join non_erp using (source)
    where not (kind = 'cts_self' and must_stay)
)
select
    source,
    'channel ' || coalesce(mode(channel_mhz order by channel_mhz)::varchar || ' MHz', 'unknown') as subject,
    sum(if(kind = 'rts_failed', air_us, ahead_us)) / any_value(span_us) as value,
    sum(if(kind = 'rts_failed', air_us, spared_us)) / any_value(span_us) as airtime_share,
    count(ahead_us) as samples,
    sum(ahead_us) / nullif(sum(data_airtime_us) filter (kind in ('rts', 'cts_self')), 0) as ratio,
    coalesce(count(*) filter (kind = 'rts_failed')
        / nullif(count(*) filter (kind = 'rts_failed' or kind = 'rts' and heard_rts), 0), 0) as failed_share,
    any_value(has_non_erp) as non_erp,
    -- Of those that collide only their sender knows.
    if(bool_and(is_own) filter (kind in ('rts', 'rts_failed')), '', 'that were heard ') as heard,
    if(non_erp, 'RTS with their CTS', 'RTS and CTS') as what,
    if(non_erp, 'RTS but with the CTS-to-self that 802.11b stations need', 'RTS and CTS') as instead,
    case when non_erp then 'Raise the RTS threshold so that short frames go with CTS-to-self alone, and replace the'
        || ' stations of 802.11b, which need that.' end as remedy
from protected join spans using (source)
group by source
having value >= $threshold and samples >= $minimum and failed_share <= $failed and ratio >= $ratio
    -- Beside hidden stations RTS and CTS protect what nobody else sees; another recording may show that they are.
    and not bool_or(coalesce(sender in (
        select unnest([sender, hidden_from]) from hidden_pairs where confidence >= 0.5
    ), false))
