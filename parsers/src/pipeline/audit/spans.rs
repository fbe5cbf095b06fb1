//! How long A-MPDUs last on the time line.

use super::share::Share;
use crate::frame::Frame;
use crate::ieee80211::airtime::Psdu;

/// Padding, and fields that no header records.
const TOLERANCE: f64 = 0.15;

/// Counts A-MPDUs.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    ended: Share,
    open: Option<Ampdu>,
}

/// A-MPDU in progress: frames of one stamp, transmitter and receiver.
#[derive(Clone, Copy, Debug)]
struct Ampdu {
    psdu: Psdu,
    subframes: u32,
    start_ns: Option<i64>,
    end_ns: Option<i64>,
    is_damaged: bool,
}

impl Spans {
    /// Adds a frame, given the one recorded before it.
    pub(super) fn observe(&mut self, before: Option<&Frame>, frame: &Frame) {
        if before.is_some_and(|before| is_same_ppdu(before, frame)) {
            if let Some(ampdu) = &mut self.open {
                ampdu.add(frame);
            }
            return;
        }
        let start = Ampdu {
            psdu: Psdu::new(frame),
            subframes: 1,
            start_ns: frame.start_ns,
            end_ns: frame.end_ns,
            is_damaged: !frame.is_readable(),
        };
        if let Some(ended) = self.open.replace(start) {
            ended.judge(&mut self.ended);
        }
    }

    /// Those that last as long as their octets take.
    pub(super) fn share(&self) -> Share {
        let mut share = self.ended;
        if let Some(ampdu) = self.open {
            ampdu.judge(&mut share);
        }
        share
    }
}

impl Ampdu {
    fn add(&mut self, frame: &Frame) {
        self.psdu.add(frame);
        self.subframes += 1;
        self.start_ns = self.start_ns.zip(frame.start_ns).map(|(one, other)| one.min(other));
        self.end_ns = self.end_ns.zip(frame.end_ns).map(|(one, other)| one.max(other));
        self.is_damaged |= !frame.is_readable();
    }

    fn judge(&self, spans: &mut Share) {
        let airtime_us = self.psdu.airtime_us().filter(|us| *us > 0.0);
        let (Some(start), Some(end), Some(airtime_us)) = (self.start_ns, self.end_ns, airtime_us) else { return };
        if self.subframes > 1 && !self.is_damaged {
            let ratio = end.saturating_sub(start) as f64 / 1000.0 / airtime_us;
            spans.count((ratio - 1.0).abs() <= TOLERANCE);
        }
    }
}

/// True if the radio stamped both frames as one PPDU. A damaged subframe is one of it, whatever addresses it shows.
fn is_same_ppdu(before: &Frame, frame: &Frame) -> bool {
    let is_stamped = frame.tsft_us.is_some_and(|tsft| tsft != 0) && before.tsft_us == frame.tsft_us;
    let same_phy = before.phy == frame.phy && before.mcs == frame.mcs && frame.mcs.is_some();
    let same_link = before.ta == frame.ta && before.ra == frame.ra && frame.ta.is_some();
    let is_damaged = !before.is_readable() || !frame.is_readable();
    is_stamped && same_phy && (is_damaged || same_link && before.seq != frame.seq)
}
