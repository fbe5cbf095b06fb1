//! Exchanges in record batches, and what they show.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int32Type, Int64Type};
use arrow_array::StringArray;
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, PrimitiveArray, RecordBatch};
use arrow_schema::ArrowError;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Busy, Link, LinkEvidence, Medium, Sums, Total};
use crate::columns::{coded, primitive, truths};
use crate::names::NOBODY;

/// The columns of `exchanges` that are read; texts are dictionaries with 32-bit keys. Old datasets have no `is_group`.
pub const COLUMNS: [&str; 26] = [
    "source",
    "observer",
    "sender",
    "receiver",
    "kind",
    "data_kind",
    "is_group",
    "start_ns",
    "end_ns",
    "rts_start_ns",
    "rts_ns",
    "cts_start_ns",
    "cts_ns",
    "complete",
    "heard_data",
    "attempt",
    "mpdus",
    "payload_bytes",
    "length_bytes",
    "rate_mbps",
    "data_airtime_us",
    "ack_airtime_us",
    "phy",
    "channel_mhz",
    "seq",
    "tid",
];

/// Kinds of exchanges, as far as they matter here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rts,
    /// An RTS that nobody answered.
    RtsFailed,
    CtsSelf,
    Data,
    Other,
}

/// The columns of a batch whose rows are data exchanges of links, or attempts.
struct Columns<'a> {
    complete: &'a BooleanArray,
    heard_data: &'a BooleanArray,
    start: &'a Int64Array,
    end: &'a Int64Array,
    handshake: [&'a Int64Array; 4],
    attempt: &'a Int64Array,
    mpdus: &'a Int64Array,
    payload: &'a Int32Array,
    length: &'a Int32Array,
    rate: &'a Float64Array,
    data_airtime: &'a Float64Array,
    ack_airtime: &'a Float64Array,
    channel: &'a Int32Array,
    seq: &'a Int32Array,
    tid: &'a Int32Array,
}

impl LinkEvidence {
    /// Takes the next exchanges.
    ///
    /// # Errors
    /// A column of [`COLUMNS`] is missing or of another type.
    pub fn add_batch(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let kind = coded(batch, "kind", Kind::Other, kind_of)?;
        let carries = coded(batch, "data_kind", true, |kind| matches!(kind, "data" | "qos_data"))?;
        let by_address = coded(batch, "receiver", false, is_group_address)?;
        let is_group = batch.column_by_name("is_group").is_some().then(|| truths(batch, "is_group")).transpose()?;
        let mut numbered = |name| coded(batch, name, NOBODY, |text| self.names.number(text));
        let [source, observer] = [numbered("source")?, numbered("observer")?];
        let [sender, receiver, phy] = [numbered("sender")?, numbered("receiver")?, numbered("phy")?];
        let columns = Columns::of(batch)?;
        for row in 0..batch.num_rows() {
            let (start, end) = (value(columns.start, row), value(columns.end, row));
            if let (Some(start_ns), Some(end_ns)) = (start, end) {
                let channel_mhz = value(columns.channel, row);
                self.add_busy([source.of(row), observer.of(row)], channel_mhz, start_ns, end_ns);
            }
            let is_group = is_group.map_or_else(|| by_address.of(row), |flags| is_true(flags, row));
            let link = [source.of(row), observer.of(row), sender.of(row), receiver.of(row)];
            let is_link = link[2] != NOBODY && link[3] != NOBODY && !is_group;
            if kind.of(row) == Kind::Other || !is_link || !carries.of(row) {
                continue;
            }
            let window = end.or(start).map(|at_ns| self.window(at_ns));
            let sums = self.links.entry((link, value(columns.channel, row), window)).or_default();
            columns.add(sums, row, kind.of(row));
            let before = self.before.entry(link).or_default();
            let is_sample = columns.is_sample(row, kind.of(row));
            if is_sample {
                let msdu = value(columns.seq, row).map(|seq| (seq, value(columns.tid, row)));
                sums.fragments += i64::from(before.goes_on(msdu, value(columns.attempt, row)));
                before.carried = msdu;
            }
            before.failed = !is_sample;
            if is_sample && phy.of(row) != NOBODY {
                let names = &self.names;
                let later = sums.phy.is_none_or(|known| names.text(known) < names.text(phy.of(row)));
                sums.phy = if later { Some(phy.of(row)) } else { sums.phy };
            }
        }
        Ok(())
    }

