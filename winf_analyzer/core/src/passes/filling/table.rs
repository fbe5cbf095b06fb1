//! Intervals in tables, for Python.

use std::sync::Arc;

use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;

use crate::columns::{known, primitive};
use crate::rows::Rows;

use super::{Interval, Stretch};

/// How long each medium was filled, from stretch to stretch.
#[pyclass(module = "winf_analyzer._core")]
#[derive(Default)]
pub struct Filling(super::Filling);

#[pymethods]
impl Filling {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Takes the intervals (`medium`, `start_ns`, `end_ns`) of the next stretch; returns what is filled before each edge
    /// (`medium`, `edge_ns`; sorted).
    #[pyo3(signature = (intervals, edges, from_ns = None, to_ns = None))]
    fn up_to(
        &mut self,
        py: Python<'_>,
        intervals: PyTable,
        edges: PyTable,
        from_ns: Option<i64>,
        to_ns: Option<i64>,
    ) -> PyResult<Rows> {
        let ((intervals, _), (edges, _)) = (intervals.into_inner(), edges.into_inner());
        let measured = py.detach(|| {
            let mut read = Vec::with_capacity(intervals.iter().map(RecordBatch::num_rows).sum());
            for batch in &intervals {
                intervals_of(batch, &mut read)?;
            }
            let mut asked = Vec::with_capacity(edges.iter().map(RecordBatch::num_rows).sum());
            for batch in &edges {
                edges_of(batch, &mut asked)?;
            }
            let filled = Int64Array::from(self.0.up_to(read, &asked, Stretch { from_ns, to_ns }));
            RecordBatch::try_from_iter([("filled_ns", Arc::new(filled) as Arc<dyn Array>)])
        });
        measured.map(Rows::from).map_err(|error| PyValueError::new_err(error.to_string()))
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
