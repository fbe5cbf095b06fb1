//! Infers the simulated data rates from the delay between transmission and reception of each frame.
//!
//! ns-2 prints a frame when its transmission starts and when its reception ends. The delay is the sum of PLCP, payload
//! bits and propagation. Printed times are exact to the nanosecond, so only the true rates yield the same propagation
//! time for every frame between two nodes.
//!
//! Each node has a MAC of its own, whose data rate a script may set. Where one data rate does not fit all delays, the
//! data rate of each transmitter is what fits its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::settings::{control_bytes, is_unicast_data, Coding, Settings, DEFAULT_MBPS};
use crate::frame::{Addr, Direction, Frame, FrameKind, Layer};

/// Candidate rates, Mb/s: those of clauses 15 to 18, and of PBCC. Slopes of delay over size add others.
const RATES: [f64; 14] = [1.0, 2.0, 5.5, 11.0, 6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0, 22.0, 33.0];
/// OFDM rates at 20 MHz (clause 17), and the divisors for narrower channels.
const OFDM_RATES: [f64; 8] = [6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0];
const OFDM_SCALES: [f64; 3] = [1.0, 2.0, 4.0];
/// MAC header of a data frame in `Mac/802_11Ext`, octets. `Mac/802_11` additionally counts its PLCP.
const EXT_OVERHEAD_BYTES: u32 = 28;
/// Longest plausible propagation time, microseconds: 1.2 km.
const MAX_PROPAGATION_US: f64 = 4.0;
/// Rounding error of a delay: the times at both ends are rounded to the nanosecond.
const ROUNDING_US: f64 = 0.002;
/// Longer than the longest frame at 1 Mb/s; a later arrival belongs to another frame.
const MAX_DELAY_NS: i64 = 100_000_000;
/// Number of arrivals after which the inferred rates are final.
const ENOUGH_ARRIVALS: u64 = 256;
/// Memory bounds, independent of the trace.
const MAX_SENT: usize = 4096;
const MAX_DELAYS: usize = 512;
/// Number of nodes that ns-2 supports.
const MAX_SENDERS: usize = 1 << 14;

/// Identifies a frame at both ends: kind, packet number, receiver, transmitter.
type Identity = (FrameKind, Option<u64>, Option<Addr>, Option<Addr>);

/// Class of arrivals: frames with the same key have the same delay unless nodes move.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Arrival {
    /// Both ends, the lower first.
    link: (Addr, Addr),
    unicast_data: bool,
    /// Transmitter of unicast data.
    sender: Option<Addr>,
    size: Size,
}

/// The size of a frame at its transmitter.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Size {
    /// As printed in the line, PLCP included.
    Printed(u32),
    /// Not printed, but defined by the frame type.
    OnAir(u32),
}

/// Observations from which the settings are inferred.
#[derive(Default)]
pub(super) struct Inference {
    settings: Settings,
    sent: HashMap<Identity, (i64, Size, Addr)>,
    delays: HashMap<Arrival, i64>,
    arrivals: u64,
    /// Transmitters of unicast data with an arrival in `delays`.
    senders: BTreeSet<Addr>,
    /// True if the rows observed last contain data of another transmitter, whose arrival may be in the rows to come.
    is_waiting: bool,
    is_stale: bool,
    plcp_bytes: Option<u32>,
    /// PLCP and MAC header: the octets that the MAC removes from a data frame for the upper layers.
    overhead_bytes: Option<u32>,
}

impl Inference {
    /// Adds rows from `line::parse`, in trace order.
    pub(super) fn observe(&mut self, frames: &[Frame]) {
        for frame in frames.iter().filter(|frame| frame.layer == Layer::Mac) {
            match frame.direction {
                Some(Direction::Tx) => self.observe_sent(frame),
                Some(Direction::Rx) => self.observe_received(frame),
                _ => {}
            }
        }
        self.is_waiting = frames.iter().any(|frame| self.is_of_new_sender(frame));
    }

