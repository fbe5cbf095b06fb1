"""MAC and PHY parameters of the stations in a recording: given, measured, declared, or presumed.

:func:`infer` returns the values in use per station and their origins; :func:`by_sender` pivots them to columns that can
be joined to exchanges.
"""

from winf_analyzer._mac.inference import infer
from winf_analyzer._mac.pivot import by_sender
from winf_analyzer._mac.presets import PRESETS, Mac
from winf_analyzer._mac.schema import ORIGINS, Origin, Row

__all__ = [
    "ORIGINS",
    "PRESETS",
    "Mac",
    "Origin",
    "Row",
    "by_sender",
    "infer",
]
