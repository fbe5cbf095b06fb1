//! Physical rules against which the time line of a recording is audited.
//!
//! The rules need no ground truth: the standard demands them of every recording. A recording that breaks one was
//! understood wrongly, or its recorder did not hear or stamp what was on the air.

use super::completeness::Completeness;
use crate::base::named::named;
use crate::clock::follows_after_sifs;
use crate::frame::{Addr, Direction, Frame};
use crate::ieee80211::airtime::Psdu;
use crate::ieee80211::constants::PhyTiming;

/// Two stamps in whole microseconds, propagation, and the jitter of one receiver.
const ANSWER_TOLERANCE_US: f64 = 4.0;
/// A second frame that comes later than this does not answer the first: its own was not heard.
const UNHEARD_US: f64 = 250.0;
/// Padding, and fields that no header records.
const SPAN_TOLERANCE: f64 = 0.15;
/// Inexactness of two stamps.
const OVERLAP_TOLERANCE_NS: i64 = 2_000;
/// Fewer cases do not judge a recording.
const MIN_CASES: u64 = 20;

named! {
    /// A physical rule.
    AuditCheck {
        /// Share of the answers that start within 4 us of SIFS after the frame they answer.
        Sifs = "sifs",
        /// Share of the A-MPDUs whose time line is within 15 % of the airtime of their octets.
        AmpduSpan = "ampdu_span",
        /// Share of the sent frames that are from the observer.
        TxSource = "tx_source",
        /// Share of the heard frames that begin before another has ended.
        Overlap = "overlap",
        /// Share of the frames on the air that were heard.
        Completeness = "completeness",
    }
}

named! {
    /// What a check says about a recording.
    Verdict {
        /// The rule holds.
        Good = "good",
        /// The rule holds for part of the frames, or there are too few to tell.
        Doubtful = "doubtful",
        /// The rule does not hold.
        Unusable = "unusable",
    }
}

/// One row of the `audit` table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditRow {
    /// The rule.
    pub check: AuditCheck,
    /// Measured share; `None` if no case occurred.
    pub value: Option<f64>,
    /// Share from which the verdict is good (for overlaps: up to which).
    pub expected: f64,
    /// Cases that the share is of.
    pub pairs: u64,
    /// See [`Verdict`].
    pub verdict: Verdict,
    /// What follows from the verdict for results.
    pub consequence: &'static str,
}

/// How many of how many.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    held: u64,
    cases: u64,
}

impl Share {
    fn count(&mut self, holds: bool) {
        self.held += u64::from(holds);
        self.cases += 1;
    }

    fn value(&self) -> Option<f64> {
        (self.cases > 0).then(|| self.held as f64 / self.cases as f64)
    }
}

/// Counts cases of the rules over the frames of one radio. Memory does not grow with their number.
#[derive(Clone, Debug, Default)]
pub(super) struct Audit {
    sifs: Share,
    /// Answers without a known gap.
    untimed: u64,
    spans: Share,
    tx: Share,
    overlap: Share,
    completeness: Completeness,
    before: Option<Frame>,
    ampdu: Option<Ampdu>,
    busy: Option<Busy>,
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

/// The heard frame that ends last.
#[derive(Clone, Copy, Debug)]
struct Busy {
    start_ns: i64,
    end_ns: i64,
    channel_mhz: Option<u16>,
}

impl Audit {
    /// Counts timed frames, in recorded order.
    pub(super) fn observe(&mut self, frames: &[Frame]) {
        let before = self.before.take();
        let mut previous = before.as_ref();
        for frame in frames {
            let is_subframe = previous.is_some_and(|previous| is_same_ppdu(previous, frame));
            if let Some(previous) = previous {
                self.answer(previous, frame);
            }
            self.span(frame, is_subframe);
            self.sent(frame);
            self.overlapping(frame);
            self.completeness.observe(previous, frame);
            previous = Some(frame);
        }
        self.before = previous.cloned();
    }

