//! Counts of frames by station, of recordings as they are read and of parts that are there already.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use winf_kernels::stations;
use winf_kernels::stations::table::COLUMNS;
use winf_parsers::tables::schema;

use crate::arrow_table::ArrowTable;
use crate::part_reader::read;

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

    /// Adds the counts of other recordings, which are then empty.
    fn add(&self, py: Python<'_>, other: &FrameCounts) {
        py.detach(|| {
            let moved = std::mem::take(&mut *other.counts());
            self.take(moved);
        });
    }

    /// Adds the frames of a Parquet part of the table `frames`.
    fn add_part(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let mut interrupted = || Python::attach(|py| py.check_signals()).is_err();
        let counted = py.detach(|| count(&path, &mut interrupted));
        match counted.map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))? {
            Some(counted) => {
                self.take(counted);
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

    /// The table `nodes`; `texts` has columns that frames do not tell, by name and station, else null. Where
    /// `radio` has none it is the station.
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
    pub fn take(&self, other: stations::FrameCounts) {
        self.counts().merge(other);
    }

    fn counts(&self) -> MutexGuard<'_, stations::FrameCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the frames of the part at `path`; none if interrupted.
fn count(path: &Path, interrupted: &mut impl FnMut() -> bool) -> Result<Option<stations::FrameCounts>, ParquetError> {
    let mut counts = stations::FrameCounts::default();
    Ok(read(path, COLUMNS, interrupted, |batch| counts.add_batch(batch))?.then_some(counts))
}
