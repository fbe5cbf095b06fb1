//! Start and end of a PPDU that is recorded MPDU by MPDU.

use crate::exchanges::span::FrameSpan;
use crate::frame::{Frame, FrameKind, Phy};
use crate::ieee80211::constants::PPDU_MAX_NS;

/// A subframe follows the previous one without a gap. This is the tolerance for inexact stamps.
const SAME_STAMP_NS: i64 = 2_000;
/// For unknown airtimes: stamps closer than this leave no time for the shortest PPDU (24 us) and DIFS (28 us).
const NO_ACCESS_BETWEEN_NS: i64 = 50_000;

/// One data PPDU, as far as its MPDUs were received. The times of each MPDU cover its own part of the PPDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ppdu {
    ampdu_ref: Option<u32>,
    ppdu_no: Option<u64>,
    /// Sequence number and TID of the latest MPDU that was readable.
    latest: Option<(u32, Option<u8>)>,
    at_ns: i64,
    start_ns: Option<i64>,
    end_ns: Option<i64>,
    airtime_us: Option<f64>,
}

impl Ppdu {
    pub(super) fn new(frame: &Frame, span: &FrameSpan) -> Ppdu {
        let FrameSpan { at_ns, start_ns, end_ns, .. } = *span;
        Ppdu {
            ampdu_ref: frame.ampdu_number(),
            ppdu_no: frame.ppdu_no,
            latest: number(frame),
            at_ns,
            start_ns,
            end_ns,
            airtime_us: frame.airtime_us,
        }
    }

    /// Adds another subframe.
    pub(super) fn add(&mut self, frame: &Frame, span: &FrameSpan) {
        self.airtime_us = self.airtime_us.zip(frame.airtime_us).map(|(total, part)| total + part);
        self.end_ns = self.end_ns.max(span.end_ns);
        self.latest = number(frame).or(self.latest);
    }

    /// Airtime with one preamble, microseconds. It is a lower bound if some subframes were not received.
    pub(super) fn airtime_us(&self) -> Option<f64> {
        self.airtime_us
    }

    /// Start and end, as far as known.
    pub(super) fn times_ns(&self) -> (Option<i64>, Option<i64>) {
        (self.start_ns, self.end_ns)
    }

    /// True if a frame started together with this PPDU.
    pub(super) fn began_with(&self, span: &FrameSpan) -> bool {
        matches!((self.start_ns, span.start_ns), (Some(a), Some(b)) if a.abs_diff(b) <= SAME_STAMP_NS.unsigned_abs())
    }

    /// True if the next MPDU of the same sender was in this PPDU: either the capture marks it as such, or it
    /// came sooner than any separate PPDU could.
    pub(super) fn is_joined_by(&self, frame: &Frame, span: &FrameSpan) -> bool {
        if !self.is_near(span) {
            return false;
        }
        let numbers = self.ampdu_ref.zip(frame.ampdu_number());
        let is_other = numbers.is_some_and(|(one, other)| one != other) || self.ppdu_no.is_some();
        self.is_shared_by(frame, span) || !is_other && may_be_subframe(frame) && self.overlaps(span)
    }

    /// True if the capture marks a damaged frame as part of this PPDU.
    pub(super) fn has_subframe(&self, frame: &Frame, span: &FrameSpan) -> bool {
        self.is_shared_by(frame, span) && self.is_near(span)
    }

    /// By the inferred membership; without it by the recorded reference number, which some drivers give every repetition
    /// of an MPDU.
    fn is_shared_by(&self, frame: &Frame, span: &FrameSpan) -> bool {
        let is_referred = || self.ampdu_ref.is_some() && self.ampdu_ref == frame.ampdu_number() && !frame.is_retry();
        match (self.ppdu_no, frame.ppdu_no) {
            (None, None) => is_referred() && !self.is_repeated_by(frame) && self.goes_on_to(span),
            (one, other) => one == other,
        }
    }

    /// True if the MPDU has the number of the one before it: no PPDU has an MPDU twice.
    fn is_repeated_by(&self, frame: &Frame) -> bool {
        self.latest.is_some() && number(frame) == self.latest
    }

    /// True if the times, where they are known, leave no gap.
    fn goes_on_to(&self, span: &FrameSpan) -> bool {
        self.end_ns.is_none() || span.start_ns.is_none() || self.overlaps(span)
    }

    fn is_near(&self, span: &FrameSpan) -> bool {
        span.at_ns.abs_diff(self.at_ns) <= PPDU_MAX_NS
    }

    fn overlaps(&self, span: &FrameSpan) -> bool {
        match (self.end_ns, span.start_ns) {
            (Some(end), Some(start)) => start < end.saturating_add(SAME_STAMP_NS),
            _ => span.at_ns.saturating_sub(self.at_ns) <= NO_ACCESS_BETWEEN_NS,
        }
    }
}

fn number(frame: &Frame) -> Option<(u32, Option<u8>)> {
    frame.seq.map(|seq| (seq, frame.tid))
}

/// True for frames that may be one of several in an A-MPDU, although the capture does not mark them as such.
pub(super) fn may_be_subframe(frame: &Frame) -> bool {
    frame.phy.is_none_or(Phy::has_ampdu) && frame.kind == FrameKind::QosData
}
