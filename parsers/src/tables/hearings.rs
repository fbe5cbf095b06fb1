//! The `hearings` table: which recording holds which frame of a merged dataset.

use arrow_array::types::{Int32Type, Int64Type};
use arrow_schema::DataType;

use super::column::{self, Rows};
use super::Table;
use crate::columns;
use crate::merge::Hearing;

/// See the module.
pub static HEARINGS: Table<Hearing> = Table {
    name: "hearings",
    doc: "merged datasets: one row per recording and frame that it holds",
    columns: columns!(h: Hearing {
        source: source(()), "recording that holds it";
        source_frame_no: id(h.source_frame_no), "its 1-based position there";
        frame_no: id(h.frame_no), "the merged frame that it is a copy of";
        observer: addr(h.observer), "whose radio recorded it; null for an anonymous sniffer";
        ta: addr(h.ta), "transmitter address, as any of the copies tells";
        sent: bool(Some(h.is_sent)), "the recording radio sent it itself";
        whole: bool(Some(h.is_readable)), "it was received whole";
        signal_dbm: i32(h.signal_dbm), "antenna signal there, dBm";
        apart_ns: id(h.apart_ns), "its time there, on the common clock, minus that of the earliest copy, ns";
    }),
};
