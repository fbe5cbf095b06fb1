//! What a sample of exchanges says about medium access: idle gaps, backoffs, and the behaviour of each sender.
//!
//! `winf_analyzer._mac` infers the values of MAC parameters from these.

mod countdowns;
mod rows;
#[cfg(test)]
mod tests;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use rustc_hash::FxHashMap;

use crate::names::{Names, NOBODY};
use rows::{Kind, Row, DCF, PHYS};

pub use countdowns::Backoffs;
pub use rows::CATEGORIES;

/// Longer than the longest backoff of a first attempt (31 slots of 20 us): the sender had nothing to send.
const MAX_GAP_US: f64 = 1000.0;

/// Longest time without exchanges in which the recorder is taken to have listened.
const MAX_IDLE_US: f64 = 1e6;

/// A gap of less than SIFS and this is within a TXOP; a station that contends waits at least PIFS (10.23.2.8).
const TXOP_MARGIN_US: f64 = 5.0;

/// Airtime of a CTS or ACK at 11 Mb/s with short preamble (16.2.2); an OFDM BlockAck at 6 Mb/s is at most 74 us.
const MIN_DSSS_RESPONSE_US: f64 = 106.0;

/// Exchanges sorted by medium and time. A medium is the channel as one radio recorded it.
pub struct Sample {
    names: Names,
    rows: Vec<Row>,
    /// For each row, its station and what follows from the row before it.
    places: Vec<Place>,
    stations: Vec<Sender>,
}

#[derive(Clone, Copy)]
struct Place {
    station: u32,
    medium: u32,
    /// The gap before it is known, and starts at the end of a complete exchange, for all stations alike: after a frame
    /// with errors, contenders wait EIFS or DIFS depending on what they received (10.3.2.3.7).
    clean: bool,
    /// The exchange before it has the same sender.
    same_sender: bool,
}

struct Sender {
    key: [u32; 3],
    medium: u32,
    exchanges: u64,
    /// Its first exchange with the newest PHY.
    newest: usize,
    guessed: bool,
}

/// A sender, by medium and address; exchanges of unknown senders are those of one station per medium.
#[derive(Clone, Debug, PartialEq)]
pub struct Station<'a> {
    /// Number of the medium, from 0.
    pub medium: u32,
    /// Recording.
    pub source: Option<&'a str>,
    /// Capturing station.
    pub observer: Option<&'a str>,
    /// Its address.
    pub sender: Option<&'a str>,
    /// Number of its exchanges.
    pub exchanges: u64,
    /// The newest PHY that it used; `None`: unknown.
    pub phy: Option<&'static str>,
    /// Channel of its first exchange with that PHY, MHz.
    pub channel_mhz: Option<i64>,
    /// Number of that exchange in the sample.
    pub row: usize,
    /// No frame of it was recorded, and the responses to it are not known to be DSSS.
    pub guessed: bool,
}

/// Idle gaps in which a station contended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gap {
    /// Whole microseconds.
    pub gap_us: i64,
    /// Number of the station.
    pub station: u32,
    /// Number in [`CATEGORIES`].
    pub category: u8,
    /// Before a first attempt.
    pub first: bool,
    /// After an exchange of the same station.
    pub own: bool,
}

/// Exchanges of one kind of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Traffic<'a> {
    /// Number of the station.
    pub station: u32,
    /// The network.
    pub bssid: Option<&'a str>,
    /// Number in [`CATEGORIES`].
    pub category: Option<u8>,
    /// Between two stations without an access point.
    pub direct: bool,
}

/// How a station behaves in the exchanges that it initiates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Behaviour {
    /// Airtimes of RTS, CTS, responses, responses to frames without QoS, and responses to A-MPDUs, microseconds.
    pub airtimes: [Airtime; 5],
    /// Exchanges that begin with RTS, those that begin with CTS-to-self, and data exchanges with a short DSSS preamble.
    pub matching: [u64; 3],
    /// DSSS exchanges.
    pub dsss: u64,
    /// Data exchanges with one receiver.
    pub unicast: u64,
    /// Most MPDUs and octets of a PSDU in those.
    pub mpdus_max: Option<i64>,
    /// See `mpdus_max`.
    pub psdu_max_bytes: Option<i64>,
}

/// Airtimes of one kind of frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Airtime {
    /// Median; `None` without any.
    pub median_us: Option<f64>,
    /// How many are within 1 us of the median.
    pub close: u64,
    /// How many there are.
    pub count: u64,
}

