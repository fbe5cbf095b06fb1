//! A whole recording from file to rows: reader, recorder, clock and exchanges in one pass.

use std::path::Path;

use crate::addr::Addr;
use crate::capture;
use crate::clock::{ClockAnalysis, ClockModel};
use crate::error::{Error, Result};
use crate::exchange::Exchange;
use crate::exchanges::{ExchangeBuilder, GlobalExchangeBuilder};
use crate::frame::Frame;
use crate::observer::Recorder;
use crate::reader::Reader;
use crate::summary::Summary;
use crate::tshark::{Key, TsharkReader};

/// Frames looked at before the first row is given out: from them the recorder and the clock are found out.
const PREFIX_FRAMES: usize = 1 << 16;

/// What the user knows better than the recording.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Whose radio recorded it.
    pub observer: Option<Addr>,
    /// Who reads it.
    pub decoder: Decoder,
}

/// Who reads captures. Simulators' traces have native readers only.
#[derive(Clone, Debug, Default)]
pub enum Decoder {
    /// The readers of [`capture`].
    #[default]
    Native,
    /// tshark, with keys for encrypted frames.
    Tshark(Vec<Key>),
}

impl Decoder {
    fn open(&self, path: &Path) -> Result<Box<dyn Reader>> {
        match self {
            Decoder::Tshark(keys) if !capture::is_trace(path)? => Ok(Box::new(TsharkReader::open(path, keys)?)),
            _ => capture::open(path),
        }
    }
}

/// A recording being read; give out its rows with [`Recording::read`].
pub struct Recording {
    reader: Box<dyn Reader>,
    recorder: Recorder,
    clock: ClockModel,
    builder: Builder,
    pending: Vec<Frame>,
    more: bool,
    summary: Summary,
}

impl Recording {
    /// Opens a file of any known format and reads its first frames.
    pub fn open(path: &Path, settings: Settings) -> Result<Recording> {
        let mut reader = settings.decoder.open(path)?;
        let mut pending = Vec::new();
        let mut more = true;
        while more && pending.len() < PREFIX_FRAMES {
            more = reader.read(&mut pending)?;
        }
        if pending.is_empty() && reader.warnings().is_empty() {
            return Err(Error::Empty { path: path.to_owned() });
        }
        let is_global = pending.iter().any(|frame| frame.observer.is_some());
        let recorder = Recorder::find(&pending, settings.observer);
        let mut analysis = ClockAnalysis::default();
        for frame in &mut pending {
            recorder.apply(frame);
            analysis.observe(frame);
        }
        let builder = match is_global {
            true => Builder::Global(GlobalExchangeBuilder::new()),
            false => Builder::One(Box::new(ExchangeBuilder::new(recorder.observer))),
        };
        let summary = Summary::new(recorder.observer);
        Ok(Recording { reader, recorder, clock: analysis.decide(), builder, pending, more, summary })
    }

    /// Replaces the content of `frames` and `exchanges` with the next rows; false when there are no more.
    ///
    /// An exchange comes out once it is over, so it may lag behind its frames by a few of them.
    pub fn read(&mut self, frames: &mut Vec<Frame>, exchanges: &mut Vec<Exchange>) -> Result<bool> {
        let more = self.read_frames(frames)?;
        exchanges.clear();
        frames.iter().for_each(|frame| self.builder.push(frame, exchanges));
        if !more {
            self.builder.finish(exchanges);
        }
        self.summary.count(frames, exchanges);
        Ok(more)
    }

    /// Replaces the content of `frames` with the next rows, for those who want no exchanges; false when there are no
    /// more.
    pub fn read_frames(&mut self, frames: &mut Vec<Frame>) -> Result<bool> {
        frames.clear();
        if self.pending.is_empty() && self.more {
            self.more = self.reader.read(frames)?;
            frames.iter_mut().for_each(|frame| self.recorder.apply(frame));
        } else {
            std::mem::swap(frames, &mut self.pending);
        }
        frames.iter_mut().for_each(|frame| self.clock.apply(frame));
        Ok(self.more)
    }

    /// What was read and how it was understood; complete once `read` has returned false.
    pub fn summary(self) -> Summary {
        let mut summary = self.summary;
        summary.facts = self.reader.facts();
        summary.warnings = self.reader.warnings();
        summary.warnings.extend(self.clock.warnings());
        summary.clock = self.clock.describe();
        summary
    }
}

/// One radio's view, or every node's where the reader itself tells the observers (simulator traces).
enum Builder {
    One(Box<ExchangeBuilder>),
    Global(GlobalExchangeBuilder),
}

impl Builder {
    fn push(&mut self, frame: &Frame, rows: &mut Vec<Exchange>) {
        match self {
            Builder::One(builder) => builder.push(frame, rows),
            Builder::Global(builder) => builder.push(frame, rows),
        }
    }

    fn finish(&mut self, rows: &mut Vec<Exchange>) {
        match self {
            Builder::One(builder) => builder.finish(rows),
            Builder::Global(builder) => builder.finish(rows),
        }
    }
}
