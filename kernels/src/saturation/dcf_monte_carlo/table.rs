//! Stations in record batches.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_array::types::Int64Type;
use arrow_array::{Array, Float64Array, RecordBatch};
use arrow_schema::ArrowError;
use rayon::prelude::*;

use crate::columns::{flags, known, primitive};

use super::{simulate, Outcome, Station};
use crate::saturation::table::floats;

/// Stations that one row stands for at most.
const ALIKE_MAX: usize = 256;

/// Simulates each case of a table of stations; returns `delivered_per_s`, `attempts_per_s`,
/// `exchanges_per_s`, `first_failed`, `answered_failed`, `behind` and `behind_slots` of each row: of a row that stands for
/// many stations, the mean of one.
///
/// # Errors
/// A column is missing, of another type, or has nulls where none are allowed.
pub fn simulate_stations(batches: &[RecordBatch], seed: u64) -> Result<RecordBatch, ArrowError> {
    let mut cases = Cases::new();
    let mut rows = 0;
    for batch in batches {
        stations_of(batch, rows, &mut cases)?;
        rows += batch.num_rows();
    }
    let mut found = vec![Outcome::default(); rows];
    let alike = alike(cases.values());
    let simulated: Vec<_> = alike.par_iter().map(|cases| outcomes_of(cases[0], seed)).collect();
    for (cases, outcomes) in alike.iter().zip(&simulated) {
        for case in cases {
            for (&(row, ..), outcome) in case.iter().zip(outcomes) {
                found[row] = *outcome;
            }
        }
    }
    table_of(&found)
}

/// The stations of each case: a row, and how many it stands for.
type Cases = BTreeMap<i64, Case>;

type Case = Vec<(usize, Station, usize)>;

/// The cases with the same stations in the same order, which have the same outcome: one of them is simulated.
///
/// Of many short recordings of a network most are alike, and a simulation takes longer than anything else about them.
fn alike<'a>(cases: impl Iterator<Item = &'a Case>) -> Vec<Vec<&'a Case>> {
    let mut groups: Vec<Vec<&Case>> = Vec::new();
    let mut numbers = HashMap::new();
    for case in cases {
        let content: Vec<_> = case.iter().map(|(_, station, count)| (station.bits(), *count)).collect();
        let number = *numbers.entry(content).or_insert(groups.len());
        match groups.get_mut(number) {
            Some(group) => group.push(case),
            None => groups.push(vec![case]),
        }
    }
    groups
}

/// The outcome of every row of a case.
fn outcomes_of(members: &Case, seed: u64) -> Vec<Outcome> {
    let each = |&(_, station, alike): &(usize, Station, usize)| std::iter::repeat_n(station, alike);
    let found = simulate(&members.iter().flat_map(each).collect::<Vec<_>>(), seed);
    let mut rest = found.as_slice();
    let of_row = |&(_, _, alike): &(usize, Station, usize)| {
        let (alike, others) = rest.split_at(alike);
        rest = others;
        mean(alike)
    };
    members.iter().map(of_row).collect()
}

/// The mean of stations that are alike, shares over the attempts of all.
fn mean(alike: &[Outcome]) -> Outcome {
    let sum = |value: fn(&Outcome) -> f64| alike.iter().map(value).sum::<f64>();
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let attempts = sum(|outcome| outcome.attempts_per_s);
    let answered = sum(|outcome| outcome.attempts_per_s * (1.0 - outcome.first_failed));
    let unacknowledged = sum(|outcome| outcome.attempts_per_s * (1.0 - outcome.first_failed) * outcome.answered_failed);
    let behind = sum(|outcome| outcome.attempts_per_s * outcome.behind);
    let slots = sum(|outcome| outcome.attempts_per_s * outcome.behind * outcome.behind_slots);
    Outcome {
        delivered_per_s: sum(|outcome| outcome.delivered_per_s) / alike.len() as f64,
        attempts_per_s: attempts / alike.len() as f64,
        exchanges_per_s: sum(|outcome| outcome.exchanges_per_s) / alike.len() as f64,
        first_failed: share(attempts - answered, attempts).clamp(0.0, 1.0),
        answered_failed: share(unacknowledged, answered).clamp(0.0, 1.0),
        behind: share(behind, attempts).clamp(0.0, 1.0),
        behind_slots: share(slots, behind),
    }
}

