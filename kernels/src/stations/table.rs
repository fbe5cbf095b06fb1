//! Counts of record batches of `frames`, and the tables that follow.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;

use super::neighbours::neighbours;
use super::{Direction, Frame, FrameCounts, Kind, SIMULATED};
use crate::columns::{coded, primitive, truths};
use crate::names::NOBODY;

/// The columns of `frames` that are read; texts are dictionaries with 32-bit keys.
pub const COLUMNS: [&str; 17] = [
    "source",
    "frame_no",
    "observer",
    "direction",
    "layer",
    "ts_ns",
    "kind",
    "ra",
    "ta",
    "bssid",
    "retry",
    "length_bytes",
    "airtime_us",
    "signal_dbm",
    "ssid",
    "parse_error",
    "is_group",
];

impl FrameCounts {
    /// Counts the frames of a batch.
    ///
    /// # Errors
    /// A column of [`COLUMNS`] is missing or of another type.
    pub fn add_batch(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let is_mac = coded(batch, "layer", false, |layer| layer == "mac")?;
        let is_damaged = coded(batch, "parse_error", false, |_| true)?;
        let kind = coded(batch, "kind", Kind::Other, kind_of)?;
        let direction = coded(batch, "direction", Direction::Unknown, direction_of)?;
        let mut numbered = |name| coded(batch, name, NOBODY, |text| self.number(text));
        let [source, observer, ra, bssid] =
            [numbered("source")?, numbered("observer")?, numbered("ra")?, numbered("bssid")?];
        let ta = coded(batch, "ta", NOBODY, |text| if is_station(text) { self.number(text) } else { NOBODY })?;
        let ssid = coded(batch, "ssid", NOBODY, |text| if text.is_empty() { NOBODY } else { self.number(text) })?;
        let [frame_no, ts_ns] = [primitive::<Int64Type>(batch, "frame_no")?, primitive::<Int64Type>(batch, "ts_ns")?];
        let length_bytes = primitive::<Int32Type>(batch, "length_bytes")?;
        let signal_dbm = primitive::<Int32Type>(batch, "signal_dbm")?;
        let airtime_us = primitive::<Float64Type>(batch, "airtime_us")?;
        let [retry, is_group] = [truths(batch, "retry")?, truths(batch, "is_group")?];
        let is_true = |column: &BooleanArray, row| column.is_valid(row) && column.value(row);
        for row in 0..batch.num_rows() {
            if ta.of(row) == NOBODY || !is_mac.of(row) {
                continue;
            }
            self.add(&Frame {
                source: source.of(row),
                frame_no: frame_no.value(row),
                observer: observer.of(row),
                direction: direction.of(row),
                kind: kind.of(row),
                ra: ra.of(row),
                ta: ta.of(row),
                bssid: bssid.of(row),
                ssid: ssid.of(row),
                is_group: is_true(is_group, row),
                is_whole: !is_damaged.of(row),
                retry: is_true(retry, row),
                ts_ns: ts_ns.value(row),
                length_bytes: length_bytes.is_valid(row).then(|| length_bytes.value(row)),
                airtime_us: airtime_us.is_valid(row).then(|| airtime_us.value(row)),
                signal_dbm: signal_dbm.is_valid(row).then(|| signal_dbm.value(row)),
            });
        }
        Ok(())
    }

