//! The `warnings` table: damage and doubts, with repeats counted into one row.

use arrow_array::types::Int64Type;

use super::column::{self, Rows};
use super::Table;
use crate::base::{Warning, WarningCode};
use crate::fillers;

/// See the module.
pub static WARNINGS: Table<Warning> = Table {
    name: "warnings",
    fillers: fillers!(w: Warning {
        source: source(());
        frame_no: i64(w.frame_no.and_then(|n| i64::try_from(n).ok()));
        offset: i64(w.offset.and_then(|n| i64::try_from(n).ok()));
        code: always<WarningCode>(w.code);
        message: sentence(&w.message);
    }),
};
