//! The radios of a recording, each with a clock and a view of its own.
//!
//! Two interfaces of one capture may be on different channels and have different clocks, so that each is processed
//! on its own. A recording of one radio takes a path without this bookkeeping.

use super::radio::Radio;
use super::summary::RadioSummary;
use crate::exchanges::Exchange;
use crate::frame::{Addr, Frame, MAX_RADIOS};

/// Frames from which a radio is inferred that appears after the first batch; they are held back until then.
const LATE_FRAMES: usize = 1 << 10;

/// Every radio heard so far, by its number.
pub(crate) struct Radios {
    /// The observer that the user gave.
    given: Option<Addr>,
    first: Radio,
    others: Vec<State>,
}

/// A radio other than the first.
enum State {
    /// Too few of its frames were read; they are held back.
    Pending(Vec<Frame>),
    Ready(Box<Radio>),
}

impl Radios {
    /// From the first frames of a recording, which are still to be given to [`Radios::time_frames`]. `more` says that
    /// there may be others behind them; `given` is an observer to believe.
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

    /// Fills observer, direction, start and end of every frame. Of several radios' frames, those of each follow
    /// one another, and some of them may be kept back while there are `more`.
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

    /// Takes timed frames and appends the exchanges that are over.
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

    /// Appends what is still in progress at the end of the recording.
    pub fn finish(&mut self, rows: &mut Vec<Exchange>) {
        for number in 0..=self.others.len() as u8 {
            let first_row = rows.len();
            if let Some(radio) = self.radio_mut(number) {
                radio.finish(rows);
            }
            rows.iter_mut().skip(first_row).for_each(|row| row.radio = number);
        }
    }

    /// The radio of that number, once enough of it was heard.
    pub fn get(&self, number: u8) -> Option<&Radio> {
        let Some(other) = number.checked_sub(1) else { return Some(&self.first) };
        match self.others.get(usize::from(other))? {
            State::Ready(radio) => Some(radio),
            State::Pending(_) => None,
        }
    }

    /// What was inferred about them, by their numbers.
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

/// Takes the frames apart: those of the first radio, and those of each other.
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
