//! Reads a recording in one pass, from file to rows.

use std::path::Path;

use super::channels::Channels;
use super::copies::Copies;
use super::radios::Radios;
use super::summary::Summary;
use crate::base::{Error, Result};
use crate::exchanges::Exchange;
use crate::frame::{Addr, Frame};
use crate::sources;
use crate::sources::tshark::{Key, TsharkOptions, TsharkReader};
use crate::sources::{ReadAhead, Reader};

/// Number of frames read before the first row is output. Observer and clock are inferred from them.
const PREFIX_FRAMES: usize = 1 << 16;
/// Number of frames that several passes follow each other over: a block stays in the processor's cache.
const BLOCK_FRAMES: usize = 1 << 10;

/// User settings for a recording.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// MAC address of the capturing station, if it cannot be inferred.
    pub observer: Option<Addr>,
    /// Decoder of the capture.
    pub decoder: Decoder,
    /// Hash the file while it is read natively, for [`Summary::input`].
    pub digests_input: bool,
}

/// Decoder for captures. Simulator traces are always read natively.
#[derive(Clone, Debug, Default)]
pub enum Decoder {
    /// The native readers of [`capture`].
    #[default]
    Native,
    /// tshark, with keys for encrypted frames and options of its own.
    Tshark(Vec<Key>, TsharkOptions),
}

impl Decoder {
    /// Name of the format of the file at `path`; `None` if this decoder does not read it. The name is `tshark`
    /// if only tshark reads the file. In that case the first frames were checked for 802.11.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::DecoderUnavailable`] if no suitable tshark is installed.
    pub fn recognize(&self, path: &Path) -> Result<Option<&'static str>> {
        let native = sources::recognize(path)?.map(|format| format.name);
        match self {
            Decoder::Tshark(keys, options) if native.is_none() => match TsharkReader::open(path, keys, options) {
                Ok(_) => Ok(Some("tshark")),
                Err(Error::Decoder { .. }) => Ok(None),
                Err(error) => Err(error),
            },
            _ => Ok(native),
        }
    }

    fn open(&self, path: &Path, digests: bool) -> Result<Box<dyn Reader>> {
        match self {
            Decoder::Tshark(keys, options) if !sources::is_trace(path)? => {
                Ok(Box::new(TsharkReader::open(path, keys, options)?))
            }
            _ if digests => sources::open_digesting(path),
            _ => sources::open(path),
        }
    }
}

/// A recording that is being read. [`Recording::read`] returns its rows.
pub struct Recording {
    reader: Box<dyn Reader>,
    copies: Copies,
    channels: Channels,
    radios: Radios,
    pending: Vec<Frame>,
    more: bool,
    summary: Summary,
}

/// The first frames of a recording, from which observers and clocks are inferred.
pub struct Prefix {
    reader: Box<dyn Reader>,
    frames: Vec<Frame>,
    more: bool,
}

impl Prefix {
    /// A prefix without frames.
    pub fn new(reader: Box<dyn Reader>) -> Prefix {
        Prefix { reader, frames: Vec::new(), more: true }
    }

    /// True if more frames would improve the inference and the recording may still have some.
    pub fn wants_more(&self) -> bool {
        self.more && self.frames.len() < PREFIX_FRAMES
    }

    /// Reads the next frames. A growing recording may have none yet.
    pub fn read(&mut self) -> Result<()> {
        self.more = self.reader.read(&mut self.frames)?;
        Ok(())
    }

    /// Number of frames read so far.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }
}

impl Recording {
    /// Opens a file of any known format and reads its first frames; what follows them is read on a thread of its own.
    pub fn open(path: &Path, settings: Settings) -> Result<Recording> {
        let mut prefix = Prefix::new(settings.decoder.open(path, settings.digests_input)?);
        while prefix.wants_more() {
            prefix.read()?;
        }
        if prefix.more {
            prefix.reader = Box::new(ReadAhead::new(prefix.reader));
        }
        Recording::begin(prefix, path, settings)
    }

    /// Infers observers and clocks from the first frames. `path` is used in error messages.
    ///
    /// # Errors
    /// [`Error::Empty`] if there are no frames.
    pub fn begin(prefix: Prefix, path: &Path, settings: Settings) -> Result<Recording> {
        let Prefix { reader, frames: mut pending, more } = prefix;
        if pending.is_empty() && reader.warnings().is_empty() {
            return Err(Error::Empty { path: path.to_owned() });
        }
        let mut copies = Copies::default();
        copies.leave_out(&mut pending);
        let mut channels = if reader.radios() > 1 { Channels::default() } else { Channels::find(&pending) };
        channels.assign(&mut pending);
        let radios = reader.radios().max(channels.radios());
        let radios = Radios::infer(&mut pending, radios, settings.observer, more);
        Ok(Recording { reader, copies, channels, radios, pending, more, summary: Summary::default() })
    }

    /// Replaces the content of `frames` and `exchanges` with the next rows; false if there are no more.
    ///
    /// An exchange is output when it has ended, so it may follow its own frames by a few frames.
    pub fn read(&mut self, frames: &mut Vec<Frame>, exchanges: &mut Vec<Exchange>) -> Result<bool> {
        let more = self.read_frames(frames)?;
        exchanges.clear();
        for block in frames.chunks(BLOCK_FRAMES) {
            self.radios.build_exchanges(block, exchanges);
            self.summary.count_frames(block);
        }
        if !more {
            self.radios.finish(exchanges);
        }
        self.summary.count_exchanges(exchanges);
        Ok(more)
    }

    /// Replaces the content of `frames` with the next rows, without building exchanges; false if there are no
    /// more. Frames of several radios are grouped by radio.
    pub fn read_frames(&mut self, frames: &mut Vec<Frame>) -> Result<bool> {
        frames.clear();
        if self.pending.is_empty() && self.more {
            self.more = self.reader.read(frames)?;
            self.copies.leave_out(frames);
            self.channels.assign(frames);
        } else {
            std::mem::swap(frames, &mut self.pending);
        }
        let radios = self.reader.radios().max(self.channels.radios());
        self.radios.time_frames(frames, radios, self.more);
        Ok(self.more)
    }

    /// MAC address of the capturing station; `None` for an anonymous sniffer or a global trace.
    pub fn observer(&self) -> Option<Addr> {
        self.observer_of(0)
    }

    /// MAC address of the capturing station of radio number `radio`.
    pub fn observer_of(&self, radio: u8) -> Option<Addr> {
        self.radios.get(radio)?.observer()
    }

    /// True if the stamps of frames like this one mark their beginning, false if they mark their end.
    pub fn marks_beginning(&self, frame: &Frame) -> bool {
        self.radios.get(frame.radio).is_none_or(|radio| radio.marks_beginning(frame))
    }

    /// Counts and inferred properties of the recording; complete once `read` has returned false.
    pub fn summary(&self) -> Summary {
        let mut summary = self.summary.clone();
        summary.facts = self.reader.facts();
        summary.warnings = self.reader.warnings();
        summary.warnings.extend(self.copies.warning());
        summary.radios = self.radios.summaries();
        summary.input = self.reader.digest();
        summary
    }
}
