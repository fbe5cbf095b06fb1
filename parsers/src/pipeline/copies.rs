//! Records that are copies of one another.
//!
//! A radio receives a frame once. A recording holds it twice if a driver hands it to two interfaces of the radio that were
//! recorded together, or if a file was appended to itself. Counted twice, a frame would be twice the load.
//!
//! Stamps alone do not tell copies: the subframes of an A-MPDU share a TSFT, and some clocks stand still. Neither do the
//! octets: the second and the third retransmission are alike, and so are ACKs. Copies of a driver agree in the octets and in
//! the TSFT of a clock that runs, and the host stamps them at once; those of a file agree in the stamps of the host.

use std::collections::{HashSet, VecDeque};

use crate::base::{Warning, WarningCode};
use crate::frame::{Frame, MAX_RADIOS};

/// Number of records before a frame among which its copies are searched: two A-MPDUs of as many subframes as there can be
/// in one without HE.
const NEAR: usize = 128;
/// Number of records with older stamps after which the search ends: frames come nearly in order.
const OLDER: usize = 16;
/// Number of records with one stamp after which the clock is taken to stand still, without A-MPDU.
const STILL: usize = 4;
/// Number of records at the beginning of a recording that are recognized when they come again.
const FIRST: usize = 1 << 10;
/// Time between the host's stamps of two copies. A second frame takes longer: DIFS, the frame, SIFS.
const AT_ONCE_NS: i64 = 100_000;
/// Time by which stamps go back where a recording begins again. Drivers exchange frames that are nearer to one another.
const AGAIN_NS: i64 = 100_000_000;

/// Leaves out copies, in bounded memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    radios: Vec<Known>,
    left_out: u64,
    first_left_out: Option<u64>,
}

/// A record: what its frame holds, and when it was stamped.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stamped {
    content: u64,
    tsft_us: u64,
    ts_ns: i64,
}

/// Records of one radio.
#[derive(Clone, Debug, Default)]
struct Known {
    first: HashSet<(i64, u64)>,
    near: VecDeque<Stamped>,
    /// The latest TSFT: a frame with a later one is no copy, without a search.
    latest_us: u64,
    /// The latest stamp of the host.
    latest_ns: Option<i64>,
    /// Records since the TSFT before the latest, if there was another.
    since_tick: Option<usize>,
    /// The recording has begun again: until this stamp of the host all of it is known.
    again_until_ns: Option<i64>,
}

impl Copies {
    /// Takes out the frames that are copies of frames before them.
    pub(super) fn leave_out(&mut self, frames: &mut Vec<Frame>) {
        frames.retain(|frame| {
            let number = usize::from(frame.radio.min(MAX_RADIOS - 1));
            if self.radios.len() <= number {
                self.radios.resize_with(number + 1, Known::default);
            }
            let is_copy = self.radios.get_mut(number).is_some_and(|known| known.is_copy(frame));
            if is_copy {
                self.left_out += 1;
                self.first_left_out.get_or_insert(frame.frame_no);
            }
            !is_copy
        });
    }

    /// What was left out, if anything was.
    pub(super) fn warning(&self) -> Option<Warning> {
        let frame_no = self.first_left_out?;
        let message = match self.left_out {
            1 => "a record has stamp and octets of one before it: this copy is left out".to_owned(),
            many => format!("{many} records have stamps and octets of others before them: these copies are left out"),
        };
        Some(Warning { frame_no: Some(frame_no), offset: None, code: WarningCode::DuplicateRecords, message })
    }
}

impl Known {
    fn is_copy(&mut self, frame: &Frame) -> bool {
        if self.is_again(frame) {
            return true;
        }
        self.latest_ns = self.latest_ns.max(Some(frame.ts_ns));
        let Some(content) = frame.content else { return false };
        if self.first.len() < FIRST {
            self.first.insert((frame.ts_ns, content));
        }
        let Some(tsft_us) = frame.tsft_us.filter(|&us| us != 0) else { return false };
        let stamped = Stamped { content, tsft_us, ts_ns: frame.ts_ns };
        let longest = if frame.ampdu_ref.is_some() { NEAR } else { STILL };
        let may_be_near = tsft_us <= self.latest_us && self.since_tick.is_some_and(|records| records <= longest);
        if may_be_near && self.is_near(&stamped) {
            return true;
        }
        self.latest_us = self.latest_us.max(tsft_us);
        self.since_tick = match self.near.back() {
            Some(before) if before.tsft_us != tsft_us => Some(0),
            _ => self.since_tick.map(|records| records + 1),
        };
        if self.near.len() == NEAR {
            self.near.pop_front();
        }
        self.near.push_back(stamped);
        false
    }

