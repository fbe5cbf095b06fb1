//! Computes the start and end of every frame of a source from its stamp conventions.

use super::by_group::ByGroup;
use super::convention::{is_to_be_timed, Convention, Group, GroupConvention};
use super::corrected::CorrectedTimeline;
use super::precision::StampPrecision;
use super::sample::is_answer;
use super::speed::Speed;
use super::timeline::TimeScale;
use crate::base::time::ns;
use crate::base::{Warning, WarningCode};
use crate::frame::{Assumptions, Frame};
use crate::ieee80211::airtime;
use crate::ieee80211::constants::TSF_ACCURACY_PPM;

/// Largest drift between a TSF timer and a host's clock, if both are as accurate as a TSF timer has to be.
const MAX_DRIFT_PPM: f64 = 2.0 * TSF_ACCURACY_PPM;

/// The largest error for which answers are still joined to their frames.
const MAX_ERROR_US: f64 = 10_000.0;

/// The stamp conventions of a source, and its time scale.
#[derive(Clone, Debug)]
pub struct ClockModel {
    groups: Vec<GroupConvention>,
    seen: ByGroup<u64>,
    precision: StampPrecision,
    timeline: CorrectedTimeline,
}

impl ClockModel {
    /// One entry per group, in the order of [`Group::all`], the number of frames seen of each group, and how fast the
    /// clocks run if that is to be corrected.
    pub(super) fn new(
        groups: Vec<GroupConvention>,
        seen: ByGroup<u64>,
        precision: StampPrecision,
        speed: Option<Speed>,
    ) -> ClockModel {
        ClockModel { groups, seen, precision, timeline: CorrectedTimeline::at(speed) }
    }

    /// Bound on the error of the distance between two frames; zero if the stamps are exact, or if nothing is known.
    pub fn stamp_error_ns(&self) -> i64 {
        match self.precision {
            StampPrecision::Within(error_us) => ns(error_us.min(MAX_ERROR_US)),
            StampPrecision::NoTimes => ns(MAX_ERROR_US),
            StampPrecision::Exact | StampPrecision::Unknown => 0,
        }
    }

    /// Fills `start_ns` and `end_ns`. Call this for every frame from the first, in recorded order.
    ///
    /// Both stay unknown if the stamps are not those of single frames (a host that stamps batches), or if answers
    /// to sent frames seem to be earlier than these. If no convention explains them, they are taken as radiotap defines
    /// them, which `assumptions` says.
    /// If the airtime of a frame is unknown, its end stays unknown if the stamp marks its beginning, and its
    /// start stays unknown if the stamp marks its end. If the stamp marks the MPDU and the preamble is unknown,
    /// the stamp is used as the start; it is at most one preamble (192 us) late. Frames that already have a
    /// time (ns-2) and events that are not transmissions are not changed.
    pub fn apply(&mut self, frame: &mut Frame) {
        let Some(group) = Group::of(frame).filter(|_| is_to_be_timed(frame)) else { return };
        let Some(known) = self.groups.get(group.index()).filter(|known| !known.contradicted) else { return };
        match self.precision {
            StampPrecision::NoTimes => return,
            StampPrecision::Within(_) => frame.assumptions.insert(Assumptions::STAMP),
            StampPrecision::Exact | StampPrecision::Unknown => {}
        }
        let late_us = known.shift_us + if is_answer(frame) { known.late_answers_us } else { 0.0 };
        let stamp_ns = self.timeline.stamp_ns(frame).saturating_sub(ns(late_us));
        let airtime_ns = frame.airtime_us.map(ns);
        if known.convention.is_early() {
            let offset_us = known.convention.offset_us(frame, None).unwrap_or(0.0);
            let start_ns = stamp_ns.saturating_sub(ns(offset_us));
            frame.start_ns = Some(start_ns);
            frame.end_ns = airtime_ns.map(|airtime| start_ns.saturating_add(airtime));
        } else {
            let excluded_us = match known.convention {
                Convention::EndOfSymbols => airtime::signal_extension_us(frame),
                _ => 0.0,
            };
            let end_ns = stamp_ns.saturating_add(ns(excluded_us));
            frame.end_ns = Some(end_ns);
            frame.start_ns = airtime_ns.map(|airtime| end_ns.saturating_sub(airtime));
        }
    }