    /// The rows, one for each rule.
    pub(super) fn rows(&self) -> Vec<AuditRow> {
        let mut spans = self.spans;
        if let Some(ampdu) = self.ampdu {
            ampdu.judge(&mut spans);
        }
        let completeness =
            self.completeness.share().map(|(value, cases)| Share { held: (value * cases as f64) as u64, cases });
        let mut rows = vec![
            row(AuditCheck::Sifs, &self.sifs, 0.9, 0.5),
            row(AuditCheck::AmpduSpan, &spans, 0.95, 0.8),
            row(AuditCheck::TxSource, &self.tx, 1.0, 0.99),
            row(AuditCheck::Overlap, &self.overlap, 0.005, 0.05),
            row(AuditCheck::Completeness, &completeness.unwrap_or_default(), 0.95, 0.5),
        ];
        let timed = self.sifs.cases as f64;
        if let Some(sifs) = rows.first_mut().filter(|_| self.untimed as f64 > timed) {
            (sifs.verdict, sifs.consequence) = (Verdict::Unusable, consequence(AuditCheck::Sifs, Verdict::Unusable));
        }
        rows
    }

    fn answer(&mut self, first: &Frame, second: &Frame) {
        let are_readable = first.is_readable() && second.is_readable();
        if !are_readable || first.ra.is_none_or(Addr::is_group) || !follows_after_sifs(first, second) {
            return;
        }
        let Some(gap_ns) = first.end_ns.zip(second.start_ns).map(|(end, start)| start.saturating_sub(end)) else {
            self.untimed += 1;
            return;
        };
        let Some(phy) = first.phy else { return };
        let off_us = gap_ns as f64 / 1000.0 - PhyTiming::of(phy, first.channel_mhz).sifs_us;
        if off_us.abs() <= UNHEARD_US {
            self.sifs.count(off_us.abs() <= ANSWER_TOLERANCE_US);
        }
    }

