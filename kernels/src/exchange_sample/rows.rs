//! Exchanges as rows, in the order of media and time.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayAccessor, BooleanArray, RecordBatch};
use arrow_schema::ArrowError;

use crate::columns::{column, primitive, refused};
use crate::names::{Names, NOBODY};

/// Kind of an exchange, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Rts,
    Basic,
    CtsSelf,
    Broadcast,
    Other,
}

/// Access categories by number; the last one is for frames without QoS Control, which contend with the DCF.
pub const CATEGORIES: [&str; 5] = ["be", "bk", "vi", "vo", "dcf"];

/// The DCF in [`CATEGORIES`].
pub(super) const DCF: u8 = 4;

/// PHYs from the oldest to the newest.
pub(super) const PHYS: [&str; 8] = ["dsss", "hr_dsss", "ofdm", "erp", "ht", "vht", "he", "eht"];

/// What is read of an exchange.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Numbers of names.
    pub source: u32,
    pub observer: u32,
    pub sender: u32,
    pub bssid: u32,
    pub kind: Kind,
    /// The kind of data frame is unknown: the exchange was only heard through responses.
    pub by_response: bool,
    /// Number in [`CATEGORIES`].
    pub category: Option<u8>,
    /// Number in [`PHYS`]; `None` also for a PHY that is not there.
    pub phy: Option<u8>,
    /// The PHY is unknown.
    pub without_phy: bool,
    pub short_preamble: bool,
    pub start_ns: i64,
    pub rts_start_known: bool,
    pub rts_us: Option<f64>,
    pub cts_us: Option<f64>,
    pub ack_us: Option<f64>,
    pub idle_us: Option<f64>,
    pub first_attempt: bool,
    pub channel_mhz: Option<i64>,
    pub mpdus: Option<i64>,
    pub length_bytes: Option<i64>,
    pub complete: bool,
    pub hidden: bool,
    pub direct: bool,
    /// Rows of one block are consecutive in the recording.
    pub block: i64,
}

/// The exchanges of batches with a known start, sorted by source, observer (unknown ones last) and start.
pub(super) fn read(batches: &[RecordBatch], names: &mut Names) -> Result<Vec<Row>, ArrowError> {
    let mut rows = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
    for batch in batches {
        read_batch(batch, names, &mut rows)?;
    }
    let places = places(names);
    let place = |number: u32| places.get(number as usize).copied().unwrap_or(u32::MAX);
    rows.sort_by_key(|row| (place(row.source), place(row.observer), row.start_ns));
    Ok(rows)
}

/// The place of each name in the order of their texts.
pub(super) fn places(names: &Names) -> Vec<u32> {
    let texts: Vec<&str> = names.texts().collect();
    let mut order: Vec<u32> = (0..).take(texts.len()).collect();
    let text = |&number: &u32| texts.get(number as usize);
    order.sort_by(|a, b| text(a).cmp(&text(b)));
    let mut places = vec![0; texts.len()];
    for (place, number) in (0..).zip(order) {
        if let Some(slot) = places.get_mut(number as usize) {
            *slot = place;
        }
    }
    places
}

