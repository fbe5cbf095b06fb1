"""Student's t, in Python and in SQL."""

from __future__ import annotations

from contextlib import closing

import duckdb
import pytest

from winf_analyzer._sql.macros import MACROS
from winf_analyzer._util.student import half_width, quantile


@pytest.mark.parametrize(
    ("freedom", "printed"),
    [(1, 12.7062), (2, 4.3027), (9, 2.2622), (10, 2.2281), (11, 2.2010), (19, 2.0930), (30, 2.0423), (120, 1.9799)],
)
def test_student_s_t(freedom, printed):
    """Printed tables of the distribution."""
    assert quantile(0.975, freedom) == pytest.approx(printed, abs=1.5e-4)


@pytest.mark.parametrize(("freedom", "printed"), [(1, 6.3138), (4, 2.1318), (9, 1.8331), (11, 1.7959), (29, 1.6991)])
def test_the_quantile_of_intervals_of_90_percent(freedom, printed):
    assert quantile(0.95, freedom) == pytest.approx(printed, abs=1.5e-4)


def test_half_width():
    assert half_width([1.0]) is None
    assert half_width([1.0, 2.0, 3.0]) == pytest.approx(4.30265 / 3**0.5)


def in_sql(name: str, values: list[float | None]) -> float | None:
    with closing(duckdb.connect()) as connection:
        connection.execute(MACROS[name][0])
        query = f"select {name}(value) from (select unnest(?::double[]) as value)"
        return connection.execute(query, [values]).fetchall()[0][0]


@pytest.mark.parametrize("count", [2, 11, 12, 40])
def test_sql_gives_the_same_intervals(count):
    values = [float(number**2 % 7) for number in range(count)]
    assert in_sql("half_width_95", values) == pytest.approx(half_width(values), rel=1e-12)
    # Student's t below which 95 % are, over that below which 97.5 % are (printed tables).
    ratio = {2: 6.3138 / 12.7062, 11: 1.8125 / 2.2281, 12: 1.7959 / 2.2010, 40: 1.6849 / 2.0227}[count]
    assert in_sql("half_width_90", values) == pytest.approx(ratio * half_width(values), rel=1e-4)


def test_values_that_are_not_known_do_not_count():
    assert in_sql("half_width_95", [1.0, None, 3.0, None]) == pytest.approx(half_width([1.0, 3.0]))
    assert in_sql("half_width_95", [1.0, None]) is None