    /// Per `source observer sender receiver window_start_ns`, of sources with several channels also per `channel_mhz`:
    /// counts and sums; null is a sum of nothing.
    ///
    /// # Errors
    /// Those of [`RecordBatch::try_from_iter_with_nullable`].
    pub fn links(&self) -> Result<RecordBatch, ArrowError> {
        let several = self.several_channels();
        let mut found: BTreeMap<Link, Sums> = BTreeMap::new();
        for (&(link, channel_mhz, window), sums) in &self.links {
            let channel_mhz = channel_mhz.filter(|_| several.contains(&link[0]));
            let entry = found.entry((link, channel_mhz, window));
            entry.and_modify(|sum| sum.merge(sums, &self.names)).or_insert_with(|| sums.clone());
        }
        let rows: Vec<(&Link, &Sums)> = found.iter().collect();
        let names = ["source", "observer", "sender", "receiver"].into_iter().enumerate();
        let names = names.map(|(field, name)| (name, self.texts(rows.iter().map(|(link, _)| link.0[field]))));
        let window: Int64Array = rows.iter().map(|(link, _)| link.2).collect();
        let count = |of: fn(&Sums) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|(_, sums)| of(sums))))
        };
        let total = |of: fn(&Sums) -> Total, unit: f64| -> ArrayRef {
            let totals = rows.iter().map(|(_, sums)| of(sums).0.map(|total| total as f64 / unit));
            Arc::new(totals.collect::<Float64Array>())
        };
        let rates: Float64Array = rows.iter().map(|(_, sums)| sums.rate_max_mbps).collect();
        let channels: Int32Array = rows.iter().map(|(link, sums)| link.1.or(sums.channel_mhz)).collect();
        let columns = [
            ("window_start_ns", Arc::new(window) as ArrayRef),
            ("attempts", count(|sums| sums.attempts)),
            ("samples", count(|sums| sums.samples)),
            ("rts", count(|sums| sums.rts)),
            ("failed", count(|sums| sums.failed)),
            ("retries", count(|sums| sums.retries)),
            ("carrying", count(|sums| sums.carrying)),
            ("rateless", count(|sums| sums.rateless)),
            ("timeless", count(|sums| sums.timeless)),
            ("answers_only", count(|sums| sums.answers_only)),
            ("bits", total(|sums| sums.bits, 1.0)),
            ("psdu_bits", total(|sums| sums.psdu_bits, 1.0)),
            ("mpdus", total(|sums| sums.mpdus, 1.0)),
            ("psdu_us", total(|sums| sums.psdu_ns, 1e3)),
            ("data_us", total(|sums| sums.data_ns, 1e3)),
            ("ack_us", total(|sums| sums.ack_ns, 1e3)),
            ("answers", count(|sums| sums.answers)),
            ("rts_cts_us", total(|sums| sums.rts_cts_ns, 1e3)),
            ("handshakes", count(|sums| sums.handshakes)),
            ("cts_self", count(|sums| sums.cts_self)),
            ("cts_self_us", total(|sums| sums.cts_self_ns, 1e3)),
            ("own_cts", count(|sums| sums.own_cts)),
            ("fragments", count(|sums| sums.fragments)),
            ("rate_max_mbps", Arc::new(rates)),
            ("phy", self.texts(rows.iter().map(|(_, sums)| sums.phy.unwrap_or(NOBODY)))),
            ("channel_mhz", Arc::new(channels)),
        ];
        RecordBatch::try_from_iter_with_nullable(names.chain(columns).map(|(name, column)| (name, column, true)))
    }

    /// Per `source observer channel_mhz window_start_ns`: `busy_ns`, the sum of all exchanges, `first_ns` and `last_ns`; the
    /// channel is that of sources with several.
    ///
    /// # Errors
    /// Those of [`RecordBatch::try_from_iter_with_nullable`].
    pub fn media(&self) -> Result<RecordBatch, ArrowError> {
        let several = self.several_channels();
        let mut rows: BTreeMap<Medium, Busy> = BTreeMap::new();
        for (&(medium, channel_mhz, window), busy) in &self.media {
            let channel_mhz = channel_mhz.filter(|_| several.contains(&medium[0]));
            rows.entry((medium, channel_mhz, window)).and_modify(|sum| sum.add(busy)).or_insert(*busy);
        }
        let number =
            |of: fn(&Busy) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(rows.values().map(of))) };
        let windows = Int64Array::from_iter_values(rows.keys().map(|medium| medium.2));
        let channels: Int32Array = rows.keys().map(|medium| medium.1).collect();
        RecordBatch::try_from_iter_with_nullable([
            ("source", self.texts(rows.keys().map(|medium| medium.0[0])), true),
            ("observer", self.texts(rows.keys().map(|medium| medium.0[1])), true),
            ("channel_mhz", Arc::new(channels) as ArrayRef, true),
            ("window_start_ns", Arc::new(windows) as ArrayRef, true),
            ("busy_ns", number(|busy| busy.busy_ns), true),
            ("first_ns", number(|busy| busy.first_ns), true),
            ("last_ns", number(|busy| busy.last_ns), true),
        ])
    }

    /// Sources of which exchanges are on more than one known channel.
    fn several_channels(&self) -> FxHashSet<u32> {
        let mut first = FxHashMap::default();
        let known = self.media.keys().filter_map(|&([source, _], channel_mhz, _)| channel_mhz.zip(Some(source)));
        known.filter(|&(mhz, source)| *first.entry(source).or_insert(mhz) != mhz).map(|(_, source)| source).collect()
    }

    fn texts(&self, numbers: impl Iterator<Item = u32>) -> ArrayRef {
        Arc::new(numbers.map(|number| self.names.text(number)).collect::<StringArray>())
    }
}

