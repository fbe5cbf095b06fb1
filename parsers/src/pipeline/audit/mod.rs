//! Physical rules against which the time line of a recording is audited.
//!
//! The rules need no ground truth: the standard demands them of every recording. A recording that breaks one was
//! understood wrongly, or its recorder did not hear or stamp what was on the air. A simulator's trace has no recorder:
//! its times are exact, and frames that overlap have collided.

mod answers;
mod beacons;
mod check;
mod completeness;
mod once;
mod overlaps;
mod share;
mod spans;
mod speed;

use answers::Answers;
use beacons::Beacons;
pub use check::{AuditCheck, Verdict};
use completeness::Completeness;
use once::Once;
use overlaps::Overlaps;
use share::Share;
use spans::Spans;
use speed::Speed;

use crate::clock::follows_after_sifs;
use crate::frame::{Direction, Frame, FrameKind};

/// Fewer cases do not judge a recording.
const MIN_CASES: u64 = 20;

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

/// Counts cases of the rules over the frames of one radio. Memory does not grow with their number.
#[derive(Clone, Debug)]
pub(super) enum Audit {
    /// Of a recording.
    Recorder(Box<Rules>),
    /// Of a simulator's trace, which is not judged.
    Trace,
}

/// The cases so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    answers: Answers,
    beacons: Beacons,
    spans: Spans,
    tx: Share,
    overlaps: Overlaps,
    completeness: Completeness,
    once: Once,
    speed: Speed,
    before: Option<Frame>,
}

impl Audit {
    /// Without cases. `is_trace`: a simulator wrote the times, for every node.
    pub(super) fn new(is_trace: bool) -> Audit {
        if is_trace {
            Audit::Trace
        } else {
            Audit::Recorder(Box::default())
        }
    }

    /// Counts timed frames, in recorded order.
    pub(super) fn observe(&mut self, frames: &[Frame]) {
        if let Audit::Recorder(rules) = self {
            rules.observe(frames);
        }
    }

    /// The rows, one for each rule.
    pub(super) fn rows(&self) -> Vec<AuditRow> {
        match self {
            Audit::Recorder(rules) => rules.rows(),
            Audit::Trace => AuditCheck::ALL.iter().map(|&check| not_applicable(check)).collect(),
        }
    }
}

impl Rules {
    fn observe(&mut self, frames: &[Frame]) {
        let before = self.before.take();
        let mut previous = before.as_ref();
        for frame in frames {
            let answered = previous.filter(|previous| follows_after_sifs(previous, frame));
            if let Some(answered) = answered {
                self.answers.observe(answered, frame);
                self.speed.observe_answer(answered, frame);
            }
            self.beacons.observe(frame);
            self.speed.observe_beacon(frame);
            self.spans.observe(previous, frame);
            self.sent(frame);
            self.overlaps.observe(frame, answered.is_some());
            self.completeness.observe(previous, frame);
            self.once.observe(frame);
            previous = Some(frame);
        }
        self.before = previous.cloned();
    }

    fn rows(&self) -> Vec<AuditRow> {
        let mut rows: Vec<AuditRow> = AuditCheck::ALL.iter().map(|&check| self.row(check)).collect();
        let sifs = rows.iter_mut().find(|row| row.check == AuditCheck::Sifs);
        if let Some(sifs) = sifs.filter(|_| self.answers.untimed > self.answers.at_sifs.cases) {
            (sifs.verdict, sifs.consequence) = (Verdict::Unusable, sifs.check.consequence(Verdict::Unusable));
        }
        rows
    }

    fn row(&self, check: AuditCheck) -> AuditRow {
        let share = match check {
            AuditCheck::Sifs => self.answers.at_sifs,
            AuditCheck::NavEnd => self.answers.nav_ends,
            AuditCheck::BeaconSchedule => self.beacons.share,
            AuditCheck::AmpduSpan => self.spans.share(),
            AuditCheck::TxSource => self.tx,
            AuditCheck::Overlap => self.overlaps.share,
            AuditCheck::Completeness => self.completeness.share().unwrap_or_default(),
            AuditCheck::RecordedOnce => self.once.share,
            AuditCheck::ClockSpeed => {
                let (value, pairs) = self.speed.agreement(MIN_CASES).unzip();
                return row(check, value, pairs.unwrap_or_default());
            }
        };
        row(check, share.value(), share.cases)
    }

