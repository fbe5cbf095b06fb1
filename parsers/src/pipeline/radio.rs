//! One radio of a recording, with its observer, clock, exchanges and announcements.

use super::announcements::Announcements;
use super::audit::Audit;
use super::observer::Observer;
use super::summary::RadioSummary;
use crate::clock::{complete, infer, AmpduAirtimes, ClockModel, FalseRates, HeLengths, SentFrames};
use crate::exchanges::{Exchange, ExchangeBuilder, GlobalExchangeBuilder};
use crate::frame::{Addr, Frame};

/// State of the processing of one radio's frames.
pub(crate) struct Radio {
    observer: Observer,
    false_rates: FalseRates,
    he: HeLengths,
    clock: ClockModel,
    sent: SentFrames,
    ampdus: AmpduAirtimes,
    announcements: Announcements,
    audit: Audit,
    builder: Builder,
    frames: u64,
}

impl Radio {
    /// Infers observer and clock from the first frames of the radio. These frames still have to be passed to
    /// [`Radio::time_frames`]. If the user gave an `observer`, it is used without a check.
    pub fn infer(first: &mut [Frame], observer: Option<Addr>) -> Radio {
        let is_global = first.iter().any(|frame| frame.observer.is_some());
        let mut observer = Observer::find(first, observer);
        first.iter_mut().for_each(|frame| observer.apply(frame));
        complete(first);
        let mut sent = SentFrames::default();
        first.iter_mut().for_each(|frame| sent.tune(frame));
        let false_rates = FalseRates::find(first);
        first.iter_mut().for_each(|frame| false_rates.apply(frame));
        let (he, clock) = infer(first);
        let builder = match is_global {
            true => {
                let mut builder = GlobalExchangeBuilder::new();
                builder.learn(first);
                Builder::Global(Box::new(builder))
            }
            false => {
                let builder = ExchangeBuilder::new(observer.address);
                Builder::One(Box::new(builder.with_stamp_error(clock.stamp_error_ns())))
            }
        };
        Radio {
            observer,
            false_rates,
            he,
            clock,
            sent: SentFrames::default(),
            ampdus: AmpduAirtimes::default(),
            announcements: Announcements::default(),
            audit: Audit::new(is_global),
            builder,
            frames: 0,
        }
    }

    /// Fills observer, direction, start and end of every frame. If there are `more` frames, an A-MPDU that may
    /// continue is held back.
    pub fn time_frames(&mut self, frames: &mut Vec<Frame>, more: bool) {
        self.frames += frames.len() as u64;
        frames.iter_mut().for_each(|frame| self.observer.apply(frame));
        complete(frames);
        for frame in frames.iter_mut() {
            self.sent.tune(frame);
            self.false_rates.apply(frame);
            self.he.apply(frame);
            self.clock.apply(frame);
        }
        self.sent.time(frames, more);
        self.ampdus.share_airtimes(frames, &self.clock, more);
    }

    /// Processes timed frames and appends the exchanges that they close.
    pub fn build_exchanges(&mut self, frames: &[Frame], rows: &mut Vec<Exchange>) {
        match &mut self.builder {
            Builder::One(builder) => frames.iter().for_each(|frame| builder.push(frame, rows)),
            Builder::Global(builder) => frames.iter().for_each(|frame| builder.push(frame, rows)),
        }
        frames.iter().for_each(|frame| self.announcements.observe(frame));
        self.audit.observe(frames);
    }

    /// Appends the exchanges that are still open at the end of the recording.
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

    /// True if the stamps of frames like this one mark their beginning, false if they mark their end.
    pub fn marks_beginning(&self, frame: &Frame) -> bool {
        self.clock.marks_beginning(frame)
    }

    /// Inferred properties so far.
    pub fn summary(&self) -> RadioSummary {
        let mut warnings = self.clock.warnings();
        warnings.extend(self.false_rates.warning());
        warnings.extend(self.announcements.warnings());
        if let Builder::Global(builder) = &self.builder {
            warnings.extend(builder.warnings());
        }
        RadioSummary {
            observer: self.observer.address,
            frames: self.frames,
            warnings,
            clock: self.clock.describe(),
            time_scale: self.clock.time_scale(),
            announcements: self.announcements.rows().to_vec(),
            audit: self.audit.rows(),
        }
    }
}

/// Exchanges of one radio, or of every node if the reader sets the observers (simulator traces).
enum Builder {
    One(Box<ExchangeBuilder>),
    Global(Box<GlobalExchangeBuilder>),
}
