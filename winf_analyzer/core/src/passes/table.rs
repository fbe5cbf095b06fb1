//! Rows of stretches, for Python.

use std::sync::Arc;

use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;

use crate::columns::{flags, known, primitive, texts};
use crate::rows::Rows;

use super::names::Names;
use super::succession::{self, Exchange, Packet, Told, Turn};
use super::union::{self, Interval};

/// Measure of the union of intervals (`medium`, `start_ns`, `end_ns`) before each edge (`medium`, `edge_ns`; sorted).
#[pyfunction]
pub fn union_up_to(py: Python<'_>, intervals: PyTable, edges: PyTable) -> PyResult<Rows> {
    let ((intervals, _), (edges, _)) = (intervals.into_inner(), edges.into_inner());
    let measured = py.detach(|| {
        let mut read = Vec::with_capacity(intervals.iter().map(RecordBatch::num_rows).sum());
        for batch in &intervals {
            intervals_of(batch, &mut read)?;
        }
        let mut asked = Vec::new();
        for batch in &edges {
            let medium = known("medium", primitive::<UInt32Type>(batch, "medium")?)?;
            let edge = known("edge_ns", primitive::<Int64Type>(batch, "edge_ns")?)?;
            asked.extend(medium.values().iter().copied().zip(edge.values().iter().copied()));
        }
        let filled = Int64Array::from(union::union_up_to(read, &asked));
        RecordBatch::try_from_iter([("filled_ns", Arc::new(filled) as Arc<dyn Array>)])
    });
    rows(measured)
}

fn rows(batch: Result<RecordBatch, ArrowError>) -> PyResult<Rows> {
    batch.map(Rows::from).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Appends the intervals of a batch.
fn intervals_of(batch: &RecordBatch, intervals: &mut Vec<Interval>) -> Result<(), ArrowError> {
    let medium = known("medium", primitive::<UInt32Type>(batch, "medium")?)?;
    let start = known("start_ns", primitive::<Int64Type>(batch, "start_ns")?)?;
    let end = known("end_ns", primitive::<Int64Type>(batch, "end_ns")?)?;
    let spans = start.values().iter().zip(end.values());
    let read = medium.values().iter().zip(spans);
    intervals.extend(read.map(|(&medium, (&start_ns, &end_ns))| Interval { medium, start_ns, end_ns }));
    Ok(())
}

/// What each sender did one after the other, from stretch to stretch.
#[pyclass(module = "winf_analyzer._core")]
#[derive(Default)]
pub struct Succession {
    known: succession::Succession,
    senders: Names,
    links: Names,
}

#[pymethods]
impl Succession {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Takes the exchanges of the next stretch; returns a row for each.
    fn follow(&mut self, py: Python<'_>, exchanges: PyTable) -> PyResult<Rows> {
        let (batches, _) = exchanges.into_inner();
        rows(py.detach(|| {
            let mut told = Columns::default();
            for batch in &batches {
                self.follow_batch(batch, &mut told)?;
            }
            told.into_batch()
        }))
    }
}

impl Succession {
    fn follow_batch(&mut self, batch: &RecordBatch, found: &mut Columns) -> Result<(), ArrowError> {
        let medium = known("medium", primitive::<UInt32Type>(batch, "medium")?)?;
        let number = |name| primitive::<Int64Type>(batch, name);
        let [air_start, end] = [number("air_start_ns")?, number("end_ns")?];
        let [share, air_start, end] =
            [known("share", number("share")?)?, known("air_start_ns", air_start)?, known("end_ns", end)?];
        let [access, service] = [number("access_ns")?, number("service_ns")?];
        let [difs, cw_min, slot] = [number("t_difs")?, number("cw_min")?, number("t_slot")?];
        let [attempt, data, payload] = [number("attempt")?, number("data_ns")?, number("payload_bytes")?];
        let [sender, receiver] = [texts(batch, "sender")?, texts(batch, "receiver")?];
        let sample = flags(batch, "sample")?;
        let value = |column: &Int64Array, row: usize| column.is_valid(row).then(|| column.value(row));
        let mut recent = Recent::default();
        for row in 0..batch.num_rows() {
            let (sender, link) = recent.get_or(share.value(row), || {
                let sender =
                    sender.is_valid(row).then(|| self.senders.number(medium.value(row) as usize, sender.value(row)));
                let link = sender
                    .filter(|_| receiver.is_valid(row))
                    .map(|sender| self.links.number(sender, receiver.value(row)));
                (sender, link)
            });
            let packet = |link| Packet { link, data_ns: value(data, row), payload_bytes: value(payload, row) };
            let turn = |sender| Turn {
                sender,
                access_ns: value(access, row),
                service_ns: value(service, row),
                difs_ns: value(difs, row),
                cw_min: value(cw_min, row),
                slot_ns: value(slot, row),
                attempt: value(attempt, row),
                packet: link.filter(|_| sample.value(row)).map(packet),
            };
            let told = self.known.follow(&Exchange {
                medium: medium.value(row),
                air_start_ns: air_start.value(row),
                end_ns: end.value(row),
                turn: sender.map(turn),
            });
            found.add(link, told);
        }
        Ok(())
    }
}

type Numbers = (Option<usize>, Option<usize>);

/// Numbers of sender and link by `share`, the stretch's own number of both.
struct Recent([Option<(i64, Numbers)>; 256]);

impl Default for Recent {
    fn default() -> Self {
        Self([None; 256])
    }
}

impl Recent {
    fn get_or(&mut self, share: i64, look_up: impl FnOnce() -> Numbers) -> Numbers {
        let place = &mut self.0[((share as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize];
        match place {
            Some((known, numbers)) if *known == share => *numbers,
            _ => place.insert((share, look_up())).1,
        }
    }
}

#[derive(Default)]
struct Columns {
    link: Vec<Option<i64>>,
    hol_ns: Vec<Option<i64>>,
    waited_ns: Vec<Option<i64>>,
    accesses: Vec<Option<i64>>,
    dispersion_ns: Vec<Option<i64>>,
    delay_sum_ns: Vec<Option<i64>>,
}

impl Columns {
    fn add(&mut self, link: Option<usize>, told: Option<Told>) {
        let pair = told.and_then(|told| told.pair);
        self.link.push(link.map(|link| link as i64));
        self.hol_ns.push(told.map(|told| told.hol_ns));
        self.waited_ns.push(told.and_then(|told| told.waited_ns));
        self.accesses.push(told.and_then(|told| told.accesses));
        self.dispersion_ns.push(pair.map(|pair| pair.dispersion_ns));
        self.delay_sum_ns.push(pair.map(|pair| pair.delay_sum_ns));
    }

    fn into_batch(self) -> Result<RecordBatch, ArrowError> {
        let column = |values: Vec<Option<i64>>| Arc::new(Int64Array::from(values)) as Arc<dyn Array>;
        RecordBatch::try_from_iter([
            ("link", column(self.link)),
            ("hol_ns", column(self.hol_ns)),
            ("waited_ns", column(self.waited_ns)),
            ("accesses", column(self.accesses)),
            ("dispersion_ns", column(self.dispersion_ns)),
            ("delay_sum_ns", column(self.delay_sum_ns)),
        ])
    }
}