    fn span(&mut self, frame: &Frame, is_subframe: bool) {
        if is_subframe {
            if let Some(ampdu) = &mut self.ampdu {
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
        if let Some(ended) = self.ampdu.replace(start) {
            ended.judge(&mut self.spans);
        }
    }

    fn sent(&mut self, frame: &Frame) {
        if frame.direction == Some(Direction::Tx) && frame.is_readable() {
            let is_own = match (frame.observer, frame.ta) {
                (Some(observer), Some(ta)) => ta.individual() == observer,
                (observer, None) => observer.is_some() && frame.ra != observer,
                (None, Some(_)) => false,
            };
            self.tx.count(is_own);
        }
    }

    fn overlapping(&mut self, frame: &Frame) {
        let (Some(start_ns), Some(end_ns)) = (frame.start_ns, frame.end_ns) else { return };
        if frame.direction == Some(Direction::Tx) {
            return;
        }
        let channel_mhz = frame.channel_mhz;
        let overlaps = |busy: &Busy| {
            let after = start_ns.saturating_add(OVERLAP_TOLERANCE_NS) < busy.end_ns;
            let before = busy.start_ns.saturating_add(OVERLAP_TOLERANCE_NS) < end_ns;
            busy.channel_mhz == channel_mhz && after && before
        };
        self.overlap.count(self.busy.as_ref().is_some_and(overlaps));
        self.busy = Some(Busy { start_ns, end_ns, channel_mhz });
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
            spans.count((ratio - 1.0).abs() <= SPAN_TOLERANCE);
        }
    }
}

/// True if the radio stamped both frames as one PPDU.
fn is_same_ppdu(before: &Frame, frame: &Frame) -> bool {
    let is_stamped = frame.tsft_us.is_some_and(|tsft| tsft != 0) && before.tsft_us == frame.tsft_us;
    let are_alike =
        before.phy == frame.phy && before.mcs == frame.mcs && before.ta == frame.ta && before.ra == frame.ra;
    is_stamped && are_alike && frame.mcs.is_some() && before.seq != frame.seq && frame.ta.is_some()
}

/// `good` and `usable` are the shares from which on (of overlaps: up to which) the verdict is good and doubtful.
fn row(check: AuditCheck, share: &Share, good: f64, usable: f64) -> AuditRow {
    let reaches = |value: f64, limit: f64| if check == AuditCheck::Overlap { value <= limit } else { value >= limit };
    let verdict = match share.value() {
        Some(value) if reaches(value, good) && share.cases >= MIN_CASES => Verdict::Good,
        Some(value) if !reaches(value, usable) && share.cases >= MIN_CASES => Verdict::Unusable,
        _ => Verdict::Doubtful,
    };
    let consequence = match share.cases {
        0..MIN_CASES => "too few frames to tell",
        _ => consequence(check, verdict),
    };
    AuditRow { check, value: share.value(), expected: good, pairs: share.cases, verdict, consequence }
}

fn consequence(check: AuditCheck, verdict: Verdict) -> &'static str {
    use AuditCheck as C;
    match (check, verdict) {
        (_, Verdict::Good) => "none",
        (C::Sifs, Verdict::Doubtful) => "some gaps between frames are wrong: idle time and backoff are rough",
        (C::Sifs, Verdict::Unusable) => "timing unusable: no gaps between frames, no idle time, no backoff",
        (C::AmpduSpan, Verdict::Doubtful) => "the airtime of some A-MPDUs is wrong",
        (C::AmpduSpan, Verdict::Unusable) => {
            "the airtime of A-MPDUs is unusable: busy time and capacity of their links are rough"
        }
        (C::TxSource, _) => "the recording station is uncertain: state it with --observer",
        (C::Overlap, Verdict::Doubtful) => "some frames are stamped wrongly: busy time is rough",
        (C::Overlap, Verdict::Unusable) => "timing unusable: frames of one radio overlap",
        (C::Completeness, Verdict::Doubtful) => "frames were not heard: busy time is a lower bound",
        (C::Completeness, Verdict::Unusable) => {
            "most frames were not heard: busy time, losses and estimates do not hold"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{FrameKind, Phy};

    /// Data and its ACK `off_us` late, 40 us each.
    fn pair(number: i64, off_us: i64) -> [Frame; 2] {
        let at = |us: i64| Some((number * 1000 + us) * 1000);
        let frame = Frame { phy: Some(Phy::Erp), channel_mhz: Some(2437), ..Frame::new(1, 0) };
        let (one, other) = (Some(Addr::node(1)), Some(Addr::node(2)));
        let data =
            Frame { kind: FrameKind::Data, ta: one, ra: other, start_ns: at(0), end_ns: at(40), ..frame.clone() };
        let start_ns = at(50 + off_us);
        [data, Frame { kind: FrameKind::Ack, ra: one, start_ns, end_ns: at(90 + off_us), ..frame }]
    }

    fn rows(frames: &[Frame]) -> Vec<AuditRow> {
        let mut audit = Audit::default();
        frames.chunks(3).for_each(|batch| audit.observe(batch));
        audit.rows()
    }

    fn verdicts(off_us: i64) -> (Verdict, Verdict) {
        let frames: Vec<Frame> = (0..50).flat_map(|number| pair(number, off_us)).collect();
        let rows = rows(&frames);
        (rows[0].verdict, rows[3].verdict)
    }

    #[test]
    fn answers_off_sifs_make_timing_unusable() {
        assert_eq!(verdicts(0), (Verdict::Good, Verdict::Good));
        assert_eq!(verdicts(4), (Verdict::Good, Verdict::Good));
        assert_eq!(verdicts(30), (Verdict::Unusable, Verdict::Good));
        assert_eq!(verdicts(-30), (Verdict::Unusable, Verdict::Unusable), "they overlap");
    }

    #[test]
    fn answers_without_times_make_timing_unusable() {
        let mut frames: Vec<Frame> = (0..50).flat_map(|number| pair(number, 0)).collect();
        frames.iter_mut().for_each(|frame| (frame.start_ns, frame.end_ns) = (None, None));
        let sifs = rows(&frames)[0];
        assert_eq!((sifs.value, sifs.verdict), (None, Verdict::Unusable));
    }

    #[test]
    fn a_second_transmitter_is_no_observer() {
        let sent = |ta| Frame {
            ta: Some(Addr::node(ta)),
            observer: Some(Addr::node(1)),
            direction: Some(Direction::Tx),
            ..Frame::new(1, 0)
        };
        let frames: Vec<Frame> = (0..40).map(|number| sent(1 + number % 2)).collect();
        let tx = rows(&frames)[2];
        assert_eq!((tx.value, tx.verdict), (Some(0.5), Verdict::Unusable));
    }

    #[test]
    fn few_frames_are_not_judged() {
        assert!(rows(&pair(0, 0)).iter().all(|row| row.verdict == Verdict::Doubtful));
    }
}
