//! Short recordings, ingested into parts that they share.

use std::path::PathBuf;

use pyo3::prelude::*;
use serde_json::json;
use winf_kernels::stations;
use winf_parsers::pipeline::Settings;

use super::recordings::{pipeline_error, settings, NATIVE};
use crate::facts;
use crate::frame_counts::FrameCounts;
use crate::ingest_together::{ingest_together as together, Outcome};

/// Writes short recordings, given as (path, source), into one part of each table.
///
/// Returns JSON for each of them: its summary; `{"error": reason}` if it is unusable; `{"long": true}` if it has more
/// frames than short recordings have. The latter two have no rows in the parts. `stop` is called before each recording,
/// for threads that get no signals; true ends the run like Ctrl-C. `counts` gets the frames that are written.
#[pyfunction]
#[pyo3(signature = (recordings, dataset, part, *, observer = None, stop = None, counts = None))]
pub fn ingest_together(
    py: Python<'_>,
    recordings: Vec<(PathBuf, String)>,
    dataset: PathBuf,
    part: &str,
    observer: Option<&str>,
    stop: Option<Py<PyAny>>,
    counts: Option<&FrameCounts>,
) -> PyResult<Vec<String>> {
    let settings = Settings { digests_input: true, ..settings(observer, NATIVE, &[], None)? };
    let asked = |py: Python<'_>| stop.as_ref().map_or(Ok(false), |stop| stop.call0(py)?.extract::<bool>(py));
    let interrupted = || Python::attach(|py| py.check_signals().and_then(|()| asked(py))).unwrap_or(true);
    let mut counted = stations::FrameCounts::default();
    let outcomes = py.detach(|| together(&recordings, &dataset, part, &settings, &mut counted, interrupted));
    let outcomes = outcomes.map_err(pipeline_error)?;
    if let Some(counts) = counts {
        counts.take(counted);
    }
    Ok(outcomes.iter().map(|outcome| said(outcome).to_string()).collect())
}

fn said(outcome: &Outcome) -> serde_json::Value {
    match outcome {
        Outcome::Written(summary) => facts::to_json(summary),
        Outcome::Unusable(error) => json!({ "error": error.to_string() }),
        Outcome::Long => json!({ "long": true }),
    }
}
