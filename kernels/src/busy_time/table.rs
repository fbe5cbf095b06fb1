//! Intervals and edges in record batches.

use std::sync::Arc;

use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, Int64Array, RecordBatch};
use arrow_schema::ArrowError;

use crate::columns::{known, primitive};

use super::{BusyTime, Chunk, Interval};

impl BusyTime {
    /// [`BusyTime::up_to`] for the intervals (`medium`, `start_ns`, `end_ns`) of the next chunk and edges (`medium`,
    /// `edge_ns`; sorted); returns the column `filled_ns`, a row per edge.
    ///
    /// # Errors
    /// A column is missing, of another type, or has nulls.
    pub fn of_batches(
        &mut self,
        intervals: &[RecordBatch],
        edges: &[RecordBatch],
        chunk: Chunk,
    ) -> Result<RecordBatch, ArrowError> {
        let mut interval_rows = Vec::with_capacity(intervals.iter().map(RecordBatch::num_rows).sum());
        for batch in intervals {
            intervals_of(batch, &mut interval_rows)?;
        }
        let mut edge_rows = Vec::with_capacity(edges.iter().map(RecordBatch::num_rows).sum());
        for batch in edges {
            edges_of(batch, &mut edge_rows)?;
        }
        let busy_ns = Int64Array::from(self.up_to(interval_rows, &edge_rows, chunk));
        RecordBatch::try_from_iter([("filled_ns", Arc::new(busy_ns) as Arc<dyn Array>)])
    }
}

/// Appends the intervals of a batch.
fn intervals_of(batch: &RecordBatch, intervals: &mut Vec<Interval>) -> Result<(), ArrowError> {
    let medium = known("medium", primitive::<UInt32Type>(batch, "medium")?)?;
    let start = known("start_ns", primitive::<Int64Type>(batch, "start_ns")?)?;
    let end = known("end_ns", primitive::<Int64Type>(batch, "end_ns")?)?;
    let spans = start.values().iter().zip(end.values());
    let read = medium.values().iter().zip(spans);
    intervals.extend(read.map(|(&medium, (&start_ns, &end_ns))| Interval { medium, start_ns, end_ns }));
    Ok(())
}

/// Appends the edges of a batch.
fn edges_of(batch: &RecordBatch, edges: &mut Vec<(u32, i64)>) -> Result<(), ArrowError> {
    let medium = known("medium", primitive::<UInt32Type>(batch, "medium")?)?;
    let edge = known("edge_ns", primitive::<Int64Type>(batch, "edge_ns")?)?;
    edges.extend(medium.values().iter().copied().zip(edge.values().iter().copied()));
    Ok(())
}
