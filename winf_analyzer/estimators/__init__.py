"""Estimators of path capacity and available bandwidth, and what an estimator of another package may use.

An estimator is one :class:`Estimator`: per mode a :class:`Method` with what it takes (:class:`Aggregate`,
:class:`Derived`), after which estimators it runs, and a function that makes rows of `estimates` of that. One file, one
row of :data:`ESTIMATORS`, one test. Other packages add theirs through an entry point; :func:`registry` has both.
docs/estimators.md has an example.
"""

from winf_analyzer._aggregate.aggregate import PER_LINK, Aggregate, Derived
from winf_analyzer._aggregate.chunks import GROUP, Chunk, Context
from winf_analyzer._aggregate.exchange_columns import EXCHANGES_SCHEMA, nanoseconds, ordered_sum, quotient
from winf_analyzer._aggregate.idle import NAV, airtime, from_airtime, from_nav, join_idle
from winf_analyzer._aggregate.settings import Mode, Probe, Settings
from winf_analyzer._aggregate.states import link_sums, sums_by_state, values_by_state
from winf_analyzer._aggregate.windows import LINK, WINDOW, accumulate, every_window, spread
from winf_analyzer._schema import schema, table
from winf_analyzer._util.plugins import PluginWarning
from winf_analyzer.estimators._estimator import Estimator, Method
from winf_analyzer.estimators._registry import ESTIMATORS, registry
from winf_analyzer.estimators._run import MODES, estimate, estimate_each

__all__ = [
    "ESTIMATES",
    "ESTIMATES_SCHEMA",
    "ESTIMATORS",
    "EXCHANGES_SCHEMA",
    "GROUP",
    "LINK",
    "MODES",
    "NAV",
    "PER_LINK",
    "WINDOW",
    "Aggregate",
    "Chunk",
    "Context",
    "Derived",
    "Estimator",
    "Method",
    "Mode",
    "PluginWarning",
    "Probe",
    "Settings",
    "accumulate",
    "airtime",
    "estimate",
    "estimate_each",
    "every_window",
    "from_airtime",
    "from_nav",
    "join_idle",
    "link_sums",
    "nanoseconds",
    "ordered_sum",
    "quotient",
    "registry",
    "spread",
    "sums_by_state",
    "values_by_state",
]

ESTIMATES = table("estimates").columns
"""Columns of the `estimates` table: name, type, unit, meaning."""

ESTIMATES_SCHEMA = schema("estimates")
"""Names and Polars types of :data:`ESTIMATES`, in order."""
