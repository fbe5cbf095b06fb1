//! Registries: formats and the schemas of all tables.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_schema::Schema;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::to_schema_pycapsule;
use winf_parsers::sources::FORMATS;
use winf_parsers::tables::schema;
use winf_parsers::tables::{ColumnSchema, TableSchema};

use crate::arrow_table::ArrowTable;
use crate::part::PartWriter;
use crate::{footer, part_metadata};

/// Every format that can be read: name, description, where it is implemented.
#[pyfunction]
pub fn formats() -> Vec<(&'static str, &'static str, &'static str)> {
    FORMATS.iter().map(|format| (format.name, format.description, format.module)).collect()
}

/// A column: name, type, unit, meaning, source, and the SQL that gives it where a dataset lacks it.
pub type ColumnFacts = (&'static str, &'static str, &'static str, &'static str, &'static str, Option<&'static str>);

/// Every table of a dataset: its name, what a row is, what fills it, and its columns.
#[pyfunction]
pub fn tables() -> Vec<(&'static str, &'static str, &'static str, Vec<ColumnFacts>)> {
    fn facts(column: &'static ColumnSchema) -> ColumnFacts {
        let ColumnSchema { name, kind, unit, meaning, source, absent } = column;
        (name, kind.name(), unit, meaning, source, absent.as_deref())
    }
    let columns = |table: &'static TableSchema| table.columns.iter().map(facts).collect();
    schema::tables().map(|table| (table.name, &*table.row, &*table.filled_by, columns(table))).collect()
}

/// The key-value metadata of a table's Parquet files.
#[pyfunction]
pub fn parquet_metadata(table: &str) -> PyResult<Vec<(String, String)>> {
    Ok(part_metadata::key_values(stated(table)?))
}

/// Writes a Parquet part of a table: the rows, which have its columns and types in order, or none.
#[pyfunction]
#[pyo3(signature = (path, table, rows = None))]
pub fn write_part(py: Python<'_>, path: PathBuf, table: &str, rows: Option<&ArrowTable>) -> PyResult<()> {
    let table = stated(table)?;
    let batches = rows.map_or(&[][..], ArrowTable::batches);
    let written = py.detach(|| {
        let fields = table.columns.iter().map(|column| column.field(column.kind.data_type(), true));
        let mut part = PartWriter::create(&path, table, Arc::new(Schema::new(fields.collect::<Vec<_>>())))?;
        part.write(batches)?;
        part.close()
    });
    written.map_err(|error| PyOSError::new_err(format!("{}: cannot write: {error}", path.display())))
}

/// Rows, schema as text and key-value metadata of the Parquet file at `path`.
#[pyfunction]
pub fn parquet_footer(py: Python<'_>, path: PathBuf) -> PyResult<(i64, String, BTreeMap<String, String>)> {
    match py.detach(|| footer::read_footer(&path)) {
        Ok(footer) => Ok((footer.rows, footer.schema, footer.key_values)),
        Err(error) => Err(PyOSError::new_err(format!("{}: not a Parquet file ({error})", path.display()))),
    }
}

/// The Arrow schema of a table's Parquet files.
#[pyclass(frozen, module = "winf_analyzer._core")]
pub struct ArrowSchema {
    table: &'static TableSchema,
}

#[pymethods]
impl ArrowSchema {
    #[new]
    fn new(table: &str) -> PyResult<Self> {
        stated(table).map(|table| Self { table })
    }

    /// The Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, part_metadata::arrow_schema(self.table))
    }
}

fn stated(table: &str) -> PyResult<&'static TableSchema> {
    schema::table(table).ok_or_else(|| PyValueError::new_err(format!("{table}: no such table")))
}
