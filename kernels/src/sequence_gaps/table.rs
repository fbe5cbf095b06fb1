//! Frames in record batches, and what was heard of each transmitter.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;

use super::{Heard, Numbered, SequenceGaps, Space};
use crate::columns::{coded, primitive, truths, value};
use crate::names::NOBODY;

/// The columns of `frames` that are read; texts are dictionaries with 32-bit keys.
pub const COLUMNS: [&str; 18] = [
    "source",
    "ts_ns",
    "start_ns",
    "end_ns",
    "observer",
    "direction",
    "layer",
    "kind",
    "ra",
    "ta",
    "seq",
    "frag",
    "tid",
    "retry",
    "fcs_ok",
    "parse_error",
    "channel_mhz",
    "ppdu_no",
];

/// Addresses of a simulator's nodes start with this; all that they send is in their traces.
const SIMULATED: &str = "node-";

/// What a frame's kind says of its number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Data,
    Beacon,
    /// Its number means nothing (10.3.2.14.2), or the kind is unknown.
    Unnumbered,
    Other,
}

/// Of a frame as seen by the recorder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Received,
    Sent,
    Other,
}

impl SequenceGaps {
    /// Takes the next frames, those of each source in the order in which they were sent.
    ///
    /// # Errors
    /// A column of [`COLUMNS`] is missing or of another type.
    pub fn add_batch(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let is_mac = coded(batch, "layer", false, |layer| layer == "mac")?;
        let direction = coded(batch, "direction", Direction::Received, direction_of)?;
        let is_damaged = coded(batch, "parse_error", false, |_| true)?;
        let kind = coded(batch, "kind", Kind::Unnumbered, kind_of)?;
        let simulated = coded(batch, "ta", true, |ta| ta.starts_with(SIMULATED))?;
        let mut numbered = |name| coded(batch, name, NOBODY, |text| self.names.number(text));
        let [source, ra, ta] = [numbered("source")?, numbered("ra")?, numbered("ta")?];
        let observer = coded(batch, "observer", NOBODY, |text| match text {
            "" => NOBODY,
            observer => self.names.number(observer),
        })?;
        let number = |name| primitive::<Int32Type>(batch, name);
        let [seq, frag, tid, channel] = [number("seq")?, number("frag")?, number("tid")?, number("channel_mhz")?];
        // Stamps of a host are late by as much as it likes, and its clock drifts: exchanges are on the time of the air.
        let time = |name| primitive::<Int64Type>(batch, name);
        let [end, start, stamp] = [time("end_ns")?, time("start_ns")?, time("ts_ns")?];
        // Datasets of version 0.1 do not have it.
        let ppdu = primitive::<Int64Type>(batch, "ppdu_no").ok();
        let [retry, fcs_ok] = [truths(batch, "retry")?, truths(batch, "fcs_ok")?];
        let truth = |column: &BooleanArray, row, absent| if column.is_valid(row) { column.value(row) } else { absent };
        let mut listened = None;
        for row in 0..batch.num_rows() {
            let known_ns = value(end, row).or_else(|| value(start, row)).or_else(|| value(stamp, row));
            let at_ns = known_ns.unwrap_or_default();
            if known_ns.is_some() && is_mac.of(row) {
                self.pauses.record(source.of(row), at_ns);
            }
            if channel.is_valid(row) && direction.of(row) == Direction::Received && is_mac.of(row) {
                let here = (source.of(row), channel.value(row));
                // Nearly all are on the channel of the one before.
                if listened.replace(here) != Some(here) {
                    self.listen(here.0, here.1);
                }
            }
            let is_first_fragment = frag.is_null(row) || frag.value(row) == 0;
            let tid = tid.is_valid(row).then(|| tid.value(row));
            let counts = match kind.of(row) {
                Kind::Data => true,
                Kind::Unnumbered => false,
                Kind::Beacon | Kind::Other => tid.is_none(),
            };
            let is_whole = truth(fcs_ok, row, true) && !is_damaged.of(row) && is_first_fragment;
            let is_dropped = direction.of(row) == Direction::Other;
            if !counts || !is_whole || seq.is_null(row) || simulated.of(row) || !is_mac.of(row) || is_dropped {
                continue;
            }
            let space = Space {
                source: source.of(row),
                observer: observer.of(row),
                ta: ta.of(row),
                ra: tid.map_or(NOBODY, |_| ra.of(row)),
                tid,
            };
            let frame = Numbered {
                at_ns,
                seq: i64::from(seq.value(row)),
                retry: truth(retry, row, false),
                is_beacon: kind.of(row) == Kind::Beacon,
                is_data: kind.of(row) == Kind::Data,
                is_sent: direction.of(row) == Direction::Sent,
                ppdu: ppdu.and_then(|ppdu| value(ppdu, row)),
            };
            self.add(space, frame);
        }
        Ok(())
    }

    /// `source observer sender receiver firsts heard span`, the counts also as `..._without_beacons`, added over the TIDs:
    /// numbers of which a first attempt was heard, or any, and numbers in their range; null is a receiver of no QoS data.
    ///
    /// # Errors
    /// Those of [`RecordBatch::try_from_iter`].
    pub fn found(&self) -> Result<RecordBatch, ArrowError> {
        let mut sums: BTreeMap<[u32; 4], [Heard; 2]> = BTreeMap::new();
        for (space, both) in &self.spaces {
            let total = sums.entry([space.source, space.observer, space.ta, space.ra]).or_default();
            for (sum, heard) in total.iter_mut().zip(self.heard(*space, both)) {
                sum.add(heard);
            }
        }
        let names = ["source", "observer", "sender", "receiver"].into_iter().enumerate().map(|(field, name)| {
            let texts: StringArray = sums.keys().map(|key| self.names.text(key[field])).collect();
            (name, Arc::new(texts) as ArrayRef, true)
        });
        let column = |of: fn(&[Heard; 2]) -> i64| Arc::new(Int64Array::from_iter_values(sums.values().map(of)));
        let counts = [
            ("firsts", column(|heard| heard[0].firsts)),
            ("heard", column(|heard| heard[0].heard)),
            ("span", column(|heard| heard[0].span)),
            ("firsts_without_beacons", column(|heard| heard[1].firsts)),
            ("heard_without_beacons", column(|heard| heard[1].heard)),
            ("span_without_beacons", column(|heard| heard[1].span)),
        ];
        let counts = counts.map(|(name, counts)| (name, counts as ArrayRef, true));
        RecordBatch::try_from_iter_with_nullable(names.chain(counts))
    }
}

impl SequenceGaps {
    /// Times without a record, in which the numbers of stations went on: source, first and last instant.
    pub fn pauses(&self) -> impl Iterator<Item = (Option<&str>, i64, i64)> {
        self.pauses.found().map(|(source, pause)| (self.names.text(source), pause.from_ns, pause.to_ns))
    }
}

fn direction_of(direction: &str) -> Direction {
    match direction {
        "rx" => Direction::Received,
        "tx" => Direction::Sent,
        _ => Direction::Other,
    }
}

fn kind_of(kind: &str) -> Kind {
    match kind {
        "data" | "qos_data" => Kind::Data,
        "beacon" => Kind::Beacon,
        "qos_null" => Kind::Unnumbered,
        _ => Kind::Other,
    }
}