    /// True for unicast data of a transmitter without an observed arrival: its data rate may be another one.
    #[inline]
    pub(super) fn is_of_new_sender(&self, frame: &Frame) -> bool {
        frame.layer == Layer::Mac && is_unicast_data(frame) && frame.ta.is_some_and(|ta| !self.senders.contains(&ta))
    }

    /// The settings inferred so far.
    pub(super) fn settings(&mut self) -> Settings {
        if std::mem::take(&mut self.is_stale) {
            self.solve();
        }
        self.settings.clone()
    }

    /// The settings at the last call of [`Inference::settings`].
    pub(super) fn known(&self) -> &Settings {
        &self.settings
    }

    /// True once no further lines need to be observed, except those of new transmitters.
    pub(super) fn is_settled(&self) -> bool {
        let both = self.settings.basic_mbps.is_some() && self.settings.data_mbps.is_some();
        both && !self.is_waiting && self.settings.data_of.is_empty() && self.arrivals >= ENOUGH_ARRIVALS
    }

    fn observe_sent(&mut self, frame: &Frame) {
        let Some(sender) = frame.observer else { return };
        let on_air = control_bytes(frame.kind);
        let size = match (frame.length_bytes, on_air) {
            (Some(printed), _) => Size::Printed(printed),
            (None, Some(on_air)) => Size::OnAir(on_air),
            (None, None) => {
                self.sent.remove(&identity(frame)); // what arrives next is not the one before
                return;
            }
        };
        if let (Size::Printed(printed), Some(on_air)) = (size, on_air) {
            self.plcp_bytes = self.plcp_bytes.or(printed.checked_sub(on_air));
        }
        if self.sent.len() >= MAX_SENT {
            self.sent.clear();
        }
        self.sent.insert(identity(frame), (frame.ts_ns, size, sender));
    }

    fn observe_received(&mut self, frame: &Frame) {
        let Some(&(sent_ns, size, sender)) = self.sent.get(&identity(frame)) else { return };
        let Some(receiver) = frame.observer else { return };
        let delay_ns = frame.ts_ns.saturating_sub(sent_ns);
        if !(1..MAX_DELAY_NS).contains(&delay_ns) || sender == receiver {
            return;
        }
        if let (FrameKind::Data, Size::Printed(printed), Some(received)) = (frame.kind, size, frame.length_bytes) {
            self.overhead_bytes = printed.checked_sub(received).or(self.overhead_bytes);
        }
        self.arrivals += 1;
        let link = (sender.min(receiver), sender.max(receiver));
        let unicast_data = is_unicast_data(frame);
        let arrival = Arrival { link, unicast_data, sender: frame.ta.filter(|_| unicast_data), size };
        let is_new = !self.delays.contains_key(&arrival);
        let new_sender = arrival.sender.filter(|ta| !self.senders.contains(ta) && self.senders.len() < MAX_SENDERS);
        if !is_new || self.delays.len() < MAX_DELAYS || new_sender.is_some() {
            self.delays.insert(arrival, delay_ns); // the latest: comparable with its neighbours if nodes move
            self.is_stale |= is_new;
            self.senders.extend(new_sender);
        }
    }

