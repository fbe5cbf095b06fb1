//! Captures, read in large chunks and decoded in parallel.

use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelExtend, ParallelIterator};

use super::container::Container;
use super::interface::Interface;
use super::link::link_type_name;
use super::pcapng::{self, Pcapng};
use super::record::{Record, RecordHeader, Stamp, Step};
use super::tally::{Fault, Tally};
use crate::base::{Error, Result, Warning, WarningCode};
use crate::frame::{Frame, ParseError, MAX_RADIOS};
use crate::sources::interfaces::several_interfaces;
use crate::sources::reader::Reader;
use crate::sources::unrecognized;

/// Maximum buffer size, octets: many records, and much more than the largest record.
const BUFFER_BYTES: usize = 4 << 20;
/// Initial buffer size. A small capture avoids the cost of clearing a large buffer.
const SMALL_BUFFER_BYTES: usize = 64 << 10;
/// Frames per batch. Several batches are in flight at once; the smaller they are, the more of them is still in a cache
/// when the next thread gets them. With half as many, the threads wait for each other more often than that saves.
const BATCH_FRAMES: usize = 8 << 10;
/// Minimum number of frames per task; smaller tasks cost more in scheduling than they save.
const TASK_FRAMES: usize = 512;
/// Number of records sampled to infer whether frames end with an FCS.
const SAMPLED_RECORDS: usize = 1024;

/// A pcap or pcapng capture of 802.11 frames.
///
/// Record boundaries are found sequentially, then the frames between them are decoded in parallel. Memory is bounded by
/// the buffer and one batch of frames, independent of the capture.
///
/// If the source returns [`ErrorKind::WouldBlock`], it has no more data at present. [`Reader::read`] then appends no
/// frame and returns true, and can be called again.
pub struct CaptureReader<R> {
    source: R,
    path: PathBuf,
    container: Container,
    buffer: Vec<u8>,
    /// The part of `buffer` that is not yet decoded.
    unread: Range<usize>,
    /// Octets to skip that are not in the buffer yet.
    to_skip: u64,
    /// Offset of `buffer[unread.start]` in the file.
    offset: u64,
    /// No more octets follow: the source has ended, or the rest of the file cannot be read.
    ended: bool,
    records: Vec<RecordPlace>,
    frames_read: u64,
    /// Time of the latest frame that has one.
    last_ns: Option<i64>,
    /// Number of frames of supported link types.
    frames_of_802_11: u64,
    /// Number of interfaces that recorded such frames so far.
    radios: u8,
    tally: Tally,
}

/// Position of a record, and the result of decoding it.
struct RecordPlace {
    header: RecordHeader,
    /// Its time, or that of another frame if it has none.
    ts_ns: i64,
    /// Offset of the first octet of its frame, in the buffer.
    start: usize,
    /// Offset of the record, in the file.
    offset: u64,
    fault: Option<Fault>,
}

impl RecordPlace {
    fn record<'b>(&self, buffer: &'b [u8]) -> Record<'b> {
        let octets = buffer.get(self.start..).unwrap_or_default();
        let octets = octets.get(..self.header.captured_bytes as usize).unwrap_or_default();
        Record { octets, original_bytes: self.header.original_bytes, marks: self.header.marks }
    }
}

/// Whether more octets were read.
#[derive(PartialEq, Eq)]
enum Refill {
    More,
    /// The source has no more data at present.
    Nothing,
}

