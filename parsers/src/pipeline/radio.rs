//! One radio of a recording: whose it is, by which clock its frames are timed, and what it heard.

use super::announcements::Announcements;
use super::observer::Recorder;
use super::summary::RadioSummary;
use crate::clock::{Ampdus, ClockAnalysis, ClockModel};
use crate::exchanges::{Exchange, ExchangeBuilder, GlobalExchangeBuilder};
use crate::frame::{Addr, Frame};

/// The state of reading one radio's frames.
pub(crate) struct Radio {
    recorder: Recorder,
    clock: ClockModel,
    ampdus: Ampdus,
    announcements: Announcements,
    builder: Builder,
    frames: u64,
}

impl Radio {
    /// Understands a radio from its first frames, which are still to be given to [`Radio::settle`]; an
    /// `observer` the user gave is believed.
    pub fn understand(first: &mut [Frame], observer: Option<Addr>) -> Radio {
        let is_global = first.iter().any(|frame| frame.observer.is_some());
        let recorder = Recorder::find(first, observer);
        let mut analysis = ClockAnalysis::default();
        for frame in first {
            recorder.apply(frame);
            analysis.observe(frame);
        }
        let builder = match is_global {
            true => Builder::Global(GlobalExchangeBuilder::new()),
            false => Builder::One(Box::new(ExchangeBuilder::new(recorder.observer))),
        };
        let (clock, ampdus) = (analysis.decide(), Ampdus::default());
        Radio { recorder, clock, ampdus, announcements: Announcements::default(), builder, frames: 0 }
    }

    /// Says of every frame whose it is and when it was on the air. While there are `more`, an A-MPDU that may go
    /// on is kept back.
    pub fn settle(&mut self, frames: &mut Vec<Frame>, more: bool) {
        self.frames += frames.len() as u64;
        for frame in frames.iter_mut() {
            self.recorder.apply(frame);
            self.clock.apply(frame);
        }
        self.ampdus.settle(frames, &self.clock, more);
    }

    /// Takes settled frames and appends the exchanges that are over.
    pub fn rebuild(&mut self, frames: &[Frame], rows: &mut Vec<Exchange>) {
        match &mut self.builder {
            Builder::One(builder) => frames.iter().for_each(|frame| builder.push(frame, rows)),
            Builder::Global(builder) => frames.iter().for_each(|frame| builder.push(frame, rows)),
        }
        frames.iter().for_each(|frame| self.announcements.observe(frame));
    }

    /// Appends what is still in progress at the end of the recording.
    pub fn finish(&mut self, rows: &mut Vec<Exchange>) {
        match &mut self.builder {
            Builder::One(builder) => builder.finish(rows),
            Builder::Global(builder) => builder.finish(rows),
        }
    }

    /// Whose it is; `None` for an anonymous sniffer or a global trace.
    pub fn observer(&self) -> Option<Addr> {
        self.recorder.observer
    }

    /// How it was understood so far.
    pub fn summary(&self) -> RadioSummary {
        let mut warnings = self.clock.warnings();
        warnings.extend(self.announcements.warnings());
        RadioSummary {
            observer: self.recorder.observer,
            frames: self.frames,
            warnings,
            clock: self.clock.describe(),
            time_scale: self.clock.time_scale(),
            announcements: self.announcements.rows().to_vec(),
        }
    }
}

/// One radio's view, or every node's where the reader itself tells the observers (simulator traces).
enum Builder {
    One(Box<ExchangeBuilder>),
    Global(GlobalExchangeBuilder),
}
