//! rt-Winf's own meter of one node, as S000 sec. 3 prints it.
//!
//! A node is Onlooker by default. A CTS for it makes it Sender, an RTS for it Receiver, until the exchange is over. Each
//! state has its formula; the capacity that a node knows when it changes its state stays until the next measurement, so
//! that an Onlooker's serves the Sender and Receiver it becomes. Times are those at which frames end, as they are
//! captured; sums run from the start and never forget.

use crate::cross_layer::Printed;
use crate::index::LinkId;
use crate::units::Nanos;

/// Exchanges under way that a node keeps; the oldest goes first.
const MAX_UNDER_WAY: usize = 32;

/// What a node is in an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// It overhears.
    #[default]
    Onlooker,
    /// It got a CTS, or sends data without one.
    Sender,
    /// It got an RTS, or data without one.
    Receiver,
}

/// An exchange under way, as far as the node has captured it.
#[derive(Clone, Copy, Debug, Default)]
struct Exchange {
    state: State,
    rts: Option<Nanos>,
    cts: Option<Nanos>,
    data_start: Option<Nanos>,
    bytes: u32,
    /// The Duration that the state counts.
    reserved: Nanos,
}

/// The meter.
#[derive(Clone, Debug, Default)]
pub(crate) struct RtWinf {
    sifs: Nanos,
    under_way: Vec<(LinkId, Exchange)>,
    capacity_bytes_per_s: Option<f64>,
    reserved: Nanos,
    last_ack: Nanos,
    told: Vec<(LinkId, Printed)>,
}

impl RtWinf {
    /// A node that has captured nothing.
    pub(crate) fn new(sifs: Nanos) -> Self {
        Self { sifs, ..Self::default() }
    }

    /// SIFS.
    pub(crate) fn sifs(&self) -> Nanos {
        self.sifs
    }

    /// What the node is in the exchange of a link.
    #[cfg(test)]
    pub(crate) fn state(&self, link: LinkId) -> State {
        self.under_way.iter().find(|(of, _)| *of == link).map_or(State::Onlooker, |(_, exchange)| exchange.state)
    }

    /// Captured an RTS. Its Duration counts for the Receiver and for who overhears it.
    pub(crate) fn rts(&mut self, now: Nanos, link: LinkId, duration: Nanos, addressed: bool) {
        let state = if addressed { State::Receiver } else { State::Onlooker };
        self.open(link, Exchange { state, rts: Some(now), reserved: duration, ..Exchange::default() });
    }

    /// Captured a CTS. Its Duration counts for the Sender, and for an Onlooker that did not hear the RTS: a hidden node
    /// takes part.
    pub(crate) fn cts(&mut self, now: Nanos, link: LinkId, duration: Nanos, addressed: bool) {
        let known = self.under_way.iter_mut().find(|(of, _)| *of == link).map(|(_, exchange)| exchange);
        match known {
            Some(exchange) if !addressed && exchange.rts.is_some() => exchange.cts = Some(now),
            _ => {
                let state = if addressed { State::Sender } else { State::Onlooker };
                self.open(link, Exchange { state, cts: Some(now), reserved: duration, ..Exchange::default() });
            }
        }
    }

    /// Sends a data frame itself.
    pub(crate) fn sends(&mut self, now: Nanos, link: LinkId, bytes: u32) {
        match self.under_way.iter_mut().find(|(of, exchange)| *of == link && exchange.cts.is_some()) {
            Some((_, exchange)) => exchange.bytes = bytes,
            None => {
                let sent = Exchange { state: State::Sender, data_start: Some(now), bytes, ..Exchange::default() };
                self.open(link, sent);
            }
        }
    }

    /// Captured a data frame that began `airtime` ago. For a Receiver it ends the evaluation; without an RTS the transfer
    /// time to its own ACK counts, which takes `ack` (eq. 1).
    pub(crate) fn data(&mut self, now: Nanos, link: LinkId, bytes: u32, airtime: Nanos, ack: Nanos, addressed: bool) {
        let known = self.under_way.iter().position(|(of, _)| *of == link);
        if addressed {
            let exchange = known.map(|at| self.under_way.remove(at).1).unwrap_or_default();
            let transfer = airtime + self.sifs + ack;
            match exchange.rts {
                Some(rts) => self.complete(now, bytes, (now - rts).saturating_sub(3 * self.sifs), exchange.reserved),
                None => self.complete(now + self.sifs + ack, bytes, transfer, transfer),
            }
            return;
        }
        match known.and_then(|at| self.under_way.get_mut(at)) {
            Some((_, exchange)) => exchange.bytes = bytes,
            None => {
                let start = now.saturating_sub(airtime);
                self.open(link, Exchange { data_start: Some(start), bytes, ..Exchange::default() });
            }
        }
    }

