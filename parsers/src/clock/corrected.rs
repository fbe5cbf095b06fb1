//! The time line of a source, corrected where its clocks run faster or slower than those of the stations.

use super::speed::Speed;
use super::timeline::{TimeScale, Timeline};
use crate::base::numbers::whole;
use crate::frame::Frame;

/// A time line, and how fast it runs.
#[derive(Clone, Debug, Default)]
pub(super) struct CorrectedTimeline {
    timeline: Timeline,
    /// None where it runs as it should.
    speed: Option<Speed>,
    /// Its first instant, which stays where it is.
    began_ns: Option<i64>,
}

impl CorrectedTimeline {
    /// Of clocks that run at such a speed.
    pub(super) fn at(speed: Option<Speed>) -> CorrectedTimeline {
        CorrectedTimeline { speed, ..CorrectedTimeline::default() }
    }

    /// How fast the clocks were taken to run, if that is corrected.
    pub(super) fn speed(&self) -> Option<Speed> {
        self.speed
    }

    /// The stamp of the frame on one scale for the whole source. At the beginning that scale equals `ts_ns`.
    pub(super) fn stamp_ns(&mut self, frame: &Frame) -> i64 {
        let stamp_ns = self.timeline.stamp_ns(frame);
        let Some(speed) = self.speed else { return stamp_ns };
        let began_ns = *self.began_ns.get_or_insert(stamp_ns);
        let since_ns = stamp_ns.saturating_sub(began_ns) as f64 / speed.ratio;
        began_ns.saturating_add(whole(since_ns.round()))
    }

    /// Clock statistics so far.
    pub(super) fn facts(&self) -> TimeScale {
        self.timeline.facts()
    }
}
