//! The kernels of `winf-kernels`: Arrow tables in, Arrow tables out.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use winf_kernels::busy_time::Chunk;
use winf_kernels::correlation;
use winf_kernels::group_ids;
use winf_kernels::head_of_line::table::HeadOfLineTable;
use winf_kernels::hidden::table::Evidence;
use winf_kernels::saturation::dcf_monte_carlo::table::simulate_stations;
use winf_kernels::sequence_steps::table::SequenceStepsTable;
use winf_kernels::sequence_steps::Limits;
use winf_kernels::{busy_time, plateau, saturation, smoothing};

use crate::arrow_table::ArrowTable;

/// Runs a kernel on the batches of a table without the interpreter lock.
fn run(
    py: Python<'_>,
    table: PyTable,
    kernel: impl FnOnce(&[RecordBatch]) -> Result<RecordBatch, ArrowError> + Send,
) -> PyResult<ArrowTable> {
    let (batches, _) = table.into_inner();
    arrow_table(py.detach(|| kernel(&batches)))
}

fn arrow_table(result: Result<RecordBatch, ArrowError>) -> PyResult<ArrowTable> {
    result.map(ArrowTable::from).map_err(refused)
}

fn refused(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Group ids: equal rows get equal ids in all tables that it is given.
#[pyclass(name = "GroupIds", module = "winf_analyzer._core")]
#[derive(Default)]
pub struct GroupIds(group_ids::GroupIds);

#[pymethods]
impl GroupIds {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Numbers rows from 0 in the order in which their combinations of values first appear; null is a value.
    fn number(&mut self, py: Python<'_>, table: PyTable) -> PyResult<ArrowTable> {
        run(py, table, |batches| self.0.number(batches))
    }
}

/// Busy time per medium, carried from chunk to chunk.
#[pyclass(name = "BusyTime", module = "winf_analyzer._core")]
#[derive(Default)]
pub struct BusyTime(busy_time::BusyTime);

#[pymethods]
impl BusyTime {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Takes the intervals (`medium`, `start_ns`, `end_ns`) of the next chunk; returns the busy time before each edge
    /// (`medium`, `edge_ns`; sorted).
    #[pyo3(signature = (intervals, edges, from_ns = None, to_ns = None))]
    fn up_to(
        &mut self,
        py: Python<'_>,
        intervals: PyTable,
        edges: PyTable,
        from_ns: Option<i64>,
        to_ns: Option<i64>,
    ) -> PyResult<ArrowTable> {
        let (edges, _) = edges.into_inner();
        run(py, intervals, |intervals| self.0.of_batches(intervals, &edges, Chunk { from_ns, to_ns }))
    }
}

/// When packets reached the head of their sender's queue, carried from chunk to chunk.
#[pyclass(name = "HeadOfLine", module = "winf_analyzer._core")]
#[derive(Default)]
pub struct HeadOfLine(HeadOfLineTable);

#[pymethods]
impl HeadOfLine {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Takes the exchanges of the next chunk; returns a row for each.
    fn follow(&mut self, py: Python<'_>, exchanges: PyTable) -> PyResult<ArrowTable> {
        run(py, exchanges, |exchanges| self.0.follow(exchanges))
    }
}

/// By how many sequence numbers senders went on, carried from chunk to chunk.
#[pyclass(module = "winf_analyzer._core")]
pub struct SequenceSteps(SequenceStepsTable);

#[pymethods]
impl SequenceSteps {
    /// Limits of what counts as going on; `tick_ns` is above 0.
    #[new]
    fn new(max_advance: i64, tick_ns: i64, max_gap_ticks: i64) -> PyResult<Self> {
        if tick_ns <= 0 {
            return Err(PyValueError::new_err("tick_ns must be positive"));
        }
        Ok(Self(SequenceStepsTable::new(Limits { max_advance, tick_ns, max_gap_ticks })))
    }

    /// Takes the exchanges of the next chunk; returns a row for each.
    fn follow(&mut self, py: Python<'_>, exchanges: PyTable) -> PyResult<ArrowTable> {
        run(py, exchanges, |exchanges| self.0.follow(exchanges))
    }
}

/// Exponential smoothing of rows that are alike, carried from chunk to chunk.
#[pyclass(module = "winf_analyzer._core")]
pub struct Smoothing(smoothing::Smoothing);

#[pymethods]
impl Smoothing {
    /// Weight of the newest value, and the value before the first one.
    #[new]
    #[pyo3(signature = (weight, start = None))]
    fn new(weight: f64, start: Option<f64>) -> Self {
        Self(smoothing::Smoothing::new(weight, start))
    }

    /// Takes the next rows: what makes them alike, and the values; returns these smoothed.
    fn follow(&mut self, py: Python<'_>, by: PyTable, values: PyTable) -> PyResult<ArrowTable> {
        let (by, _) = by.into_inner();
        run(py, values, |values| self.0.follow(&by, values))
    }
}

/// Sums of all other columns by the column `group`.
#[pyfunction]
pub fn group_sums(py: Python<'_>, rows: PyTable) -> PyResult<ArrowTable> {
    run(py, rows, winf_kernels::group_sums::group_sums)
}

/// Sums of all other columns by the column `group`, each from the least value to the greatest.
#[pyfunction]
pub fn ordered_sums(py: Python<'_>, rows: PyTable) -> PyResult<ArrowTable> {
    run(py, rows, winf_kernels::ordered_sums::ordered_sums)
}

/// Collects evidence of stations that do not hear one another from exchanges that come batch by batch.
#[pyclass(module = "winf_analyzer._core")]
pub struct HiddenEvidence(Evidence);

#[pymethods]
impl HiddenEvidence {
    /// `traces`: sources with several observers; there each exchange counts as its sender recorded it.
    #[new]
    #[allow(clippy::needless_pass_by_value)] // from Python
    fn new(traces: Vec<String>) -> Self {
        Self(Evidence::new(&traces))
    }

    /// Takes the next exchanges, nearly in the order of their ends.
    fn add(&mut self, py: Python<'_>, exchanges: PyTable) -> PyResult<()> {
        let (batches, _) = exchanges.into_inner();
        py.detach(|| self.0.add(&batches)).map_err(refused)
    }

    /// Counts per link.
    fn links(&self) -> PyResult<ArrowTable> {
        arrow_table(self.0.links())
    }

    /// Overlaps per sender and other.
    fn overlaps(&mut self) -> PyResult<ArrowTable> {
        arrow_table(self.0.overlaps())
    }
}

/// Cross-correlation of a log with a recording, as a function of the bin in which the log starts.
#[pyclass(frozen, module = "winf_analyzer._core")]
pub struct Correlation(correlation::Correlation);

#[pymethods]
impl Correlation {
    /// The log's intervals (`starts`, `ends`, in bins, and `values`), and cumulative sums and squares of the recording.
    #[new]
    #[allow(clippy::needless_pass_by_value)] // from Python
    fn new(starts: Vec<i64>, ends: Vec<i64>, values: Vec<f64>, sums: Vec<f64>, squares: Vec<f64>) -> PyResult<Self> {
        correlation::Correlation::new(&starts, &ends, &values, sums, squares)
            .map(Self)
            .ok_or_else(|| PyValueError::new_err("lengths do not match"))
    }

    /// The correlation for each bin in which the log may start.
    #[allow(clippy::needless_pass_by_value)] // from Python
    fn at(&self, py: Python<'_>, starts: Vec<i64>) -> Vec<f64> {
        py.detach(|| starts.iter().map(|&start| self.0.at(start)).collect())
    }
}

/// Log evidence of a histogram (slot, count) for each start of a plateau in `firsts` and each CWmin in `windows`.
#[pyfunction]
#[pyo3(signature = (histogram, firsts, windows, slots, fresh))]
#[allow(clippy::needless_pass_by_value)] // from Python
pub fn plateau_evidence(
    histogram: Vec<(i64, u64)>,
    firsts: Vec<i64>,
    windows: Vec<u16>,
    slots: u32,
    fresh: bool,
) -> Vec<Vec<f64>> {
    plateau::plateau_evidence(&histogram, &firsts, &windows, slots, fresh)
}

/// Solves the fixed point of stations that contend; returns `delivered_per_s`, `collision` and `packets` of each.
#[pyfunction]
pub fn solve_stations(py: Python<'_>, stations: PyTable) -> PyResult<ArrowTable> {
    run(py, stations, saturation::table::solve_stations)
}

/// Simulates each case of a table of stations; returns `delivered_per_s`, `attempts_per_s`, `first_failed` and
/// `answered_failed` of each row.
#[pyfunction]
pub fn dcf_monte_carlo(py: Python<'_>, contenders: PyTable, seed: u64) -> PyResult<ArrowTable> {
    run(py, contenders, |stations| simulate_stations(stations, seed))
}
