//! Exchanges and evidence in record batches.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;

use super::links::{Counts, Links};
use super::overlaps::{Exchange, Overlapped, Overlaps, CARRIED_NS};
use crate::columns::{flags, primitive, texts};
use crate::names::{Names, NOBODY};

/// Kinds of exchanges with one station; the last is an RTS without response.
const KINDS: [&str; 4] = ["rts", "basic", "cts_self", "rts_failed"];

/// Number of the last of [`KINDS`].
const RTS_FAILED: u32 = 3;

/// An RTS is at least as long as its CTS, and no CTS is longer than this.
const CTS_MAX_NS: i64 = 1_000_000;

/// A column of sums, and the member of `T` it comes from.
type Sum<T> = (&'static str, fn(&T) -> i64);

/// Collects the evidence of exchanges that come batch by batch.
pub struct Evidence {
    traces: HashSet<u32>,
    names: Names,
    kinds: Names,
    links: Links,
    overlaps: Overlaps,
}

impl Evidence {
    /// `traces`: sources with several observers; there each exchange counts as its sender recorded it.
    #[must_use]
    pub fn new(traces: &[String]) -> Self {
        let mut names = Names::default();
        let traces = traces.iter().map(|trace| names.number(trace)).collect();
        let mut kinds = Names::default();
        for kind in KINDS {
            kinds.number(kind);
        }
        Self { traces, names, kinds, links: Links::default(), overlaps: Overlaps::default() }
    }

    /// Takes the next exchanges, nearly in the order of their ends.
    ///
    /// # Errors
    /// A column is missing, of another type, or has nulls where none are allowed.
    pub fn add(&mut self, exchanges: &[RecordBatch]) -> Result<(), ArrowError> {
        exchanges.iter().try_for_each(|batch| self.add_batch(batch))
    }

    /// Counts per link: `source observer sender receiver attempts failed whole answered unheard`, and what its exchanges
    /// took: `sent air_ns first_ns firsts with_cts from_ns until_ns`.
    ///
    /// # Errors
    /// Those of [`RecordBatch::try_from_iter`].
    pub fn links(&self) -> Result<RecordBatch, ArrowError> {
        let found = self.links.found();
        let names = ["source", "observer", "sender", "receiver"].into_iter().enumerate();
        let names = names.map(|(field, name)| (name, self.texts(found.iter().map(|(link, _)| link[field]))));
        let counts: [Sum<Counts>; 10] = [
            ("attempts", |counts| counts.attempts),
            ("failed", |counts| counts.failed),
            ("whole", |counts| counts.whole),
            ("answered", |counts| counts.answered),
            ("unheard", |counts| counts.unheard),
            ("sent", |counts| counts.sent),
            ("air_ns", |counts| counts.air_ns),
            ("first_ns", |counts| counts.first_ns),
            ("firsts", |counts| counts.firsts),
            ("with_cts", |counts| counts.with_cts),
        ];
        let counts = counts.map(|(name, count)| (name, integers(found.iter().map(|(_, counts)| count(counts)))));
        let known = |time: fn(&Counts) -> Option<i64>| {
            Arc::new(found.iter().map(|(_, counts)| time(counts)).collect::<Int64Array>()) as ArrayRef
        };
        let times = [("from_ns", known(|counts| counts.from_ns)), ("until_ns", known(|counts| counts.until_ns))];
        RecordBatch::try_from_iter(names.chain(counts).chain(times))
    }

    /// Overlaps per sender and other: `source sender other late_starts overlapped overlapped_failed overlap_ns`.
    ///
    /// # Errors
    /// Those of [`RecordBatch::try_from_iter`].
    pub fn overlaps(&mut self) -> Result<RecordBatch, ArrowError> {
        self.overlaps.settle();
        let mut found: Vec<_> = self.overlaps.found().iter().collect();
        found.sort_unstable_by_key(|&(pair, _)| pair);
        let names = ["source", "sender", "other"].into_iter().enumerate();
        let names = names.map(|(field, name)| (name, self.texts(found.iter().map(|(pair, _)| pair[field]))));
        let sums: [Sum<Overlapped>; 4] = [
            ("late_starts", |sums| sums.late_starts),
            ("overlapped", |sums| sums.overlapped),
            ("overlapped_failed", |sums| sums.overlapped_failed),
            ("overlap_ns", |sums| sums.overlap_ns),
        ];
        let sums = sums.map(|(name, sum)| (name, integers(found.iter().map(|(_, sums)| sum(sums)))));
        RecordBatch::try_from_iter(names.chain(sums))
    }

    fn add_batch(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let Self { traces, names, kinds, links, overlaps } = self;
        let mut numbers = |name| Ok::<_, ArrowError>(names.numbers(texts(batch, name)?));
        let [source, observer] = [numbers("source")?, numbers("observer")?];
        let [sender, receiver] = [numbers("sender")?, numbers("receiver")?];
        let kind = kinds.numbers(texts(batch, "kind")?);
        let time = |name| primitive::<Int64Type>(batch, name);
        let [start, end] = [time("start_ns")?, time("end_ns")?];
        let [rts_start, rts_end] = [time("rts_start_ns")?, time("rts_ns")?];
        let [cts_start, cts_end] = [time("cts_start_ns")?, time("cts_ns")?];
        let [data_start, data_end] = [time("data_start_ns")?, time("data_ns")?];
        let [ack_start, ack_end] = [time("ack_start_ns")?, time("ack_ns")?];
        let flags = |name| flags(batch, name).map(BooleanArray::values);
        let [complete, hidden, is_group] = [flags("complete")?, flags("hidden")?, flags("is_group")?];
        let at = |times: &Int64Array, row| is_known(times, row).then(|| times.values()[row]);
        let any = |of: [&Int64Array; 4], row| of.into_iter().any(|times| is_known(times, row));
        let lasting = (0..batch.num_rows()).filter_map(|row| {
            let failed = !complete.value(row);
            let is_addressed = receiver[row] != NOBODY && !is_group.value(row);
            let is_attempt = kind[row] <= RTS_FAILED && sender[row] != NOBODY && is_addressed;
            let own = any([rts_start, rts_end, data_start, data_end], row);
            let heard = own || any([cts_start, cts_end, ack_start, ack_end], row);
            let counts = links.counts([source[row], observer[row], sender[row], receiver[row]]);
            counts.attempts += i64::from(is_attempt);
            counts.failed += i64::from(is_attempt && failed);
            counts.whole += i64::from(kind[row] < RTS_FAILED && !failed);
            counts.answered += i64::from(heard);
            counts.unheard += i64::from(heard && !own);
            let took = |from, until| {
                at(from, row).zip(at(until, row)).map(|(from, until): (i64, i64)| until.wrapping_sub(from))
            };
            let frames = [took(rts_start, rts_end), took(data_start, data_end)];
            counts.lasting(frames, is_known(cts_end, row), at(start, row), at(end, row));

            let (start_ns, end_ns) = (at(start, row)?, at(end, row)?);
            let is_view = !traces.contains(&source[row]) || observer[row] == sender[row];
            let lasts = (1..=CARRIED_NS).contains(&end_ns.wrapping_sub(start_ns));
            if source[row] == NOBODY || sender[row] == NOBODY || !is_view || !lasts {
                return None;
            }
            let rts_ns = at(rts_start, row);
            let until_ns = at(if rts_ns.is_some() { rts_end } else { data_end }, row);
            // A CTS implies an RTS before it, which is at least as long: 20 octets against 14.
            let cts_ns = at(cts_start, row).zip(at(cts_end, row));
            let cts_ns = cts_ns.map_or(0, |(from_ns, until_ns)| until_ns.wrapping_sub(from_ns).clamp(0, CTS_MAX_NS));
            let hidden = hidden.value(row);
            Some(Exchange {
                source: source[row],
                sender: sender[row],
                receiver: receiver[row],
                start_ns: if hidden { start_ns.wrapping_sub(cts_ns) } else { start_ns },
                end_ns,
                sending_ns: rts_ns.or_else(|| at(data_start, row)).zip(until_ns),
                start_is_heard: !hidden,
                is_attempt,
                failed,
            })
        });
        lasting.for_each(|exchange| overlaps.push(exchange));
        Ok(())
    }

    fn texts(&self, numbers: impl Iterator<Item = u32>) -> ArrayRef {
        Arc::new(numbers.map(|number| self.names.text(number)).collect::<StringArray>())
    }
}

fn is_known(times: &Int64Array, row: usize) -> bool {
    times.nulls().is_none_or(|nulls| nulls.is_valid(row))
}

fn integers(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}