    /// True if the stamps of frames like this one mark their beginning, false if they mark their end.
    pub fn marks_beginning(&self, frame: &Frame) -> bool {
        let known = Group::of(frame).and_then(|group| self.groups.get(group.index()));
        known.is_none_or(|known| known.convention.is_early())
    }

    /// One entry per direction and PHY that occurred in the analysis.
    pub fn describe(&self) -> Vec<GroupConvention> {
        self.groups.iter().zip(self.seen.iter()).filter(|(_, seen)| *seen > 0).map(|(group, _)| *group).collect()
    }

    /// Clock statistics so far.
    pub fn time_scale(&self) -> TimeScale {
        self.timeline.facts()
    }

    /// Warnings: groups whose convention was not determined, and jumps of the radio's clock so far.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let open: Vec<String> = self.describe().iter().filter(|group| group.ambiguous).map(name).collect();
        if !open.is_empty() {
            let groups = open.join(", ");
            let message = format!(
                "no SIFS-spaced frames tell which instant the time stamps mark ({groups}): taken as the start of the MPDU"
            );
            warnings.push(Warning { frame_no: None, offset: None, code: WarningCode::ClockAmbiguous, message });
        }
        let no_times: Vec<String> = self.describe().iter().filter(|group| group.contradicted).map(name).collect();
        if !no_times.is_empty() {
            let groups = no_times.join(", ");
            let message =
                format!("answers are stamped before the frames that they answer ({groups}): these have no start");
            warnings.push(Warning { frame_no: None, offset: None, code: WarningCode::ClockAmbiguous, message });
        }
        if let Some(speed) = self.timeline.speed() {
            let (code, message) = (WarningCode::ClockSpeed, speed.message());
            warnings.push(Warning { frame_no: None, offset: None, code, message });
        }
        let scale = self.time_scale();
        if scale.jumps > 0 {
            let message = format!(
                "the MAC clock jumped by more than a second against the host's {}: after a jump, times are taken from the \
                 host's clock anew",
                occurrences(scale.jumps)
            );
            let code = WarningCode::ClockJump;
            warnings.push(Warning { frame_no: scale.first_jump, offset: None, code, message });
        }
        if scale.host_jumps > 0 {
            let message = format!(
                "the host's clock was set by more than a second {}: {}",
                occurrences(scale.host_jumps),
                if scale.by_radio > 0 {
                    "later frames are timed by the MAC clock"
                } else {
                    "no MAC clock tells by how much"
                }
            );
            let code = WarningCode::HostClockJump;
            warnings.push(Warning { frame_no: scale.first_host_jump, offset: None, code, message });
        }
        if let Some(drift) = scale.drift.filter(|drift| drift.ppm.abs() - 3.0 * drift.error_ppm > MAX_DRIFT_PPM) {
            let message =
                format!("the MAC clock and the host's run apart by {:.0} ppm: one of them is wrong", drift.ppm);
            warnings.push(Warning { frame_no: None, offset: None, code: WarningCode::ClockDrift, message });
        }
        warnings
    }
}

/// How often something occurred, of which a warning names the first frame.
fn occurrences(count: u64) -> String {
    if count == 1 {
        "at this frame".to_owned()
    } else {
        format!("{count} times, first at this frame")
    }
}

fn name(group: &GroupConvention) -> String {
    let direction = group.direction.map_or("direction unknown", |direction| direction.name());
    let phy = group.phy.map_or("PHY unknown", |phy| phy.name());
    format!("{direction} {phy}")
}
