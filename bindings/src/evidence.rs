//! What recommended answers rest on besides estimates, from Parquet parts: what recorders missed of each transmitter, and
//! what they show of each link.

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;
use winf_kernels::{link_evidence, sequence_gaps};

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
        add_part(py, &path, sequence_gaps::table::COLUMNS, |batch| self.0.add_batch(batch))
    }

    /// What was heard, per transmitter and receiver of QoS data.
    fn found(&self) -> PyResult<ArrowTable> {
        arrow_table(self.0.found())
    }

    /// When nothing was recorded though stations sent.
    fn pauses(&self) -> Vec<(Option<&str>, i64, i64)> {
        self.0.pauses().collect()
    }
}

/// Counts, sizes and rates of the data exchanges of links, of exchanges that come part by part.
#[pyclass(module = "winf_analyzer._core")]
pub struct LinkEvidence(link_evidence::LinkEvidence);

#[pymethods]
impl LinkEvidence {
    /// Windows start at multiples of `window_ns`, which is above 0.
    #[new]
    fn new(window_ns: i64) -> PyResult<Self> {
        if window_ns <= 0 {
            return Err(PyValueError::new_err("window_ns must be positive"));
        }
        Ok(Self(link_evidence::LinkEvidence::new(window_ns)))
    }

    /// Takes the exchanges of the next Parquet part of the table `exchanges`.
    fn add_part(&mut self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        add_part(py, &path, link_evidence::table::COLUMNS, |batch| self.0.add_batch(batch))
    }

    /// What the exchanges show, per link and window.
    fn links(&self) -> PyResult<ArrowTable> {
        arrow_table(self.0.links())
    }

    /// How busy it was, per observer and window.
    fn media(&self) -> PyResult<ArrowTable> {
        arrow_table(self.0.media())
    }
}

/// Hands the columns of the part at `path` to `take`, without the interpreter lock.
fn add_part<const N: usize>(
    py: Python<'_>,
    path: &Path,
    columns: [&str; N],
    take: impl FnMut(&RecordBatch) -> Result<(), ArrowError> + Send,
) -> PyResult<()> {
    let mut interrupted = || Python::attach(|py| py.check_signals()).is_err();
    let whole = py.detach(|| read(path, columns, &mut interrupted, take));
    match whole.map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))? {
        true => Ok(()),
        false => Err(PyKeyboardInterrupt::new_err(())),
    }
}

fn arrow_table(rows: Result<RecordBatch, ArrowError>) -> PyResult<ArrowTable> {
    rows.map(ArrowTable::from).map_err(|error| PyOSError::new_err(error.to_string()))
}
