//! Stations in record batches.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::types::Int64Type;
use arrow_array::{Array, Float64Array, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use rayon::prelude::*;

use crate::columns::{flags, known, primitive};

use super::{simulate, Outcome, Station};
use crate::saturation::table::floats;

/// Stations that one row stands for at most.
const ALIKE_MAX: usize = 256;

/// Simulates each case of a table of stations; returns `case`, `delivered_per_s`, `first_failed` and
/// `answered_failed` of its subject.
///
/// # Errors
/// A column is missing, of another type, or has nulls where none are allowed.
pub fn simulate_stations(batches: &[RecordBatch], seed: u64) -> Result<RecordBatch, ArrowError> {
    let mut cases = BTreeMap::new();
    for batch in batches {
        stations_of(batch, &mut cases)?;
    }
    let cases: Vec<_> = cases.into_iter().collect();
    let simulated = cases.par_iter().map(|(case, stations)| (*case, simulate(stations, seed)));
    outcomes(&simulated.collect::<Vec<_>>())
}

/// Adds the stations of a batch to their cases.
fn stations_of(batch: &RecordBatch, cases: &mut BTreeMap<i64, Vec<Station>>) -> Result<(), ArrowError> {
    let whole = |name| known(name, floats(batch, name)?);
    let case = known("case", primitive::<Int64Type>(batch, "case")?)?;
    let [subject, hidden, rts] = [flags(batch, "subject")?, flags(batch, "hidden")?, flags(batch, "rts")?];
    let [backlogged, persistent] = [flags(batch, "backlogged")?, flags(batch, "persistent")?];
    let [packets_per_s, packets_max] = [whole("packets_per_s")?, whole("packets_max")?];
    let [access_s, packet_s] = [whole("access_s")?, whole("packet_s")?];
    let [first_s, first_packet_s] = [whole("unanswered_s")?, whole("first_packet_s")?];
    let [tail_s, sifs_s] = [whole("tail_s")?, whole("sifs_s")?];
    let [aifs_s, count] = [whole("aifs_s")?, whole("count")?];
    let request_s = floats(batch, "request_s")?;
    let [loss, vulnerable] = [whole("loss")?, whole("vulnerable")?];
    let [window, slot_s] = [whole("window")?, whole("slot_s")?];
    let [first_destroyed, answered_destroyed] = [whole("first_destroyed")?, whole("answered_destroyed")?];
    for row in 0..batch.num_rows() {
        let station = Station {
            subject: subject.value(row),
            hidden: hidden.value(row),
            rts: rts.value(row),
            backlogged: backlogged.value(row),
            packets_per_s: packets_per_s.value(row),
            packets_max: packets_max.value(row),
            access_s: access_s.value(row),
            packet_s: packet_s.value(row),
            first_s: first_s.value(row),
            first_packet_s: first_packet_s.value(row),
            tail_s: tail_s.value(row),
            sifs_s: sifs_s.value(row),
            aifs_s: aifs_s.value(row),
            request_s: request_s.is_valid(row).then(|| request_s.value(row)),
            loss: loss.value(row),
            vulnerable: vulnerable.value(row),
            persistent: persistent.value(row),
            window: window.value(row),
            slot_s: slot_s.value(row),
            first_destroyed: first_destroyed.value(row),
            answered_destroyed: answered_destroyed.value(row),
        };
        let alike = (count.value(row) as usize).clamp(1, ALIKE_MAX);
        cases.entry(case.value(row)).or_default().extend(std::iter::repeat_n(station, alike));
    }
    Ok(())
}

fn outcomes(simulated: &[(i64, Outcome)]) -> Result<RecordBatch, ArrowError> {
    let column = |value: fn(&Outcome) -> f64| {
        Arc::new(Float64Array::from_iter_values(simulated.iter().map(|(_, outcome)| value(outcome))))
    };
    RecordBatch::try_from_iter([
        ("case", Arc::new(Int64Array::from_iter_values(simulated.iter().map(|(case, _)| *case))) as Arc<dyn Array>),
        ("delivered_per_s", column(|outcome| outcome.delivered_per_s)),
        ("first_failed", column(|outcome| outcome.first_failed)),
        ("answered_failed", column(|outcome| outcome.answered_failed)),
    ])
}
