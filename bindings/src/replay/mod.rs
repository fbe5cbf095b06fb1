//! Replays: one world, several controllers and seeds, their outcomes as tables.
//!
//! [`Replay::runs`] runs some of them at once; which are run together, and on how many threads, changes no result.

pub mod python;
pub mod python_controller;
pub mod summary;
pub mod tables;
pub mod views;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{sync_channel, RecvTimeoutError};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use pyo3::{Py, PyAny, PyErr, Python};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use winf_engine::controller::{Controller, Mode};
use winf_engine::controllers::{self, ControllerError};
use winf_engine::plan::Plan;
use winf_engine::record::Outcome;
use winf_engine::reference::allocation::{allocation, can_allocate};
use winf_engine::simulation::Simulation;
use winf_engine::world::{World, WorldError};
use winf_parsers::tables::{Table, BATCH_ROWS};

use python_controller::{Failure, PythonController};
use tables::{FlowRow, LinkRow, RunKey, SummaryRow, REPLAY_FLOWS, REPLAY_LINKS, REPLAY_SUMMARY};

/// Interval of checks for an interrupt.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);

/// Rows of bins that may be in memory at a time, unless one run alone has more.
const MAX_ROWS: u64 = 4_000_000;

/// Name of the computed max-min fair allocation among the controllers.
pub const MAX_MIN: &str = "max_min";

/// A controller of a replay.
pub struct RunController {
    /// Name in the registry.
    pub name: String,
    /// Reading of its paper.
    pub mode: Mode,
    /// What it is.
    pub kind: Kind,
}

/// What a controller is.
pub enum Kind {
    /// A row of the registry, with the constants that replace its defaults, a JSON object.
    Registered(serde_json::Value),
    /// An object written in Python.
    Python(Py<PyAny>),
    /// No controller: the max-min fair allocation, computed.
    MaxMin,
}

/// All runs of one world.
pub struct Replay {
    replay_id: String,
    world: World,
    origin_ns: Option<i64>,
    controllers: Vec<RunController>,
    companions: Vec<RunController>,
    seeds: Vec<u64>,
    pool: ThreadPool,
    together: usize,
}

/// The results of one run.
pub struct Run {
    /// Which it is.
    pub key: Arc<RunKey>,
    /// Its part of [`REPLAY_FLOWS`].
    pub flows: Vec<RecordBatch>,
    /// Its part of [`REPLAY_LINKS`].
    pub links: Vec<RecordBatch>,
    /// Its part of [`REPLAY_SUMMARY`].
    pub summary: Vec<RecordBatch>,
}

