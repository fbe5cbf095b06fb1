"""What a user may set for an estimate."""

from dataclasses import dataclass
from typing import Literal

from winf_analyzer._mac.presets import Mac

Mode = Literal["paper", "corrected"]
"""`paper`: the formulas as published. `corrected`: dimensionally consistent, the known biases removed."""

Probe = Literal["any", "subtype_1001"]
"""Which exchanges without RTS/CTS measure for rt-Winf: all, or the paper's probes (data frames of subtype 1001)."""

MAX_STEPS = 1000
"""Steps per sliding window: as many windows hold each exchange."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Parameters of :func:`winf_analyzer.estimators.estimate`. Raises ValueError where a value makes no sense."""

    window_ns: int = 1_000_000_000
    """Length of the windows."""

    step_ns: int | None = None
    """Sliding windows: one starts every step, of which a window holds a whole number; None: tumbling windows."""

    per_exchange: bool = False
    """One row per exchange instead of one per window: its own capacity, and the idle share of the window that ends
    with it."""

    running: bool = False
    """Everything since the first exchange counts, up to the end of each window. Per exchange this concerns idle time
    only: the capacity is the exchange's own."""

    cooperate: bool = True
    """The sender takes the lower of its own and the receiver's values; otherwise both stand as measured."""

    probe: Probe = "any"
    """Which exchanges without RTS/CTS rt-Winf measures with its probe formula."""

    min_cover: float = 0.01
    """Idle time is unknown where the recording covers less than this share of a window: an edge of the recording
    with one or two exchanges in it says nothing about the medium."""

    min_backoff_samples: int = 10
    """Backoffs a sender must have shown before their mean replaces CWmin/2 slots."""

    mac: Mac | None = None
    """MAC and PHY parameters for every exchange; None: the presumed ones of its PHY (:mod:`.exchange_parameters`)."""

    versions: tuple[tuple[str, str], ...] = ()
    """Sources that are a recording with something changed in it, each with the source that is the recording: what
    nobody recorded is told from that one, and is the same in its versions."""

    def __post_init__(self) -> None:
        if self.window_ns <= 0:
            raise ValueError(f"window_ns must be positive, not {self.window_ns}")
        if not 0 <= self.min_cover <= 1:
            raise ValueError(f"min_cover must lie in [0, 1], not {self.min_cover}")
        if self.probe not in ("any", "subtype_1001"):
            raise ValueError(f"probe must be any or subtype_1001, not {self.probe!r}")
        if self.step_ns is not None:
            self._check_step(self.step_ns)

    @property
    def is_tumbling(self) -> bool:
        """Windows follow one another."""
        return self.step_ns is None and not self.running and not self.per_exchange

    @property
    def accumulates(self) -> bool:
        """Samples of earlier windows count."""
        return self.running and not self.per_exchange

    def _check_step(self, step_ns: int) -> None:
        if self.per_exchange or self.running:
            raise ValueError("a step makes sliding windows: it goes with neither per-exchange nor running estimates")
        if step_ns <= 0 or self.window_ns % step_ns:
            raise ValueError(f"a window of {self.window_ns} ns is no whole number of steps of {step_ns} ns")
        if self.window_ns // step_ns > MAX_STEPS:
            raise ValueError(f"a window holds at most {MAX_STEPS} steps, not {self.window_ns // step_ns}")
