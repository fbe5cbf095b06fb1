"""What exchanges show of links and media, as queries: what the native pass is held to."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from winf_analyzer._schema import table
from winf_analyzer._util.duckdb_agg import grouped

_DATA = """
    kind in ('rts', 'basic', 'cts_self', 'rts_failed')
    and sender is not null and receiver is not null and not coalesce($is_group, false)
    and coalesce(data_kind in ('data', 'qos_data'), true)
"""
"""Exchanges of a link that carry data, or try to."""

_SEVERAL = """
with several as (
    select source
    from $exchanges
    where start_ns is not null and end_ns is not null
    group by source
    having count(distinct channel_mhz) > 1
),
"""
"""Sources with exchanges on several channels: only their sums are per channel."""

SUMS = (
    _SEVERAL
    + """
uses as (
    select *,
        case when source in (from several) then channel_mhz end as of_channel,
        coalesce(end_ns, start_ns) as at_ns,
        if(kind = 'cts_self' and rts_ns - rts_start_ns is null, cts_ns - cts_start_ns, null) as own_cts_ns,
        coalesce(complete, false) and kind <> 'rts_failed' and payload_bytes > 0 as sample
    from $exchanges
    where $data
)
select
    source, observer, sender, receiver,
    at_ns // $window_ns * $window_ns as window_start_ns,
    count(*) as attempts,
    count(*) filter (sample) as samples,
    count(*) filter (sample and kind = 'rts') as rts,
    count(*) filter (not coalesce(complete, false)) as failed,
    count(*) filter (attempt > 1) as retries,
    count(*) filter (payload_bytes > 0) as carrying,
    -- Where the header leaves the rate open, the airtime may tell it.
    count(*) filter (payload_bytes > 0 and rate_mbps is null and data_airtime_us is null) as rateless,
    count(*) filter (start_ns is null or end_ns is null) as timeless,
    count(*) filter (not coalesce(heard_data, true) and complete) as answers_only,
    sum(8 * payload_bytes::double) filter (sample) as bits,
    sum(8 * coalesce(length_bytes, payload_bytes)::double) filter (sample and rate_mbps > 0) as psdu_bits,
    sum(greatest(mpdus, 1)::double) filter (sample) as mpdus,
    sum(round(8000 * coalesce(length_bytes, payload_bytes) / rate_mbps)::bigint)
        filter (sample and rate_mbps > 0)::double / 1000 as psdu_us,
    sum(round(1000 * data_airtime_us)::bigint) filter (sample and rate_mbps > 0)::double / 1000 as data_us,
    sum(round(1000 * ack_airtime_us)::bigint) filter (sample)::double / 1000 as ack_us,
    count(ack_airtime_us) filter (sample) as answers,
    sum(rts_ns - rts_start_ns + cts_ns - cts_start_ns) filter (sample)::double / 1000 as rts_cts_us,
    count(rts_ns - rts_start_ns + cts_ns - cts_start_ns) filter (sample) as handshakes,
    count(*) filter (sample and kind = 'cts_self') as cts_self,
    sum(own_cts_ns) filter (sample)::double / 1000 as cts_self_us,
    count(own_cts_ns) filter (sample) as own_cts,
    max(rate_mbps) filter (sample) as rate_max_mbps,
    max(phy) filter (sample) as phy,
    coalesce(of_channel, max(channel_mhz) filter (sample)) as channel_mhz
from uses
group by source, observer, sender, receiver, window_start_ns, of_channel
"""
)

MEDIA = (
    _SEVERAL
    + """
uses as (
    select * replace (case when source in (from several) then channel_mhz end as channel_mhz)
    from $exchanges
    where start_ns is not null and end_ns is not null
)
select
    source, observer, channel_mhz,
    end_ns // $window_ns * $window_ns as window_start_ns,
    sum(greatest(end_ns - start_ns, 0))::bigint as busy_ns,
    min(start_ns) as first_ns,
    max(end_ns) as last_ns
from uses
group by all
"""
)


def by_query(query: str, exchanges: Sequence[Path], window_ns: int, has_group: bool = True) -> pl.DataFrame:
    """What `evidence.collected` finds in parts of `exchanges`: :data:`SUMS` or :data:`MEDIA`."""
    absent = next(column.absent for column in table("exchanges").columns if column.name == "is_group")
    text = query.replace("$data", _DATA).replace("$is_group", "is_group" if has_group else f"({absent})")
    return grouped(text.replace("$window_ns", str(window_ns)), exchanges=exchanges)
