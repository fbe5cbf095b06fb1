//! Recordings that are still being written.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::recordings::{pipeline_error, settings, NATIVE};
use crate::facts;
use crate::follow;

/// A recording that is still being written, into one part of a dataset after the other.
#[pyclass(frozen, module = "winf_analyzer._core")]
pub struct Follower {
    inner: Mutex<follow::Follower>,
}

impl Follower {
    fn inner(&self) -> MutexGuard<'_, follow::Follower> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Follower {
    #[new]
    #[pyo3(signature = (path, source, part, *, observer = None))]
    fn new(path: PathBuf, source: &str, part: &str, observer: Option<&str>) -> PyResult<Follower> {
        let inner = follow::Follower::new(&path, source, part, settings(observer, NATIVE, &[], None)?);
        Ok(Follower { inner: Mutex::new(inner) })
    }

    /// Takes the file's present end for its end; when the user stopped it, a cut record there is no damage.
    fn complete(&self, stopped: bool) {
        self.inner().complete(stopped);
    }

    /// Writes the next part below a dataset folder. Returns its number of frames, and whether more may follow.
    fn write_part(
        &self,
        py: Python<'_>,
        dataset: PathBuf,
        seconds: f64,
        most_frames: usize,
        stop: Py<PyAny>,
    ) -> PyResult<(usize, bool)> {
        let patience =
            Duration::try_from_secs_f64(seconds).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut raised = None;
        let asked = |py: Python<'_>| py.check_signals().and_then(|()| stop.call0(py)?.extract::<bool>(py));
        let is_stopped = || {
            Python::attach(asked).unwrap_or_else(|error| {
                raised = Some(error);
                true
            })
        };
        let written = py.detach(|| self.inner().write_part(&dataset, patience, most_frames, is_stopped));
        match raised {
            Some(error) => Err(error),
            None => written.map(|written| (written.frames, written.more)).map_err(pipeline_error),
        }
    }

    /// What was read so far as JSON, like that of `ingest`; None before the first part.
    fn summary(&self) -> Option<String> {
        self.inner().summary().map(|summary| facts::to_json(&summary).to_string())
    }
}
