//! Arrow tables for Python.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, SchemaRef};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use pyo3::IntoPyObjectExt;
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
    /// The rows as dictionaries of these columns, which hold flags, numbers or texts of a dictionary.
    #[allow(clippy::needless_pass_by_value)] // from Python
    fn records<'py>(&self, py: Python<'py>, columns: Vec<String>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let mut rows = Vec::new();
        for batch in &self.batches {
            let first = rows.len();
            rows.extend((0..batch.num_rows()).map(|_| PyDict::new(py)));
            for name in &columns {
                let column = batch.column_by_name(name).ok_or_else(|| PyKeyError::new_err(name.clone()))?;
                for (row, record) in rows[first..].iter().enumerate() {
                    record.set_item(name, value(py, column, row)?)?;
                }
            }
        }
        Ok(rows)
    }

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

fn value(py: Python<'_>, column: &ArrayRef, row: usize) -> PyResult<Py<PyAny>> {
    if column.is_null(row) {
        return Ok(py.None());
    }
    match column.data_type() {
        DataType::Boolean => column.as_boolean().value(row).into_py_any(py),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into_py_any(py),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into_py_any(py),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).into_py_any(py),
        DataType::Utf8 => column.as_string::<i32>().value(row).into_py_any(py),
        DataType::Dictionary(..) => match column.as_dictionary_opt::<Int32Type>() {
            Some(keyed) => value(py, keyed.values(), keyed.keys().value(row) as usize),
            None => Err(PyTypeError::new_err("a dictionary with other keys")),
        },
        other => Err(PyTypeError::new_err(format!("no Python value of {other}"))),
    }
}
