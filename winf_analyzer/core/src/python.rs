//! The module `winf_analyzer._core`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arrow_array::{ArrayRef, RecordBatchReader, StructArray};
use arrow_schema::{DataType, Field};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{to_stream_pycapsule, ArrayIterator};
use winf_parsers::base::Error as RecordingError;
use winf_parsers::frame::Addr;
use winf_parsers::pipeline::{Decoder, Settings};
use winf_parsers::sources::tshark::{Key, Program};
use winf_parsers::sources::{self, FORMATS};
use winf_parsers::tables::{Column, CAPABILITIES, EXCHANGES, FRAMES, HEARINGS, WARNINGS};

use crate::facts;
use crate::follow;
use crate::ingest::{self as pipeline, Error};
use crate::merge::{self as merging, Source};
use crate::replay::tables::{REPLAY_FLOWS, REPLAY_LINKS, REPLAY_SUMMARY};
use crate::rows::Rows;
use crate::stream;
use crate::survey as surveying;

create_exception!(
    _core,
    DecoderUnavailable,
    PyException,
    "The decoder is not installed or too old; the message says what to do."
);
create_exception!(_core, UnusableRecording, PyException, "Nothing in the input can be used; the message says why.");

/// Native half of winf_analyzer.
#[pymodule(name = "_core")]
mod module {
    #[pymodule_export]
    use super::{
        check_decoder, exchanges, first_ns, formats, frames, ingest, merge, recognize, survey, tables,
        DecoderUnavailable, Follower, TableStream, UnusableRecording,
    };
    #[pymodule_export]
    use crate::alike::Alike;
    #[pymodule_export]
    use crate::contention::plateau_evidence;
    #[pymodule_export]
    use crate::hidden::table::HiddenEvidence;
    #[pymodule_export]
    use crate::passes::{filling::table::Filling, succession::table::Succession};
    #[pymodule_export]
    use crate::phy_constants::phy_constants;
    #[pymodule_export]
    use crate::replay::python::{controllers, has_max_min, replay, world_from_toml, ReplayIterator, ReplayRun};
    #[pymodule_export]
    use crate::replay::views::{
        AckView, CongestionView, CrossLayerView, FlowSetupView, FlowViewView, LinkSetupView, LinkViewView,
        NodeSetupView, PacketView,
    };
    #[pymodule_export]
    use crate::rows::Rows;
    #[pymodule_export]
    use crate::saturation::rehearsal::table::rehearse_stations;
    #[pymodule_export]
    use crate::saturation::table::solve_stations;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("DEBUG_BUILD", cfg!(debug_assertions))
    }
}

/// A table of one recording; every Arrow consumer that asks for a stream decodes it anew.
#[pyclass(frozen, module = "winf_analyzer._core")]
struct TableStream {
    path: PathBuf,
    source: String,
    settings: Settings,
    exchanges: bool,
}

#[pymethods]
impl TableStream {
    /// The Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let reader = py.detach(|| self.open()).map_err(recording_error)?;
        let fields = DataType::Struct(reader.schema().fields().clone());
        let batches = reader.map(|batch| Ok(Arc::new(StructArray::from(batch?)) as ArrayRef));
        let batches = ArrayIterator::new(batches, Arc::new(Field::new("", fields, false)));
        to_stream_pycapsule(py, Box::new(batches), requested_schema)
    }
}

impl TableStream {
    fn open(&self) -> Result<Box<dyn RecordBatchReader + Send>, RecordingError> {
        Ok(if self.exchanges {
            Box::new(stream::exchanges(&self.path, &self.source, self.settings.clone())?)
        } else {
            Box::new(stream::frames(&self.path, &self.source, self.settings.clone())?)
        })
    }
}

/// The `frames` table of a recording.
#[pyfunction]
#[pyo3(signature = (path, source, *, observer = None, decoder = NATIVE, keys = Vec::new()))]
fn frames(
    path: PathBuf,
    source: String,
    observer: Option<&str>,
    decoder: &str,
    keys: Vec<String>,
) -> PyResult<TableStream> {
    Ok(TableStream { path, source, settings: settings(observer, decoder, &keys)?, exchanges: false })
}