    /// True for what follows from where the recording begins again to where it had ended.
    fn is_again(&mut self, frame: &Frame) -> bool {
        let (Some(latest_ns), ts_ns) = (self.latest_ns, frame.ts_ns) else { return false };
        if ts_ns > latest_ns {
            self.again_until_ns = None;
        } else if ts_ns < latest_ns.saturating_sub(AGAIN_NS)
            && frame.content.is_some_and(|content| self.first.contains(&(ts_ns, content)))
        {
            self.again_until_ns = Some(latest_ns);
        }
        self.again_until_ns.is_some()
    }

    fn is_near(&self, stamped: &Stamped) -> bool {
        let mut older = 0;
        for known in self.near.iter().rev() {
            let is_same = (known.content, known.tsft_us) == (stamped.content, stamped.tsft_us);
            if is_same && stamped.ts_ns.saturating_sub(known.ts_ns).unsigned_abs() <= AT_ONCE_NS.unsigned_abs() {
                return true;
            }
            older += usize::from(known.tsft_us < stamped.tsft_us);
            if older > OLDER {
                return false;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The host stamps half a millisecond later.
    fn frame(number: u64, tsft_us: u64, content: u64) -> Frame {
        Frame { tsft_us: Some(tsft_us), content: Some(content), ..Frame::new(number, tsft_us as i64 * 1000 + 500_000) }
    }

    /// Numbers of the frames that are left.
    fn left(frames: impl IntoIterator<Item = Frame>) -> (Vec<u64>, Option<Warning>) {
        let mut copies = Copies::default();
        let mut kept = Vec::new();
        for mut frame in frames.into_iter().map(|frame| vec![frame]) {
            copies.leave_out(&mut frame);
            kept.extend(frame.iter().map(|frame| frame.frame_no));
        }
        (kept, copies.warning())
    }

    #[test]
    fn what_a_driver_recorded_twice_is_left_out() {
        let frames = (0..6).map(|number| frame(number, 1000 + number / 2 * 100, 7 + number / 4));
        let (kept, warning) = left(frames);
        assert_eq!(kept, [0, 1, 2, 4], "of the first stamp it is not known whether the clock runs");
        assert_eq!(warning.map(|warning| warning.frame_no), Some(Some(3)));
    }

    #[test]
    fn a_file_behind_itself_is_left_out_to_where_it_goes_on() {
        let part =
            |from: u64| (0..3000u64).map(move |number| frame(from + number, 1_000_000 + number * 1000, number % 5));
        let more = frame(9000, 5_000_000, 1);
        let (kept, _) = left(part(0).chain(part(3000)).chain([more]));
        assert_eq!(kept, (0..3000).chain([9000]).collect::<Vec<u64>>());
    }

    #[test]
    fn host_stamps_tell_a_file_behind_itself_but_not_a_copy_beside_another() {
        let part =
            || (0..3000u64).map(|number| Frame { content: Some(1), ..Frame::new(number, number as i64 * 1_000_000) });
        assert_eq!(left(part().chain(part())).0.len(), 3000);
        let acks = (0..10u64).map(|number| Frame { content: Some(1), ..Frame::new(number, number as i64 / 2) });
        assert_eq!(left(acks).0.len(), 10, "stamped in a batch");
    }

    #[test]
    fn alike_is_not_the_same() {
        let repeated = (0..20).map(|number| frame(number, 1000 + number * 300, 7));
        assert_eq!(left(repeated).0.len(), 20, "retransmissions");
        let still = (0..20).map(|number| frame(number, 1000, 7));
        assert_eq!(left(still).0.len(), 20, "a clock that stands still");
        let milliseconds =
            (0..20).map(|number| Frame { tsft_us: Some(7 + number / 3), ..frame(number, 300 * number, 7) });
        assert_eq!(left(milliseconds).0.len(), 20, "a clock in another unit");
        let turned =
            (0..3000u64).map(|number| Frame { tsft_us: Some(number.swap_bytes()), ..frame(number, 300 * number, 7) });
        assert_eq!(left(turned).0.len(), 3000, "octets in another order");
        let reset = [frame(1, 9_000_000, 7), frame(2, 9_000_100, 8), frame(3, 50, 7), frame(4, 150, 8)];
        assert_eq!(left(reset).0.len(), 4, "a radio that was reset");
        let ampdu = (0..64).map(|number| Frame { ampdu_ref: Some(1), ..frame(number, 1000 + number.min(1), number) });
        assert_eq!(left(ampdu).0.len(), 64);
    }
}