impl<R: Read + Send> CaptureReader<R> {
    /// Reads the file header and the first chunk. `path` is for messages.
    ///
    /// # Errors
    /// [`Error::NotARecording`] without a whole header, [`Error::LinkType`] for a pcap file whose frames are
    /// not 802.11, [`Error::Empty`] where no octet follows the header, [`Error::Io`].
    pub fn new(source: R, path: &Path) -> Result<CaptureReader<R>> {
        let mut reader = CaptureReader {
            source,
            path: path.to_owned(),
            container: Container::Pcapng(Pcapng::default()),
            buffer: Vec::new(),
            unread: 0..0,
            to_skip: 0,
            offset: 0,
            ended: false,
            records: Vec::new(),
            frames_read: 0,
            last_ns: None,
            frames_of_802_11: 0,
            radios: 0,
            tally: Tally::default(),
        };
        reader.refill()?;
        let head = reader.buffer.get(reader.unread.clone()).unwrap_or_default();
        let not_a_capture = || Error::NotARecording { path: path.to_owned(), found: unrecognized::describe(head) };
        let (container, bytes) = Container::recognize(head).ok_or_else(not_a_capture)?;
        if reader.ended && pcapng::is_cut_header(head) {
            return Err(not_a_capture());
        }
        if let Container::Pcap(pcap) = &container {
            if pcap.interface.link.is_none() {
                return Err(reader.other_link_type(pcap.interface.link_type));
            }
        }
        reader.container = container;
        reader.advance(bytes);
        if reader.ended && reader.unread.is_empty() {
            return Err(Error::Empty { path: path.to_owned() });
        }
        Ok(reader)
    }

    fn other_link_type(&self, link_type: u32) -> Error {
        Error::LinkType { path: self.path.clone(), link_type, name: link_type_name(link_type) }
    }

