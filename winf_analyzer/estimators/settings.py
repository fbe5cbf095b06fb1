"""What a user may set for an estimate."""

from dataclasses import dataclass
from typing import Literal

from winf_analyzer.estimators.mac import Mac

Mode = Literal["paper", "corrected"]
"""`paper`: the formulas as published. `corrected`: dimensionally consistent, the known biases removed."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Parameters of :func:`winf_analyzer.estimators.estimate`. Raises ValueError where a value makes no sense."""

    window_ns: int = 1_000_000_000
    """Length of the tumbling windows."""

    cooperate: bool = True
    """The sender takes the lower of its own and the receiver's values; otherwise both stand as measured."""

    running_total: bool = False
    """Paper mode: the elapsed time runs from the first exchange, as printed, and not from the start of the window."""

    min_cover: float = 0.01
    """Idle time is unknown where the recording covers less than this share of a window: an edge of the recording
    with one or two exchanges in it says nothing about the medium."""

    min_backoff_samples: int = 10
    """Backoffs a sender must have shown before their mean replaces CWmin/2 slots."""

    mac: Mac | None = None
    """MAC and PHY parameters for every exchange; None: the presumed ones of its PHY (:mod:`.mac`)."""

    def __post_init__(self) -> None:
        if self.window_ns <= 0:
            raise ValueError(f"window_ns must be positive, not {self.window_ns}")
        if not 0 <= self.min_cover <= 1:
            raise ValueError(f"min_cover must lie in [0, 1], not {self.min_cover}")
