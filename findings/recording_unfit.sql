-- title: The recording is not fit for the question
-- means: Too little was heard, or times are too uncertain, for figures of airtime and bandwidth to be believed.
-- param threshold = 1: number of reasons
-- param minimum = 20: cases that a check of the audit must rest on
-- weight = 1: it comes first, because the other findings rest on the recording
-- says: {reasons}.
-- remedy: Record again on the channel of the access point, closer to it, with a radio that stamps frames (TSFT).
with stored as (
    select source, count(*) filter (tsft_us is not null) > count(*) / 2 as is_stamped,
        count(*) filter (kind in ('ack', 'block_ack', 'cts', 'rts')) = 0 as lacks_control,
        count(*) filter (kind in ('data', 'qos_data') and not coalesce(is_group, false)) as data
    from frames
    where layer = 'mac'
    group by source
),
answers as (
    -- One that is with no frame, beside an attempt of the station that it is to.
    select source, sender, attempted, delivered,
        ack_ns is not null and not heard_data and not coalesce(heard_rts, false)
            and (lag(sender) over near = sender and lag(attempted) over near
                or lead(sender) over near = sender and lead(attempted) over near) as alone
    from uses
    window near as (partition by source order by exchange_no)
),
unanswered as (
    select source, count(*) filter (attempted) as attempts, count(*) filter (alone) as lone,
        lone >= attempts / 2 as misplaced, any_value(lacks_control) as lacks_control
    from answers join stored using (source)
    group by source
    having least(attempts, any_value(data)) >= $minimum and count(*) filter (attempted and delivered) = 0
),
reasons as (
    select source, check_name || ': ' || value || ' (' || consequence || ')' as reason, pairs,
        case when "check" = 'completeness' then 'on the channel of the access point, closer to it'
            when is_stamped then 'with another radio or driver: the stamps of this one (TSFT) may be wrong'
            else 'with a radio that stamps frames (TSFT)' end as again
    from (
        select source, "check", case "check"
                when 'completeness' then 'frames heard, of those that sequence numbers or answers tell of'
                when 'sifs' then 'answers one SIFS behind their frames'
                when 'nav_end' then 'CTS that reserve until the same instant as their RTS'
                when 'beacon_schedule' then 'beacons as far apart as their timestamps'
                when 'ampdu_span' then 'A-MPDUs as long as their octets take'
                when 'tx_source' then 'sent frames of one station'
                when 'overlap' then 'frames that overlap another of the same radio'
                when 'recorded_once' then 'heard frames recorded once'
                when 'clock_speed' then 'speed of the slower of the clocks of recorder and stations, over the other'
                else "check"
            end as check_name,
            coalesce(printf(if(value < 0.0995, '%.2g', '%.0f'), 100 * value) || ' %', 'unknown') as value,
            consequence, pairs
        from checks
        where verdict = 'unusable' and pairs >= $minimum
    )
    left join stored using (source)
    union all
    select source,
        if(misplaced, 'no answer was found behind any of the ' || attempts || ' attempts to send data, though ' || lone
                || ' answers to their senders were heard (the times of frames do not fit one another)',
            'no answer was heard with any of the ' || attempts || ' attempts to send data'), attempts,
        unnest(if(misplaced, ['with another radio, or a driver that stamps all frames by one clock (TSFT)'],
            ['on the channel of the access point, closer to it',
            if(lacks_control, 'without a filter, which has left out all control frames', null)]))
    from unanswered
    union all
    select source, 'the times of ' || count(*) filter (air_us is null) || ' of ' || count(*)
            || ' exchanges on the air are unknown', count(*),
        'with times to the microsecond and the rate of each frame, as in a pcap file with radiotap headers'
    from uses
    group by source
    having count(*) filter (air_us is null) > count(*) / 2 and count(*) >= $minimum
)
select
    source,
    source as subject,
    count(distinct reason)::double as value,
    null::double as airtime_share,
    max(pairs) as samples,
    string_agg(distinct upper(reason[1]) || reason[2:], '. ' order by upper(reason[1]) || reason[2:]) as reasons,
    'Record again ' || string_agg(distinct again, ', ' order by again) || '.' as remedy
from reasons
group by source
having value >= $threshold
