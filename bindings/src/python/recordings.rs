//! Recordings: tables as Arrow streams, and ingest into a dataset.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatchReader, StructArray};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{to_stream_pycapsule, ArrayIterator};
use winf_kernels::stations;
use winf_parsers::base::Error as RecordingError;
use winf_parsers::frame::Addr;
use winf_parsers::pipeline::{Decoder, Settings};
use winf_parsers::sources;
use winf_parsers::sources::tshark::{refused_option, Key, TsharkOptions};
use winf_parsers::tables::CAPABILITIES;

use super::{DecoderUnavailable, UnusableRecording};
use crate::arrow_table::ArrowTable;
use crate::facts;
use crate::frame_counts::FrameCounts;
use crate::ingest::{self as pipeline, Error};
use crate::merge::{self as merging, Source};
use crate::stream;
use crate::survey as surveying;

/// A table of one recording; every Arrow consumer that asks for a stream decodes it anew.
#[pyclass(frozen, module = "winf_analyzer._core")]
pub struct TableStream {
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
#[pyo3(signature = (path, source, *, observer = None, decoder = NATIVE, keys = Vec::new(), tshark = None))]
pub fn frames(
    path: PathBuf,
    source: String,
    observer: Option<&str>,
    decoder: &str,
    keys: Vec<String>,
    tshark: Option<GivenOptions>,
) -> PyResult<TableStream> {
    Ok(TableStream { path, source, settings: settings(observer, decoder, &keys, tshark)?, exchanges: false })
}

/// The `exchanges` table of a recording.
#[pyfunction]
#[pyo3(signature = (path, source, *, observer = None, decoder = NATIVE, keys = Vec::new(), tshark = None))]
pub fn exchanges(
    path: PathBuf,
    source: String,
    observer: Option<&str>,
    decoder: &str,
    keys: Vec<String>,
    tshark: Option<GivenOptions>,
) -> PyResult<TableStream> {
    Ok(TableStream { path, source, settings: settings(observer, decoder, &keys, tshark)?, exchanges: true })
}

/// Reads a recording once: what it holds and how it is understood as JSON, its first exchanges, and what was announced.
#[pyfunction]
#[pyo3(signature = (path, source, *, observer = None, decoder = NATIVE, keys = Vec::new(), tshark = None))]
pub fn survey(
    py: Python<'_>,
    path: PathBuf,
    source: &str,
    observer: Option<&str>,
    decoder: &str,
    keys: Vec<String>,
    tshark: Option<GivenOptions>,
) -> PyResult<(String, ArrowTable, ArrowTable)> {
    let settings = settings(observer, decoder, &keys, tshark)?;
    let interrupted = || Python::attach(|py| py.check_signals()).is_err();
    let found = py.detach(|| surveying::survey(&path, source, settings, interrupted));
    py.check_signals()?; // the interrupt that ended the decoder's process is no fault of the recording
    let found = found.map_err(pipeline_error)?;
    let facts = facts::surveyed_to_json(&found.summary, &found.overheard).to_string();
    let announced = ArrowTable::new(CAPABILITIES.schema(), found.announced);
    Ok((facts, found.exchanges.into(), announced))
}

/// Writes one recording's parts into a dataset folder and returns its summary as JSON.
///
/// `stop` is called between batches, for threads that get no signals; true ends the run like Ctrl-C. `counts` gets the
/// recording's frames if all of it could be read.
#[pyfunction]
#[pyo3(signature = (
    path, source, dataset, part, *, observer = None, decoder = NATIVE, keys = Vec::new(), tshark = None, stop = None,
    counts = None
))]
#[allow(clippy::too_many_arguments)] // named in Python
pub fn ingest(
    py: Python<'_>,
    path: PathBuf,
    source: &str,
    dataset: PathBuf,
    part: &str,
    observer: Option<&str>,
    decoder: &str,
    keys: Vec<String>,
    tshark: Option<GivenOptions>,
    stop: Option<Py<PyAny>>,
    counts: Option<&FrameCounts>,
) -> PyResult<String> {
    let settings = Settings { digests_input: true, ..settings(observer, decoder, &keys, tshark)? };
    let asked = |py: Python<'_>| stop.as_ref().map_or(Ok(false), |stop| stop.call0(py)?.extract::<bool>(py));
    let interrupted = || Python::attach(|py| py.check_signals().and_then(|()| asked(py))).unwrap_or(true);
    let mut counted = stations::FrameCounts::default();
    let summary = py.detach(|| pipeline::ingest(&path, source, &dataset, part, settings, &mut counted, interrupted));
    py.check_signals()?; // the interrupt that ended the decoder's process is no fault of the recording
    if let (Some(counts), Ok(_)) = (counts, &summary) {
        counts.take(counted);
    }
    summary.map(|summary| facts::to_json(&summary).to_string()).map_err(pipeline_error)
}

