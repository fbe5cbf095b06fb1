"""SQL functions that every query may call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winf_analyzer._util.clocks import EPOCH_NS
from winf_analyzer._util.student import TABLES, expansion

if TYPE_CHECKING:
    import duckdb

EXCHANGE_CLASS = """
create or replace macro exchange_class(kind, data_kind, attempt) as case
    when data_kind in ('data', 'qos_data') then if(attempt > 1, 'data_again', 'data')
    when data_kind in ('null', 'qos_null') then 'null_data'
    when data_kind = 'beacon' then 'beacon'
    when data_kind in ('probe_req', 'probe_resp') then 'probe'
    when data_kind is null and kind in ('rts', 'basic', 'cts_self') then 'data_unheard'
    when data_kind is null and kind = 'unknown' then 'unreadable'
    when data_kind is null or data_kind in ('block_ack_req', 'block_ack', 'ps_poll', 'rts', 'cts', 'ack') then 'control'
    else 'management'
end"""
"""What an exchange is for, from columns of `exchanges`."""

OF_ONE_TIME = """
create or replace macro of_one_time(here, here_from_ns, here_until_ns, there, there_from_ns, there_until_ns) as case
    when least(here_from_ns, there_from_ns) >= {EPOCH_NS}
        then here_from_ns <= there_until_ns and there_from_ns <= here_until_ns
    else regexp_replace(here, '[^/]*$', '') = regexp_replace(there, '[^/]*$', '')
        and 20 * greatest(abs(here_from_ns - there_from_ns), abs(here_until_ns - there_until_ns))
            <= here_until_ns - here_from_ns
end""".replace("{EPOCH_NS}", str(EPOCH_NS))
"""Whether two recordings (name, first and last time) are of one time.

Clocks that count from 1970 say so. Those of simulators begin at 0 in every run: recordings of one run lie in one folder
of one dataset, and begin and end together, within a twentieth of their length.
"""

ALL_TRUE = """
create or replace macro all_true(fact) as if(bool_or(not fact), false, if(count(fact) = count(*), true, null))"""
"""Of several rows: false where one is false, else null where one is not known; `bool_and` of DuckDB skips nulls."""

_HALF_WIDTH = """
create or replace macro {NAME}(value) as case when count(value) > 1 then
    stddev_samp(value) / sqrt(count(value)) * coalesce([{TABLE}][count(value) - 1], {EXPANSION})
end"""


def _half_width(name: str, share: float) -> str:
    """Half of the confidence interval of a mean; nulls do not count, and fewer than two values have none.

    Args:
        name: of the function.
        share: of the distribution of the mean below the upper end of the interval.
    """
    terms = (f"{term!r} / (count(value) - 1) ** {power}" for power, term in enumerate(expansion(share)))
    replaced = {"{NAME}": name, "{TABLE}": ", ".join(map(str, TABLES[share])), "{EXPANSION}": " + ".join(terms)}
    statement = _HALF_WIDTH
    for place, text in replaced.items():
        statement = statement.replace(place, text)
    return statement


PAUSES = "{PAUSES}"
"""Stands in a statement for the pauses of the recorders: a row for each recording, with the first instants of its
pauses and the last ones, as texts: there may be many, and DuckDB reads a list faster than rows."""

PAUSED_NS = """
create or replace macro paused_ns(recording, since_ns, until_ns) as (
    select coalesce(sum(greatest(least(pause_to_ns, until_ns) - greatest(pause_from_ns, since_ns), 0)), 0)::bigint
    from (
        select pause_source, unnest(firsts::bigint[]) as pause_from_ns, unnest(lasts::bigint[]) as pause_to_ns
        from (values {PAUSES}) as pauses (pause_source, firsts, lasts)
    )
    where pause_source = recording
)"""
"""How long nothing was recorded between two instants, though stations sent: their sequence numbers went on.

The pauses themselves are found natively: :func:`.views.pauses`.
"""

FRAME_SUMS = """
create or replace macro frame_sums() as table
select
    source, observer, kind, layer = 'mac' and direction is distinct from 'drop' as heard,
    coalesce(direction = 'tx', false) as own, ta, ra, is_group, retry, fcs_ok,
    channel_mhz, phy, rate_mbps, mcs, nss, assumptions,
    count(*) as frames, count(signal_dbm) as signals, min(ts_ns) as first_ns, max(ts_ns) as last_ns
