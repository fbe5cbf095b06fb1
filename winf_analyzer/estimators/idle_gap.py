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

from winf_analyzer.estimators import gathering, idle, states
from winf_analyzer.estimators.medium import Recording
from winf_analyzer.estimators.settings import Mode, Settings
from winf_analyzer.estimators.stretches import Request, Stretch

QUANTITIES = ("samples", "rate_bps")


def idle_gap(recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame:
    """Available bandwidth per node, link, state and window: the mean data rate of the window's exchanges times idle."""
    if mode == "paper":
        idle_ratios = idle.from_nav(recording, settings)
    else:
        idle_ratios = idle.from_airtime(recording, settings, with_access=False)
    links = states.link_sums(recording, _samples, QUANTITIES, "corrected", alike=True)
    rows = states.by_state(links, gathering.media(recording), QUANTITIES)
    mean_rate = pl.when(pl.col("samples") > 0).then(pl.col("rate_bps") / pl.col("samples"))
    return (
        idle.beside(rows, idle_ratios)
        .with_columns(r_phy_bps=mean_rate, exchanges="samples")
        .with_columns(available_bps=pl.col("r_phy_bps") * pl.col("idle_ratio"))
    )


def gathers(recording: Recording, mode: Mode, settings: Settings) -> list[Request]:
    """What :func:`idle_gap` gathers."""
    busy = idle.NAV if mode == "paper" else idle.airtime(with_access=False)
    return [busy, states.to_sum(_samples, QUANTITIES, "corrected", alike=True)]


def _samples(stretch: Stretch, mode: Mode, settings: Settings) -> pl.LazyFrame:
    rate = (pl.col("rate_mbps") * 1e6).round().cast(pl.Int64, strict=False)
    values = {"samples": pl.lit(1, pl.Int64), "rate_bps": rate}
    known = pl.col("sample") & (rate > 0)
    return stretch.uses.with_columns(pl.when(known).then(value).alias(name) for name, value in values.items())
