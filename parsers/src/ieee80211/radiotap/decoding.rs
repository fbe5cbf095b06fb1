//! The state of decoding one header.

use super::header::Flags;
use super::legacy;
use crate::frame::{AntennaSignals, Direction, Frame, Phy};

/// Decoder state of one header: the frame, and values that depend on several fields.
pub(super) struct Decoding<'f> {
    pub(super) frame: &'f mut Frame,
    pub(super) flags: Option<Flags>,
    pub(super) rate_500k: Option<u8>,
    pub(super) channel: Option<(u16, u16)>,
    pub(super) received: bool,
    pub(super) sent: bool,
    pub(super) no_psdu: bool,
    /// Signal in the present word being read.
    pub(super) word_signal: Option<i8>,
    /// An antenna number in the present word being read.
    pub(super) word_antenna: bool,
    words: u32,
}

impl<'f> Decoding<'f> {
    pub(super) fn new(frame: &'f mut Frame) -> Decoding<'f> {
        Decoding {
            frame,
            flags: None,
            rate_500k: None,
            channel: None,
            received: false,
            sent: false,
            no_psdu: false,
            word_signal: None,
            word_antenna: false,
            words: 0,
        }
    }

    /// Ends a present word. Per-antenna signals have one present word each. The signal of the first word is per antenna
    /// only if the word has an antenna number; else it is the total over all antennas.
    pub(super) fn end_word(&mut self) {
        if let Some(dbm) = self.word_signal.take() {
            if self.words > 0 || self.word_antenna {
                self.frame.antenna_signals_dbm.push(dbm);
            }
        }
        self.word_antenna = false;
        self.words += 1;
    }

    pub(super) fn finish(&mut self) {
        let frame = &mut *self.frame;
        let (mhz, channel_flags) = self.channel.unwrap_or_default();
        frame.channel_mhz = (mhz != 0).then_some(mhz);
        frame.direction = match (self.sent, self.received) {
            (true, _) => Some(Direction::Tx),
            (false, true) => Some(Direction::Rx),
            (false, false) => None,
        };
        if self.words < 2 {
            frame.antenna_signals_dbm = AntennaSignals::default(); // signal_dbm has the only value
        }
        match (frame.phy, self.rate_500k) {
            (None, Some(rate)) => legacy::fill(frame, rate, channel_flags, self.flags),
            (Some(Phy::Ht), _) if frame.guard_ns.is_none() && self.flags.is_some_and(Flags::short_guard) => {
                frame.guard_ns = Some(400);
            }
            _ => {}
        }
    }
}