from frames
group by all"""
"""Numbers of frames that are alike, those with a signal among them, and the first and last time stamp.

`heard` are those on the air, without what a trace says of queues and losses; `own` are those that the observer sent.
"""

SENT_FRAMES = """
create or replace macro sent_frames() as table
with seen as (select source, min(first_ns) as first_ns, max(last_ns) as last_ns from frame_sums() group by source),
sent as (
    select source, observer, ta, own, sum(frames) as frames
    from frame_sums()
    where heard and ta is not null
    group by all
),
again as (
    select distinct heard.source, heard.observer, heard.ta
    from sent as heard
    join sent as kept on kept.own and not heard.own and kept.ta = heard.ta and kept.frames >= 0.9 * heard.frames
    join seen as here on here.source = heard.source
    join seen as there on there.source = kept.source
    where of_one_time(here.source, here.first_ns, here.last_ns, there.source, there.first_ns, there.last_ns)
)
select sums.*
from frame_sums() as sums
left join again on not sums.own and again.source = sums.source
    and again.observer is not distinct from sums.observer and again.ta = sums.ta
where sums.heard and again.ta is null"""
"""Rows of `frame_sums` that are `heard`, each transmission once where its sender recorded it.

What others heard of a station does not count where it recorded itself at the same time, and that holds as much: the
views of the nodes of a trace, and the captures of several stations of one run.
"""

_BSSID = "if(data_kind = 'cf_end', null, bssid) as bssid"
"""Of an exchange; that of a CF-End may be the address of a client which ends its TXOP (IEEE 802.11-2020, 9.3.1.6)."""

EXCHANGE_SUMS = """
create or replace macro exchange_sums() as table
select
    source, observer, sender, receiver, {BSSID}, kind, data_kind, attempt, complete, hidden,
    coalesce(end_ns > start_ns, false) as timed,
    count(*) as exchanges, sum(greatest(coalesce(mpdus, 1), 1)) as packets, sum(length_bytes) as bytes,
    sum(end_ns - start_ns) as airtime_ns, min(start_ns) as first_ns, max(end_ns) as last_ns,
    max(coalesce(end_ns, start_ns)) as until_ns
from exchanges
group by all""".replace("{BSSID}", _BSSID)
"""Sums over exchanges that are alike. `timed` are those that end after they start; only theirs is the airtime known.

`until_ns` is the last end, or start where no end is known.
"""

RECORDERS = """
create or replace macro recorders() as table
with spans as (
    select source, observer, min(first_ns) as first_ns, max(last_ns) as last_ns, sum(airtime_ns) as airtime_ns
    from exchange_sums()
    where timed
    group by source, observer
)
select *, last_ns - first_ns - paused_ns(source, first_ns, last_ns) as recorded_ns from spans"""
"""Of each recorder the first start and the last end of exchanges, and how long they took.