    /// Fills the buffer after the unread part, until it has its maximum size or the source has no more data.
    fn refill(&mut self) -> Result<Refill> {
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        let before = self.unread.len();
        loop {
            if self.unread.end == self.buffer.len() && self.buffer.len() < BUFFER_BYTES {
                self.buffer.resize((8 * self.buffer.len()).clamp(SMALL_BUFFER_BYTES, BUFFER_BYTES), 0);
            }
            let free = self.buffer.get_mut(self.unread.end..).filter(|free| !free.is_empty());
            let Some(free) = free else { break };
            match self.source.read(free) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(octets) => self.unread.end += octets,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(source) => return Err(Error::Io { path: self.path.clone(), attempted: "reading", source }),
            }
        }
        let is_the_same = self.unread.len() == before && !self.ended;
        Ok(if is_the_same { Refill::Nothing } else { Refill::More })
    }

    fn advance(&mut self, bytes: usize) {
        self.unread.start += bytes;
        self.offset += bytes as u64;
    }

    /// Skips octets, including those that are not in the buffer yet.
    fn skip(&mut self, bytes: u64) {
        let here = usize::try_from(bytes).unwrap_or(usize::MAX).min(self.unread.len());
        self.advance(here);
        self.to_skip = bytes - here as u64;
    }

    /// Finds the next batch of whole records in the buffer.
    fn find_records(&mut self) {
        self.skip(self.to_skip);
        while self.records.len() < BATCH_FRAMES {
            let unread = self.buffer.get(self.unread.clone()).unwrap_or_default();
            match self.container.step(unread) {
                Step::Record { header, bytes } => {
                    let start = self.unread.start + header.at;
                    self.records.push(RecordPlace { header, ts_ns: 0, start, offset: self.offset, fault: None });
                    self.advance(bytes);
                }
                Step::Skip { bytes } => self.skip(bytes),
                Step::Incomplete => break,
                Step::Impossible(why) => {
                    self.stop(&why);
                    break;
                }
            }
        }
    }

    /// Ends the capture at this point: no later record can be found.
    fn stop(&mut self, why: &str) {
        let frame_no = self.frames_read + self.records.len() as u64 + 1;
        let message = format!("{why}; nothing after it was read");
        self.tally.end(WarningCode::ImpossibleRecordLength, frame_no, self.offset, message);
        self.unread.start = self.unread.end;
        self.ended = true;
    }

    fn finish(&mut self) -> Result<()> {
        if !self.unread.is_empty() || self.to_skip > 0 {
            let message = match self.to_skip {
                0 => format!("the last record is cut short after {} octets and was left out", self.unread.len()),
                _ => "the last block is cut short".to_owned(),
            };
            self.tally.end(WarningCode::TruncatedRecord, self.frames_read + 1, self.offset, message);
            (self.unread.start, self.to_skip) = (self.unread.end, 0);
        }
        if self.frames_read > 0 && self.frames_of_802_11 == 0 {
            return Err(match self.container.interfaces().first() {
                Some(interface) => self.other_link_type(interface.link_type),
                None => Error::NoInterface { path: self.path.clone() },
            });
        }
        Ok(())
    }

    /// Infers FCS presence for new interfaces that do not declare it, in the order of their first frames.
    fn examine_interfaces(&mut self) {
        let is_new = |interface: &Interface| interface.wants_sample();
        if !self.container.interfaces().iter().any(is_new) {
            return;
        }
        let mut others: Vec<u16> = Vec::new();
        let of = |number: u16| move |place: &&RecordPlace| place.header.interface == Some(number);
        for first in 0..self.records.len() {
            let Some(number) = self.records.get(first).and_then(|place| place.header.interface) else { continue };
            let Some(interface) = self.container.interfaces_mut().get_mut(usize::from(number)) else { continue };
            if !is_new(interface) || others.contains(&number) {
                continue;
            }
            let records = self.records.iter().skip(first).filter(of(number)).take(SAMPLED_RECORDS);
            let sample = records.map(|place| place.record(&self.buffer));
            if interface.is_802_11(sample.clone()) {
                interface.examine(self.radios, sample);
                self.radios = (self.radios + 1).min(MAX_RADIOS);
            } else {
                others.push(number);
            }
        }
    }

    /// Gives a record without a time that of the record before it, and the first ones that of the first with a time.
    fn find_times(&mut self) {
        let first_ns = || self.records.iter().find_map(|place| place.header.stamp.ns());
        let mut latest_ns = self.last_ns.or_else(first_ns);
        for place in &mut self.records {
            latest_ns = place.header.stamp.ns().or(latest_ns);
            place.ts_ns = latest_ns.unwrap_or_default();
        }
        self.last_ns = latest_ns;
    }

    fn decode_records(&mut self, frames: &mut Vec<Frame>) {
        self.examine_interfaces();
        self.find_times();
        let (interfaces, buffer, first_no) = (self.container.interfaces(), &self.buffer, self.frames_read + 1);
        let places = self.records.par_iter_mut().with_min_len(TASK_FRAMES).enumerate();
        frames.par_extend(places.map(|(number, place)| {
            let mut frame = Frame::new(first_no + number as u64, place.ts_ns);
            let interface = place.header.interface.and_then(|number| interfaces.get(usize::from(number)));
            frame.radio = interface.and_then(|interface| interface.radio).unwrap_or_default();
            place.fault = match interface.and_then(|interface| interface.link.as_ref()) {
                Some(link) => link.decode(place.record(buffer), &mut frame),
                None => {
                    frame.parse_error = Some(ParseError::LinkType);
                    Some(Fault::LinkType)
                }
            };
            frame
        }));
        for (frame_no, place) in (first_no..).zip(&self.records) {
            self.frames_of_802_11 += u64::from(place.fault != Some(Fault::LinkType));
            if let Some(fault) = place.fault {
                self.tally.add(fault, frame_no, place.offset);
            }
            if place.header.stamp == Stamp::Impossible {
                self.tally.add(Fault::Time, frame_no, place.offset);
            }
        }
        self.frames_read += self.records.len() as u64;
        self.records.clear();
    }
}

impl<R: Read + Send> Reader for CaptureReader<R> {
    fn read(&mut self, frames: &mut Vec<Frame>) -> Result<bool> {
        loop {
            self.find_records();
            if !self.records.is_empty() {
                self.decode_records(frames);
                return Ok(true);
            }
            if self.ended {
                self.finish()?;
                return Ok(false);
            }
            if self.refill()? == Refill::Nothing {
                return Ok(true);
            }
        }
    }

    fn radios(&self) -> u8 {
        self.radios.max(1)
    }

    fn warnings(&self) -> Vec<Warning> {
        let numbered = self.container.interfaces().iter().zip(0..);
        let heard =
            numbered.filter_map(|(interface, number)| Some((interface.radio?, number, interface.name.as_str())));
        self.tally.warnings().into_iter().chain(several_interfaces(heard.collect())).collect()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.container.facts()
    }
}
