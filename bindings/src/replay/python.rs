//! Replays in the Python module.

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use winf_engine::controller::Mode;
use winf_engine::controllers::CONTROLLERS;
use winf_engine::plan::Plan;
use winf_engine::reference::allocation::can_allocate;
use winf_engine::world::{World, WorldError};

use crate::arrow_table::ArrowTable;

use super::tables::{REPLAY_FLOWS, REPLAY_LINKS, REPLAY_SUMMARY};
use super::{Error, Kind, Replay, Run, RunController, MAX_MIN};

/// The results of one run.
#[pyclass(frozen, get_all, module = "winf_analyzer._core")]
pub struct ReplayRun {
    controller: String,
    mode: String,
    seed: u64,
    flows: Py<ArrowTable>,
    links: Py<ArrowTable>,
    summary: Py<ArrowTable>,
}

impl ReplayRun {
    fn new(py: Python<'_>, run: Run) -> PyResult<Self> {
        let table = |schema, batches| Py::new(py, ArrowTable::new(schema, batches));
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

/// The runs of a world, given as JSON, with seeds, under controllers, given as (name, mode, settings as JSON) or as
/// (name, mode, object written in Python). Flows that name a controller by index have that companion, from 1 on.
#[pyfunction]
#[pyo3(signature = (replay_id, world, controllers, seeds, *, companions = Vec::new(), origin_ns = None, threads = 0))]
#[allow(clippy::too_many_arguments)]
pub fn replay(
    py: Python<'_>,
    replay_id: String,
    world: &str,
    controllers: Vec<(String, String, Py<PyAny>)>,
    seeds: Vec<u64>,
    companions: Vec<(String, String, Py<PyAny>)>,
    origin_ns: Option<i64>,
    threads: usize,
) -> PyResult<ReplayIterator> {
    let controllers = controllers.into_iter().map(|given| run_controller(py, given)).collect::<PyResult<_>>()?;
    let companions = companions.into_iter().map(|given| run_controller(py, given)).collect::<PyResult<_>>()?;
    let world = World::from_json(world).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let replay = py.detach(|| Replay::new(replay_id, world, origin_ns, controllers, companions, seeds, threads));
    Ok(ReplayIterator { replay: replay.map_err(raised)?, state: Mutex::default() })
}

/// Controllers that flows of a world may name: that of the run, and the one that flows keep whatever runs.
const CONTROLLERS_OF_A_WORLD: usize = 2;

/// A world that is written as TOML, as JSON, once it can be run; the error says in which line it
/// cannot. `duration_ns` and `bin_ns` take the place of the document's own.
#[pyfunction]
#[pyo3(signature = (text, *, duration_ns = None, bin_ns = None))]
pub fn world_from_toml(text: &str, duration_ns: Option<u64>, bin_ns: Option<u64>) -> PyResult<String> {
    let refused = |error: WorldError| match error.line(text) {
        Some(line) => PyValueError::new_err(format!("line {line}: {error}")),
        None => PyValueError::new_err(error.to_string()),
    };
    let mut world = World::from_toml(text).map_err(refused)?;
    world.duration_ns = duration_ns.unwrap_or(world.duration_ns);
    world.record.bin_ns = bin_ns.unwrap_or(world.record.bin_ns);
    Plan::new(&world).and_then(|plan| plan.check_controllers(CONTROLLERS_OF_A_WORLD)).map_err(refused)?;
    serde_json::to_string(&world).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A controller: name, description, source, modes, where it is implemented.
pub type ControllerDoc = (&'static str, &'static str, &'static str, Vec<&'static str>, String);

/// Every controller of the registry, and the allocation they are measured against.
#[pyfunction]
pub fn controllers() -> Vec<ControllerDoc> {
    let modes = |modes: &[Mode]| modes.iter().map(|mode| mode.name()).collect();
    let engine = "engine/src";
    let home = |module: &str| format!("{engine}/controllers/{module}");
    let rows =
        CONTROLLERS.iter().map(|row| (row.name, row.description, row.source, modes(row.modes), home(row.module)));
    rows.chain([(
        MAX_MIN,
        "no controller: the max-min fair allocation, computed by a model of the MAC",
        "Rangwala, Jindal, Jang, Psounis, Govindan: Neighborhood-Centric Congestion Control, sec. IV-A",
        modes(&[Mode::Corrected]),
        format!("{engine}/reference"),
    )])
    .collect()
}

/// Whether the max-min fair allocation of a world, given as JSON, can be computed.
#[pyfunction]
pub fn has_max_min(py: Python<'_>, world: &str) -> PyResult<bool> {
    let world = World::from_json(world).map_err(|error| PyValueError::new_err(error.to_string()))?;
    py.detach(|| can_allocate(&world)).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn run_controller(py: Python<'_>, (name, mode, what): (String, String, Py<PyAny>)) -> PyResult<RunController> {
    let known = [Mode::Paper, Mode::PaperGreedy, Mode::Corrected];
    let found = known.into_iter().find(|known| known.name() == mode);
    let mode = found.ok_or_else(|| PyValueError::new_err(format!("{mode:?} is no mode")))?;
    let kind = match what.extract::<String>(py) {
        Ok(_) if name == MAX_MIN => Kind::MaxMin,
        Ok(settings) => {
            let read = serde_json::from_str(&settings);
            Kind::Registered(read.map_err(|error| PyValueError::new_err(error.to_string()))?)
        }
        Err(_) => Kind::Python(what),
    };
    Ok(RunController { name, mode, kind })
}

fn raised(error: Error) -> PyErr {
    match error {
        Error::Interrupted => PyKeyboardInterrupt::new_err(()),
        Error::World(_) | Error::Controller(_) | Error::NoMaxMin => PyValueError::new_err(error.to_string()),
        Error::Raised { controller, seed, error } => Python::attach(|py| {
            let told = format!("{controller}, seed {seed}: {}{error}", last_frame(py, &error).unwrap_or_default());
            let raised = PyRuntimeError::new_err(told);
            raised.set_cause(py, Some(error));
            raised
        }),
        Error::Fault { .. } | Error::Threads(_) | Error::Table(_) => PyRuntimeError::new_err(error.to_string()),
    }
}

/// Where an exception was raised, as `file.py:12, in on_ack: `; `None` where that is not known.
fn last_frame(py: Python<'_>, error: &PyErr) -> Option<String> {
    let mut frame = error.traceback(py)?.into_any();
    while let Some(next) = frame.getattr("tb_next").ok().filter(|next| !next.is_none()) {
        frame = next;
    }
    let code = frame.getattr("tb_frame").and_then(|frame| frame.getattr("f_code")).ok()?;
    let file: String = code.getattr("co_filename").and_then(|name| name.extract()).ok()?;
    let function: String = code.getattr("co_name").and_then(|name| name.extract()).ok()?;
    let line: u64 = frame.getattr("tb_lineno").and_then(|line| line.extract()).ok()?;
    Some(format!("{file}:{line}, in {function}: "))
}