    /// Captured the ACK: the end for Sender and Onlooker.
    pub(crate) fn ack(&mut self, now: Nanos, link: LinkId) {
        let Some(at) = self.under_way.iter().position(|(of, _)| *of == link) else { return };
        let (_, exchange) = self.under_way.remove(at);
        match (exchange.cts, exchange.data_start) {
            (Some(cts), _) => {
                let span = (now - cts).saturating_sub(2 * self.sifs);
                self.complete(now, exchange.bytes, span, exchange.reserved);
            }
            (None, Some(start)) => self.complete(now, exchange.bytes, now - start, now - start),
            // An RTS whose CTS was not heard: the medium was reserved, and nothing can be timed.
            (None, None) => self.complete(now, 0, 0, exchange.reserved),
        }
    }

    /// No response came to the node as Sender: the exchange is no sample.
    pub(crate) fn gives_up(&mut self, link: LinkId) {
        self.under_way.retain(|(of, exchange)| *of != link || exchange.state != State::Sender);
    }

    /// The receiver of a link told its values with the ACK.
    pub(crate) fn is_told(&mut self, link: LinkId, values: Printed) {
        match self.told.iter_mut().find(|(of, _)| *of == link) {
            Some((_, told)) => *told = values,
            None => self.told.push((link, values)),
        }
    }

    /// The node's own values.
    pub(crate) fn own(&self) -> Printed {
        let idle = 1.0 - self.reserved as f64 / self.last_ack.max(1) as f64;
        Printed {
            capacity_bytes_per_s: self.capacity_bytes_per_s,
            available_bytes_per_s: self.capacity_bytes_per_s.map(|capacity| capacity * idle.max(0.0)),
        }
    }

    /// The values of the store for packets on `link`: those that its receiver told where they are lower.
    pub(crate) fn on(&self, link: LinkId) -> Printed {
        let own = self.own();
        let told = self.told.iter().find(|(of, _)| *of == link).map(|(_, told)| *told).unwrap_or_default();
        Printed {
            capacity_bytes_per_s: lower(own.capacity_bytes_per_s, told.capacity_bytes_per_s),
            available_bytes_per_s: lower(own.available_bytes_per_s, told.available_bytes_per_s),
        }
    }

    fn open(&mut self, link: LinkId, exchange: Exchange) {
        self.under_way.retain(|(of, _)| *of != link);
        if self.under_way.len() == MAX_UNDER_WAY {
            self.under_way.remove(0);
        }
        self.under_way.push((link, exchange));
    }

    fn complete(&mut self, now: Nanos, bytes: u32, span: Nanos, reserved: Nanos) {
        if bytes > 0 && span > 0 {
            self.capacity_bytes_per_s = Some(f64::from(bytes) * 1e9 / span as f64);
        }
        self.reserved += reserved;
        self.last_ack = now;
    }
}