fn read_batch(batch: &RecordBatch, names: &mut Names, rows: &mut Vec<Row>) -> Result<(), ArrowError> {
    let mut numbered = |name| coded(batch, name, NOBODY, |text| names.number(text));
    let [source, observer, sender, bssid] =
        [numbered("source")?, numbered("observer")?, numbered("sender")?, numbered("bssid")?];
    let kind = coded(batch, "kind", Kind::Other, kind_of)?;
    let data_kind = coded(batch, "data_kind", DataKind::Unknown, data_kind_of)?;
    let phy = coded(batch, "phy", (None, true), |text| (phy_of(text), false))?;
    let short = coded(batch, "preamble", false, |text| text == "short")?;
    let [start_ns, rts_start_ns, rts_ns] =
        [times(batch, "start_ns")?, times(batch, "rts_start_ns")?, times(batch, "rts_ns")?];
    let [cts_start_ns, cts_ns] = [times(batch, "cts_start_ns")?, times(batch, "cts_ns")?];
    let [idle_us, ack_us] =
        [primitive::<Float64Type>(batch, "idle_before_us")?, primitive::<Float64Type>(batch, "ack_airtime_us")?];
    let [tid, attempt, channel] =
        [integers(batch, "tid")?, integers(batch, "attempt")?, integers(batch, "channel_mhz")?];
    let [mpdus, length] = [integers(batch, "mpdus")?, integers(batch, "length_bytes")?];
    let [complete, hidden, direct] = [truths(batch, "complete")?, truths(batch, "hidden")?, truths(batch, "direct")?];
    // Without the column all rows are of one block.
    let block = batch.column_by_name("block").map(|_| integers(batch, "block")).transpose()?;
    let block = |row| block.as_ref().and_then(|block| value(block, row)).unwrap_or(0);
    let is_true = |column: &BooleanArray, row| value(column, row).unwrap_or(false);
    // Times of a damaged recording may lie further apart than a number can say.
    let apart_us = |from, to, row| Some(i64::saturating_sub(value(to, row)?, value(from, row)?) as f64 / 1e3);
    for row in 0..batch.num_rows() {
        let Some(start_ns) = value(start_ns, row) else { continue };
        let (phy, without_phy) = phy.get(row);
        rows.push(Row {
            source: source.get(row),
            observer: observer.get(row),
            sender: sender.get(row),
            bssid: bssid.get(row),
            kind: kind.get(row),
            by_response: data_kind.get(row) == DataKind::Unknown && kind.get(row) != Kind::Broadcast,
            category: category(data_kind.get(row), value(&tid, row)),
            phy,
            without_phy,
            short_preamble: short.get(row),
            start_ns,
            rts_start_known: rts_start_ns.is_valid(row),
            rts_us: apart_us(rts_start_ns, rts_ns, row),
            cts_us: apart_us(cts_start_ns, cts_ns, row),
            ack_us: value(ack_us, row),
            idle_us: value(idle_us, row),
            first_attempt: value(&attempt, row) == Some(1),
            channel_mhz: value(&channel, row),
            mpdus: value(&mpdus, row),
            length_bytes: value(&length, row),
            complete: is_true(complete, row),
            hidden: is_true(hidden, row),
            direct: is_true(direct, row),
            block: block(row),
        });
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DataKind {
    Data,
    Qos,
    Other,
    Unknown,
}

/// The access category of the TID's user priority (table 10-1). A Null frame without QoS signals power save; it is
/// queued like a management frame and says nothing about data.
fn category(kind: DataKind, tid: Option<i64>) -> Option<u8> {
    const BY_PRIORITY: [u8; 8] = [0, 1, 1, 0, 2, 2, 3, 3];
    match kind {
        DataKind::Data => Some(DCF),
        DataKind::Qos => BY_PRIORITY.get(usize::try_from(tid?).ok()?).copied(),
        DataKind::Other | DataKind::Unknown => None,
    }
}

fn kind_of(kind: &str) -> Kind {
    match kind {
        "rts" => Kind::Rts,
        "basic" => Kind::Basic,
        "cts_self" => Kind::CtsSelf,
        "broadcast" => Kind::Broadcast,
        _ => Kind::Other,
    }
}

fn data_kind_of(kind: &str) -> DataKind {
    match kind {
        "data" => DataKind::Data,
        "qos_data" | "qos_null" => DataKind::Qos,
        _ => DataKind::Other,
    }
}

fn phy_of(phy: &str) -> Option<u8> {
    (0..).zip(PHYS).find(|(_, name)| *name == phy).map(|(number, _)| number)
}

/// What the texts of a column mean, by row.
struct Coded<C> {
    codes: Vec<C>,
}

impl<C: Copy> Coded<C> {
    fn get(&self, row: usize) -> C {
        self.codes[row]
    }
}

/// A column of texts: a dictionary with 32-bit keys as parsers make it, or views as Polars exports them.
fn coded<C: Copy>(
    batch: &RecordBatch,
    name: &str,
    null: C,
    mut code: impl FnMut(&str) -> C,
) -> Result<Coded<C>, ArrowError> {
    let texts = column(batch, name)?;
    if let Some(views) = texts.as_string_view_opt() {
        // Texts repeat in runs.
        let mut last: Option<(&str, C)> = None;
        let mut one = |row| {
            let Some(text) = value(views, row) else { return null };
            match last {
                Some((known, code)) if known == text => code,
                _ => last.insert((text, code(text))).1,
            }
        };
        return Ok(Coded { codes: (0..views.len()).map(&mut one).collect() });
    }
    let other = || refused(name, "has another type");
    let keyed = texts.as_dictionary_opt::<Int32Type>().ok_or_else(other)?;
    let values = keyed.values().as_string_opt::<i32>().ok_or_else(other)?;
    let values: Vec<C> = values.iter().map(|text| text.map_or(null, &mut code)).collect();
    let one = |key: Option<i32>| key.and_then(|key| values.get(usize::try_from(key).ok()?).copied()).unwrap_or(null);
    Ok(Coded { codes: keyed.keys().iter().map(one).collect() })
}

fn times<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a arrow_array::Int64Array, ArrowError> {
    primitive::<Int64Type>(batch, name)
}

/// A column of integers of 32 or 64 bits.
fn integers(batch: &RecordBatch, name: &str) -> Result<arrow_array::Int64Array, ArrowError> {
    match column(batch, name)?.as_primitive_opt::<Int32Type>() {
        Some(small) => Ok(small.unary(i64::from)),
        None => primitive::<Int64Type>(batch, name).cloned(),
    }
}

fn truths<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a BooleanArray, ArrowError> {
    column(batch, name)?.as_boolean_opt().ok_or_else(|| refused(name, "has another type"))
}

fn value<A: ArrayAccessor>(array: A, row: usize) -> Option<A::Item> {
    array.is_valid(row).then(|| array.value(row))
}
