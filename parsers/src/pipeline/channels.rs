//! Several radios that were recorded as one interface, told by their channels.
//!
//! A radio listens to one channel at a time, and takes milliseconds to tune to another. Where frames of one channel come
//! between frames of another that are nearer to each other than that, two radios were recorded: their files were joined, or
//! their driver hands them to one interface. A radio that hops records one channel after the other, and stays one.

use std::collections::HashMap;

use crate::frame::{Direction, Frame, MAX_RADIOS};

/// Time in which no radio tunes to another channel, hears a frame there and returns.
const TUNING_NS: i64 = 10_000_000;
/// Time in which every channel that is listened to has a frame: access points send beacons every 102.4 ms.
const BEACON_NS: i64 = 128_000_000;
/// Fewer such returns tell nothing: headers may be damaged.
const MIN_QUICK: usize = 16;
/// Share of the frames below which a channel is one where the radio was tuning, or a header that is wrong.
const NEGLIGIBLE: usize = 100;

/// The radios of one interface, by their channels; empty if it has one radio.
#[derive(Clone, Debug, Default)]
pub(super) struct Channels {
    /// Channels in MHz; the place of each is the number of its radio.
    mhz: Vec<u16>,
    /// Radio of the frame before: frames without a channel are its.
    radio: u8,
}

/// What the frames of several channels show.
#[derive(Default)]
struct Turns {
    /// Times that the channel changed, and times that it did sooner than a radio tunes there and back.
    changes: usize,
    quick: usize,
    /// Spans of [`BEACON_NS`] with frames, and those with frames of all channels.
    spans: usize,
    full: usize,
}

impl Channels {
    /// Finds the radios in the first frames of one interface.
    pub(super) fn find(first: &[Frame]) -> Channels {
        let mhz = listened(first);
        let turns = Turns::of(first, &mhz);
        // Of several radios that hop, no more channels are heard at once than there are radios.
        let at_once = turns.quick >= MIN_QUICK && turns.quick * 2 > turns.changes && turns.full * 2 > turns.spans;
        Channels { mhz: if at_once { mhz } else { Vec::new() }, radio: 0 }
    }

    /// Number of radios.
    pub(super) fn radios(&self) -> u8 {
        u8::try_from(self.mhz.len()).unwrap_or(MAX_RADIOS)
    }

    /// Gives every frame the number of the radio that recorded it.
    pub(super) fn assign(&mut self, frames: &mut [Frame]) {
        if self.mhz.is_empty() {
            return;
        }
        for frame in frames {
            let number = heard_on(frame).and_then(|mhz| self.mhz.iter().position(|&known| known == mhz));
            self.radio = number.and_then(|number| u8::try_from(number).ok()).unwrap_or(self.radio);
            frame.radio = self.radio;
        }
    }
}

impl Turns {
    fn of(frames: &[Frame], mhz: &[u16]) -> Turns {
        let (mut turns, mut last, mut before) = (Turns::default(), HashMap::new(), None);
        let (mut span, mut heard) = (None, 0_u64);
        if mhz.len() < 2 {
            return turns;
        }
        for frame in frames {
            let Some(number) = heard_on(frame).and_then(|heard| mhz.iter().position(|&known| known == heard)) else {
                continue;
            };
            if before.is_some_and(|before| before != number) {
                let quick = |last: &i64| frame.ts_ns.saturating_sub(*last) < TUNING_NS;
                turns.changes += 1;
                turns.quick += usize::from(last.get(&number).is_some_and(quick));
            }
            last.insert(number, frame.ts_ns);
            before = Some(number);
            let at = Some(frame.ts_ns.div_euclid(BEACON_NS));
            if span != at {
                turns.count(heard, mhz);
                (span, heard) = (at, 0);
            }
            heard |= 1 << number;
        }
        turns.count(heard, mhz);
        turns
    }

    fn count(&mut self, heard: u64, mhz: &[u16]) {
        self.spans += usize::from(heard > 0);
        self.full += usize::from(heard.count_ones() as usize == mhz.len());
    }
}

/// The channels of the frames, without negligible ones, in the order of their first frames.
fn listened(frames: &[Frame]) -> Vec<u16> {
    if frames.iter().any(|frame| frame.observer.is_some()) {
        return Vec::new(); // a simulator's trace
    }
    let (mut counts, mut found) = (HashMap::<u16, usize>::new(), Vec::new());
    for mhz in frames.iter().filter_map(heard_on) {
        let count = counts.entry(mhz).or_default();
        if *count == 0 {
            found.push(mhz);
        }
        *count += 1;
    }
    let all: usize = counts.values().sum();
    found.retain(|mhz| counts.get(mhz).is_some_and(|count| count * NEGLIGIBLE >= all));
    found.truncate(usize::from(MAX_RADIOS));
    found
}

/// The channel on which a frame was heard, MHz. Frames that the recorder sent itself, which have no signal, may have
/// another in their headers.
fn heard_on(frame: &Frame) -> Option<u16> {
    frame.channel_mhz.filter(|_| frame.signal_dbm.is_some() && frame.direction != Some(Direction::Tx))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(at_ms: i64, channel_mhz: u16) -> Frame {
        Frame { channel_mhz: Some(channel_mhz), signal_dbm: Some(-50), ..Frame::new(1, at_ms * 1_000_000) }
    }

    fn radios(frames: &mut [Frame]) -> (u8, Vec<u8>) {
        let mut channels = Channels::find(frames);
        channels.assign(frames);
        (channels.radios(), frames.iter().map(|frame| frame.radio).collect())
    }

    #[test]
    fn channels_at_once_are_of_several_radios() {
        let mut frames: Vec<Frame> = (0..500).map(|ms| frame(ms, if ms % 2 == 0 { 2412 } else { 2462 })).collect();
        frames[3].channel_mhz = None;
        let (number, of_frames) = radios(&mut frames);
        assert_eq!((number, &of_frames[..6]), (2, &[0, 1, 0, 0, 0, 1][..]));
    }

    #[test]
    fn channels_in_turn_are_of_one_radio() {
        let turn = |ms: i64| [2412, 2437, 2462][(ms / 100 % 3) as usize];
        let mut frames: Vec<Frame> = (0..2000).map(|ms| frame(ms, turn(ms))).collect();
        assert_eq!(radios(&mut frames), (0, vec![0; 2000]));
    }

    #[test]
    fn several_radios_that_hop_stay_one() {
        let turn = |ms: i64| [2412, 2437, 2462, 5180][((ms / 300 + ms % 2 * 2) % 4) as usize];
        let mut frames: Vec<Frame> = (0..4000).map(|ms| frame(ms, turn(ms))).collect();
        assert_eq!(radios(&mut frames).0, 0);
    }

    #[test]
    fn a_few_damaged_headers_are_no_radio() {
        let mut frames: Vec<Frame> = (0..20).map(|ms| frame(ms, if ms % 5 == 2 { 2462 } else { 2412 })).collect();
        assert_eq!(radios(&mut frames).0, 0);
    }

    #[test]
    fn what_the_recorder_sent_and_a_few_wrong_headers_are_no_radio() {
        let mut frames: Vec<Frame> = (0..1000).map(|ms| frame(ms, 5745)).collect();
        for ms in (0..1000).step_by(7) {
            frames[ms] = Frame { signal_dbm: None, ..frame(ms as i64, 5765) };
        }
        frames[500].channel_mhz = Some(5180);
        assert_eq!(radios(&mut frames).0, 0);
    }
}
