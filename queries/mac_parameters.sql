-- title: MAC parameters in use and their origins
-- param parameter = %: name of a parameter, % for all
-- column station: the station, or the BSSID that advertised it
-- column access_category: be, bk, vi, vo, or dcf for frames without QoS; null: all
-- column parameter: name of the parameter, with its unit
-- column value: the value in use; a flag is 0 or 1
-- column unit: unit of the value
-- column origin: given, measured, declared or presumed
-- column samples: number of gaps or frames used
-- column confidence: probability of a measured value
-- column others: different values of lower rank, with their origins
-- column source: the recording
-- column observer: address of the recording station
select
    u.station,
    u.access_category,
    u.parameter,
    round(u.value, 4) as value,
    u.unit,
    u.origin,
    u.samples,
    round(u.confidence, 4) as confidence,
    (
        select string_agg(printf('%g %s', o.value, o.origin), ', ' order by o.origin, o.value)
        from mac_parameters as o
        where
            not o.used
            and o.value <> u.value
            and o.parameter = u.parameter
            and o.station = u.station
            and o.source is not distinct from u.source
            and o.observer is not distinct from u.observer
            and o.access_category is not distinct from u.access_category
    ) as others,
    u.source,
    u.observer
from mac_parameters as u
where u.used and u.station is not null and u.parameter like $parameter
order by u.source, u.observer, u.station, u.access_category, u.parameter
