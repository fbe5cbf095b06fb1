//! A reader whose recording is hashed while it is decoded.

use std::fs::File;
use std::io::Read;

use super::digest::{Digest, Tap, Tapped};
use super::reader::Reader;
use crate::base::{Result, Warning};
use crate::frame::Frame;

/// Octets per read of what the decoder left.
const DRAINED_BYTES: usize = 256 << 10;

/// A reader whose file is hashed while it is read. What the decoder leaves of the file is hashed at its end.
pub(super) struct DigestingReader {
    inner: Box<dyn Reader>,
    tap: Tap,
    /// The open file, whose position is that of the decoder's; `None` once it was read to its end.
    rest: Option<File>,
}

impl DigestingReader {
    pub fn new(inner: Box<dyn Reader>, tap: Tap, rest: Option<File>) -> DigestingReader {
        DigestingReader { inner, tap, rest }
    }

    /// Hashes what is left of a regular file, up to its present length: a pipe may never end.
    fn drain(&mut self) {
        let Some(mut file) = self.rest.take() else { return };
        let Some(length) = file.metadata().ok().filter(|status| status.is_file()).map(|status| status.len()) else {
            return;
        };
        let left = length.saturating_sub(self.tap.digest().bytes);
        let mut rest = Tapped::new(&mut file, self.tap.clone()).take(left);
        let mut buffer = vec![0; DRAINED_BYTES];
        while rest.read(&mut buffer).is_ok_and(|octets| octets > 0) {}
    }
}

impl Reader for DigestingReader {
    fn read(&mut self, frames: &mut Vec<Frame>) -> Result<bool> {
        let more = self.inner.read(frames)?;
        if !more {
            self.drain();
        }
        Ok(more)
    }

    fn radios(&self) -> u8 {
        self.inner.radios()
    }

    fn warnings(&self) -> Vec<Warning> {
        self.inner.warnings()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.inner.facts()
    }

    fn digest(&self) -> Option<Digest> {
        Some(self.tap.digest())
    }
}