    /// Tries every combination of rates and keeps the one with the best fit to the delays.
    fn solve(&mut self) {
        let default = Settings::default();
        let ext = self.overhead_bytes.filter(|&overhead| overhead == EXT_OVERHEAD_BYTES).map(|_| 0);
        let plcp_bytes = self.plcp_bytes.or(ext).unwrap_or(default.plcp_bytes);
        let header_bytes = self.overhead_bytes.and_then(|overhead| overhead.checked_sub(plcp_bytes));
        let header_bytes = header_bytes.unwrap_or(default.header_bytes);
        let (data_of, checked) = (Arc::default(), Arc::default());
        self.settings = Settings { plcp_bytes, header_bytes, data_of, checked, ..self.settings };

        let mut delays: Vec<Delay> =
            self.delays.iter().filter_map(|(key, &ns)| Delay::new(key, ns, plcp_bytes)).collect();
        delays.sort_by(|a, b| {
            (a.link, a.unicast_data).cmp(&(b.link, b.unicast_data)).then(a.octets.total_cmp(&b.octets))
        });
        let has = |unicast_data: bool| delays.iter().any(|delay| delay.unicast_data == unicast_data);
        let (has_basic, has_data) = (has(false), has(true));
        let mut best: Option<(f64, Settings)> = None;
        for (coding, basic, data) in combinations(&delays, plcp_bytes) {
            let Some(score) = score(&delays, coding, basic, data) else { continue };
            if best.as_ref().is_none_or(|&(least, _)| score < least - 1e-9) {
                let (basic_mbps, data_mbps) = (has_basic.then_some(basic), has_data.then_some(data));
                best = Some((score, Settings { coding, basic_mbps, data_mbps, ..self.settings.clone() }));
            }
        }
        let alike = best.as_ref().is_some_and(|(_, found)| {
            let (basic, data) = (found.basic_mbps.unwrap_or_default(), found.data_mbps.unwrap_or_default());
            delays.iter().all(|delay| is_plausible(delay.propagation_us(found.coding, basic, data)))
        });
        if let Some((_, settings)) = best {
            self.settings = settings;
        }
        if let Some((coding, basic, rates)) = (!alike).then(|| mixed(&delays, plcp_bytes)).flatten() {
            self.settings.coding = coding;
            self.settings.basic_mbps = has_basic.then_some(basic);
            self.settings.data_mbps = rates.values().copied().next();
            self.settings.data_of = Arc::new(rates);
        }
        let found = &self.settings;
        let checked = delays.iter().filter_map(|delay| {
            let (basic, data) = (found.basic_mbps.unwrap_or_default(), found.data_rate_of(delay.sender?)?);
            is_plausible(delay.propagation_us(found.coding, basic, data)).then_some(delay.sender?)
        });
        self.settings.checked = Arc::new(checked.collect());
    }
}

/// Candidate combinations of coding, basic rate and data rate. If the MAC does not count the PLCP in a frame's size, it
/// is `Mac/802_11Ext`.
fn combinations(delays: &[Delay], plcp_bytes: u32) -> Vec<(Coding, f64, f64)> {
    let mut all = Vec::new();
    if plcp_bytes == 0 {
        for scale in OFDM_SCALES {
            let rates = OFDM_RATES.map(|mbps| mbps / scale);
            let pairs = rates.iter().flat_map(|&basic| rates.map(|data| (basic, data)));
            all.extend(pairs.map(|(basic, data)| (Coding::Symbols { scale }, basic, data)));
        }
        return all;
    }
    let (basic_candidates, data_candidates) = (candidates(delays, false), candidates(delays, true));
    for plcp_mbps in RATES {
        let coding = Coding::Serial { plcp_us: 8.0 * f64::from(plcp_bytes) / plcp_mbps };
        let pairs = basic_candidates.iter().flat_map(|&basic| data_candidates.iter().map(move |&data| (basic, data)));
        all.extend(pairs.map(|(basic, data)| (coding, basic, data)));
    }
    all
}

/// Coding, basic rate, and data rate of each transmitter, where transmitters differ in it. `None` if that fits no better.
fn mixed(delays: &[Delay], plcp_bytes: u32) -> Option<(Coding, f64, BTreeMap<Addr, f64>)> {
    let mut senders: BTreeMap<Addr, Vec<Delay>> = BTreeMap::new();
    for delay in delays.iter().filter(|delay| delay.unicast_data) {
        senders.entry(delay.sender?).or_default().push(*delay);
    }
    for own in senders.values_mut() {
        let links: Vec<_> = own.iter().map(|delay| delay.link).collect();
        own.extend(delays.iter().filter(|delay| !delay.unicast_data && links.contains(&delay.link)));
        own.sort_by_key(|delay| delay.link);
    }
    let all = combinations(delays, plcp_bytes);
    let mut best: Option<(f64, Coding, f64, BTreeMap<Addr, f64>)> = None;
    for alike in all.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let Some(&(coding, basic, _)) = alike.first() else { continue };
        let (mut total, mut rates) = (0.0, BTreeMap::new());
        for (&sender, own) in &senders {
            let scores = alike.iter().filter_map(|&(_, _, data)| Some((score(own, coding, basic, data)?, data)));
            let Some((least, data)) = scores.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            total += least;
            rates.insert(sender, data);
        }
        if rates.len() == senders.len() && best.as_ref().is_none_or(|(least, ..)| total < least - 1e-9) {
            best = Some((total, coding, basic, rates));
        }
    }
    let (_, coding, basic, rates) = best?;
    let differ = rates.values().any(|rate| Some(rate) != rates.values().next());
    differ.then_some((coding, basic, rates))
}

