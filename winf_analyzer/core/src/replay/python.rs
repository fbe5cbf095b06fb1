//! What `winf_analyzer._core` offers for replays.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, SchemaRef};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{to_stream_pycapsule, ArrayIterator};
use winf_engine::controller::Mode;
use winf_engine::controllers::CONTROLLERS;
use winf_engine::world::World;

use super::tables::{REPLAY_FLOWS, REPLAY_LINKS, REPLAY_SUMMARY};
use super::{Contender, Error, Replay, Run};

/// A finished table in memory.
#[pyclass(frozen, module = "winf_analyzer._core")]
pub struct ReplayTable {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl ReplayTable {
    /// The Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let field = Field::new("", DataType::Struct(self.schema.fields().clone()), false);
        let batches: Vec<_> =
            self.batches.iter().map(|batch| Ok(Arc::new(StructArray::from(batch.clone())) as ArrayRef)).collect();
        let batches = ArrayIterator::new(batches.into_iter(), Arc::new(field));
        to_stream_pycapsule(py, Box::new(batches), requested_schema)
    }
}

/// What one run left behind.
#[pyclass(frozen, get_all, module = "winf_analyzer._core")]
pub struct ReplayRun {
    controller: String,
    mode: String,
    seed: u64,
    flows: Py<ReplayTable>,
    links: Py<ReplayTable>,
    summary: Py<ReplayTable>,
}

impl ReplayRun {
    fn new(py: Python<'_>, run: Run) -> PyResult<Self> {
        let table = |schema, batches| Py::new(py, ReplayTable { schema, batches });
        Ok(Self {
            controller: run.key.controller.clone(),
            mode: run.key.mode.clone(),
            seed: run.key.seed,
            flows: table(REPLAY_FLOWS.schema(), run.flows)?,
            links: table(REPLAY_LINKS.schema(), run.links)?,
            summary: table(REPLAY_SUMMARY.schema(), run.summary)?,
        })
    }
}

/// Iterates over the runs of a replay, in order: every controller with every seed.
#[pyclass(frozen, name = "Replay", module = "winf_analyzer._core")]
pub struct ReplayIterator {
    replay: Replay,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: usize,
    finished: std::vec::IntoIter<Run>,
}

#[pymethods]
impl ReplayIterator {
    fn __len__(&self) -> usize {
        self.replay.len()
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<ReplayRun>> {
        let run = py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.finished.as_slice().is_empty() && state.next < self.replay.len() {
                let interrupted = || Python::attach(|py| py.check_signals()).is_err();
                let runs = self.replay.runs(state.next, interrupted).map_err(raised)?;
                state.next += runs.len();
                state.finished = runs.into_iter();
            }
            PyResult::Ok(state.finished.next())
        })?;
        run.map(|run| ReplayRun::new(py, run)).transpose()
    }
}

/// The runs of a world, given as JSON, under controllers, given as (name, mode, settings as JSON), with seeds.
#[pyfunction]
#[pyo3(signature = (replay_id, world, controllers, seeds, *, origin_ns = None, threads = 0))]
pub fn replay(
    py: Python<'_>,
    replay_id: String,
    world: &str,
    controllers: Vec<(String, String, String)>,
    seeds: Vec<u64>,
    origin_ns: Option<i64>,
    threads: usize,
) -> PyResult<ReplayIterator> {
    let contenders = controllers.into_iter().map(contender).collect::<PyResult<_>>()?;
    let world = World::from_json(world).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let replay = py.detach(|| Replay::new(replay_id, world, origin_ns, contenders, seeds, threads));
    Ok(ReplayIterator { replay: replay.map_err(raised)?, state: Mutex::default() })
}

/// A world that is written as TOML, as JSON.
#[pyfunction]
pub fn world_from_toml(text: &str) -> PyResult<String> {
    let world = World::from_toml(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    serde_json::to_string(&world).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A controller: name, description, source, modes.
pub type ControllerDoc = (&'static str, &'static str, &'static str, Vec<&'static str>);

/// Every controller of the registry.
#[pyfunction]
pub fn controllers() -> Vec<ControllerDoc> {
    let modes = |modes: &[Mode]| modes.iter().map(|mode| mode.name()).collect();
    CONTROLLERS.iter().map(|row| (row.name, row.description, row.source, modes(row.modes))).collect()
}

fn contender((name, mode, settings): (String, String, String)) -> PyResult<Contender> {
    let known = [Mode::Paper, Mode::PaperGreedy, Mode::Corrected];
    let found = known.into_iter().find(|known| known.name() == mode);
    let mode = found.ok_or_else(|| PyValueError::new_err(format!("{mode:?} is no mode")))?;
    let settings = serde_json::from_str(&settings).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(Contender { name, mode, settings })
}

fn raised(error: Error) -> PyErr {
    match error {
        Error::Interrupted => PyKeyboardInterrupt::new_err(()),
        Error::World(_) | Error::Controller(_) => PyValueError::new_err(error.to_string()),
        Error::Fault { .. } | Error::Threads(_) | Error::Table(_) => PyRuntimeError::new_err(error.to_string()),
    }
}
