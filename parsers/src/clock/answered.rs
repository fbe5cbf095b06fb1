//! Times of sent frames that the radio's clock did not stamp, from the answers that it did.
//!
//! Linux hands a station's own frames to monitor interfaces once it has heard what became of them, with a rate and TX flags,
//! and with neither TSFT nor channel. The host's stamp is late, by milliseconds at times. The ACK was received, and says to
//! the microsecond when the frame before it ended.

use super::follows_after_sifs;
use super::timeline::radio_us;
use crate::base::time::ns;
use crate::frame::{Assumptions, Direction, Frame, FrameKind, Phy};
use crate::ieee80211::airtime;
use crate::ieee80211::constants::{Band, PhyTiming};

/// A driver tells of a sent frame and of its answer together, within so much of the host's clock.
const TOGETHER_NS: i64 = 20_000_000;
/// Two stamps in whole microseconds, and the jitter of one receiver.
const TOLERANCE_NS: i64 = 4_000;

/// Times sent frames in recorded order.
#[derive(Debug, Default)]
pub(crate) struct SentFrames {
    /// The channel of the latest frame that was received.
    channel_mhz: Option<u16>,
    /// The latest frame, if the next one may be its answer.
    held: Option<Frame>,
    /// End of the latest frame that the radio's clock stamped.
    until_ns: Option<i64>,
}

impl SentFrames {
    /// Puts a sent frame without a channel on that of the frames that the radio receives.
    pub(crate) fn tune(&mut self, frame: &mut Frame) {
        if !is_unstamped(frame) {
            self.channel_mhz = frame.channel_mhz.or(self.channel_mhz);
        } else if let (None, Some(channel_mhz)) = (frame.channel_mhz, self.channel_mhz) {
            frame.channel_mhz = Some(channel_mhz);
            if frame.phy == Some(Phy::Ofdm) && Band::of(channel_mhz) == Some(Band::Ghz2_4) {
                frame.phy = Some(Phy::Erp);
            }
            frame.assumptions.remove(Assumptions::BAND_5_GHZ);
            airtime::fill(frame);
        }
    }

    /// Gives sent frames without a radio's stamp start and end by the ACK or CTS that was recorded next.
    ///
    /// Where there is none they stay those of the host's clock, which [`Assumptions::STAMP`] says in recordings that have a
    /// radio's clock. If there are `more` frames, one that may be answered by the next is held back.
    pub(crate) fn time(&mut self, frames: &mut Vec<Frame>, more: bool) {
        frames.splice(0..0, self.held.take());
        if more {
            self.held = frames.pop_if(|last| is_unstamped(last));
        }
        for place in 0..frames.len() {
            let Some([frame, rest @ ..]) = frames.get_mut(place..) else { return };
            if !is_unstamped(frame) {
                let ends_ns = frame.end_ns.or(frame.start_ns).filter(|_| radio_us(frame).is_some());
                self.until_ns = ends_ns.or(self.until_ns);
            } else if !rest.first().is_some_and(|answer| self.is_timed_by(frame, answer)) && self.until_ns.is_some() {
                frame.assumptions.insert(Assumptions::STAMP);
            }
        }
    }

    /// Times a frame by its answer, and returns whether that can be.
    fn is_timed_by(&self, frame: &mut Frame, answer: &Frame) -> bool {
        let is_one_frame = matches!(answer.kind, FrameKind::Ack | FrameKind::Cts) && answer.is_readable();
        let are_together = answer.ts_ns.saturating_sub(frame.ts_ns).unsigned_abs() <= TOGETHER_NS.unsigned_abs();
        let is_answered = is_one_frame && are_together && follows_after_sifs(frame, answer);
        let Some((phy, answered_ns)) = frame.phy.zip(answer.start_ns.filter(|_| radio_us(answer).is_some())) else {
            return false;
        };
        let end_ns = answered_ns.saturating_sub(ns(PhyTiming::of(phy, frame.channel_mhz).sifs_us));
        let start_ns = frame.airtime_us.map(|airtime_us| end_ns.saturating_sub(ns(airtime_us)));
        // One radio does one thing at a time: the answer is to another frame, or to this one at another rate.
        let begins_ns = start_ns.unwrap_or(end_ns).saturating_add(TOLERANCE_NS);
        if !is_answered || self.until_ns.is_some_and(|until_ns| begins_ns < until_ns) {
            return false;
        }
        (frame.start_ns, frame.end_ns) = (start_ns, Some(end_ns));
        frame.assumptions.remove(Assumptions::STAMP);
        frame.assumptions.insert(Assumptions::END_BY_ANSWER);
        true
    }
}

