//! The simulation's rates, from how long its frames took to arrive.
//!
//! A frame is printed when its transmission starts and when its reception ends; between the two lie
//! PLCP, bits and propagation. With printed times exact to the nanosecond, only the true rates give
//! every frame between two nodes the same propagation time.

use std::collections::HashMap;

use super::settings::{control_bytes, is_unicast_data, Coding, Settings, DEFAULT_MBPS};
use crate::frame::{Addr, Direction, Frame, FrameKind, Layer};

/// Rates that are tried, Mb/s: those of clauses 15 to 18, and PBCC's. Slopes add others.
const RATES: [f64; 14] = [1.0, 2.0, 5.5, 11.0, 6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0, 22.0, 33.0];
/// Rates of OFDM at 20 MHz (clause 17), and by what narrower channels are scaled down.
const OFDM_RATES: [f64; 8] = [6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0];
const OFDM_SCALES: [f64; 3] = [1.0, 2.0, 4.0];
/// Header of a data frame in `Mac/802_11Ext`, octets; `Mac/802_11` adds its PLCP to it.
const EXT_OVERHEAD_BYTES: u32 = 28;
/// The longest propagation taken for one, microseconds: 1.2 km.
const MAX_PROPAGATION_US: f64 = 4.0;
/// Times are printed rounded to the nanosecond, at both ends.
const ROUNDING_US: f64 = 0.002;
/// Longer than any frame takes at 1 Mb/s: what arrives later is another frame.
const MAX_DELAY_NS: i64 = 100_000_000;
/// Arrivals after which the rates are taken as found.
const ENOUGH_ARRIVALS: u64 = 256;
/// Bounds on what is remembered, whatever the trace.
const MAX_SENT: usize = 4096;
const MAX_DELAYS: usize = 512;

/// What identifies a frame at both ends: kind, packet number, receiver, transmitter.
type Identity = (FrameKind, Option<u64>, Option<Addr>, Option<Addr>);

/// A kind of arrival: two frames with the same key took equally long but for movement.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Arrival {
    /// Both ends, the lower first.
    link: (Addr, Addr),
    unicast_data: bool,
    size: Size,
}

/// The size of a frame where it was sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Size {
    /// As the line printed it, PLCP included.
    Printed(u32),
    /// Not printed, but known.
    OnAir(u32),
}

/// What the lines so far say about the settings.
#[derive(Default)]
pub(super) struct Inference {
    settings: Settings,
    sent: HashMap<Identity, (i64, Size, Addr)>,
    delays: HashMap<Arrival, i64>,
    arrivals: u64,
    is_stale: bool,
    plcp_bytes: Option<u32>,
    /// PLCP and MAC header: what a data frame's size loses on its way up.
    overhead_bytes: Option<u32>,
}

impl Inference {
    /// Takes in rows as `line::parse` made them, in the order of the trace.
    pub(super) fn observe(&mut self, frames: &[Frame]) {
        for frame in frames.iter().filter(|frame| frame.layer == Layer::Mac) {
            match frame.direction {
                Some(Direction::Tx) => self.observe_sent(frame),
                Some(Direction::Rx) => self.observe_received(frame),
                _ => {}
            }
        }
    }

    /// The settings as far as they are known.
    pub(super) fn settings(&mut self) -> Settings {
        if std::mem::take(&mut self.is_stale) {
            self.solve();
        }
        self.settings
    }

    /// The settings as of the last call of [`Inference::settings`].
    pub(super) fn known(&self) -> &Settings {
        &self.settings
    }

    /// True once further lines need not be observed.
    pub(super) fn is_settled(&self) -> bool {
        let both = self.settings.basic_mbps.is_some() && self.settings.data_mbps.is_some();
        both && self.arrivals >= ENOUGH_ARRIVALS
    }

    fn observe_sent(&mut self, frame: &Frame) {
        let Some(sender) = frame.observer else { return };
        let on_air = control_bytes(frame.kind);
        let size = match (frame.length_bytes, on_air) {
            (Some(printed), _) => Size::Printed(printed),
            (None, Some(on_air)) => Size::OnAir(on_air),
            (None, None) => return,
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
        let arrival = Arrival { link, unicast_data: is_unicast_data(frame), size };
        let is_new = !self.delays.contains_key(&arrival);
        if !is_new || self.delays.len() < MAX_DELAYS {
            self.delays.insert(arrival, delay_ns); // the latest: comparable with its neighbours when nodes move
            self.is_stale |= is_new;
        }
    }

    /// Tries every combination of rates and keeps the one that explains the delays best.
    fn solve(&mut self) {
        let default = Settings::default();
        let ext = self.overhead_bytes.filter(|&overhead| overhead == EXT_OVERHEAD_BYTES).map(|_| 0);
        let plcp_bytes = self.plcp_bytes.or(ext).unwrap_or(default.plcp_bytes);
        let header_bytes = self.overhead_bytes.and_then(|overhead| overhead.checked_sub(plcp_bytes));
        let header_bytes = header_bytes.unwrap_or(default.header_bytes);
        self.settings = Settings { plcp_bytes, header_bytes, ..self.settings };

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
            if best.is_none_or(|(least, _)| score < least - 1e-9) {
                let (basic_mbps, data_mbps) = (has_basic.then_some(basic), has_data.then_some(data));
                best = Some((score, Settings { coding, basic_mbps, data_mbps, ..self.settings }));
            }
        }
        if let Some((_, settings)) = best {
            self.settings = settings;
        }
    }
}

