//! Stations in record batches.

use std::sync::Arc;

use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, Float64Array, PrimitiveArray, RecordBatch};
use arrow_schema::ArrowError;

use crate::columns::{flags, known, primitive};

use super::bianchi::{solve, Outcome, Station};

/// Solves the fixed point of stations that contend; returns `delivered_per_s`, `collision` and `packets` of each.
///
/// # Errors
/// A column is missing, of another type, or has nulls where none are allowed.
pub fn solve_stations(batches: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    let mut stations = Vec::new();
    for batch in batches {
        stations_of(batch, &mut stations)?;
    }
    outcomes(&solve(&stations))
}

/// Appends the stations of a batch.
fn stations_of(batch: &RecordBatch, stations: &mut Vec<Station>) -> Result<(), ArrowError> {
    let whole = |name| known(name, floats(batch, name)?);
    let case = known("case", primitive::<Int64Type>(batch, "case")?)?;
    let subject = flags(batch, "subject")?;
    let packets_per_s = whole("packets_per_s")?;
    let packets_max = whole("packets_max")?;
    let [count, aifs_s] = [whole("count")?, whole("aifs_s")?];
    let access_s = whole("access_s")?;
    let packet_s = whole("packet_s")?;
    let first_s = whole("first_s")?;
    let first_packet_s = whole("first_packet_s")?;
    let request_s = floats(batch, "request_s")?;
    let [loss, rts_loss] = [whole("loss")?, whole("rts_loss")?];
    let vulnerable = whole("vulnerable")?;
    let window = whole("window")?;
    let slot_s = whole("slot_s")?;
    stations.extend((0..batch.num_rows()).map(|row| Station {
        case: case.value(row),
        subject: subject.value(row),
        packets_per_s: packets_per_s.value(row),
        packets_max: packets_max.value(row),
        count: count.value(row),
        aifs_s: aifs_s.value(row),
        access_s: access_s.value(row),
        packet_s: packet_s.value(row),
        first_s: first_s.value(row),
        first_packet_s: first_packet_s.value(row),
        request_s: request_s.is_valid(row).then(|| request_s.value(row)),
        loss: loss.value(row),
        rts_loss: rts_loss.value(row),
        vulnerable: vulnerable.value(row),
        window: window.value(row),
        slot_s: slot_s.value(row),
    }));
    Ok(())
}

fn outcomes(outcomes: &[Outcome]) -> Result<RecordBatch, ArrowError> {
    let column = |value: fn(&Outcome) -> f64| Arc::new(Float64Array::from_iter_values(outcomes.iter().map(value)));
    RecordBatch::try_from_iter([
        ("delivered_per_s", column(|outcome| outcome.delivered_per_s) as Arc<dyn Array>),
        ("collision", column(|outcome| outcome.collision)),
        ("packets", column(|outcome| outcome.packets)),
    ])
}

pub(super) fn floats<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a PrimitiveArray<Float64Type>, ArrowError> {
    primitive(batch, name)
}
