"""IdleGap: available bandwidth as the data rate of the frame header times the idle share of the medium.

Source: H. K. Lee et al., "Bandwidth estimation in wireless LANs for multimedia streaming services", Advances in
Multimedia 2007, as retold by L. Barreto (see :mod:`.rt_winf`), sec. 2.1 and 3. Its three node states are those of
rt-Winf.

    AB = DataRate (1 - busy/T)

`paper` takes busy from the NAV by state, as IdleGap does; `corrected` from the airtime of everything on the medium.
IdleGap measures no capacity: `capacity_bps` is null, the data rate stands in `r_phy_bps`. There is no cooperation
between the two ends.
"""

import polars as pl

from winf_analyzer._aggregate import idle, states
from winf_analyzer._aggregate.chunks import Chunk, Context
from winf_analyzer.estimators._estimator import Estimator, Method

QUANTITIES = ("samples", "rate_bps")


def _samples(chunk: Chunk) -> pl.LazyFrame:
    rate = (pl.col("rate_mbps") * 1e6).round().cast(pl.Int64, strict=False)
    values = {"samples": pl.lit(1, pl.Int64), "rate_bps": rate}
    known = pl.col("sample") & (rate > 0)
    return chunk.uses.with_columns(pl.when(known).then(value).alias(name) for name, value in values.items())


def _paper(context: Context, rates: pl.DataFrame, reserved: pl.DataFrame) -> pl.DataFrame:
    return _rate_times_idle(context, rates, idle.from_nav(context, reserved))


def _corrected(context: Context, rates: pl.DataFrame, busy: pl.DataFrame) -> pl.DataFrame:
    return _rate_times_idle(context, rates, idle.from_airtime(context, busy))


def _rate_times_idle(context: Context, rates: pl.DataFrame, ratios: pl.DataFrame) -> pl.DataFrame:
    """Available bandwidth per node, link, state and window: the mean data rate of the window's exchanges times idle."""
    rows = states.sums_by_state(context, rates, QUANTITIES)
    mean_rate = pl.when(pl.col("samples") > 0).then(pl.col("rate_bps") / pl.col("samples"))
    return (
        idle.join_idle(rows, ratios)
        .with_columns(r_phy_bps=mean_rate, exchanges="samples")
        .with_columns(available_bps=pl.col("r_phy_bps") * pl.col("idle_ratio"))
    )


_RATES = states.link_sums(_samples, QUANTITIES)

IDLE_GAP = Estimator(
    "idle_gap",
    "available bandwidth as the header's data rate times the idle share; measures no capacity",
    "Lee et al., Advances in Multimedia 2007; Barreto: XCP-Winf and RCP-Winf, sec. 2.1 and 3",
    paper=Method(_paper, {"rates": _RATES, "reserved": idle.NAV}),
    corrected=Method(_corrected, {"rates": _RATES, "busy": idle.airtime(with_access=False)}),
)
