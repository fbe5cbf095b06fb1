//! Compressed recordings, decompressed while reading. The compression is detected by its magic number.

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

/// Decompressed size up to which the ratio is not checked: a recording of this size is harmless.
const UNSUSPICIOUS_BYTES: u64 = 64 << 20;
/// Highest compression ratio accepted. Each record needs 16 octets for header and timestamp, so real recordings
/// compress less. (The densest deflate stream reaches 1 : 1032.)
const MAX_RATIO: u64 = 1000;
/// Maximum number of decompressed octets, 4 TiB.
const MAX_UNPACKED_BYTES: u64 = 4 << 40;
/// Memory limit for the dictionary of the xz decoder; `xz -9` needs 65 MiB.
const XZ_MEMORY_BYTES: u64 = 256 << 20;

/// The octets of a file, buffered and counted.
type Packed = BufReader<Counted<Box<dyn Read + Send>>>;

/// A supported compression.
pub(super) struct Codec {
    pub name: &'static str,
    /// Resumes after its input temporarily had no more data.
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

/// Detects the compression from `head`, the first octets of a file.
pub(super) fn codec(head: &[u8]) -> Option<&'static Codec> {
    CODECS.iter().find(|codec| head.starts_with(codec.magic))
}

/// Name of the compression whose magic number begins with `head`, a whole file of two octets or more.
pub(super) fn cut_magic(head: &[u8]) -> Option<&'static str> {
    let is_cut = |codec: &&Codec| head.len() >= 2 && head.len() < codec.magic.len() && codec.magic.starts_with(head);
    CODECS.iter().find(is_cut).map(|codec| codec.name)
}

impl Codec {
    /// Decompresses `source`. An early end is reported in the second half of the result.
    pub fn unpack(&'static self, source: Box<dyn Read + Send>) -> io::Result<(Unpacking, Ending)> {
        let ending = Ending { codec: self.name, noted: Arc::default() };
        let counts = Arc::<Counts>::default();
        let packed = BufReader::new(Counted { source, counts: Arc::clone(&counts) });
        let decoder = (self.open)(packed)?;
        Ok((Unpacking { decoder, counts, unpacked_bytes: 0, ending: ending.clone() }, ending))
    }
}

/// The decompressed octets. Damage ends the stream like the end of a file.
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

/// Why decompression ended early, if it did; shared with the reader that reports it.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    codec: &'static str,
    noted: Arc<Mutex<Option<Noted>>>,
}

/// What ended it, in words, and after how many decompressed octets.
#[derive(Clone, Debug)]
struct Noted {
    code: WarningCode,
    what: String,
    bytes: u64,
}

impl Ending {
    fn note(&self, code: WarningCode, what: &str, bytes: u64) {
        let what = format!("the {}-compressed data {what}", self.codec);
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(Noted { code, what, bytes });
    }

    fn noted(&self) -> Option<Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// For a recording of which nothing came before.
    pub fn reason(&self) -> Option<String> {
        self.noted().map(|Noted { what, .. }| format!("{what} before the first frame"))
    }

    fn warning(&self) -> Option<Warning> {
        let Noted { code, what, bytes } = self.noted()?;
        let message = format!("{what}; the {bytes} octets before that were kept");
        Some(Warning { frame_no: None, offset: None, code, message })
    }
}

/// A compressed recording of any format.
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
            // The record cut at that point is not reported as separate damage.
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

/// Every frame of an lz4 file; the decoder stops after each frame.
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

/// True if there is no error: the read can be retried.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}

/// Data read from a file so far.
#[derive(Debug, Default)]
struct Counts {
    bytes: AtomicU64,
    /// The underlying read failed.
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
