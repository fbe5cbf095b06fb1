//! One radio of a recording: its observer, clock, exchanges and announcements.

use super::announcements::Announcements;
use super::observer::Observer;
use super::summary::RadioSummary;
use crate::clock::{AmpduAirtimes, ClockAnalysis, ClockModel};
use crate::exchanges::{Exchange, ExchangeBuilder, GlobalExchangeBuilder};
use crate::frame::{Addr, Frame};

/// The state of reading one radio's frames.
pub(crate) struct Radio {
    observer: Observer,
    clock: ClockModel,
    ampdus: AmpduAirtimes,
    announcements: Announcements,
    builder: Builder,
    frames: u64,
}

impl Radio {
    /// From its first frames, which are still to be given to [`Radio::time_frames`]; an
    /// `observer` that the user gave is taken as it is.
    pub fn infer(first: &mut [Frame], observer: Option<Addr>) -> Radio {
        let is_global = first.iter().any(|frame| frame.observer.is_some());
        let observer = Observer::find(first, observer);
        let mut analysis = ClockAnalysis::default();
        for frame in first {
            observer.apply(frame);
            analysis.observe(frame);
        }
        let builder = match is_global {
            true => Builder::Global(GlobalExchangeBuilder::new()),
            false => Builder::One(Box::new(ExchangeBuilder::new(observer.address))),
        };
        let (clock, ampdus) = (analysis.decide(), AmpduAirtimes::default());
        Radio { observer, clock, ampdus, announcements: Announcements::default(), builder, frames: 0 }
    }

    /// Fills observer, direction, start and end of every frame. While there are `more`, an A-MPDU that may go
    /// on is kept back.
    pub fn time_frames(&mut self, frames: &mut Vec<Frame>, more: bool) {
        self.frames += frames.len() as u64;
        for frame in frames.iter_mut() {
            self.observer.apply(frame);
            self.clock.apply(frame);
        }
        self.ampdus.share_airtimes(frames, &self.clock, more);
    }

    /// Takes timed frames and appends the exchanges that are over.
    pub fn build_exchanges(&mut self, frames: &[Frame], rows: &mut Vec<Exchange>) {
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

    /// MAC address of the capturing station; `None` for an anonymous sniffer or a global trace.
    pub fn observer(&self) -> Option<Addr> {
        self.observer.address
    }

    /// What was inferred so far.
    pub fn summary(&self) -> RadioSummary {
        let mut warnings = self.clock.warnings();
        warnings.extend(self.announcements.warnings());
        RadioSummary {
            observer: self.observer.address,
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
