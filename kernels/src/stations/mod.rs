//! What each station sent and who heard it, counted from the rows of `frames`.
//!
//! Counts of different recordings add up, in any order, to the same tables `nodes` and `neighbours` ([`table`]).

mod neighbours;
mod station;
pub mod table;

use rustc_hash::FxHashMap;

use crate::names::{Names, NOBODY};
use neighbours::{Heard, Pair, Spans, EVERYBODY};
use station::Station;

/// Addresses of a simulator's nodes start with this.
const SIMULATED: &str = "node-";

/// Where a frame was on its way, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Unknown,
    Sent,
    Received,
    Dropped,
    Other,
}

/// Which frames announce a network, which carry data, and which are control frames.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Announcement,
    Data,
    Control,
    Other,
}

/// A frame of the MAC layer with a transmitter. Names are numbers of [`FrameCounts`]; [`NOBODY`] is null.
struct Frame {
    source: u32,
    frame_no: i64,
    observer: u32,
    direction: Direction,
    kind: Kind,
    ra: u32,
    ta: u32,
    bssid: u32,
    ssid: u32,
    is_group: bool,
    is_whole: bool,
    retry: bool,
    ts_ns: i64,
    length_bytes: Option<i32>,
    airtime_us: Option<f64>,
    signal_dbm: Option<i32>,
}

/// Stations by the numbers of their names, one behind the other: a recording may hold millions of addresses.
#[derive(Default)]
struct Stations {
    /// Of each number, where its station is, counted from 1; 0: it is none.
    places: Vec<u32>,
    rows: Vec<(u32, Station)>,
}

impl Stations {
    fn of(&mut self, number: u32) -> &mut Station {
        let at = number as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, 0);
        }
        let place = &mut self.places[at];
        if *place == 0 {
            self.rows.push((number, Station::default()));
            *place = self.rows.len() as u32;
        }
        &mut self.rows[*place as usize - 1].1
    }
}

/// Counts of frames by station, and by recorder and station.
#[derive(Default)]
pub struct FrameCounts {
    names: Names,
    /// Of each name, whether it is that of a simulator's node.
    simulated: Vec<bool>,
    stations: Stations,
    heard: FxHashMap<Pair, Heard>,
    spans: Spans,
}

impl FrameCounts {
    /// Adds the counts of other recordings.
    pub fn merge(&mut self, other: FrameCounts) {
        if self.stations.rows.is_empty() && self.heard.is_empty() {
            *self = other;
            return;
        }
        let numbers: Vec<u32> = other.names.texts().map(|text| self.number(text)).collect();
        let renamed = |number: u32| numbers.get(number as usize).copied().unwrap_or(number);
        for (node, station) in &other.stations.rows {
            self.stations.of(renamed(*node)).merge(&station.renamed(renamed), &self.names);
        }
        for (pair, heard) in &other.heard {
            self.heard.entry(pair.renamed(renamed)).or_default().merge(*heard);
        }
        self.spans.merge(&other.spans, renamed);
    }

    fn number(&mut self, text: &str) -> u32 {
        let number = self.names.number(text);
        if number as usize == self.simulated.len() {
            self.simulated.push(text.starts_with(SIMULATED));
        }
        number
    }

    fn add(&mut self, frame: &Frame) {
        let is_simulated = self.simulated.get(frame.ta as usize).copied().unwrap_or_default();
        // In a simulator's trace only what a node itself sent counts.
        let repeats_sender = frame.direction == Direction::Received && is_simulated;
        if frame.direction != Direction::Dropped && !repeats_sender {
            self.stations.of(frame.ta).add(frame, &self.names);
        }
        let on_air = matches!(frame.direction, Direction::Unknown | Direction::Sent | Direction::Received);
        if frame.is_whole && on_air {
            let recorder = if frame.observer == NOBODY { frame.source } else { frame.observer };
            let addressed = match is_simulated {
                true if frame.is_group || frame.ra == NOBODY => EVERYBODY,
                true => frame.ra,
                false => NOBODY,
            };
            let own = frame.direction == Direction::Sent || frame.ta == recorder;
            let source = if own { frame.source } else { NOBODY };
            let pair = Pair { recorder, source, neighbour: frame.ta, addressed, own };
            self.spans.add(recorder, frame.source, (frame.ts_ns, frame.ts_ns));
            self.heard.entry(pair).or_default().add(frame.signal_dbm);
        }
    }
}