    /// Addresses of the stations.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        self.stations.rows.iter().filter_map(|&(node, _)| self.names.text(node))
    }

    /// The columns of the table `nodes`: one row per station, those that sent most first. `texts_of` has columns that
    /// frames do not tell, by name and address, else null; a station without a `radio` is one by itself.
    ///
    /// # Errors
    /// Those of [`RecordBatch::try_from_iter`].
    pub fn nodes(&self, texts_of: &HashMap<String, HashMap<String, String>>) -> Result<RecordBatch, ArrowError> {
        let text = |number: u32| self.names.text(number);
        let mut rows: Vec<_> = self.stations.rows.iter().map(|(node, station)| (text(*node), station)).collect();
        rows.sort_by_key(|&(node, station)| (Reverse(station.frames), node));
        let role = |&(node, station): &(Option<&str>, &super::Station)| match (station.announced, station.own_bssid) {
            _ if node.is_some_and(|node| node.starts_with(SIMULATED)) => "simulator",
            (true, true) => "ap",
            (true, false) => "ibss",
            (false, _) => "station",
        };
        let stations = || rows.iter().map(|(_, station)| station);
        let integers = |get: fn(&super::Station) -> Option<i64>| -> ArrayRef {
            Arc::new(stations().map(|station| get(station)).collect::<Int64Array>())
        };
        let floats = |get: fn(&super::Station) -> Option<f64>| -> ArrayRef {
            Arc::new(stations().map(|station| get(station)).collect::<Float64Array>())
        };
        let counted = [
            ("node", texts(rows.iter().map(|&(node, _)| node)), true),
            ("role", texts(rows.iter().map(|row| Some(role(row)))), true),
            ("ssid", texts(stations().map(|station| text(station.ssid()))), true),
            ("frames_tx", integers(|station| Some(station.frames)), true),
            ("bytes_tx", integers(|station| station.bytes), true),
            ("airtime_us", floats(super::Station::airtime_us), true),
            ("data_frames", integers(|station| Some(station.data_frames)), true),
            ("retries", integers(|station| Some(station.retries)), true),
            ("signal_dbm", floats(super::Station::signal_dbm), true),
            ("first_ns", integers(|station| station.span_ns.map(|span| span.0)), true),
            ("last_ns", integers(|station| station.span_ns.map(|span| span.1)), true),
        ];
        let given = texts_of.iter().map(|(name, by_address)| {
            let itself = name == "radio";
            let known = rows
                .iter()
                .map(move |&(node, _)| by_address.get(node?).map(String::as_str).or(node.filter(|_| itself)));
            (name.as_str(), texts(known), true)
        });
        RecordBatch::try_from_iter_with_nullable(counted.into_iter().chain(given))
    }

    /// The table `neighbours` of recordings that were not merged, sorted by node; whom it heard most comes first.
    ///
    /// # Errors
    /// Those of [`RecordBatch::try_from_iter`].
    pub fn neighbours(&self) -> Result<RecordBatch, ArrowError> {
        let text = |number: u32| self.names.text(number);
        let mut rows = neighbours(&self.heard, &self.spans);
        rows.sort_by_key(|row| (text(row.node), Reverse(row.heard), text(row.neighbour)));
        let heard: Int64Array = rows.iter().map(|row| Some(row.heard)).collect();
        let ratios: Float64Array = rows.iter().map(|row| row.delivery_ratio).collect();
        let signals: Float64Array = rows.iter().map(|row| row.signal_dbm).collect();
        RecordBatch::try_from_iter_with_nullable([
            ("node", texts(rows.iter().map(|row| text(row.node))), true),
            ("neighbour", texts(rows.iter().map(|row| text(row.neighbour))), true),
            ("heard", Arc::new(heard) as ArrayRef, true),
            ("delivery_ratio", Arc::new(ratios) as ArrayRef, true),
            ("signal_dbm", Arc::new(signals) as ArrayRef, true),
        ])
    }
}

fn texts<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(texts.collect::<StringArray>())
}

/// Whether a station may have this address: neither zeros, which some put where they name no transmitter, nor a group's.
fn is_station(address: &str) -> bool {
    let is_group = address.chars().nth(1).and_then(|digit| digit.to_digit(16)).is_some_and(|digit| digit % 2 == 1);
    address.starts_with(SIMULATED) || address != "00:00:00:00:00:00" && !is_group
}

fn kind_of(kind: &str) -> Kind {
    match kind {
        "beacon" | "probe_resp" => Kind::Announcement,
        "data" | "qos_data" => Kind::Data,
        "rts" | "cts" | "ack" | "block_ack" | "block_ack_req" | "ps_poll" | "trigger" | "ndpa" | "cf_end"
        | "beamforming_poll" | "control_other" => Kind::Control,
        _ => Kind::Other,
    }
}

fn direction_of(direction: &str) -> Direction {
    match direction {
        "tx" => Direction::Sent,
        "rx" => Direction::Received,
        "drop" => Direction::Dropped,
        _ => Direction::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::is_station;

    #[test]
    fn zeros_and_groups_are_no_stations() {
        for address in ["02:00:00:00:00:01", "00:00:00:00:00:01", "fa:00:00:00:00:00", "node-0"] {
            assert!(is_station(address), "{address}");
        }
        for address in ["00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "9b:00:00:00:00:00"] {
            assert!(!is_station(address), "{address}");
        }
    }
}