impl<'a> Columns<'a> {
    fn of(batch: &'a RecordBatch) -> Result<Self, ArrowError> {
        let long = |name| primitive::<Int64Type>(batch, name);
        let short = |name| primitive::<Int32Type>(batch, name);
        let float = |name| primitive::<Float64Type>(batch, name);
        Ok(Self {
            complete: truths(batch, "complete")?,
            heard_data: truths(batch, "heard_data")?,
            start: long("start_ns")?,
            end: long("end_ns")?,
            handshake: [long("rts_ns")?, long("rts_start_ns")?, long("cts_ns")?, long("cts_start_ns")?],
            attempt: long("attempt")?,
            mpdus: long("mpdus")?,
            payload: short("payload_bytes")?,
            length: short("length_bytes")?,
            rate: float("rate_mbps")?,
            data_airtime: float("data_airtime_us")?,
            ack_airtime: float("ack_airtime_us")?,
            channel: short("channel_mhz")?,
            seq: short("seq")?,
            tid: short("tid")?,
        })
    }

    fn is_sample(&self, row: usize, kind: Kind) -> bool {
        is_true(self.complete, row) && kind != Kind::RtsFailed && value(self.payload, row).is_some_and(|some| some > 0)
    }

    fn add(&self, sums: &mut Sums, row: usize, kind: Kind) {
        let payload = value(self.payload, row);
        let carries = payload.is_some_and(|payload| payload > 0);
        let (rate, data_us) = (value(self.rate, row), value(self.data_airtime, row));
        let complete = is_true(self.complete, row);
        let unheard = self.heard_data.is_valid(row) && !self.heard_data.value(row);
        sums.attempts += 1;
        sums.failed += i64::from(!complete);
        sums.retries += i64::from(value(self.attempt, row).is_some_and(|attempt| attempt > 1));
        sums.carrying += i64::from(carries);
        sums.rateless += i64::from(carries && rate.is_none() && data_us.is_none());
        sums.timeless += i64::from(self.start.is_null(row) || self.end.is_null(row));
        sums.answers_only += i64::from(unheard && complete);
        if !self.is_sample(row, kind) {
            return;
        }
        sums.samples += 1;
        sums.rts += i64::from(kind == Kind::Rts);
        sums.bits.add(payload.map(|payload| 8 * i64::from(payload)));
        sums.mpdus.add(Some(value(self.mpdus, row).unwrap_or(1).max(1)));
        if let Some(rate) = rate.filter(|rate| *rate > 0.0) {
            let length = value(self.length, row).or(payload);
            sums.psdu_bits.add(length.map(|length| 8 * i64::from(length)));
            sums.psdu_ns.add(length.map(|length| rounded(8000.0 * f64::from(length) / rate)));
            sums.data_ns.add(data_us.map(|airtime_us| rounded(1000.0 * airtime_us)));
        }
        let ack_us = value(self.ack_airtime, row);
        sums.ack_ns.add(ack_us.map(|airtime_us| rounded(1000.0 * airtime_us)));
        sums.answers += i64::from(ack_us.is_some());
        sums.cts_self += i64::from(kind == Kind::CtsSelf);
        match self.handshake.map(|times| value(times, row)) {
            [Some(rts_ns), Some(rts_start_ns), Some(cts_ns), Some(cts_start_ns)] => {
                let lasted_ns = rts_ns.wrapping_sub(rts_start_ns).wrapping_add(cts_ns).wrapping_sub(cts_start_ns);
                sums.rts_cts_ns.add(Some(lasted_ns));
                sums.handshakes += 1;
            }
            [.., Some(cts_ns), Some(cts_start_ns)] if kind == Kind::CtsSelf => {
                sums.cts_self_ns.add(Some(cts_ns.wrapping_sub(cts_start_ns)));
                sums.own_cts += 1;
            }
            _ => {}
        }
        sums.rate_max_mbps = match (sums.rate_max_mbps, rate) {
            (Some(known), Some(rate)) => Some(known.max(rate)),
            (known, rate) => known.or(rate),
        };
        sums.channel_mhz = sums.channel_mhz.max(value(self.channel, row));
    }
}

fn value<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>, row: usize) -> Option<T::Native> {
    column.is_valid(row).then(|| column.value(row))
}

fn is_true(column: &BooleanArray, row: usize) -> bool {
    column.is_valid(row) && column.value(row)
}

/// To the nearest whole number, halves away from zero; what is none saturates.
fn rounded(value: f64) -> i64 {
    value.round() as i64
}

fn kind_of(kind: &str) -> Kind {
    match kind {
        "rts" => Kind::Rts,
        "rts_failed" => Kind::RtsFailed,
        "basic" => Kind::Data,
        "cts_self" => Kind::CtsSelf,
        _ => Kind::Other,
    }
}

/// The Individual/Group bit of an address as text (9.2.4.3.2).
fn is_group_address(address: &str) -> bool {
    address.chars().nth(1).and_then(|digit| digit.to_digit(16)).is_some_and(|digit| digit % 2 == 1)
}
