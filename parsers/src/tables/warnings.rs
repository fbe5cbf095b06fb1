//! The `warnings` table: damage and doubts, repeats counted into one row.

use arrow_array::types::Int64Type;
use arrow_schema::DataType;

use super::column::{self, Rows};
use super::Table;
use crate::base::{Warning, WarningCode};
use crate::columns;

/// See the module.
pub static WARNINGS: Table<Warning> = Table {
    name: "warnings",
    doc: "damage and doubts met while reading, repeats counted into one row",
    columns: columns!(w: Warning {
        source: source(()), "recording it is about";
        frame_no: i64(w.frame_no.and_then(|n| i64::try_from(n).ok())), "the first frame it is about";
        offset: i64(w.offset.and_then(|n| i64::try_from(n).ok())), "octets from the start of the file";
        code: always<WarningCode>(w.code), "what it is, stable for queries";
        message: sentence(&w.message), "a sentence";
    }),
};
