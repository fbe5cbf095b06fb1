//! Measured distances between the stamps of neighbouring PPDUs.

use super::convention::{Convention, Group};
use crate::frame::{Frame, FrameKind};

/// Number of conventions.
const CONVENTIONS: usize = Convention::ALL.len();

/// Two PPDUs that followed one another on the air, and the positions of their stamps by each convention.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) first: Group,
    pub(super) second: Group,
    /// The frame is an ACK, BlockAck or CTS: of the first, and of the second.
    pub(super) are_answers: [bool; 2],
    /// From the stamp of the first to the stamp of the second, less the SIFS between them if there is one.
    pub(super) apart_us: f64,
    pub(super) first_airtime_us: f64,
    /// From the stamp of the first PPDU to its end; NaN where unknown.
    to_end_us: [f64; CONVENTIONS],
    /// From the start of the second PPDU to its stamp; NaN where unknown.
    from_start_us: [f64; CONVENTIONS],
}

/// One PPDU of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamped<'a> {
    pub(super) group: Group,
    pub(super) frame: &'a Frame,
    pub(super) airtime_us: f64,
    /// Stamps of its first and of its last MPDU.
    pub(super) first_ns: i64,
    pub(super) last_ns: i64,
}

impl Sample {
    /// Two PPDUs, `sifs_us` apart if one follows the other at once, else with 0.
    pub(super) fn new(first: &Stamped<'_>, second: &Stamped<'_>, sifs_us: f64) -> Sample {
        let mut to_end_us = [f64::NAN; CONVENTIONS];
        let mut from_start_us = [f64::NAN; CONVENTIONS];
        for ((&convention, to_end), from_start) in Convention::ALL.iter().zip(&mut to_end_us).zip(&mut from_start_us) {
            if let Some(offset) = convention.offset_us(first.frame, Some(first.airtime_us)) {
                *to_end = first.lasts_us(convention) + first.airtime_us - offset;
            }
            if let Some(offset) = convention.offset_us(second.frame, Some(second.airtime_us)) {
                *from_start = offset - second.lasts_us(convention);
            }
        }
        let apart_us = distance_us(first.first_ns, second.first_ns) - sifs_us;
        let are_answers = [is_answer(first.frame), is_answer(second.frame)];
        Sample {
            first: first.group,
            second: second.group,
            are_answers,
            apart_us,
            first_airtime_us: first.airtime_us,
            to_end_us,
            from_start_us,
        }
    }

    /// True if the second is an ACK, BlockAck or CTS.
    pub(super) fn is_second_answer(&self) -> bool {
        let [_, second] = self.are_answers;
        second
    }

    /// Gap between the PPDUs beyond the expected one, if their stamps mark these instants; NaN where unknown.
    pub(super) fn gap_us(&self, first: Convention, second: Convention) -> f64 {
        let of = |values: &[f64; CONVENTIONS], convention: Convention| values.get(convention as usize).copied();
        let (Some(to_end), Some(from_start)) = (of(&self.to_end_us, first), of(&self.from_start_us, second)) else {
            return f64::NAN;
        };
        self.apart_us - to_end - from_start
    }
}

impl Stamped<'_> {
    /// From the stamp of the first MPDU to the stamp that such a convention is about.
    fn lasts_us(&self, convention: Convention) -> f64 {
        if convention.is_early() {
            0.0
        } else {
            distance_us(self.first_ns, self.last_ns)
        }
    }
}

/// True for frames that a station sends one SIFS after the one it received.
pub(super) fn is_answer(frame: &Frame) -> bool {
    matches!(frame.kind, FrameKind::Ack | FrameKind::BlockAck | FrameKind::Cts)
}

/// Microseconds between two instants.
pub(super) fn distance_us(from_ns: i64, to_ns: i64) -> f64 {
    to_ns.saturating_sub(from_ns) as f64 / 1000.0
}
