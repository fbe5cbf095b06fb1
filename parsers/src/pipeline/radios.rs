//! The radios of a recording, each with its own clock and exchanges.
//!
//! Two interfaces of one capture may use different channels and different clocks, so each is processed
//! separately. A recording of one radio bypasses this bookkeeping.

use super::radio::Radio;
use super::summary::RadioSummary;
use crate::exchanges::Exchange;
use crate::frame::{Addr, Frame, MAX_RADIOS};

/// Number of frames from which a radio is inferred if it appears after the first batch. The frames are held
/// back until that number is reached.
const LATE_FRAMES: usize = 1 << 10;

/// All radios found so far, by radio number.
pub(crate) struct Radios {
    /// Observer given by the user.
    given: Option<Addr>,
    first: Radio,
    others: Vec<State>,
}

/// A radio other than the first.
enum State {
    /// Too few frames of the radio were read so far; they are held back.
    Pending(Vec<Frame>),
    Ready(Box<Radio>),
}

impl Radios {
    /// Infers the radios from the first frames of a recording. These frames still have to be passed to
    /// [`Radios::time_frames`]. `more` means that further frames may follow. If the user gave an observer
    /// (`given`), it is used without a check.
    pub fn infer(first: &mut Vec<Frame>, radios: u8, given: Option<Addr>, more: bool) -> Radios {
        if radios <= 1 {
            return Radios { given, first: Radio::infer(first, given), others: Vec::new() };
        }
        let (mut of_first, mut of_others) = split(first);
        let mut found = Radios { given, first: Radio::infer(&mut of_first, given), others: Vec::new() };
        first.append(&mut of_first);
        for frames in &mut of_others {
            let state = match more && frames.len() < LATE_FRAMES {
                true => State::Pending(Vec::new()),
                false => State::Ready(Box::new(Radio::infer(frames, given))),
            };
            found.others.push(state);
            first.append(frames);
        }
        found
    }

    /// Fills observer, direction, start and end of every frame. Frames of several radios are grouped by radio.
    /// Some of them may be held back if there are `more` frames.
    pub fn time_frames(&mut self, frames: &mut Vec<Frame>, radios: u8, more: bool) {
        if radios <= 1 {
            return self.first.time_frames(frames, more);
        }
        let (mut of_first, mut of_others) = split(frames);
        self.first.time_frames(&mut of_first, more);
        frames.append(&mut of_first);
        while self.others.len() < of_others.len() {
            self.others.push(State::Pending(Vec::new()));
        }
        of_others.resize_with(self.others.len(), Vec::new);
        for (state, mut new) in self.others.iter_mut().zip(of_others) {
            state.time_frames(&mut new, self.given, more);
            frames.append(&mut new);
        }
    }

    /// Processes timed frames and appends the exchanges that they close.
    pub fn build_exchanges(&mut self, frames: &[Frame], rows: &mut Vec<Exchange>) {
        if self.others.is_empty() {
            return self.first.build_exchanges(frames, rows);
        }
        for frames in frames.chunk_by(|one, next| one.radio == next.radio) {
            let number = frames.first().map_or(0, |frame| frame.radio);
            let first_row = rows.len();
            if let Some(radio) = self.radio_mut(number) {
                radio.build_exchanges(frames, rows);
            }
            rows.iter_mut().skip(first_row).for_each(|row| row.radio = number);
        }
    }

    /// Appends the exchanges that are still open at the end of the recording.
    pub fn finish(&mut self, rows: &mut Vec<Exchange>) {
        for number in 0..=u8::try_from(self.others.len()).unwrap_or(u8::MAX) {
            let first_row = rows.len();
            if let Some(radio) = self.radio_mut(number) {
                radio.finish(rows);
            }
            rows.iter_mut().skip(first_row).for_each(|row| row.radio = number);
        }
    }

    /// The radio with that number, once enough of its frames were read.
    pub fn get(&self, number: u8) -> Option<&Radio> {
        let Some(other) = number.checked_sub(1) else { return Some(&self.first) };
        match self.others.get(usize::from(other))? {
            State::Ready(radio) => Some(radio),
            State::Pending(_) => None,
        }
    }

    /// Inferred properties of the radios, by radio number.
    pub fn summaries(&self) -> Vec<RadioSummary> {
        let known = |state: &State| match state {
            State::Ready(radio) => radio.summary(),
            State::Pending(_) => RadioSummary::default(),
        };
        [self.first.summary()].into_iter().chain(self.others.iter().map(known)).collect()
    }

    fn radio_mut(&mut self, number: u8) -> Option<&mut Radio> {
        let Some(other) = number.checked_sub(1) else { return Some(&mut self.first) };
        match self.others.get_mut(usize::from(other))? {
            State::Ready(radio) => Some(radio),
            State::Pending(_) => None,
        }
    }
}

impl State {
    fn time_frames(&mut self, frames: &mut Vec<Frame>, given: Option<Addr>, more: bool) {
        if let State::Pending(held) = self {
            held.append(frames);
            if more && held.len() < LATE_FRAMES {
                return;
            }
            frames.append(held);
            *self = State::Ready(Box::new(Radio::infer(frames, given)));
        }
        if let State::Ready(radio) = self {
            radio.time_frames(frames, more);
        }
    }
}

/// Splits the frames into those of the first radio and those of each other radio.
fn split(frames: &mut Vec<Frame>) -> (Vec<Frame>, Vec<Vec<Frame>>) {
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for frame in frames.drain(..) {
        match usize::from(frame.radio.min(MAX_RADIOS - 1)).checked_sub(1) {
            None => first.push(frame),
            Some(other) => {
                if others.len() <= other {
                    others.resize_with(other + 1, Vec::new);
                }
                if let Some(of_it) = others.get_mut(other) {
                    of_it.push(frame);
                }
            }
        }
    }
    (first, others)
}
