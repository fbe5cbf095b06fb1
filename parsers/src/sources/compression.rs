//! Compressed recordings, unpacked as they are read. Told by their first octets.

use std::io::{self, BufReader, Read};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::bufread::MultiGzDecoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{Stream, CONCATENATED};
use lz4_flex::frame::FrameDecoder;

use super::reader::Reader;
use crate::base::{Result, Warning, WarningCode};
use crate::frame::Frame;

/// Octets that may unpack from nothing at all: no recording of this size is a danger.
const UNSUSPICIOUS_BYTES: u64 = 64 << 20;
/// No recording shrinks to less than one part in this: a record's header and time stamp alone are
/// 16 octets. (The densest deflate stream reaches 1 : 1032.)
const MAX_RATIO: u64 = 1000;
/// Octets that are unpacked at the most, 4 TiB.
const MAX_UNPACKED_BYTES: u64 = 4 << 40;
/// Memory the xz decoder may take for its dictionary; `xz -9` needs 65 MiB.
const XZ_MEMORY_BYTES: u64 = 256 << 20;

/// The octets of a file, buffered and counted.
type Packed = BufReader<Counted<Box<dyn Read + Send>>>;

/// A compression that can be read.
pub(super) struct Codec {
    pub name: &'static str,
    /// Goes on where its input had no more for a while.
    pub resumes: bool,
    magic: &'static [u8],
    open: fn(Packed) -> io::Result<Box<dyn Read + Send>>,
}

static CODECS: &[Codec] = &[
    Codec { name: "gzip", resumes: true, magic: b"\x1f\x8b", open: |packed| Ok(Box::new(MultiGzDecoder::new(packed))) },
    Codec {
        name: "zstd",
        resumes: true,
        magic: b"\x28\xb5\x2f\xfd",
        open: |packed| Ok(Box::new(zstd::stream::read::Decoder::with_buffer(packed)?)),
    },
    Codec {
        name: "lz4",
        resumes: false,
        magic: b"\x04\x22\x4d\x18",
        open: |packed| Ok(Box::new(Lz4Frames(FrameDecoder::new(packed)))),
    },
    Codec {
        name: "xz",
        resumes: true,
        magic: b"\xfd7zXZ\0",
        open: |packed| {
            let stream = Stream::new_stream_decoder(XZ_MEMORY_BYTES, CONCATENATED)?;
            Ok(Box::new(XzDecoder::new_stream(packed, stream)))
        },
    },
];

/// The compression of a file that begins with `head`.
pub(super) fn codec(head: &[u8]) -> Option<&'static Codec> {
    CODECS.iter().find(|codec| head.starts_with(codec.magic))
}

impl Codec {
    /// Unpacks `source`; what ends it early is noted in the second half of the result.
    pub fn unpack(&'static self, source: Box<dyn Read + Send>) -> io::Result<(Unpacking, Ending)> {
        let ending = Ending { codec: self.name, warning: Arc::default() };
        let counts = Arc::<Counts>::default();
        let packed = BufReader::new(Counted { source, counts: Arc::clone(&counts) });
        let decoder = (self.open)(packed)?;
        Ok((Unpacking { decoder, counts, unpacked_bytes: 0, ending: ending.clone() }, ending))
    }
}

/// Octets as they were before compression. Damage ends them like the end of a file.
pub(super) struct Unpacking {
    decoder: Box<dyn Read + Send>,
    counts: Arc<Counts>,
    unpacked_bytes: u64,
    ending: Ending,
}

impl Read for Unpacking {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let packed_bytes = self.counts.bytes.load(Ordering::Relaxed);
        let is_bomb = self.unpacked_bytes > UNSUSPICIOUS_BYTES.max(packed_bytes.saturating_mul(MAX_RATIO));
        if is_bomb || self.unpacked_bytes > MAX_UNPACKED_BYTES {
            self.ending.note(
                WarningCode::UnpackingLimit,
                "unpack to more than any recording would",
                self.unpacked_bytes,
            );
            return Ok(0);
        }
        match self.decoder.read(buffer) {
            Ok(octets) => {
                self.unpacked_bytes += octets as u64;
                Ok(octets)
            }
            Err(error) if is_passing(&error) => Err(error),
            Err(error) if self.counts.failed.load(Ordering::Relaxed) => Err(error),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.ending.note(WarningCode::TruncatedRecord, "end early", self.unpacked_bytes);
                Ok(0)
            }
            Err(error) => {
                self.ending.note(
                    WarningCode::CompressionDamaged,
                    &format!("are damaged ({error})"),
                    self.unpacked_bytes,
                );
                Ok(0)
            }
        }
    }
}

/// How unpacking ended, if not with the data; shared with the reader that reports it.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    codec: &'static str,
    warning: Arc<Mutex<Option<Warning>>>,
}

impl Ending {
    fn note(&self, code: WarningCode, what: &str, bytes: u64) {
        let message = format!("the {}-compressed data {what}; the {bytes} octets before that were kept", self.codec);
        let mut warning = self.warning.lock().unwrap_or_else(PoisonError::into_inner);
        warning.get_or_insert(Warning { frame_no: None, offset: None, code, message });
    }

    fn warning(&self) -> Option<Warning> {
        self.warning.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A recording of any format that was compressed.
pub(super) struct UnpackedReader {
    pub inner: Box<dyn Reader>,
    pub ending: Ending,
}

impl Reader for UnpackedReader {
    fn read(&mut self, frames: &mut Vec<Frame>) -> Result<bool> {
        self.inner.read(frames)
    }

    fn radios(&self) -> u8 {
        self.inner.radios()
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.inner.warnings();
        if let Some(ending) = self.ending.warning() {
            // The record that is cut there is no second damage.
            warnings.retain(|warning| warning.code != WarningCode::TruncatedRecord);
            warnings.push(ending);
        }
        warnings
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = self.inner.facts();
        facts.push(("compression", self.ending.codec.to_owned()));
        facts
    }
}

/// Every frame of an lz4 file: its decoder stops after each.
struct Lz4Frames<R: Read>(FrameDecoder<R>);

impl<R: io::BufRead> Read for Lz4Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let octets = self.0.read(buffer)?;
            if octets > 0 || buffer.is_empty() || self.0.get_mut().fill_buf()?.is_empty() {
                return Ok(octets);
            }
        }
    }
}

/// Nothing is wrong: it is worth asking again.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}

/// What has been read of a file.
#[derive(Debug, Default)]
struct Counts {
    bytes: AtomicU64,
    /// Reading itself failed.
    failed: AtomicBool,
}

struct Counted<R> {
    source: R,
    counts: Arc<Counts>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let octets = self.source.read(buffer).inspect_err(|error| {
            self.counts.failed.fetch_or(!is_passing(error), Ordering::Relaxed);
        })?;
        self.counts.bytes.fetch_add(octets as u64, Ordering::Relaxed);
        Ok(octets)
    }
}
