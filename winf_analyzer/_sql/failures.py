"""What goes wrong with a query, as exceptions of this package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar, cast

import duckdb

from winf_analyzer._sql.views import absent_table
from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer._util.memory import memory_limit
from winf_analyzer._util.os_errors import out_of_files

T = TypeVar("T")

_IN_THE_QUERY = (
    duckdb.ProgrammingError,
    duckdb.PermissionException,
    duckdb.NotSupportedError,
    duckdb.ConversionException,  # of a constant, a parameter, or values that a cast does not suit
)


@contextmanager
def told() -> Iterator[None]:
    """Errors of DuckDB as those of the package."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:  # how DuckDB reports a signal
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    except _IN_THE_QUERY as error:
        raise UsageError(absent_table(error) or f"SQL: {error}") from None
    except (duckdb.OutOfMemoryException, MemoryError) as error:
        limit = f"{memory_limit() >> 20}M"
        raise WinfError(
            f"SQL: the query needs more memory than --memory {limit} allows ({_first_line(error)})."
        ) from None
    except duckdb.Error as error:
        raise WinfError(out_of_files(error) or f"SQL: {error}") from None


_IN_POLARS = re.compile(r"external error: (?P<text>(?P<kind>[A-Za-z ]+) Error: .*)", re.DOTALL)


def of_duckdb(text: str) -> duckdb.Error:
    """The exception of DuckDB that Polars tells as a text: `Out of Memory Error` is an `OutOfMemoryException`."""
    found = _IN_POLARS.search(text)
    if not found:
        return duckdb.Error(text)
    name = found["kind"].replace(" ", "").lower() + "exception"
    kinds: dict[str, type[duckdb.Error]] = {
        each.lower(): kind for each, kind in vars(duckdb).items() if each.endswith("Exception")
    }
    return kinds.get(name, duckdb.Error)(found["text"])


def in_utf8(value: T) -> T:
    """The value; in a text, letters in place of the octets that a locale without these letters left.

    Raises:
        UsageError: it holds octets that are not UTF-8.
    """
    if not isinstance(value, str):
        return value
    try:
        return cast("T", value.encode("utf-8", "surrogateescape").decode())
    except UnicodeError:
        raise UsageError("SQL: the query, or a parameter, has octets that are not UTF-8.") from None


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0].rstrip(".")