/// Codings with a basic and a data rate that are worth trying. A MAC that counts no PLCP into a frame's size
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

/// One kind of arrival in the units of the equations.
struct Delay {
    link: (Addr, Addr),
    unicast_data: bool,
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
        Some(Delay { link: arrival.link, unicast_data: arrival.unicast_data, octets: f64::from(octets), us })
    }
}

fn identity(frame: &Frame) -> Identity {
    (frame.kind, frame.packet_uid, frame.ra, frame.ta)
}

/// The rates to try for one class of frames; one is enough when none of them arrived.
fn candidates(delays: &[Delay], unicast_data: bool) -> Vec<f64> {
    let class: Vec<&Delay> = delays.iter().filter(|delay| delay.unicast_data == unicast_data).collect();
    if class.is_empty() {
        return vec![DEFAULT_MBPS];
    }
    let mut rates = RATES.to_vec();
    // What a link's shortest and longest frames tell, to a tenth of a megabit per second as people write rates.
    let slopes = class.chunk_by(|a, b| a.link == b.link).filter_map(|link| {
        let (shortest, longest) = (link.first()?, link.last()?);
        let mbps = 8.0 * (longest.octets - shortest.octets) / (longest.us - shortest.us);
        Some((mbps * 10.0).round() / 10.0).filter(|mbps| (0.1..1000.0).contains(mbps))
    });
    rates.extend(slopes.take(1));
    rates
}

/// How badly the rates explain the delays: the spread of propagation times on a link, on average, then the
/// propagation time itself. `None` when more than a twentieth of the delays cannot be explained at all.
fn score(delays: &[Delay], coding: Coding, basic_mbps: f64, data_mbps: f64) -> Option<f64> {
    let propagation = |delay: &Delay| {
        let rate = if delay.unicast_data { data_mbps } else { basic_mbps };
        delay.us - coding.airtime_us(delay.octets, rate)
    };
    let mut impossible = 0;
    let (mut spread, mut total) = (0.0, 0.0);
    for link in delays.chunk_by(|a, b| a.link == b.link) {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for us in link.iter().map(propagation) {
            if (-ROUNDING_US..MAX_PROPAGATION_US).contains(&us) {
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
mod tests {
    use super::super::line;
    use super::*;

    /// Rows of an imagined simulation: an exchange and a broadcast each way between two nodes 200 m apart.
    fn rows(plcp_us: f64, basic: f64, data: f64, with_rts: bool, with_broadcast: bool) -> Vec<Frame> {
        let mut rows = Vec::new();
        let mut now = 1_000_000_000i64;
        let mut exchange = |kind: &str, printed: u32, received: u32, ra: &str, ta: u8, rate: f64, rest: &str| {
            let airtime = plcp_us + f64::from(printed - 24) * 8.0 / rate;
            let arrival = now + (airtime * 1000.0 + 667.0).round() as i64;
            let receiver = 1 - ta;
            for (op, at, node, size) in [("s", now, ta, printed), ("r", arrival, receiver, received)] {
                let seconds = format!("{}.{:09}", at / 1_000_000_000, at % 1_000_000_000);
                let line = format!("{op} {seconds} _{node}_ MAC  --- 0 {kind} {size} [0 {ra} {ta} 800] {rest}");
                rows.push(line::parse(line.as_bytes(), 0));
            }
            now = arrival + 10_000;
        };
        for size in [1078, 1078, 98] {
            if with_rts {
                exchange("RTS", 44, 44, "1", 0, basic, "");
                exchange("CTS", 38, 38, "0", 1, basic, "");
            }
            exchange("cbr", size, size - 58, "1", 0, data, "------- [0:0 1:0 32 1]");
            exchange("ACK", 38, 38, "0", 1, basic, "");
        }
        if with_broadcast {
            exchange("message", 90, 32, "ffffffff", 0, basic, "------- [0:255 -1:255 32 0]");
        }
        assert!(rows.iter().all(|row| row.parse_error.is_none()));
        rows
    }

    #[test]
    fn rates_are_found_from_any_mix_of_frames() {
        let cases = [
            (192.0, 1.0, 11.0),
            (192.0, 1.0, 1.0),
            (96.0, 2.0, 11.0),
            (32.0, 6.0, 54.0),
            (192.0, 2.0, 22.0),
            (192.0, 1.0, 7.3),
        ];
        for (plcp_us, basic, data) in cases {
            for (with_rts, with_broadcast) in [(true, true), (true, false), (false, true), (false, false)] {
                let mut inference = Inference::default();
                inference.observe(&rows(plcp_us, basic, data, with_rts, with_broadcast));
                let expected = Settings {
                    coding: Coding::Serial { plcp_us },
                    basic_mbps: Some(basic),
                    data_mbps: Some(data),
                    ..Settings::default()
                };
                assert_eq!(inference.settings(), expected, "RTS {with_rts}, broadcast {with_broadcast}");
            }
        }
    }

    #[test]
    fn what_was_not_seen_stays_unknown() {
        let mut inference = Inference::default();
        assert_eq!(inference.settings(), Settings::default());
        let broadcast: Vec<_> = rows(192.0, 2.0, 11.0, false, true).split_off(12);
        inference.observe(&broadcast);
        let found = inference.settings();
        assert_eq!((found.basic_mbps, found.data_mbps), (Some(2.0), None));
        assert!(!inference.is_settled());
    }
}