impl Sample {
    /// A sample of rows of `exchanges`. With a column `block`, rows of different blocks are not consecutive.
    ///
    /// # Errors
    /// A column is missing or of another type.
    pub fn new(batches: &[RecordBatch]) -> Result<Sample, ArrowError> {
        let mut names = Names::default();
        let rows = rows::read(batches, &mut names)?;
        let stations = senders(&rows, &names);
        let numbers: FxHashMap<[u32; 3], u32> = (0..).zip(&stations).map(|(number, one)| (one.key, number)).collect();
        let mut places: Vec<Place> = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let station = numbers.get(&key(row)).copied().unwrap_or_default();
            let medium = stations.get(station as usize).map_or(0, |station| station.medium);
            let before = index.checked_sub(1).and_then(|before| rows.get(before).zip(places.get(before)));
            let before = before.filter(|(_, place)| place.medium == medium).map(|(before, _)| before);
            places.push(Place {
                station,
                medium,
                clean: before.is_some_and(|before| is_clean(row, before)),
                same_sender: before.is_some_and(|before| before.sender == row.sender && row.sender != NOBODY),
            });
        }
        Ok(Sample { names, rows, places, stations })
    }

    /// The stations by number.
    pub fn stations(&self) -> impl Iterator<Item = Station<'_>> {
        let text = |number| self.names.text(number);
        self.stations.iter().map(move |one| {
            let [source, observer, sender] = one.key;
            let newest = self.rows.get(one.newest);
            Station {
                medium: one.medium,
                source: text(source),
                observer: text(observer),
                sender: text(sender),
                exchanges: one.exchanges,
                phy: newest.and_then(|row| PHYS.get(usize::from(row.phy?)).copied()),
                channel_mhz: newest.and_then(|row| row.channel_mhz),
                row: one.newest,
                guessed: one.guessed,
            }
        })
    }

    /// How often each gap occurred; shorter gaps come first. `sifs_us` is that of each station.
    ///
    /// Gaps before group addressed frames do not count: an access point sends them in sequence after a beacon
    /// (11.2.3.6).
    pub fn gaps(&self, sifs_us: &[f64]) -> Vec<(Gap, u64)> {
        let mut counts: FxHashMap<Gap, u64> = FxHashMap::default();
        for (row, place) in self.rows.iter().zip(&self.places) {
            let (Some(idle_us), Some(category)) = (row.idle_us, row.category) else { continue };
            let Some(&sifs_us) = sifs_us.get(place.station as usize) else { continue };
            let carries_data = row.sender != NOBODY && row.kind != Kind::Broadcast;
            if place.clean && carries_data && idle_us >= sifs_us + TXOP_MARGIN_US && idle_us <= MAX_GAP_US {
                let gap_us = idle_us.round_ties_even() as i64;
                let (station, first, own) = (place.station, row.first_attempt, place.same_sender);
                *counts.entry(Gap { gap_us, station, category, first, own }).or_default() += 1;
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable();
        counts
    }

    /// Counts of the exchanges that carry data, or were only heard through responses, in the order of first occurrence.
    pub fn traffic(&self) -> Vec<(Traffic<'_>, u64)> {
        let mut numbers: FxHashMap<(u32, u32, Option<u8>, bool), usize> = FxHashMap::default();
        let mut counts: Vec<(Traffic<'_>, u64)> = Vec::new();
        for (row, place) in self.rows.iter().zip(&self.places) {
            if row.category.is_none() && !row.by_response {
                continue;
            }
            let Place { station, .. } = *place;
            let number = *numbers.entry((station, row.bssid, row.category, row.direct)).or_insert_with(|| {
                let bssid = self.names.text(row.bssid);
                counts.push((Traffic { station, bssid, category: row.category, direct: row.direct }, 0));
                counts.len() - 1
            });
            if let Some((_, count)) = counts.get_mut(number) {
                *count += 1;
            }
        }
        counts
    }

    /// The behaviour of stations with a known address, in the order of their first exchanges.
    pub fn behaviours(&self) -> Vec<(u32, Behaviour)> {
        let mut order: Vec<u32> = Vec::new();
        let mut of: Vec<Vec<&Row>> = vec![Vec::new(); self.stations.len()];
        for (row, place) in self.rows.iter().zip(&self.places).filter(|(row, _)| row.sender != NOBODY) {
            let Some(own) = of.get_mut(place.station as usize) else { continue };
            if own.is_empty() {
                order.push(place.station);
            }
            own.push(row);
        }
        order.into_iter().map(|station| (station, behaviour(&of[station as usize]))).collect()
    }
}

fn key(row: &Row) -> [u32; 3] {
    [row.source, row.observer, row.sender]
}

fn is_clean(row: &Row, before: &Row) -> bool {
    let known = row.block == before.block && row.idle_us.is_some_and(|us| (0.0..=MAX_IDLE_US).contains(&us));
    let whole_before = before.complete || before.kind == Kind::Broadcast;
    let heard_first_frame = !row.hidden && (row.kind != Kind::Rts || row.rts_start_known);
    known && whole_before && heard_first_frame
}

/// The senders, sorted by source, observer and address, unknown ones last. A station has one slot time and one aCWmin
/// for all rates. A station without recorded frames has responses of the modulation class that it uses (10.6.6.5.2).
fn senders(rows: &[Row], names: &Names) -> Vec<Sender> {
    struct Found {
        exchanges: u64,
        newest: (i8, usize),
        has_phy: bool,
        responses_us: Vec<f64>,
    }
    let mut found: FxHashMap<[u32; 3], Found> = FxHashMap::default();
    for (index, row) in rows.iter().enumerate() {
        let rank = row.phy.map_or(-1, |phy| phy as i8);
        let begun = || Found { exchanges: 0, newest: (rank, index), has_phy: false, responses_us: Vec::new() };
        let own = found.entry(key(row)).or_insert_with(begun);
        own.exchanges += 1;
        if rank > own.newest.0 {
            own.newest = (rank, index);
        }
        own.has_phy |= !row.without_phy;
        own.responses_us.extend(row.ack_us.or(row.cts_us).filter(|_| row.without_phy));
    }
    let places = rows::places(names);
    let place = |number: u32| places.get(number as usize).copied().unwrap_or(u32::MAX);
    let mut found: Vec<([u32; 3], Found)> = found.into_iter().collect();
    found.sort_by_key(|(key, _)| key.map(place));
    let mut senders: Vec<Sender> = Vec::with_capacity(found.len());
    for (key, mut own) in found {
        let before = senders.last();
        let is_new = before.is_none_or(|before| before.key[..2] != key[..2]);
        let medium = before.map_or(0, |before| before.medium + u32::from(is_new));
        let is_dsss = median(&mut own.responses_us).is_some_and(|us| us >= MIN_DSSS_RESPONSE_US);
        senders.push(Sender {
            key,
            medium,
            exchanges: own.exchanges,
            newest: own.newest.1,
            guessed: !own.has_phy && !is_dsss,
        });
    }
    senders
}

fn behaviour(rows: &[&Row]) -> Behaviour {
    let is_unicast =
        |row: &&&Row| matches!(row.kind, Kind::Basic | Kind::Rts | Kind::CtsSelf) && row.category.is_some();
    let is_dsss = |row: &&&Row| row.phy.is_some_and(|phy| phy <= 1);
    let unicast = || rows.iter().filter(is_unicast);
    // A response tells nothing of the frame that it answers; those of other kinds may go at another rate.
    let data = || rows.iter().filter(|row| row.category.is_some() || row.by_response);
    let of_kind = |kind| unicast().filter(|row| row.kind == kind).count() as u64;
    let airtimes = |times: &mut dyn Iterator<Item = Option<f64>>| airtime(times.flatten().collect());
    Behaviour {
        airtimes: [
            airtimes(&mut rows.iter().map(|row| row.rts_us)),
            airtimes(&mut rows.iter().map(|row| row.cts_us)),
            airtimes(&mut data().map(|row| row.ack_us)),
            airtimes(&mut data().filter(|row| row.category == Some(DCF)).map(|row| row.ack_us)),
            airtimes(&mut data().filter(|row| row.mpdus.is_some_and(|mpdus| mpdus > 1)).map(|row| row.ack_us)),
        ],
        matching: [
            of_kind(Kind::Rts),
            of_kind(Kind::CtsSelf),
            rows.iter().filter(is_dsss).filter(|row| row.short_preamble).count() as u64,
        ],
        dsss: rows.iter().filter(is_dsss).count() as u64,
        unicast: unicast().count() as u64,
        mpdus_max: unicast().filter_map(|row| row.mpdus).max(),
        psdu_max_bytes: unicast().filter_map(|row| row.length_bytes).max(),
    }
}

fn airtime(mut times_us: Vec<f64>) -> Airtime {
    let median_us = median(&mut times_us);
    let close = |median: f64| times_us.iter().filter(|&&us| (us - median).abs() <= 1.0).count() as u64;
    Airtime { median_us, close: median_us.map_or(0, close), count: times_us.len() as u64 }
}

/// The median; of an even number of values the lower of the middle two: an airtime that occurred, not one between two.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}
