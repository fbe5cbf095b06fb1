//! The `hearings` table: the recordings that contain each frame of a merged dataset.

use arrow_array::types::{Int32Type, Int64Type};

use super::column::{self, Rows};
use super::Table;
use crate::fillers;
use crate::merge::Hearing;

/// See the module.
pub static HEARINGS: Table<Hearing> = Table {
    name: "hearings",
    fillers: fillers!(h: Hearing {
        source: source(());
        source_frame_no: id(h.source_frame_no);
        frame_no: id(h.frame_no);
        observer: addr(h.observer);
        ta: addr(h.ta);
        sent: bool(Some(h.is_sent));
        whole: bool(Some(h.is_readable));
        signal_dbm: i32(h.signal_dbm);
        apart_ns: id(h.apart_ns);
    }),
};