`recorded_ns` is the time between, without pauses of the recorder.
"""

_WIDTH = "if(width_ns >= 1, width_ns::bigint, error('busy_bins: a width in nanoseconds is 1 or more'))"
"""Of bins, as a whole number, of any number."""

BUSY_BINS = """
create or replace macro busy_bins(width_ns) as table
with lengths as (select max(end_ns - start_ns) > 100000000 as any_long from exchanges where end_ns > start_ns),
origin as (select min(start_ns) as first_ns from exchanges),
crowded as (
    select distinct unnest(range(start_ns // 100000000 - 1, end_ns // 100000000 + 1)) as slot
    from (
        select start_ns, end_ns, max(end_ns) over (rows between unbounded preceding and 1 preceding) as before_ns
        from exchanges
        where end_ns > start_ns
    )
    where before_ns > start_ns and not (select any_long from lengths)
),
timed as not materialized (
    select
        source, observer, channel_mhz, {BSSID}, kind, data_kind, attempt, start_ns, end_ns,
        (select any_long from lengths) or start_ns // 100000000 in (from crowded) as is_crowded
    from exchanges
    where end_ns > start_ns
),
spans as (
    select
        * exclude (is_crowded),
        max(end_ns) over (
            partition by source, observer order by start_ns, end_ns rows between unbounded preceding and 1 preceding
        ) as covered_ns
    from timed
    where is_crowded
    union all
    select * exclude (is_crowded), null from timed where not is_crowded
),
uncovered as (
    select
        * exclude (start_ns, end_ns, covered_ns), end_ns - first_ns as end_ns,
        least(greatest(start_ns, coalesce(covered_ns, start_ns)), end_ns) - first_ns as start_ns
    from spans, origin
),
pieces as (
    select *, unnest(range(least(start_ns, end_ns - 1) // {WIDTH}, (end_ns - 1) // {WIDTH} + 1)) as bin
    from uncovered
)
select
    source, observer, channel_mhz, bssid, exchange_class(kind, data_kind, attempt) as class, bin,
    sum(
        least(end_ns, (bin + 1) * {WIDTH}) - greatest(start_ns, bin * {WIDTH})
    )::bigint as busy_ns,
    count(*) filter (where (end_ns - 1) // {WIDTH} = bin) as exchanges
from pieces
group by all""".replace("{WIDTH}", _WIDTH).replace("{BSSID}", _BSSID)
"""Time in which the medium was busy, by recorder, channel, BSS, class of exchange and bin since the first exchange.

Overlapping exchanges of one recorder count once, for the one that started first. `exchanges` are those that
ended in the bin, though others cover all of their time.

Only exchanges that may overlap are sorted. Of two that do, the one behind the other in the table starts before all of
those in front of it have ended; so both are in a slot of 100 ms, or start in the one before, that such an exchange
touches. No exchange of IEEE 802.11 lasts longer than a slot; where one does, for instance damaged, all are sorted.
"""

OPERATING_CHANNELS = """
create or replace macro operating_channels() as table
with told as (
    select source, bssid, bss_primary_mhz, bss_width_mhz, bss_centre_mhz, bss_second_centre_mhz, count(*) as times
    from frames
    where layer = 'mac' and kind in ('beacon', 'probe_resp') and bss_primary_mhz is not null
        and parse_error is null and fcs_ok is distinct from false
    group by all
),
ranked as (select *, sum(times) over (partition by source, bssid, bss_primary_mhz) as announcements from told)
select * exclude (times)
from ranked
qualify row_number() over (
    partition by source, bssid
    order by announcements desc, bss_primary_mhz, bss_width_mhz is null, times desc, bss_width_mhz, bss_centre_mhz,
        bss_second_centre_mhz nulls first
) = 1"""
"""The channel of each network, by its beacons and probe responses: the primary channel that most of them name.

Its width and centres are what most of those say that tell a width on it; null: none does. `announcements` name that
primary channel.
"""

MACROS = {
    "of_one_time": (OF_ONE_TIME, ()),
    "exchange_class": (EXCHANGE_CLASS, ()),
    "all_true": (ALL_TRUE, ()),
    "half_width_95": (_half_width("half_width_95", 0.975), ()),
    "half_width_90": (_half_width("half_width_90", 0.95), ()),
    "paused_ns": (PAUSED_NS, ()),
    "frame_sums": (FRAME_SUMS, ("frames",)),
    "sent_frames": (SENT_FRAMES, ("frames",)),
    "exchange_sums": (EXCHANGE_SUMS, ("exchanges",)),
    "recorders": (RECORDERS, ("exchanges",)),
    "busy_bins": (BUSY_BINS, ("exchanges",)),
    "operating_channels": (OPERATING_CHANNELS, ("frames",)),
}
"""By name: the statement that makes it, and the tables it reads."""


_CATALOG = re.compile(r"information_schema|duckdb_|pg_|sqlite_|\b(show|describe|summarize)\b", re.IGNORECASE)
"""Queries about the tables themselves see all of them."""


def words_of(query: str | None) -> set[str] | None:
    """The words of a query, and of the macros that it names; None where it may read anything."""
    if query is None or _CATALOG.search(query):
        return None
    words = set(re.findall(r"\w+", query.lower()))
    for name, (statement, _) in reversed(MACROS.items()):  # which may call those before them
        if name in words:
            words.update(re.findall(r"\w+", statement))
    return words


def keep(connection: duckdb.DuckDBPyConnection, macro: str, parameter: str = "", argument: str = "") -> None:
    """Let a function that makes a table give the rows that it has now, whatever it is asked for."""
    connection.execute(f"create temp table kept_{macro} as from {macro}({argument})")
    connection.execute(f"create or replace macro {macro}({parameter}) as table from kept_{macro}")
