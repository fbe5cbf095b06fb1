//! Collects evidence about the stamps from pairs of frames one SIFS apart.

use super::convention::{is_to_be_timed, Convention, Group};
use super::decide::{self, Tally};
use super::model::ClockModel;
use super::solicited::follows_after_sifs;
use super::timeline::{self, Timeline};
use crate::frame::Frame;
use crate::ieee80211::airtime::Psdu;
use crate::ieee80211::constants::PhyTiming;

/// Maximum difference between the measured and the predicted spacing. It covers two stamps in whole
/// microseconds, propagation, and driver jitter. Conventions that differ by less than twice this are
/// distinguished by which prediction is closer.
const TOLERANCE_US: f64 = 4.5;

/// A pair is considered if its spacing is at most this far outside the range that the conventions allow.
const PLAUSIBLE_US: f64 = 60.0;

/// Finds out from the first frames of a source which instant its stamps mark.
///
/// Memory does not grow with the number of frames. About ten thousand frames are sufficient.
#[derive(Clone, Debug, Default)]
pub struct ClockAnalysis {
    timeline: Timeline,
    tally: Tally,
    previous: Option<Ppdu>,
    latest: Option<Ppdu>,
}

/// One PPDU, with the stamps of its first and last MPDU.
#[derive(Clone, Debug)]
struct Ppdu {
    group: Group,
    frame: Frame,
    psdu: Psdu,
    first_ns: i64,
    last_ns: i64,
}

impl ClockAnalysis {
    /// Adds the next frame of the source, in recorded order.
    pub fn observe(&mut self, frame: &Frame) {
        let Some(group) = Group::of(frame).filter(|_| is_to_be_timed(frame)) else { return };
        let stamp_ns = self.timeline.stamp_ns(frame);
        self.tally.saw(group, timeline::radio_us(frame).is_some());
        if let Some(latest) = &mut self.latest {
            if latest.frame.phy == frame.phy && latest.psdu.is_shared_by(frame) {
                latest.psdu.add(frame);
                latest.last_ns = stamp_ns;
                return;
            }
        }
        self.settle();
        // A damaged frame separates its neighbours, and its own addresses are unreliable.
        self.previous = self.latest.take();
        if frame.is_readable() {
            let psdu = Psdu::new(frame);
            self.latest = Some(Ppdu { group, frame: frame.clone(), psdu, first_ns: stamp_ns, last_ns: stamp_ns });
        } else {
            self.previous = None;
        }
    }

    /// The clock model that the frames so far support.
    pub fn decide(mut self) -> ClockModel {
        self.settle();
        decide::decide(&self.tally)
    }

    /// Counts the latest pair, once its second PPDU is complete.
    fn settle(&mut self) {
        let (Some(first), Some(second)) = (&self.previous, &self.latest) else { return };
        if first.frame.channel_mhz != second.frame.channel_mhz || !follows_after_sifs(&first.frame, &second.frame) {
            return;
        }
        let Some(pair) = Pair::new(first, second) else { return };
        if pair.is_plausible() {
            self.tally.add(first.group, second.group, |a, b| pair.credit(a, b));
        }
    }
}

/// Two PPDUs that are one SIFS apart on the air.
struct Pair<'a> {
    first: &'a Ppdu,
    second: &'a Ppdu,
    first_airtime_us: f64,
    second_airtime_us: f64,
    sifs_us: f64,
}

impl<'a> Pair<'a> {
    /// `None` if an airtime is unknown.
    fn new(first: &'a Ppdu, second: &'a Ppdu) -> Option<Pair<'a>> {
        Some(Pair {
            first,
            second,
            first_airtime_us: first.psdu.airtime_us()?,
            second_airtime_us: second.psdu.airtime_us()?,
            sifs_us: PhyTiming::of(first.frame.phy?, first.frame.channel_mhz).sifs_us,
        })
    }

    /// True if the stamps are close enough for the second frame to have followed the first after SIFS. The
    /// spacing is larger after an A-MPDU whose last subframes were not received.
    fn is_plausible(&self) -> bool {
        let longest = self.first_airtime_us + self.sifs_us + self.second_airtime_us;
        let measured = distance_us(self.first.first_ns, self.second.last_ns);
        let slack = if self.first.frame.ampdu_ref.is_some() { TOLERANCE_US } else { PLAUSIBLE_US };
        (-PLAUSIBLE_US..=longest + slack).contains(&measured)
    }

    /// How well two conventions explain the spacing: 0 if not at all, else 1 (at the tolerance) to 10 (exact).
    fn credit(&self, first: Convention, second: Convention) -> u32 {
        let Some(in_first) = first.offset_us(&self.first.frame, Some(self.first_airtime_us)) else { return 0 };
        let Some(in_second) = second.offset_us(&self.second.frame, Some(self.second_airtime_us)) else { return 0 };
        let from = if first.is_early() { self.first.first_ns } else { self.first.last_ns };
        let to = if second.is_early() { self.second.first_ns } else { self.second.last_ns };
        let predicted = self.first_airtime_us - in_first + self.sifs_us + in_second;
        let off_us = (distance_us(from, to) - predicted).abs();
        if off_us <= TOLERANCE_US {
            1 + ((TOLERANCE_US - off_us) * 2.0) as u32
        } else {
            0
        }
    }
}

fn distance_us(from_ns: i64, to_ns: i64) -> f64 {
    to_ns.saturating_sub(from_ns) as f64 / 1000.0
}
