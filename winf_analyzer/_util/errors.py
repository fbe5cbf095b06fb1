"""What can go wrong, each with the exit code the command line ends with.

::

    WinfError            1  the run failed
    ├── UsageError       2  the request makes no sense: unknown names, contradicting options
    ├── UnusableInput    4  nothing usable in the input
    ├── DatasetError     1  the dataset cannot be read or written
    ├── DecoderError     1  the decoder asked for is not there
    └── InterruptedRun 130  stopped by the user; nothing half-made is left
"""


class WinfError(Exception):
    """A failure with a sentence that says what, where and what to do."""

    exit_code = 1


class UsageError(WinfError):
    """The request makes no sense: unknown names, contradicting options."""

    exit_code = 2


class UnusableInput(WinfError):
    """Nothing usable in the input."""

    exit_code = 4


class DatasetError(WinfError):
    """The dataset cannot be read or written."""


class DecoderError(WinfError):
    """The decoder that was asked for is not installed, or too old."""


class InterruptedRun(WinfError):
    """Stopped by the user; nothing half-made is left behind."""

    exit_code = 130
