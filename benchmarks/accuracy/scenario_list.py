"""The runs of real use: data in `lists/`, fixed before the model was improved on the first half of them.

A line of a list is a `ListedRun`; keys that are absent have the values given here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.accuracy.phys import PHYS
from benchmarks.accuracy.scenarios import LIGHT_SHARE

LISTS = Path(__file__).with_name("lists")
PARTS = ("development", "held_out")

TCP_PROBE = "tcp"
TCP_OMITTED_S = 2
"""What is omitted of a TCP flow that fills the link, as by iperf3's `-O 2`, besides the 0.4 s before any run is
measured: slow start may overshoot the queue, and wait for a timeout of a second."""

NS2_RATES = {"b11": 11.0e6, "b5": 5.5e6, "b2": 2.0e6}
"""Data rates of the PHYs that ns-2 simulates, bit/s."""


@dataclass(frozen=True, kw_only=True)
class ListedRun:
    """One run of the list: what is simulated, and how it is recorded."""

    group: str
    name: str
    seed: int
    phy: str
    topology: str
    """`adhoc`: pairs in range of one another; `bss`: one access point; `hidden`: senders that do not hear each
    other."""
    links: int
    """The one under study included."""
    load: float
    """What the background offers, as a share of what one saturated link carries."""
    seconds: int
    sample: bool = False
    """Of the fixed sample that `--sample` runs."""
    simulator: str = "ns3"
    rts: bool = False
    payload: int = 1472
    constant: bool = False
    arrivals: str = "poisson"
    """Of the background: `poisson`, `bursty`, `tcp` (one greedy TCP flow, the others Poisson), `mixed`."""
    probe: str = "udp"
    """What fills the link for the truth: `udp` or `tcp`, whose start is omitted (:data:`TCP_OMITTED_S`)."""
    loss: float = 0
    """Chance that a data frame of the link under study is lost."""
    background_phy: str = ""
    """Of the other links, if it is another."""
    rate_control: str = ""
    attenuation_db: float = 0
    fading_db: float = 0
    category: str = ""
    background_categories: tuple[str, ...] = ()
    direction: str = "up"
    background_direction: str = "up"
    sniffer: str = ""
    """A third party records: `near`, `far`, or at the `edge` of the range of half the stations."""
    sniffer_db: float = 0
    clock: str = ""
    """Stamps of another recorder: `none` (no TSFT), `1ms`, `jitter50us`, `jitter300us`, `batch5ms`."""
    missed: float = 0
    """Share of the frames that the recorder misses."""
    missed_burst: float = 1
    """Mean number of frames that it misses in a row."""
    paused: float = 0
    """Share of the time in which the recorder records nothing at all."""
    pause_ms: float = 20
    """How long it does so at a time, on average."""
    unheard: tuple[int, ...] = ()
    """Links that the recorder does not hear."""
    channels: int = 1
    """Of the recorder; on the others is another network."""
    stay_ms: int = 0
    """How long a radio that hops stays on a channel; default: a radio for each channel."""
    silent: bool = False
    """Nothing is heard on the other channels."""
    recorded_ms: int | None = None
    """How much of the run is recorded; default: all."""

    @property
    def omitted_s(self) -> int:
        """How much later than others it is recorded and measured."""
        return TCP_OMITTED_S if self.probe == TCP_PROBE else 0

    def arguments(self) -> dict[str, str | int | float]:
        """The options of the simulation, without directory and probe."""
        phy, background = PHYS[self.phy], PHYS[self.background_phy or self.phy]
        packets = phy.packets_per_second(self.payload, self.rts)
        common: dict[str, str | int | float] = {
            "topology": self.topology,
            "rts": int(self.rts),
            "links": self.links,
            "payload": self.payload,
            "light": round(LIGHT_SHARE * packets, 3),
            "background": round(self.load * background.packets_per_second(self.payload, self.rts), 3),
            "seconds": self.omitted_s + self.seconds,
            "seed": self.seed,
        }
        if self.simulator == "ns2":
            rates = {"dataMode": NS2_RATES[self.phy], "constant": int(self.constant)}
            combined = {"backgroundRate": NS2_RATES.get(self.background_phy, ""), "loss": self.loss or ""}
            return common | rates | {name: value for name, value in combined.items() if value != ""}
        return common | {
            "standard": phy.standard,
            "channel": phy.channel,
            "dataMode": phy.data_mode,
            "controlMode": phy.control_mode,
            "backgroundPayload": self.payload,
            "arrivals": "constant" if self.constant else self.arrivals,
            "probe": self.probe,
            "rateControl": self.rate_control,
            "attenuation": self.attenuation_db,
            "fading": self.fading_db,
            "category": self.category,
            "backgroundCategories": ",".join(self.background_categories),
            "direction": self.direction,
            "backgroundDirection": self.background_direction,
            "sniffer": self.sniffer,
            "snifferAttenuation": self.sniffer_db,
            "backgroundMode": background.data_mode if self.background_phy else "",
            "loss": self.loss or "",
        }


@cache
def listed_runs(part: str) -> tuple[ListedRun, ...]:
    """The runs of a part: those of its list, those that were drawn, and those of its list of one kind.

    Args:
        part: `development` or `held_out`.
    """
    drawn = sorted(path.name for path in LISTS.glob(f"drawn_*{part}.toml"))
    names = (f"{part}.toml", *drawn, f"adhoc_{part}.toml", f"pauses_{part}.toml")
    return tuple(run for name in names for run in _read(name))


@cache
def runs_of_several_channels(part: str) -> tuple[ListedRun, ...]:
    """The runs of a part whose recorder has several channels, which :mod:`.hopping` scores."""
    return _read(f"hopping_{part}.toml")


def _read(name: str) -> tuple[ListedRun, ...]:
    rows = tomllib.loads((LISTS / name).read_text(encoding="utf-8"))["runs"]
    return tuple(ListedRun(**{key: tuple(v) if isinstance(v, list) else v for key, v in row.items()}) for row in rows)