/// The `exchanges` table of a recording.
#[pyfunction]
#[pyo3(signature = (path, source, *, observer = None, decoder = NATIVE, keys = Vec::new()))]
fn exchanges(
    path: PathBuf,
    source: String,
    observer: Option<&str>,
    decoder: &str,
    keys: Vec<String>,
) -> PyResult<TableStream> {
    Ok(TableStream { path, source, settings: settings(observer, decoder, &keys)?, exchanges: true })
}

/// Reads a recording once: what it holds and how it is understood as JSON, its first exchanges, and what was announced.
#[pyfunction]
#[pyo3(signature = (path, source, *, observer = None, decoder = NATIVE, keys = Vec::new()))]
fn survey(
    py: Python<'_>,
    path: PathBuf,
    source: &str,
    observer: Option<&str>,
    decoder: &str,
    keys: Vec<String>,
) -> PyResult<(String, Rows, Rows)> {
    let settings = settings(observer, decoder, &keys)?;
    let interrupted = || Python::attach(|py| py.check_signals()).is_err();
    let found = py.detach(|| surveying::survey(&path, source, settings, interrupted));
    py.check_signals()?; // the interrupt that ended the decoder's process is no fault of the recording
    let found = found.map_err(pipeline_error)?;
    let facts = facts::to_json(&found.summary).to_string();
    let announced = Rows::new(CAPABILITIES.schema(), found.announced);
    Ok((facts, found.exchanges.into(), announced))
}

/// Writes one recording's parts into a dataset folder and returns its summary as JSON.
#[pyfunction]
#[pyo3(signature = (path, source, dataset, part, *, observer = None, decoder = NATIVE, keys = Vec::new()))]
#[allow(clippy::too_many_arguments)] // named in Python
fn ingest(
    py: Python<'_>,
    path: PathBuf,
    source: &str,
    dataset: PathBuf,
    part: &str,
    observer: Option<&str>,
    decoder: &str,
    keys: Vec<String>,
) -> PyResult<String> {
    let settings = settings(observer, decoder, &keys)?;
    let interrupted = || Python::attach(|py| py.check_signals()).is_err();
    let summary = py.detach(|| pipeline::ingest(&path, source, &dataset, part, settings, interrupted));
    py.check_signals()?; // the interrupt that ended the decoder's process is no fault of the recording
    summary.map(|summary| facts::to_json(&summary).to_string()).map_err(pipeline_error)
}

/// Writes recordings of one channel, given as (path, source, part), into a dataset as one; returns JSON.
#[pyfunction]
fn merge(py: Python<'_>, recordings: Vec<(PathBuf, String, String)>, dataset: PathBuf) -> PyResult<String> {
    let source = |(path, name, part)| Source { path, name, part };
    let sources: Vec<Source> = recordings.into_iter().map(source).collect();
    let interrupted = || Python::attach(|py| py.check_signals()).is_err();
    let outcome = py.detach(|| merging::merge(&sources, &dataset, interrupted));
    outcome.map(|outcome| facts::merge_to_json(&outcome).to_string()).map_err(pipeline_error)
}

/// Fails with DecoderUnavailable where a decoder cannot be used here, with ValueError where there is no such decoder.
#[pyfunction]
fn check_decoder(py: Python<'_>, decoder: &str) -> PyResult<()> {
    match settings(None, decoder, &[])?.decoder {
        Decoder::Native => Ok(()),
        Decoder::Tshark(_) => py.detach(Program::find).map(|_| ()).map_err(recording_error),
    }
}