    fn sent(&mut self, frame: &Frame) {
        if frame.direction == Some(Direction::Tx) && frame.is_readable() {
            let is_own = match (frame.observer, frame.ta) {
                (Some(observer), Some(ta)) => ta.individual() == observer,
                // A CTS may be one to itself; an acknowledgment is not.
                (observer, None) => observer.is_some() && (frame.ra != observer || frame.kind == FrameKind::Cts),
                (None, Some(_)) => false,
            };
            self.tx.count(is_own);
        }
    }
}

fn row(check: AuditCheck, value: Option<f64>, pairs: u64) -> AuditRow {
    let [expected, _] = check.limits();
    let judged = value.filter(|_| pairs >= MIN_CASES).map(|value| check.verdict(value));
    let (verdict, consequence) = match judged {
        Some(verdict) => (verdict, check.consequence(verdict)),
        None => (Verdict::Doubtful, "too few frames to tell"),
    };
    AuditRow { check, value, expected, pairs, verdict, consequence }
}

fn not_applicable(check: AuditCheck) -> AuditRow {
    let [expected, _] = check.limits();
    let verdict = Verdict::NotApplicable;
    AuditRow { check, value: None, expected, pairs: 0, verdict, consequence: check.consequence(verdict) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Addr, FrameKind, Phy};

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
        let mut audit = Audit::new(false);
        frames.chunks(3).for_each(|batch| audit.observe(batch));
        audit.rows()
    }

    fn of(check: AuditCheck, frames: &[Frame]) -> AuditRow {
        rows(frames).into_iter().find(|row| row.check == check).unwrap()
    }

    fn verdicts(off_us: i64) -> (Verdict, Verdict) {
        let frames: Vec<Frame> = (0..50).flat_map(|number| pair(number, off_us)).collect();
        (of(AuditCheck::Sifs, &frames).verdict, of(AuditCheck::Overlap, &frames).verdict)
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
        let sifs = of(AuditCheck::Sifs, &frames);
        assert_eq!((sifs.value, sifs.verdict), (None, Verdict::Unusable));
    }

    #[test]
    fn what_the_recorder_sent_without_times_does_not_make_timing_unusable() {
        let heard = (0..30).flat_map(|number| pair(number, 0));
        let sent = (30..90).flat_map(|number| {
            let [data, answer] = pair(number, 0);
            [Frame { direction: Some(Direction::Tx), start_ns: None, end_ns: None, ..data }, answer]
        });
        let sifs = of(AuditCheck::Sifs, &heard.chain(sent).collect::<Vec<_>>());
        assert_eq!((sifs.value, sifs.verdict), (Some(1.0), Verdict::Good));
    }

    #[test]
    fn ampdus_with_damaged_subframes_are_not_judged() {
        let subframe = |number: u32, fcs_ok: bool| Frame {
            kind: FrameKind::QosData,
            phy: Some(Phy::Ht),
            mcs: Some(7),
            rate_mbps: Some(65.0),
            bandwidth_mhz: Some(20),
            guard_ns: Some(800),
            nss: Some(1),
            length_bytes: Some(1500),
            seq: fcs_ok.then_some(number),
            ta: fcs_ok.then_some(Addr::node(1)),
            ra: fcs_ok.then_some(Addr::node(2)),
            fcs_ok: Some(fcs_ok),
            tsft_us: Some(77),
            start_ns: Some(i64::from(number) * 188_000),
            end_ns: Some(i64::from(number + 1) * 188_000),
            ..Frame::new(1, 0)
        };
        let whole: Vec<Frame> = (0..8).map(|number| subframe(number, true)).collect();
        assert_eq!(of(AuditCheck::AmpduSpan, &whole).pairs, 1);
        let damaged: Vec<Frame> = (0..8).map(|number| subframe(number, number > 3)).collect();
        assert_eq!(of(AuditCheck::AmpduSpan, &damaged).pairs, 0);
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
        let tx = of(AuditCheck::TxSource, &frames);
        assert_eq!((tx.value, tx.verdict), (Some(0.5), Verdict::Unusable));
    }

    #[test]
    fn few_frames_are_not_judged() {
        assert!(rows(&pair(0, 0)).iter().all(|row| row.verdict == Verdict::Doubtful));
    }

    #[test]
    fn a_trace_is_not_judged() {
        let frames: Vec<Frame> = (0..50).flat_map(|number| pair(number, -30)).collect();
        let mut audit = Audit::new(true);
        audit.observe(&frames);
        let rows = audit.rows();
        assert_eq!(rows.len(), AuditCheck::ALL.len());
        assert!(rows.iter().all(|row| (row.verdict, row.value, row.pairs) == (Verdict::NotApplicable, None, 0)));
    }
}
