//! Arrow tables for Python.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{to_stream_pycapsule, ArrayIterator};

/// A table in memory; every Arrow consumer may read it, any number of times.
#[pyclass(frozen, name = "ArrowTable", module = "winf_analyzer._core")]
pub struct ArrowTable {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl ArrowTable {
    /// Of batches that have the schema.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }

    /// The rows.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }
}

impl From<RecordBatch> for ArrowTable {
    fn from(batch: RecordBatch) -> Self {
        Self::new(batch.schema(), vec![batch])
    }
}

#[pymethods]
impl ArrowTable {
    /// The Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let fields = DataType::Struct(self.schema.fields().clone());
        let batches = self.batches.iter().map(|batch| Ok(Arc::new(StructArray::from(batch.clone())) as ArrayRef));
        let batches: Vec<_> = batches.collect();
        let batches = ArrayIterator::new(batches, Arc::new(Field::new("", fields, false)));
        to_stream_pycapsule(py, Box::new(batches), requested_schema)
    }
}