/// One class of arrivals in the units of the equations.
#[derive(Clone, Copy)]
struct Delay {
    link: (Addr, Addr),
    unicast_data: bool,
    sender: Option<Addr>,
    octets: f64,
    us: f64,
}

impl Delay {
    fn new(arrival: &Arrival, delay_ns: i64, plcp_bytes: u32) -> Option<Delay> {
        let octets = match arrival.size {
            Size::Printed(bytes) => bytes.checked_sub(plcp_bytes)?,
            Size::OnAir(bytes) => bytes,
        };
        let us = delay_ns as f64 / 1000.0;
        let Arrival { link, unicast_data, sender, .. } = *arrival;
        Some(Delay { link, unicast_data, sender, octets: f64::from(octets), us })
    }

    /// The propagation time that is left at these rates.
    fn propagation_us(&self, coding: Coding, basic_mbps: f64, data_mbps: f64) -> f64 {
        let rate = if self.unicast_data { data_mbps } else { basic_mbps };
        self.us - coding.airtime_us(self.octets, rate)
    }
}

fn is_plausible(propagation_us: f64) -> bool {
    (-ROUNDING_US..MAX_PROPAGATION_US).contains(&propagation_us)
}

fn identity(frame: &Frame) -> Identity {
    (frame.kind, frame.packet_uid, frame.ra, frame.ta)
}

/// Candidate rates for one class of frames. One candidate suffices if no frame of the class arrived.
fn candidates(delays: &[Delay], unicast_data: bool) -> Vec<f64> {
    let class: Vec<&Delay> = delays.iter().filter(|delay| delay.unicast_data == unicast_data).collect();
    if class.is_empty() {
        return vec![DEFAULT_MBPS];
    }
    let mut rates = RATES.to_vec();
    // Slope between the shortest and longest frames of a link, rounded to 0.1 Mb/s, the precision of configured rates.
    let slopes = class.chunk_by(|a, b| a.link == b.link).filter_map(|link| {
        let (shortest, longest) = (link.first()?, link.last()?);
        let mbps = 8.0 * (longest.octets - shortest.octets) / (longest.us - shortest.us);
        Some((mbps * 10.0).round() / 10.0).filter(|mbps| (0.1..1000.0).contains(mbps))
    });
    rates.extend(slopes.take(1));
    rates
}

/// Fit error of the rates: the mean spread of the propagation times per link, then the propagation time. `None` if more
/// than a twentieth of the delays are implausible.
fn score(delays: &[Delay], coding: Coding, basic_mbps: f64, data_mbps: f64) -> Option<f64> {
    let propagation = |delay: &Delay| delay.propagation_us(coding, basic_mbps, data_mbps);
    let mut impossible = 0;
    let (mut spread, mut total) = (0.0, 0.0);
    for link in delays.chunk_by(|a, b| a.link == b.link) {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for us in link.iter().map(propagation) {
            if is_plausible(us) {
                (least, most) = (least.min(us), most.max(us));
                total += us;
            } else {
                impossible += 1;
                if impossible * 20 > delays.len() {
                    return None;
                }
            }
        }
        spread += (most - least).max(0.0);
    }
    let count = delays.len().max(1) as f64;
    Some((spread + 0.001 * total) / count)
}

#[cfg(test)]
mod tests;