/// True for a frame that the recording station sent, and of which only the host's clock tells when.
fn is_unstamped(frame: &Frame) -> bool {
    frame.direction == Some(Direction::Tx) && frame.tsft_us.is_none() && frame.is_readable()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Addr;

    /// Of 100 us behind 192 us of preamble and header at 11 Mb/s, told `late_us` after it began.
    fn sent(frame_no: u64, late_us: i64) -> Frame {
        let at_ns = 1_000_000 + late_us * 1000;
        Frame {
            kind: FrameKind::Data,
            direction: Some(Direction::Tx),
            ta: Some(Addr::node(1)),
            ra: Some(Addr::node(2)),
            phy: Some(Phy::HrDsss),
            channel_mhz: Some(2437),
            airtime_us: Some(292.0),
            start_ns: Some(at_ns),
            end_ns: Some(at_ns + 292_000),
            ..Frame::new(frame_no, at_ns)
        }
    }

    fn received(frame_no: u64, kind: FrameKind, start_us: i64) -> Frame {
        Frame {
            kind,
            direction: Some(Direction::Rx),
            ra: Some(Addr::node(1)),
            phy: Some(Phy::HrDsss),
            channel_mhz: Some(2437),
            tsft_us: Some(5_000_000 + start_us.unsigned_abs()),
            start_ns: Some(start_us * 1000),
            end_ns: Some((start_us + 10) * 1000),
            ..Frame::new(frame_no, start_us * 1000)
        }
    }

    fn timed(mut frames: Vec<Frame>) -> Vec<Frame> {
        SentFrames::default().time(&mut frames, false);
        frames
    }

    fn span_us(frame: &Frame) -> Option<(i64, i64)> {
        frame.start_ns.zip(frame.end_ns).map(|(start, end)| (start / 1000, end / 1000))
    }

    #[test]
    fn a_sent_frame_ends_sifs_before_its_ack() {
        let frames = timed(vec![sent(1, 700), received(2, FrameKind::Ack, 1302)]);
        assert_eq!(span_us(&frames[0]), Some((1000, 1292)));
        assert_eq!(frames[0].assumptions, Assumptions::END_BY_ANSWER);
    }

    #[test]
    fn without_an_airtime_the_end_alone_is_known() {
        let frames = timed(vec![Frame { airtime_us: None, ..sent(1, 700) }, received(2, FrameKind::Ack, 1302)]);
        assert_eq!((frames[0].start_ns, frames[0].end_ns), (None, Some(1_292_000)));
    }

    #[test]
    fn what_does_not_answer_it_tells_nothing() {
        let before = received(1, FrameKind::Beacon, 900);
        let late = Frame { ts_ns: 40_000_000, ..received(3, FrameKind::Ack, 1302) };
        let by_host = Frame { tsft_us: None, ..received(3, FrameKind::Ack, 1302) };
        let damaged = Frame { fcs_ok: Some(false), ..received(3, FrameKind::Ack, 1302) };
        let to_another = Frame { ra: Some(Addr::node(3)), ..received(3, FrameKind::Ack, 1302) };
        // Its data would have begun before the beacon ended.
        let too_soon = received(3, FrameKind::Ack, 1190);
        let of_many = Frame { ta: Some(Addr::node(2)), ..received(3, FrameKind::BlockAck, 1302) };
        for answer in [late, by_host, damaged, to_another, too_soon, of_many, received(3, FrameKind::Beacon, 1302)] {
            let frames = timed(vec![before.clone(), sent(2, 700), answer]);
            assert_eq!(span_us(&frames[1]), Some((1700, 1992)), "{:?}", frames[2]);
            assert_eq!(frames[1].assumptions, Assumptions::STAMP);
        }
    }

    #[test]
    fn a_frame_with_a_stamp_of_its_own_keeps_it() {
        let stamped = Frame { tsft_us: Some(7), ..sent(1, 700) };
        let heard = Frame { direction: Some(Direction::Rx), ..sent(1, 700) };
        for frame in [stamped, heard] {
            assert_eq!(timed(vec![frame.clone(), received(2, FrameKind::Ack, 1302)])[0], frame);
        }
    }

    #[test]
    fn times_do_not_depend_on_how_frames_are_divided() {
        let frames =
            [sent(1, 700), received(2, FrameKind::Ack, 1302), sent(3, 900), received(4, FrameKind::Beacon, 3000)];
        let mut whole = frames.to_vec();
        SentFrames::default().time(&mut whole, false);
        let (mut sent, mut found) = (SentFrames::default(), Vec::new());
        for (frame, place) in frames.into_iter().zip(1..) {
            let mut batch = vec![frame];
            sent.time(&mut batch, place < 4);
            found.extend(batch);
        }
        assert_eq!(found, whole);
        assert_eq!(found[2].assumptions, Assumptions::STAMP);
    }

    #[test]
    fn a_sent_frame_is_on_the_channel_of_those_that_are_received() {
        let mut sent_frames = SentFrames::default();
        let untold = Frame {
            phy: Some(Phy::Ofdm),
            rate_mbps: Some(36.0),
            length_bytes: Some(100),
            channel_mhz: None,
            ..sent(2, 0)
        };
        let mut before = untold.clone();
        sent_frames.tune(&mut before);
        assert_eq!(before, untold, "nothing was received yet");
        sent_frames.tune(&mut received(1, FrameKind::Beacon, 0));
        let mut frame = untold;
        sent_frames.tune(&mut frame);
        assert_eq!((frame.channel_mhz, frame.phy), (Some(2437), Some(Phy::Erp)));
        assert_eq!(frame.airtime_us, Some(20.0 + 4.0 * 6.0 + 6.0), "with the signal extension");
    }
}