/// Adds the stations of a batch, whose first row has the number `before`, to their cases.
fn stations_of(batch: &RecordBatch, before: usize, cases: &mut Cases) -> Result<(), ArrowError> {
    let whole = |name| known(name, floats(batch, name)?);
    let case = known("case", primitive::<Int64Type>(batch, "case")?)?;
    let [subject, hidden, rts] = [flags(batch, "subject")?, flags(batch, "hidden")?, flags(batch, "rts")?];
    let [backlogged, persistent] = [flags(batch, "backlogged")?, flags(batch, "persistent")?];
    let [packets_per_s, packets_max] = [whole("packets_per_s")?, whole("packets_max")?];
    let [variation, burst_s, pause_s] = [whole("variation")?, whole("burst_s")?, whole("pause_s")?];
    let [access_s, packet_s] = [whole("access_s")?, whole("packet_s")?];
    let [first_s, first_packet_s] = [whole("unanswered_s")?, whole("first_packet_s")?];
    let [tail_s, sifs_s, txop_s] = [whole("tail_s")?, whole("sifs_s")?, whole("txop_s")?];
    let [aifs_s, count] = [whole("aifs_s")?, whole("count")?];
    let request_s = floats(batch, "request_s")?;
    let [loss, rts_loss, vulnerable] = [whole("loss")?, whole("rts_loss")?, whole("vulnerable")?];
    let [window, slot_s] = [whole("window")?, whole("slot_s")?];
    let [first_destroyed, answered_destroyed] = [whole("first_destroyed")?, whole("answered_destroyed")?];
    let late_destroyed = whole("late_destroyed")?;
    for row in 0..batch.num_rows() {
        let station = Station {
            subject: subject.value(row),
            hidden: hidden.value(row),
            rts: rts.value(row),
            backlogged: backlogged.value(row),
            packets_per_s: packets_per_s.value(row),
            variation: variation.value(row),
            burst_s: burst_s.value(row),
            pause_s: pause_s.value(row),
            packets_max: packets_max.value(row),
            access_s: access_s.value(row),
            packet_s: packet_s.value(row),
            first_s: first_s.value(row),
            first_packet_s: first_packet_s.value(row),
            tail_s: tail_s.value(row),
            sifs_s: sifs_s.value(row),
            txop_s: txop_s.value(row),
            aifs_s: aifs_s.value(row),
            request_s: request_s.is_valid(row).then(|| request_s.value(row)),
            loss: loss.value(row),
            rts_loss: rts_loss.value(row),
            vulnerable: vulnerable.value(row),
            persistent: persistent.value(row),
            window: window.value(row),
            slot_s: slot_s.value(row),
            first_destroyed: first_destroyed.value(row),
            answered_destroyed: answered_destroyed.value(row),
            late_destroyed: late_destroyed.value(row),
        };
        let alike = (count.value(row) as usize).clamp(1, ALIKE_MAX);
        cases.entry(case.value(row)).or_default().push((before + row, station, alike));
    }
    Ok(())
}

fn table_of(found: &[Outcome]) -> Result<RecordBatch, ArrowError> {
    let column = |value: fn(&Outcome) -> f64| Arc::new(Float64Array::from_iter_values(found.iter().map(value)));
    RecordBatch::try_from_iter([
        ("delivered_per_s", column(|outcome| outcome.delivered_per_s) as Arc<dyn Array>),
        ("attempts_per_s", column(|outcome| outcome.attempts_per_s)),
        ("exchanges_per_s", column(|outcome| outcome.exchanges_per_s)),
        ("first_failed", column(|outcome| outcome.first_failed)),
        ("answered_failed", column(|outcome| outcome.answered_failed)),
        ("behind", column(|outcome| outcome.behind)),
        ("behind_slots", column(|outcome| outcome.behind_slots)),
    ])
}
