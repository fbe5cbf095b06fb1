"""MAC and PHY parameters of the stations in a recording: given, measured, declared, or presumed.

:func:`infer` says which value counts for whom and where it comes from; :func:`by_sender` makes columns of that, to be
joined to exchanges.
"""

from winf_analyzer._mac.inference import infer
from winf_analyzer._mac.pivot import by_sender
from winf_analyzer._mac.presets import PRESETS, Mac
from winf_analyzer._mac.schema import MAC_PARAMETERS, MAC_PARAMETERS_SCHEMA, ORIGINS, Origin, Row

__all__ = [
    "MAC_PARAMETERS",
    "MAC_PARAMETERS_SCHEMA",
    "ORIGINS",
    "PRESETS",
    "Mac",
    "Origin",
    "Row",
    "by_sender",
    "infer",
]
