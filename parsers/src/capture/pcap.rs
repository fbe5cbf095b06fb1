//! pcap captures, read in large chunks and decoded in parallel.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelExtend, ParallelIterator};

use super::found;
use super::link::{Link, Record};
use super::pcap_format::{
    link_type_name, FileHeader, RecordHeader, FILE_HEADER_BYTES, MAX_RECORD_BYTES, RECORD_HEADER_BYTES,
};
use super::tally::{Fault, Tally};
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::octets::array_at;
use crate::reader::Reader;
use crate::warning::{Warning, WarningCode};

/// Octets held at a time: many records, and much more than the largest of them.
const BUFFER_BYTES: usize = 4 << 20;
/// Frames decoded at a time.
const BATCH_FRAMES: usize = 32 << 10;
/// Frames one task decodes at the least: shorter ones cost more in hand-over than they save.
const TASK_FRAMES: usize = 512;
/// Records looked at to find out whether frames end with their FCS.
const SAMPLED_RECORDS: usize = 1024;

/// A pcap capture of 802.11 frames.
///
/// Record boundaries are found one after the other, then the frames between them are decoded in
/// parallel. Memory is bounded by the buffer and one batch of frames, whatever the capture says.
pub struct PcapReader<R> {
    source: R,
    path: PathBuf,
    header: FileHeader,
    link: Link,
    buffer: Vec<u8>,
    /// The part of `buffer` that holds octets not yet decoded.
    unread: std::ops::Range<usize>,
    /// Offset of `buffer[unread.start]` in the file.
    offset: u64,
    /// No more octets will come: the source has ended, or nothing behind this point can be read.
    ended: bool,
    records: Vec<RecordPlace>,
    frames_read: u64,
    tally: Tally,
}

/// Where a record is, and what decoding it met.
struct RecordPlace {
    header: RecordHeader,
    /// Of its first octet behind the record header, in the buffer.
    start: usize,
    /// Of its record header, in the file.
    offset: u64,
    fault: Option<Fault>,
}

impl RecordPlace {
    fn record<'b>(&self, buffer: &'b [u8]) -> Record<'b> {
        let octets = buffer.get(self.start..).unwrap_or_default();
        let octets = octets.get(..self.header.captured_bytes as usize).unwrap_or_default();
        Record { octets, original_bytes: self.header.original_bytes }
    }
}

impl<R: Read + Send> PcapReader<R> {
    /// Reads the file header and the first chunk. `path` is for messages.
    ///
    /// # Errors
    /// [`Error::NotARecording`] without a pcap header, [`Error::LinkType`] for frames that are not
    /// 802.11, [`Error::Empty`] where no octet follows the header, [`Error::Io`].
    pub fn new(mut source: R, path: &Path) -> Result<PcapReader<R>> {
        let mut head = Vec::with_capacity(FILE_HEADER_BYTES);
        let reading = source.by_ref().take(FILE_HEADER_BYTES as u64).read_to_end(&mut head);
        reading.map_err(|source| Error::Io { path: path.to_owned(), attempted: "reading", source })?;
        let not_pcap = || Error::NotARecording { path: path.to_owned(), found: found::describe(&head) };
        let header = FileHeader::parse(&head).ok_or_else(not_pcap)?;
        let link = Link::new(header.link_type, header.trailing_fcs).ok_or_else(|| Error::LinkType {
            path: path.to_owned(),
            link_type: header.link_type,
            name: link_type_name(header.link_type),
        })?;
        let mut reader = PcapReader {
            source,
            path: path.to_owned(),
            header,
            link,
            buffer: vec![0; BUFFER_BYTES],
            unread: 0..0,
            offset: FILE_HEADER_BYTES as u64,
            ended: false,
            records: Vec::new(),
            frames_read: 0,
            tally: Tally::default(),
        };
        reader.refill()?;
        if reader.unread.is_empty() {
            return Err(Error::Empty { path: reader.path });
        }
        reader.find_records();
        let sample = reader.records.iter().take(SAMPLED_RECORDS).map(|place| place.record(&reader.buffer));
        reader.link.find_fcs(sample);
        Ok(reader)
    }