/// Why a replay could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The world makes no sense.
    #[error(transparent)]
    World(#[from] WorldError),
    /// There is no such controller.
    #[error(transparent)]
    Controller(#[from] ControllerError),
    /// A run ended before its time.
    #[error("{controller} ({mode}), seed {seed}: {fault}")]
    Fault {
        /// The controller.
        controller: String,
        /// Its mode.
        mode: String,
        /// The seed.
        seed: u64,
        /// What happened.
        fault: String,
    },
    /// A controller written in Python raised an exception.
    #[error("{controller}, seed {seed}: {error}")]
    Raised {
        /// The controller.
        controller: String,
        /// The seed.
        seed: u64,
        /// The exception.
        error: PyErr,
    },
    /// There is no max-min fair allocation of such a world.
    #[error("{MAX_MIN}: cannot be computed for a world with wires, background or changes")]
    NoMaxMin,
    /// The system has no threads left.
    #[error("no threads: {0}")]
    Threads(#[from] ThreadPoolBuildError),
    /// A table could not be built.
    #[error("tables: {0}")]
    Table(#[from] ArrowError),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

impl Replay {
    /// Checks everything that can be wrong, and runs nothing yet. `origin_ns`: the instant of the recording at which
    /// the world starts, for the tables. `companions`: controllers of the flows that name one by index, from 1 on,
    /// whatever the controller of the run is. `threads`: 0 for one per core.
    ///
    /// # Errors
    ///
    /// The world cannot be run, a controller does not exist, or there are no threads.
    pub fn new(
        replay_id: String,
        world: World,
        origin_ns: Option<i64>,
        controllers: Vec<RunController>,
        companions: Vec<RunController>,
        seeds: Vec<u64>,
        threads: usize,
    ) -> Result<Self, Error> {
        let plan = Plan::new(&world)?;
        plan.check_controllers(1 + companions.len())?;
        for controller in controllers.iter().chain(&companions) {
            controller.check()?;
        }
        if controllers.iter().any(|controller| matches!(controller.kind, Kind::MaxMin)) && !can_allocate(&world)? {
            return Err(Error::NoMaxMin);
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let rows = plan.duration.div_ceil(plan.record.bin_ns) * (plan.flows.len() + plan.links.len()).max(1) as u64;
        let most = (MAX_ROWS / rows.max(1)).max(1);
        let together = usize::try_from(most).unwrap_or(usize::MAX).min(4 * pool.current_num_threads());
        let replay = Self { replay_id, world, origin_ns, controllers, companions, seeds, pool, together };
        replay.check_sources()?;
        Ok(replay)
    }

    /// Whether every flow can send anything under every controller of the registry, before the first of them runs. Only
    /// flows without acknowledgements whose packets have no times may not.
    fn check_sources(&self) -> Result<(), Error> {
        if self.world.flows.iter().all(|flow| flow.ack_bytes > 0 || flow.source.is_timed()) {
            return Ok(());
        }
        let failure = Arc::new(Failure::default());
        for chosen in self.controllers.iter().filter(|chosen| matches!(chosen.kind, Kind::Registered(_))) {
            let mut controllers = Vec::new();
            for one in std::iter::once(chosen).chain(&self.companions) {
                controllers.extend(one.make(&failure)?);
            }
            Simulation::new(&self.world, &controllers, 0)?;
        }
        Ok(())
    }

    /// How many runs there are: every controller with every seed, seeds in the inner loop.
    #[must_use]
    pub fn len(&self) -> usize {
        self.controllers.len() * self.seeds.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many runs are run at once: enough to keep every thread busy, few enough to be held in memory.
    #[must_use]
    pub fn together(&self) -> usize {
        self.together
    }

    /// Runs those from `first` on, at most [`Replay::together`] of them, in order. `interrupted` is asked now and then
    /// by the calling thread; the runs end soon after it says yes.
    ///
    /// # Errors
    ///
    /// That of the first run that failed, or [`Error::Interrupted`].
    pub fn runs(&self, first: usize, mut interrupted: impl FnMut() -> bool) -> Result<Vec<Run>, Error> {
        let last = self.len().min(first + self.together());
        let (stop, (done, finished)) = (AtomicBool::new(false), sync_channel(1));
        thread::scope(|scope| {
            let stop = &stop;
            let work = scope.spawn(move || {
                let run = |index| self.run(index, stop);
                let runs: Vec<_> = self.pool.install(|| (first..last).into_par_iter().map(run).collect());
                // An error: the waiting thread is gone.
                let _ = done.send(());
                runs
            });
            while finished.recv_timeout(INTERRUPT_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if !stop.load(Ordering::Relaxed) && interrupted() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            let runs = work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            runs.into_iter().collect()
        })
    }

    fn run(&self, index: usize, stop: &AtomicBool) -> Result<Run, Error> {
        let chosen = &self.controllers[index / self.seeds.len()];
        let seed = self.seeds[index % self.seeds.len()];
        let key = RunKey {
            replay_id: self.replay_id.clone(),
            controller: chosen.name.clone(),
            mode: chosen.mode.name().to_owned(),
            seed,
        };
        let failure = Arc::new(Failure::default());
        let Some(controller) = chosen.make(&failure)? else {
            return self.computed(Arc::new(key));
        };
        let mut controllers = vec![controller];
        for companion in &self.companions {
            controllers.extend(companion.make(&failure)?);
        }
        let simulation = Simulation::new(&self.world, &controllers, seed)?;
        let outcome = simulation.run_while(|| !failure.is_raised() && !stop.load(Ordering::Relaxed));
        if let Some(error) = failure.take() {
            return Err(Error::Raised { controller: key.controller, seed, error });
        }
        if let Some(fault) = outcome.fault {
            let RunKey { controller, mode, .. } = key;
            return Err(Error::Fault { controller, mode, seed, fault });
        }
        self.tables(Arc::new(key), &outcome)
    }

    /// The max-min fair allocation as a run: a summary, and one row for each link that it uses.
    fn computed(&self, key: Arc<RunKey>) -> Result<Run, Error> {
        let found = allocation(&self.world)?.ok_or(Error::NoMaxMin)?;
        let summary = summary::computed(&key, &self.world, self.origin_ns, &found.rates_bps);
        let links = found.links.into_iter().map(|link| LinkRow {
            run: Arc::clone(&key),
            link: format!("{} > {}", link.from, link.to).into(),
            sender: link.from.into(),
            receiver: link.to.into(),
            start: 0,
            width: self.world.duration_ns,
            utilisation: link.utilisation,
            congested_share: Some(f64::from(u8::from(link.congested))),
            counted: None,
        });
        Ok(Run {
            flows: Vec::new(),
            links: batches(&REPLAY_LINKS, &links.collect::<Vec<_>>())?,
            summary: batches(&REPLAY_SUMMARY, &summary)?,
            key,
        })
    }

    fn tables(&self, key: Arc<RunKey>, outcome: &Outcome) -> Result<Run, Error> {
        let width = |start: u64| outcome.bin.min(outcome.duration.saturating_sub(start));
        let names: Vec<Arc<str>> = outcome.flows.name.iter().map(|name| Arc::from(name.as_str())).collect();
        let flows = outcome.flow_bins.rows().filter_map(|bin| {
            let flow = Arc::clone(names.get(bin.flow as usize)?);
            Some(FlowRow { run: Arc::clone(&key), flow, width: width(bin.t_ns), bin })
        });
        let ends: Vec<[Arc<str>; 3]> = outcome
            .links
            .rows()
            .map(|link| [format!("{} > {}", link.from, link.to).into(), link.from.into(), link.to.into()])
            .collect();
        let links = outcome.link_bins.rows().filter_map(|bin| {
            let [link, sender, receiver] = ends.get(bin.link as usize)?.clone();
            Some(LinkRow {
                run: Arc::clone(&key),
                link,
                sender,
                receiver,
                start: bin.t_ns,
                width: width(bin.t_ns),
                utilisation: bin.utilisation,
                congested_share: bin.congested_share,
                counted: Some(bin),
            })
        });
        let summary: Vec<SummaryRow> = summary::summary(&key, &self.world, self.origin_ns, outcome);
        Ok(Run {
            flows: batches(&REPLAY_FLOWS, &flows.collect::<Vec<_>>())?,
            links: batches(&REPLAY_LINKS, &links.collect::<Vec<_>>())?,
            summary: batches(&REPLAY_SUMMARY, &summary)?,
            key,
        })
    }
}

impl RunController {
    /// Whether it can be made; those written in Python are made only in their run.
    fn check(&self) -> Result<(), ControllerError> {
        match &self.kind {
            Kind::Registered(settings) => controllers::make(&self.name, self.mode, settings).map(|_| ()),
            Kind::Python(_) | Kind::MaxMin => Ok(()),
        }
    }

    /// `None`: nothing controls, the outcome is computed.
    fn make(&self, failure: &Arc<Failure>) -> Result<Option<Box<dyn Controller>>, ControllerError> {
        match &self.kind {
            Kind::MaxMin => Ok(None),
            Kind::Registered(settings) => controllers::make(&self.name, self.mode, settings).map(Some),
            Kind::Python(object) => {
                let object = Python::attach(|py| object.clone_ref(py));
                Ok(Some(Box::new(PythonController::new(self.name.clone(), object, Arc::clone(failure)))))
            }
        }
    }
}

fn batches<R>(table: &Table<R>, rows: &[R]) -> Result<Vec<RecordBatch>, ArrowError> {
    let schema = table.schema();
    rows.chunks(BATCH_ROWS).map(|rows| table.batch(&schema, "", rows)).collect()
}

#[cfg(test)]
mod tests;