/// The lower of two values; the one that is known where the other is not.
fn lower(own: Option<f64>, told: Option<f64>) -> Option<f64> {
    match (own, told) {
        (Some(own), Some(told)) => Some(own.min(told)),
        (own, told) => own.or(told),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: LinkId = LinkId(0);
    const SIFS: Nanos = 10_000;
    const ACK: Nanos = 304_000;
    /// Ends of RTS, CTS, DATA and ACK of 1500 bytes at 11 Mbit/s, nanoseconds (V-W of the reference).
    const ENDS: [Nanos; 4] = [352_000, 666_000, 1_979_273, 2_293_273];
    const NAV_RTS: Nanos = 1_941_273;
    const NAV_CTS: Nanos = 1_627_273;
    const DATA: Nanos = 1_303_273;

    fn meter() -> RtWinf {
        RtWinf::new(SIFS)
    }

    fn mbps(values: Printed) -> (f64, f64) {
        let mbps = |value: Option<f64>| value.map_or(f64::NAN, |bytes_per_s| bytes_per_s * 8e-6);
        (mbps(values.capacity_bytes_per_s), mbps(values.available_bytes_per_s))
    }

    fn near((a, b): (f64, f64), (c, d): (f64, f64)) {
        assert!((a - c).abs() < 1e-5 && (b - d).abs() < 1e-5, "{a} {b} are not {c} {d}");
    }

    /// 100 exchanges in a second, each seen by `capture` from its start.
    fn second(capture: impl Fn(&mut RtWinf, Nanos)) -> RtWinf {
        let mut meter = meter();
        // The last of them ends at 1 s, so that T is a second as in V-W9.
        (1..=100).for_each(|number| capture(&mut meter, number * 10_000_000 - ENDS[3]));
        meter
    }

    fn as_sender(meter: &mut RtWinf, at: Nanos) {
        meter.cts(at + ENDS[1], LINK, NAV_CTS, true);
        assert_eq!(meter.state(LINK), State::Sender);
        meter.sends(at + ENDS[1] + SIFS, LINK, 1500);
        meter.ack(at + ENDS[3], LINK);
        assert_eq!(meter.state(LINK), State::Onlooker);
    }

    fn as_receiver(meter: &mut RtWinf, at: Nanos) {
        meter.rts(at + ENDS[0], LINK, NAV_RTS, true);
        assert_eq!(meter.state(LINK), State::Receiver);
        meter.data(at + ENDS[2], LINK, 1500, DATA, ACK, true);
        assert_eq!(meter.state(LINK), State::Onlooker);
    }

    /// V-W2 and V-W9: 7.466063 Mbit/s, of which 0.837273 is idle.
    #[test]
    fn v_w2_a_sender_divides_by_data_and_ack() {
        near(mbps(second(as_sender).own()), (7.466_063, 6.251_131));
    }

    /// V-W3 and V-W9: 7.512806 Mbit/s, less 0.194127 of the time to the last data frame.
    #[test]
    fn v_w3_a_receiver_takes_off_three_sifs() {
        let idle = 1.0 - 100.0 * NAV_RTS as f64 / (1e9 - (ENDS[3] - ENDS[2]) as f64);
        near(mbps(second(as_receiver).own()), (7.512_806, 7.512_806 * idle));
    }

    /// With the RTS its Duration counts, without it that of the CTS: a hidden node takes part.
    #[test]
    fn an_onlooker_takes_the_duration_that_it_heard() {
        let heard = |rts: bool| {
            second(|meter, at| {
                if rts {
                    meter.rts(at + ENDS[0], LINK, NAV_RTS, false);
                }
                meter.cts(at + ENDS[1], LINK, NAV_CTS, false);
                meter.data(at + ENDS[2], LINK, 1500, DATA, ACK, false);
                meter.ack(at + ENDS[3], LINK);
            })
        };
        near(mbps(heard(true).own()), (7.466_063, 7.466_063 * 0.805_872_7));
        near(mbps(heard(false).own()), (7.466_063, 7.466_063 * 0.837_272_7));
    }

    /// Eq. (1) and V-W4: from the start of DATA to the end of ACK, 7.419899 Mbit/s.
    #[test]
    fn v_w4_without_rts_the_transfer_time_counts() {
        let (start, end) = (0, DATA + SIFS + ACK);
        let mut sender = meter();
        sender.sends(start, LINK, 1500);
        sender.ack(end, LINK);
        let mut receiver = meter();
        receiver.data(DATA, LINK, 1500, DATA, ACK, true);
        let mut onlooker = meter();
        onlooker.data(DATA, LINK, 1500, DATA, ACK, false);
        onlooker.ack(end, LINK);
        for meter in [sender, receiver, onlooker] {
            near(mbps(meter.own()), (7.419_899, 0.0));
        }
    }

    /// S000 sec. 3.1: the onlooking capacity is there when the node becomes Sender or Receiver.
    #[test]
    fn the_onlooking_capacity_is_carried_into_the_next_state() {
        let mut meter = meter();
        meter.cts(ENDS[1], LINK, NAV_CTS, false);
        meter.data(ENDS[2], LINK, 1500, DATA, ACK, false);
        meter.ack(ENDS[3], LINK);
        let looked = meter.own().capacity_bytes_per_s;
        assert!(looked.is_some());
        let own = LinkId(1);
        meter.cts(3_000_000, own, NAV_CTS, true);
        assert_eq!(meter.state(own), State::Sender);
        assert_eq!(meter.on(own).capacity_bytes_per_s, looked, "nothing of its own yet");
        meter.gives_up(own);
        assert_eq!((meter.state(own), meter.own().capacity_bytes_per_s), (State::Onlooker, looked));
    }

    /// S000 sec. 3.1: the Sender uses what the Receiver tells where it is lower than its own, link by link.
    #[test]
    fn the_receiver_of_a_hop_lowers_the_senders_values() {
        let mut meter = second(as_sender);
        let own = meter.own();
        let told = |capacity: f64, available: f64| Printed {
            capacity_bytes_per_s: Some(capacity),
            available_bytes_per_s: Some(available),
        };
        meter.is_told(LINK, told(2e6, 1e5));
        assert_eq!(meter.on(LINK), Printed { available_bytes_per_s: Some(1e5), ..own });
        meter.is_told(LINK, told(1e5, 2e6));
        assert_eq!(meter.on(LINK), Printed { capacity_bytes_per_s: Some(1e5), ..own });
        assert_eq!(meter.on(LinkId(7)), own, "another receiver said nothing");
    }

    #[test]
    fn exchanges_without_end_are_forgotten() {
        let mut meter = meter();
        (0..1000).for_each(|link| meter.rts(1, LinkId(link), NAV_RTS, false));
        assert_eq!(meter.under_way.len(), MAX_UNDER_WAY);
    }
}
