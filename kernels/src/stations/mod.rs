//! What each station sent and who heard it, counted from the rows of `frames`.
//!
//! Counts of different recordings add up, in any order, to the same tables `nodes` and `neighbours` ([`table`]).

mod neighbours;
mod station;
pub mod table;

use rustc_hash::FxHashMap;

use crate::names::{Names, NOBODY};
use neighbours::{Heard, Pair, EVERYBODY};
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

/// Which frames announce a network, and which carry data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Announcement,
    Data,
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

/// Counts of frames by station, and by recorder and station.
#[derive(Default)]
pub struct FrameCounts {
    names: Names,
    /// Of each name, whether it is that of a simulator's node.
    simulated: Vec<bool>,
    stations: FxHashMap<u32, Station>,
    heard: FxHashMap<Pair, Heard>,
}

impl FrameCounts {
    /// Adds the counts of other recordings.
    pub fn merge(&mut self, other: &FrameCounts) {
        let numbers: Vec<u32> = other.names.texts().map(|text| self.number(text)).collect();
        let renamed = |number: u32| numbers.get(number as usize).copied().unwrap_or(number);
        for (&node, station) in &other.stations {
            self.stations.entry(renamed(node)).or_default().merge(&station.renamed(renamed), &self.names);
        }
        for (pair, heard) in &other.heard {
            self.heard.entry(pair.renamed(renamed)).or_default().merge(*heard);
        }
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
            self.stations.entry(frame.ta).or_default().add(frame, &self.names);
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
            let pair = Pair { recorder, neighbour: frame.ta, addressed, own };
            self.heard.entry(pair).or_default().add(frame.signal_dbm);
        }
    }
}