/// Writes recordings of one channel, given as (path, source, part), into a dataset as one; returns JSON.
#[pyfunction]
pub fn merge(py: Python<'_>, recordings: Vec<(PathBuf, String, String)>, dataset: PathBuf) -> PyResult<String> {
    let source = |(path, name, part)| Source { path, name, part };
    let sources: Vec<Source> = recordings.into_iter().map(source).collect();
    let interrupted = || Python::attach(|py| py.check_signals()).is_err();
    let outcome = py.detach(|| merging::merge(&sources, &dataset, interrupted));
    outcome.map(|outcome| facts::merge_to_json(&outcome).to_string()).map_err(pipeline_error)
}

/// Fails with DecoderUnavailable where a decoder cannot be used here, with ValueError where there is no such decoder, or
/// where tshark refuses one of the options.
#[pyfunction]
#[pyo3(signature = (decoder, *, tshark = None))]
pub fn check_decoder(py: Python<'_>, decoder: &str, tshark: Option<GivenOptions>) -> PyResult<()> {
    let Decoder::Tshark(_, options) = settings(None, decoder, &[], tshark)?.decoder else { return Ok(()) };
    match py.detach(|| refused_option(&options)).map_err(recording_error)? {
        Some(refused) => Err(PyValueError::new_err(refused)),
        None => Ok(()),
    }
}

/// The name of the format a file's content is in, or None where the decoder reads none such.
#[pyfunction]
#[pyo3(signature = (path, *, decoder = NATIVE, tshark = None))]
pub fn recognize(
    py: Python<'_>,
    path: PathBuf,
    decoder: &str,
    tshark: Option<GivenOptions>,
) -> PyResult<Option<&'static str>> {
    let decoder = settings(None, decoder, &[], tshark)?.decoder;
    py.detach(|| decoder.recognize(&path)).map_err(recording_error)
}

/// The time stamp of a recording's first frame in ns; None where its beginning holds no frame.
#[pyfunction]
pub fn first_ns(path: PathBuf) -> PyResult<Option<i64>> {
    sources::first_ns(&path).map_err(recording_error)
}

/// The exception of an error of ingest.
pub(super) fn pipeline_error(error: Error) -> PyErr {
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

/// The decoder of this project.
pub(super) const NATIVE: &str = "native";

/// Decode-as rules, preferences and the profile for tshark.
type GivenOptions = (Vec<String>, Vec<String>, Option<String>);

pub(super) fn settings(
    observer: Option<&str>,
    decoder: &str,
    keys: &[String],
    tshark: Option<GivenOptions>,
) -> PyResult<Settings> {
    let parse = |text: &str| {
        let refused = || format!("{text}: not a station address; write aa:bb:cc:dd:ee:ff or node-3");
        Addr::parse(text).ok_or_else(|| PyValueError::new_err(refused()))
    };
    let parse_key = |text: &String| Key::parse(text).ok_or_else(|| PyValueError::new_err("not a key"));
    let (decode_as, preferences, profile) = tshark.unwrap_or_default();
    let options = TsharkOptions::new(decode_as, preferences, profile).map_err(PyValueError::new_err)?;
    let decoder = match decoder {
        NATIVE if !options.is_empty() => {
            return Err(PyValueError::new_err("the native decoder is not tshark: it has no such options"))
        }
        NATIVE if keys.is_empty() => Decoder::Native,
        NATIVE => return Err(PyValueError::new_err("the native decoder does not decrypt: keys are for tshark")),
        "tshark" => Decoder::Tshark(keys.iter().map(parse_key).collect::<PyResult<_>>()?, options),
        other => return Err(PyValueError::new_err(format!("{other}: no such decoder; there are native and tshark"))),
    };
    Ok(Settings { observer: observer.map(parse).transpose()?, decoder, digests_input: false })
}
