"""Saturation: what a sender would get on top of what it sends, if its queue never ran empty.

A saturating flow does not merely fill what is idle. It contends: with a busy neighbour it takes its share from it, its
backoffs overlap with those of others, some of its attempts collide or get lost, and its MPDUs travel in aggregates
where light traffic travels one by one. So

    AB = X - own        X: what the backlogged sender delivers, own: what it sends already

with X from a model of the stations around it, each with the load and the airtime that the recording shows. Its rooms
are folders of `_models/saturation`:

1. `loads` puts together what the recording says. `recorded/stations` sums up what each station sends and what its
   accesses cost, of a trace as each sender saw it (`recorded/own_views`); `recorded/ampdu` says how much a backlogged
   sender puts into one. `failures/losses` tells lost attempts from collided ones, and how many collisions destroy, by
   how many there should have been (`contention/expected_collisions`), nearly were (`recorded/near_misses`), or were
   (`failures/traced_collisions`). Time in which something that is no Wi-Fi holds the medium is left out
   (`waits/blackouts`), and taken off the result (`interval/blocked`).
2. `contention/correction` simulates links where hidden stations or long aggregates make the independence wrong that a
   fixed point presumes (`solvers/dcf_monte_carlo`), at the mean load of windows about as busy, and brings the ratio
   into those windows. `failures/capture_effect` finds from the recorded failures which frames survive hidden stations,
   `waits/retry_limits` what stations do after seven of them.
3. `backlogged` solves for the rates of all, one of them backlogged, the others limited by their load
   (`solvers/fixed_point`). Senders whose rate changes are read in two ways, between which the answer is
   (`recorded/rate_changes`).
4. `rates` makes capacity, available bandwidth and their reasons of it, `interval/bounds` the interval.

Without others X is C_eff of `rt_winf` corrected, and AB = C_eff - own. The capacity is that of the sender alone, with
aggregation. What cannot be known from one recording is taken as it is usual: CWmax 1023 (of voice and video twice their
CWmin + 1, less 1), seven attempts (four after a CTS), packets no older than 512 TU, BlockAck windows of 64 where no
BlockAck shows a longer one, A-MPDUs of 65 535 octets where the receiver announced no other limit. Contenders offer in
the future what they carried in the recording.

`paper` is Bianchi's assumption as it stands: everybody heard is backlogged, sends single frames, loses none but in
collisions. It has no interval. A window that belongs to a single exchange has no rows.
"""

from collections.abc import Iterable

import polars as pl

from winf_analyzer._aggregate import states
from winf_analyzer._aggregate.chunks import Context
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation import backlogged
from winf_analyzer._models.saturation.contention.correction import corrections
from winf_analyzer._models.saturation.interval import blocked, crowded
from winf_analyzer._models.saturation.loads import LOADS, Loads, tumbling_ns
from winf_analyzer.estimators._estimator import Estimator, Method

RATES = ("capacity_bps", "available_bps", "available_low_bps", "available_high_bps")


def _corrected(context: Context, loads: Loads) -> pl.DataFrame:
    simulated = corrections(
        loads.links, loads.learned, loads.loss_model, context.media_names, loads.kept, loads.sources
    )
    length_ns = tumbling_ns(context)
    cases = backlogged.cases(loads, length_ns)
    return _rows(context, loads, (backlogged.corrected(found, simulated, loads, length_ns) for found in cases))


def _paper(context: Context, loads: Loads) -> pl.DataFrame:
    cases = backlogged.cases(loads, tumbling_ns(context))
    return _rows(context, loads, (backlogged.as_published(found) for found in cases))


def _rows(context: Context, loads: Loads, pieces: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Capacity, available bandwidth and its 90 % interval per node, link, state and window."""
    solved = pl.concat([*pieces, crowded.left_out(loads.links)], how="diagonal")
    links = blocked.applied(solved, loads.silenced)
    rows = states.values_by_state(context, links, ("exchanges", *RATES, "reason"))
    return rows.join(links.select(*WINDOW, "covered_ns").unique(), on=WINDOW, how="left")


SATURATION = Estimator(
    "saturation",
    "available bandwidth as what a backlogged sender would add, from every station's load and airtime",
    "after Bianchi, IEEE JSAC 18(3), 2000, with stations that are not backlogged, aggregation and loss",
    paper=Method(_paper, {"loads": LOADS}, per_exchange=False),
    corrected=Method(_corrected, {"loads": LOADS}, per_exchange=False),
)
