//! What recorders missed of each transmitter, from the sequence numbers in parts of the table `frames`.

use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use winf_kernels::sequence_gaps;
use winf_kernels::sequence_gaps::table::COLUMNS;

use crate::arrow_table::ArrowTable;
use crate::part_reader::read;

/// Sequence numbers that were heard and that were not, of frames that come part by part.
#[pyclass(module = "winf_analyzer._core")]
#[derive(Default)]
pub struct SequenceGaps(sequence_gaps::SequenceGaps);

#[pymethods]
impl SequenceGaps {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Takes the frames of the next Parquet part of the table `frames`.
    fn add_part(&mut self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let whole = py.detach(|| add(&mut self.0, &path));
        match whole.map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))? {
            true => Ok(()),
            false => Err(PyKeyboardInterrupt::new_err(())),
        }
    }

    /// What was heard, per transmitter and receiver of QoS data.
    fn found(&self) -> PyResult<ArrowTable> {
        let rows = self.0.found().map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(ArrowTable::from(rows))
    }
}

/// Adds the part at `path`; false if interrupted.
fn add(gaps: &mut sequence_gaps::SequenceGaps, path: &Path) -> Result<bool, ParquetError> {
    let mut interrupted = || Python::attach(|py| py.check_signals()).is_err();
    read(path, COLUMNS, &mut interrupted, |batch| gaps.add_batch(batch))
}
