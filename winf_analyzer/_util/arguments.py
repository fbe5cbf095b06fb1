"""What several public functions check of their arguments."""

from winf_analyzer._util.errors import UsageError

MAX_THREADS = 1024
"""More than any machine has cores; a million of them take all memory before the first does anything."""


def check_threads(threads: int) -> None:
    """Refuse a number of parallel runs that cannot be; 0 is one per core.

    Raises:
        UsageError: it is negative or too large.
    """
    if not 0 <= threads <= MAX_THREADS:
        raise UsageError(f"threads: 0 to {MAX_THREADS}; 0 is one per core.")


def check_link(link: tuple[str, ...] | None) -> None:
    """Refuse what is no link.

    Raises:
        UsageError: it is not two addresses.
    """
    if link is not None and len(link) != 2:
        raise UsageError("link: the addresses of a sender and a receiver.")