/// The name of the format a file's content is in, or None where the decoder reads none such.
#[pyfunction]
#[pyo3(signature = (path, *, decoder = NATIVE))]
fn recognize(py: Python<'_>, path: PathBuf, decoder: &str) -> PyResult<Option<&'static str>> {
    let decoder = settings(None, decoder, &[])?.decoder;
    py.detach(|| decoder.recognize(&path)).map_err(recording_error)
}

/// The time stamp of a recording's first frame in ns; None where its beginning holds no frame.
#[pyfunction]
fn first_ns(path: PathBuf) -> PyResult<Option<i64>> {
    sources::first_ns(&path).map_err(recording_error)
}

/// A recording that is still being written, into one part of a dataset after the other.
#[pyclass(frozen, module = "winf_analyzer._core")]
struct Follower {
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
        let inner = follow::Follower::new(&path, source, part, settings(observer, NATIVE, &[])?);
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

/// Every format that can be read: name, description, where it is implemented.
#[pyfunction]
fn formats() -> Vec<(&'static str, &'static str, &'static str)> {
    FORMATS.iter().map(|format| (format.name, format.description, format.module)).collect()
}

/// A column of a table: name, Arrow type, documentation.
type ColumnDoc = (String, String, String);

/// Every table that is made here: its name, what a row is, and its columns.
#[pyfunction]
fn tables() -> Vec<(String, String, Vec<ColumnDoc>)> {
    fn columns<R>(columns: &[Column<R>]) -> Vec<ColumnDoc> {
        let text = |column: &Column<R>| {
            let kind = match (column.data_type)() {
                DataType::Dictionary(_, values) => values.to_string(),
                other => other.to_string(),
            };
            (column.name.to_owned(), kind, column.doc.to_owned())
        };
        columns.iter().map(text).collect()
    }
    vec![
        (FRAMES.name.to_owned(), FRAMES.doc.to_owned(), columns(FRAMES.columns)),
        (EXCHANGES.name.to_owned(), EXCHANGES.doc.to_owned(), columns(EXCHANGES.columns)),
        (CAPABILITIES.name.to_owned(), CAPABILITIES.doc.to_owned(), columns(CAPABILITIES.columns)),
        (WARNINGS.name.to_owned(), WARNINGS.doc.to_owned(), columns(WARNINGS.columns)),
        (HEARINGS.name.to_owned(), HEARINGS.doc.to_owned(), columns(HEARINGS.columns)),
        (REPLAY_FLOWS.name.to_owned(), REPLAY_FLOWS.doc.to_owned(), columns(REPLAY_FLOWS.columns)),
        (REPLAY_LINKS.name.to_owned(), REPLAY_LINKS.doc.to_owned(), columns(REPLAY_LINKS.columns)),
        (REPLAY_SUMMARY.name.to_owned(), REPLAY_SUMMARY.doc.to_owned(), columns(REPLAY_SUMMARY.columns)),
    ]
}

fn pipeline_error(error: Error) -> PyErr {
    match error {
        Error::Recording(error) => recording_error(error),
        Error::Write { .. } => PyOSError::new_err(error.to_string()),
        Error::Interrupted => PyKeyboardInterrupt::new_err(()),
    }
}

fn recording_error(error: RecordingError) -> PyErr {
    match error {
        RecordingError::Io { ref source, .. } => PyOSError::new_err((source.raw_os_error(), error.to_string())),
        RecordingError::DecoderUnavailable { reason } => DecoderUnavailable::new_err(reason),
        other => UnusableRecording::new_err(other.to_string()),
    }
}

/// The decoder of this crate.
const NATIVE: &str = "native";

fn settings(observer: Option<&str>, decoder: &str, keys: &[String]) -> PyResult<Settings> {
    let parse = |text: &str| {
        let refused = || format!("{text}: not a station address; write aa:bb:cc:dd:ee:ff or node-3");
        Addr::parse(text).ok_or_else(|| PyValueError::new_err(refused()))
    };
    let parse_key = |text: &String| Key::parse(text).ok_or_else(|| PyValueError::new_err("not a key"));
    let decoder = match decoder {
        NATIVE if keys.is_empty() => Decoder::Native,
        NATIVE => return Err(PyValueError::new_err("the native decoder does not decrypt: keys are for tshark")),
        "tshark" => Decoder::Tshark(keys.iter().map(parse_key).collect::<PyResult<_>>()?),
        other => return Err(PyValueError::new_err(format!("{other}: no such decoder; there are native and tshark"))),
    };
    Ok(Settings { observer: observer.map(parse).transpose()?, decoder })
}
