"""The package's exceptions, each with the exit code of the command line.

::

    WinfError            1  the run failed
    ├── UsageError       2  invalid arguments: unknown names, contradictory options
    ├── UnusableInput    4  no usable input
    ├── DatasetError     1  the dataset cannot be read or written
    ├── DecoderError     1  the decoder is not available
    └── InterruptedRun 130  interrupted by the user; no partial output is left behind
"""


class WinfError(Exception):
    """A failure; the message says what failed, where, and what to do."""

    exit_code = 1


class UsageError(WinfError):
    """Invalid arguments: unknown names, contradictory options."""

    exit_code = 2


class UnusableInput(WinfError):
    """No usable input."""

    exit_code = 4


class DatasetError(WinfError):
    """The dataset cannot be read or written."""


class DecoderError(WinfError):
    """The decoder is not installed, or too old."""


class InterruptedRun(WinfError):
    """Interrupted by the user; no partial output is left behind."""

    exit_code = 130
