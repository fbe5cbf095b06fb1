-- title: A station does not keep to the announced EDCA parameters
-- means: An access point announces from when on, and for how long, stations of each access category may send (EDCA
--    Parameter Set, IEEE 802.11-2020, 9.4.2.28). One with a shorter AIFS or backoff, or longer bursts, takes the medium
--    from all that keep to it.
-- param threshold = 0.05: share of the time that it takes ahead of its turn; half of what management may take before it
--    counts
-- param minimum = 100: accesses of a station in one category
-- param early = 20: accesses before AIFS was over, and bursts beyond the limit
-- param deviations = 4: standard deviations by which more accesses must have come soon than backoffs let, even if every
--    space were measured a slot too short
-- param slot = 9: us; with slots of 20 us backoffs seem longer than they are, and less is found
-- param grid = 2.5: us beyond a whole number of slots, up to which a space still counts as that; longer ones count as
--    one slot more
-- param regular = 0.6: mean resultant length of the spaces on the circle of a slot; that of times that are known to
--    1.4 us (standard deviation). What follows frames that the station does not hear is nowhere on it
-- param exact = 0.8: share of the spaces before the end of AIFS that must be a whole number of slots; by chance 56 %
--    are
-- param tolerance = 1.05: times the TXOP limit that a burst must last, beyond what times on the air are known to
-- weight = 0.2: the airtime is used, but before the turn of others
-- needs: source in (select source from capabilities where ess and coalesce(be_cw_min, vo_cw_min) is not null)
-- lacks: no access point that announces EDCA parameters was heard
-- needs: count(*) filter (kind = 'qos_data') >= $minimum
-- lacks: too few frames with an access category were heard
-- needs: source not in (select source from checks where "check" = 'sifs' and verdict <> 'good')
-- lacks: the recorder's times are not good enough to tell slots
-- says: {who} sends {category} before its turn, for at least {value:percent} of the time. {how}.
-- remedy: Update the station's driver, and take back settings of its queues (CWmin, AIFSN, packet bursting); then
--    compare with what the access point announces.
-- frames: ta = $sender and tid in ($priority, $other)
-- filter: wlan.ta == {sender} && wlan.fc.type_subtype == 40
with announced as (
    -- Of all that a network announces what allows most: parameters change now and then.
    select source, bssid, category, any_value(name) as name, min(priority) as priority, max(other) as other,
        min(aifsn) as aifsn, min(cw_min) as cw_min, max(limit_us) as limit_us
    from (
        select source, bssid, unnest([0, 1, 2, 3]) as category,
            unnest(['best effort', 'background', 'video', 'voice']) as name,
            unnest([0, 1, 4, 6]) as priority, unnest([3, 2, 5, 7]) as other,
            unnest([be_aifsn, bk_aifsn, vi_aifsn, vo_aifsn]) as aifsn,
            unnest([be_cw_min, bk_cw_min, vi_cw_min, vo_cw_min]) as cw_min,
            unnest([be_txop_limit_us, bk_txop_limit_us, vi_txop_limit_us, vo_txop_limit_us]) as limit_us
        from capabilities
        where ess
    )
    where aifsn > 0 and cw_min > 0
    group by source, bssid, category
),
ordered as (
    select source, sender, bssid, start_ns, end_ns, air_us, mpdus, idle_before_us as idle_us, attempted, complete,
        data_kind = 'qos_data' and tid < 8 as counts, seq, if(channel_mhz < 5000, 10, 16) as sifs_us,
        -- User priorities to access categories (10.2.3.2).
        case when tid in (0, 3) then 0 when tid in (1, 2) then 1 when tid in (4, 5) then 2 else 3 end as category,
        lag(sender) over medium as sender_1, lag(idle_before_us) over medium as idle_1,
        lag(if(complete, tid, null)) over medium as tid_1, lag(seq) over medium as seq_1,
        lag(end_ns) over medium as end_1,
        lag(sender, 2) over medium as sender_2, lag(if(complete, tid, null), 2) over medium as tid_2,
        lag(complete) over medium as complete_1, lead(sender) over medium as sender_after,
        lead(idle_before_us) over medium as idle_after
    from uses
    where start_ns is not null
    window medium as (partition by source order by start_ns, exchange_no)
),
accesses as (
    select ordered.* exclude (category), category, aifsn, cw_min, limit_us, name, priority, other,
        sender = bssid as of_ap,
        idle_us > sifs_us + $slot / 2 as contends,
        (idle_us - sifs_us) / $slot as slots,
        ceil(slots - $grid / $slot) as whole,
        abs(slots - round(slots)) * $slot <= $grid as is_exact,
        -- Whole backoffs, from one access of the station to its next: nobody sent between but its own access point,
        -- which it hears. A station that others interrupt waits longer, so that all accesses are what these are of.
        case when sender_1 = sender and tid_1 in (priority, other) then whole - aifsn
            when sender_1 = bssid and sender_2 = sender and tid_2 in (priority, other) and idle_1 > sifs_us
                then whole - aifsn + greatest(ceil((idle_1 - sifs_us) / $slot - aifsn), 0) + 1
        end as waited,
        -- An access point may have other parameters than its stations: an AIFSN of one less is in table 9-155.
        contends and slots < aifsn - sender_is_ap - 0.5 and not (sender_1 = sender and not coalesce(complete_1, false))
            as is_early,
        sender_1 = sender and tid_1 in (priority, other) and not contends and idle_us > 0 and seq <> seq_1
            as continues,
        continues or sender_after = sender and idle_after <= sifs_us + $slot / 2 as in_burst
    from (select *, (sender = bssid)::int as sender_is_ap from ordered where counts and attempted) as ordered
    join announced using (source, bssid, category)
),
bursts as (
    select *, (end_ns - begun_ns) / 1e3 as burst_us,
        case when continues and limit_us = 0 then (end_ns - end_1) / 1e3
            when (continues or mpdus > 1) and limit_us > 0 and burst_us > $tolerance * limit_us
                then least(burst_us - limit_us, (end_ns - if(continues, end_1, start_ns)) / 1e3)
            end as beyond_us
    from (
        select *, max(if(continues, null, start_ns)) over own as begun_ns
        from accesses
        -- What an access point allows itself it does not announce.
        where not of_ap and (in_burst or mpdus > 1 and air_us > limit_us and limit_us > 0)
        window own as (partition by source, sender, category order by start_ns, end_ns)
    )
),
beyond as (
    select source, sender, bssid, category, count(*) as long_bursts, sum(beyond_us) as beyond_us,
        median(burst_us) as burst_us
    from bursts
    where beyond_us > 0
    group by all
    having long_bursts >= $early
),
sums as (
    select source, sender, bssid, category, aifsn, cw_min, limit_us, name, priority, other, of_ap,
        count(*) filter (contends) as accesses,
        sum(air_us) as air_us,
        [count(*) filter (contends and waited <= 0), count(*) filter (contends and waited <= 1),
            count(*) filter (contends and waited <= 3), count(*) filter (contends and waited <= 7),
            count(*) filter (contends and waited <= 15)] as soon,
        count(waited) filter (contends and waited <= cw_min) as whole,
        sqrt(sum(cos(2 * pi() * slots)) filter (contends and waited <= cw_min) ** 2
            + sum(sin(2 * pi() * slots)) filter (contends and waited <= cw_min) ** 2) as resultant,
        count(*) filter (is_early) as early,
        avg(is_exact::int) filter (is_early) as early_exact
    from accesses
    group by all
    having accesses >= $minimum
),
within as (
    select *, soon / accesses as share, (slots + 1) / (cw_min + 1) as allowed, (slots + 2) / (cw_min + 1) as doubtful,
        if(resultant >= $regular * whole
            and share - doubtful > $deviations * sqrt(doubtful * (1 - doubtful) / accesses),
            (share - allowed) / (1 - allowed), 0) as ahead
    from (select * exclude (soon), unnest(soon) as soon, unnest([0, 1, 3, 7, 15]) as slots from sums)
    where slots + 1 < cw_min
    qualify row_number() over (partition by source, sender, bssid, category order by ahead desc, slots) = 1
),
told as (
    select within.*,
        if(early >= $early and early_exact >= $exact, early / accesses, 0) as before_aifs,
        coalesce(long_bursts, 0) as long_bursts, beyond_us, burst_us,
        greatest(ahead, before_aifs) * air_us + coalesce(beyond_us, 0) as ahead_us
    from within left join beyond using (source, sender, bssid, category)
)
select
    source,
    sender || ', ' || name as subject,
    ahead_us / span_us as value,
    value as airtime_share,
    (if(ahead > 0, soon, 0) + if(before_aifs > 0, early, 0) + long_bursts)::bigint as samples,
    sender,
    priority,
    other,
    name as category,
    if(of_ap, 'The access point ' || sender, sender) as who,
    -- Wilson's interval, nearly.
    1.645 * sqrt(share * (1 - share) / accesses + 0.677 / accesses / accesses) as beside,
    concat_ws('. ',
        if(ahead > 0, printf('%.0f %% of its %d accesses (90 %% interval %.0f to %.0f %%) followed its own last one by'
            || ' less than %s beyond the announced AIFS; with the announced CWmin of %d at most %.0f %% can',
            100 * share, accesses, 100 * greatest(share - beside, 0), 100 * least(share + beside, 1),
            if(slots = 0, 'one slot', (slots + 1) || ' slots'), cw_min, 100 * allowed), null),
        if(before_aifs > 0, printf('%d of its %d accesses came before the announced AIFS, SIFS and %d slots, was over',
            early, accesses, aifsn), null),
        if(long_bursts > 0, printf('%d times it went on beyond the announced TXOP limit of %s, after %.1f ms in the'
            || ' median', long_bursts, if(limit_us = 0, 'one frame exchange', (limit_us / 1e3)::varchar || ' ms'),
            burst_us / 1e3), null),
        if(of_ap, 'It announces these parameters to its stations, and may have others itself, at their cost', null)
    ) as how,
    if(of_ap, 'Give the queues of the access point the parameters that it announces, unless downloads are meant to pass'
        || ' uploads.', null) as remedy
from told join spans using (source)
where value >= $threshold
order by value desc, subject
