//! The `audit` table: physical rules, and how far a recording keeps them.

use arrow_array::types::{Float64Type, Int64Type};

use super::column::{self, Rows};
use super::Table;
use crate::fillers;
use crate::pipeline::{AuditCheck, AuditRow, Verdict};

/// See the module.
pub static AUDIT: Table<AuditRow> = Table {
    name: "audit",
    fillers: fillers!(a: AuditRow {
        source: source(());
        check: always<AuditCheck>(a.check);
        value: f64(a.value);
        expected: f64(Some(a.expected));
        pairs: i64(i64::try_from(a.pairs).ok());
        verdict: always<Verdict>(a.verdict);
        consequence: sentence(a.consequence);
    }),
};
