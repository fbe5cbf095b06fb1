//! Collects what SIFS-spaced neighbours say about the stamps.

use super::convention::{is_to_be_timed, Convention, Group};
use super::decide::{self, Tally};
use super::model::ClockModel;
use super::solicited::follows_after_sifs;
use super::timeline::{self, Timeline};
use crate::frame::Frame;
use crate::ieee80211::airtime::Psdu;
use crate::ieee80211::constants::PhyTiming;

/// How far a distance may be from the predicted one: two stamps in whole microseconds, propagation,
/// and the jitter of drivers. Conventions that differ by less than twice this are told by which is nearer.
const TOLERANCE_US: f64 = 4.5;

/// How much earlier or later than any convention allows two frames may be and still be looked at.
const PLAUSIBLE_US: f64 = 60.0;

/// Looks at the first frames of a source to find out which instant its stamps mark.
///
/// Memory does not grow with the number of frames. Some ten thousand frames are plenty.
#[derive(Clone, Debug, Default)]
pub struct ClockAnalysis {
    timeline: Timeline,
    tally: Tally,
    previous: Option<Ppdu>,
    latest: Option<Ppdu>,
}

/// One PPDU and the stamps of its first and last MPDU.
#[derive(Clone, Debug)]
struct Ppdu {
    group: Group,
    frame: Frame,
    psdu: Psdu,
    first_ns: i64,
    last_ns: i64,
}

impl ClockAnalysis {
    /// Takes the next frame of the source, in recorded order.
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
        // A damaged frame stood between its neighbours, and its own addresses cannot be believed.
        self.previous = self.latest.take();
        if frame.is_readable() {
            let psdu = Psdu::new(frame);
            self.latest = Some(Ppdu { group, frame: frame.clone(), psdu, first_ns: stamp_ns, last_ns: stamp_ns });
        } else {
            self.previous = None;
        }
    }

    /// What the frames seen so far say.
    pub fn decide(mut self) -> ClockModel {
        self.settle();
        decide::decide(&self.tally)
    }

    /// Counts the latest pair, now that its second PPDU is complete.
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

/// Two PPDUs, one SIFS apart on the air.
struct Pair<'a> {
    first: &'a Ppdu,
    second: &'a Ppdu,
    first_airtime_us: f64,
    second_airtime_us: f64,
    sifs_us: f64,
}

impl<'a> Pair<'a> {
    /// `None` where an airtime is unknown.
    fn new(first: &'a Ppdu, second: &'a Ppdu) -> Option<Pair<'a>> {
        Some(Pair {
            first,
            second,
            first_airtime_us: first.psdu.airtime_us()?,
            second_airtime_us: second.psdu.airtime_us()?,
            sifs_us: PhyTiming::of(first.frame.phy?, first.frame.channel_mhz).sifs_us,
        })
    }

    /// Whether the stamps are near enough for the second frame to have followed the first at all.
    /// After an A-MPDU they are further apart when its last subframes were not heard.
    fn is_plausible(&self) -> bool {
        let longest = self.first_airtime_us + self.sifs_us + self.second_airtime_us;
        let measured = distance_us(self.first.first_ns, self.second.last_ns);
        let slack = if self.first.frame.ampdu_ref.is_some() { TOLERANCE_US } else { PLAUSIBLE_US };
        (-PLAUSIBLE_US..=longest + slack).contains(&measured)
    }

    /// How well stamps of these conventions explain their distance: 0 for not at all, else from 1 (at
    /// the tolerance) to 10 (exactly).
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