    /// Fills the buffer behind what is unread; afterwards either it is full or the source has ended.
    fn refill(&mut self) -> Result<()> {
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        while let Some(free) = self.buffer.get_mut(self.unread.end..).filter(|free| !free.is_empty()) {
            match self.source.read(free) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(octets) => self.unread.end += octets,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::Io { path: self.path.clone(), attempted: "reading", source }),
            }
        }
        Ok(())
    }

    /// Finds the next batch of whole records in the buffer.
    fn find_records(&mut self) {
        while self.records.len() < BATCH_FRAMES {
            let Some(header) =
                array_at(&self.buffer, self.unread.start).filter(|_| self.unread.len() >= RECORD_HEADER_BYTES)
            else {
                break;
            };
            let header = self.header.record(&header);
            if header.captured_bytes > MAX_RECORD_BYTES {
                self.stop_at_impossible_length(header.captured_bytes);
                break;
            }
            let record_bytes = RECORD_HEADER_BYTES + header.captured_bytes as usize;
            if self.unread.len() < record_bytes {
                break;
            }
            self.records.push(RecordPlace {
                header,
                start: self.unread.start + RECORD_HEADER_BYTES,
                offset: self.offset,
                fault: None,
            });
            self.unread.start += record_bytes;
            self.offset += record_bytes as u64;
        }
    }

    /// Nothing behind such a length can be found: the capture ends here.
    fn stop_at_impossible_length(&mut self, length: u32) {
        let frame_no = self.frames_read + self.records.len() as u64 + 1;
        let message = format!("record of {length} octets, more than any capture holds; nothing after it was read");
        self.tally.end(WarningCode::ImpossibleRecordLength, frame_no, self.offset, message);
        self.unread.start = self.unread.end;
        self.ended = true;
    }

    fn note_truncation(&mut self) {
        if self.unread.is_empty() {
            return;
        }
        let message = format!("the last record is cut short after {} octets and was left out", self.unread.len());
        self.tally.end(WarningCode::TruncatedRecord, self.frames_read + 1, self.offset, message);
        self.unread.start = self.unread.end;
    }

    fn decode_records(&mut self, frames: &mut Vec<Frame>) {
        let (link, buffer, first_no) = (self.link, &self.buffer, self.frames_read + 1);
        let places = self.records.par_iter_mut().with_min_len(TASK_FRAMES).enumerate();
        frames.par_extend(places.map(|(number, place)| {
            let mut frame = Frame::new(first_no + number as u64, place.header.ts_ns);
            place.fault = link.decode(place.record(buffer), &mut frame);
            frame
        }));
        for (frame_no, place) in (first_no..).zip(&self.records) {
            if let Some(fault) = place.fault {
                self.tally.add(fault, frame_no, place.offset);
            }
        }
        self.frames_read += self.records.len() as u64;
        self.records.clear();
    }
}

impl<R: Read + Send> Reader for PcapReader<R> {
    fn read(&mut self, frames: &mut Vec<Frame>) -> Result<bool> {
        while self.records.is_empty() {
            self.find_records();
            if !self.records.is_empty() {
                break;
            }
            if self.ended {
                self.note_truncation();
                return Ok(false);
            }
            self.refill()?;
        }
        self.decode_records(frames);
        Ok(true)
    }

    fn warnings(&self) -> Vec<Warning> {
        self.tally.warnings()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let header = &self.header;
        vec![
            ("container", format!("pcap {}.{}", header.version.0, header.version.1)),
            ("byte order", if header.big_endian { "big-endian" } else { "little-endian" }.to_owned()),
            ("resolution", if header.fraction_ns == 1 { "nanoseconds" } else { "microseconds" }.to_owned()),
            ("link type", self.link.name().to_owned()),
            ("snap length", header.snap_length.to_string()),
            ("fcs", self.link.fcs_fact().to_owned()),
        ]
    }
}
