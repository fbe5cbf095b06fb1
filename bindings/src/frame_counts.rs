//! Counts of frames by station, of recordings as they are read and of parts that are there already.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::arrow::ProjectionMask;
use parquet::errors::ParquetError;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use winf_kernels::stations;
use winf_kernels::stations::table::COLUMNS;
use winf_parsers::tables::schema;
use winf_parsers::tables::BATCH_ROWS;

use crate::arrow_table::ArrowTable;

/// What stations sent and who heard them; any thread may add to it.
#[pyclass(frozen, module = "winf_analyzer._core")]
#[derive(Default)]
pub struct FrameCounts(Mutex<stations::FrameCounts>);

#[pymethods]
impl FrameCounts {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds the counts of other recordings.
    fn add(&self, py: Python<'_>, other: &FrameCounts) {
        py.detach(|| {
            if !std::ptr::eq(self, other) {
                self.take(&other.counts());
            }
        });
    }

    /// Adds the frames of a Parquet part of the table `frames`.
    fn add_part(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let mut interrupted = || Python::attach(|py| py.check_signals()).is_err();
        let counted = py.detach(|| count(&path, &mut interrupted));
        match counted.map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))? {
            Some(counted) => {
                self.take(&counted);
                Ok(())
            }
            None => Err(PyKeyboardInterrupt::new_err(())),
        }
    }

    /// Addresses of the stations, sorted.
    fn stations(&self) -> Vec<String> {
        let mut addresses: Vec<_> = self.counts().addresses().map(str::to_owned).collect();
        addresses.sort_unstable();
        addresses
    }

    /// The table `nodes`; `texts` has columns that frames do not tell, by name and station, else null.
    fn nodes(&self, py: Python<'_>, texts: HashMap<String, HashMap<String, String>>) -> PyResult<ArrowTable> {
        let ordered = || {
            let rows = self.counts().nodes(&texts)?;
            let stated = schema::table("nodes").into_iter().flat_map(|table| &table.columns);
            let places: Result<Vec<_>, _> = stated.map(|column| rows.schema_ref().index_of(&column.name)).collect();
            rows.project(&places?)
        };
        let rows: Result<_, ArrowError> = py.detach(ordered);
        rows.map(ArrowTable::from).map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// The table `neighbours` of recordings that were not merged.
    fn neighbours(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        let rows = py.detach(|| self.counts().neighbours());
        rows.map(ArrowTable::from).map_err(|error| PyOSError::new_err(error.to_string()))
    }
}

impl FrameCounts {
    /// Adds the counts of other recordings.
    pub fn take(&self, other: &stations::FrameCounts) {
        self.counts().merge(other);
    }

    fn counts(&self) -> MutexGuard<'_, stations::FrameCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the frames of the part at `path`; none if interrupted.
fn count(path: &Path, interrupted: &mut impl FnMut() -> bool) -> Result<Option<stations::FrameCounts>, ParquetError> {
    let file = File::open(path)?;
    // Texts come as dictionaries, as they are stored.
    let stored = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
    let fields = stored.schema().fields().iter().map(|field| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => Arc::new(Field::new(field.name(), dictionary(), field.is_nullable())),
        _ => Arc::clone(field),
    });
    let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields.collect::<Vec<_>>())));
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)?;
    let columns = ProjectionMask::columns(builder.parquet_schema(), COLUMNS);
    let mut counts = stations::FrameCounts::default();
    for batch in builder.with_projection(columns).with_batch_size(BATCH_ROWS).build()? {
        if interrupted() {
            return Ok(None);
        }
        counts.add_batch(&batch?)?;
    }
    Ok(Some(counts))
}

fn dictionary() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}
