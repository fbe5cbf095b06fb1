//! Reads a trace as a stream of rows. Lines are read in chunks, and the lines of a chunk are parsed in parallel.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::inference::Inference;
use super::line::{self, LineKind};
use super::responses::Responses;
use super::settings::Settings;
use super::stations::{self, Stations};
use crate::base::{Error, Result, Warning, WarningCode};
use crate::frame::{Frame, Layer, ParseError};
use crate::sources::reader::Reader;

/// Octets per chunk: some thousand lines, whose rows fit the processor cache. A longer line is treated as damage.
const STRETCH_BYTES: usize = 512 * 1024;

/// Reads an ns-2 trace: wireless (classic or tagged format), wired, or both.
///
/// Unlike the readers of captures, it fills `observer`, `start_ns` and `end_ns`: each line of a trace contains the
/// node. Timestamps mark the start of a transmission and the end of a reception.
pub struct Ns2Reader<R> {
    input: R,
    path: PathBuf,
    /// Octets read and not yet parsed; more than one line only inside `read`.
    pending: Vec<u8>,
    /// True within a line that exceeds the maximum length.
    skipping: bool,
    at_end: bool,
    inference: Inference,
    stations: Stations,
    responses: Responses,
    formats: Formats,
    /// Number of octets, lines and rows before `pending`.
    offset: u64,
    lines: u64,
    rows: u64,
    other_lines: u64,
    last_ts_ns: i64,
    mac_rows: u64,
    malformed: Malformed,
    /// The first row whose MAC address is not the number of its node, if MAC rows were given out before.
    renamed_at: Option<u64>,
    cut_at: Option<u64>,
}

/// What a fact says that the trace does not show.
const NOT_VISIBLE: &str = "not visible";

/// The line formats seen so far.
#[derive(Clone, Copy, Default)]
struct Formats {
    classic: bool,
    tagged: bool,
    wired: bool,
}

impl Formats {
    fn add(&mut self, kind: LineKind) {
        match kind {
            LineKind::Classic => self.classic = true,
            LineKind::Tagged => self.tagged = true,
            LineKind::Wired => self.wired = true,
            LineKind::Other | LineKind::Unknown => {}
        }
    }

    fn describe(self) -> String {
        let wireless = match (self.classic, self.tagged) {
            (true, false) => Some("wireless trace, classic format"),
            (false, true) => Some("wireless trace, tagged format"),
            (true, true) => Some("wireless trace, classic and tagged format"),
            (false, false) => None,
        };
        let parts: Vec<&str> = wireless.into_iter().chain(self.wired.then_some("wired links")).collect();
        format!("ns-2 {}", parts.join(" and "))
    }
}

/// Malformed lines.
#[derive(Default)]
struct Malformed {
    count: u64,
    /// Row, line and offset of the first malformed line.
    first: Option<(u64, u64, u64)>,
}

impl Malformed {
    fn add(&mut self, count: u64, first: (u64, u64, u64)) {
        self.count += count;
        self.first.get_or_insert(first);
    }
}

impl<R: Read + Send> Ns2Reader<R> {
    /// Reads from `input`; `path` is for messages.
    pub fn new(input: R, path: &Path) -> Ns2Reader<R> {
        Ns2Reader {
            input,
            path: path.to_owned(),
            pending: Vec::new(),
            skipping: false,
            at_end: false,
            inference: Inference::default(),
            stations: Stations::default(),
            responses: Responses::default(),
            formats: Formats::default(),
            offset: 0,
            lines: 0,
            rows: 0,
            other_lines: 0,
            last_ts_ns: 0,
            mac_rows: 0,
            malformed: Malformed::default(),
            renamed_at: None,
            cut_at: None,
        }
    }

    /// Reads the next chunk and appends it to `pending`.
    fn read_stretch(&mut self) -> Result<()> {
        let wanted = STRETCH_BYTES as u64;
        let got = self.input.by_ref().take(wanted).read_to_end(&mut self.pending);
        match got {
            Ok(got) => self.at_end = got < STRETCH_BYTES,
            // A growing file has no more data at present; the octets read so far are kept.
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(source) => return Err(Error::Io { path: self.path.clone(), attempted: "reading", source }),
        }
        Ok(())
    }

    /// End of the last complete line in `pending`; `None` if no line is complete.
    fn complete_lines(&mut self, frames: &mut Vec<Frame>) -> Option<usize> {
        if self.skipping {
            let rest = memchr::memchr(b'\n', &self.pending).map_or(self.pending.len(), |newline| newline + 1);
            self.skipping = !self.pending.get(..rest).is_some_and(|skipped| skipped.ends_with(b"\n"));
            self.lines += u64::from(!self.skipping);
            self.forget(rest);
        }
        if let Some(newline) = memchr::memrchr(b'\n', &self.pending) {
            return Some(newline + 1);
        }
        if self.at_end {
            self.finish_last_line(frames);
        } else if self.pending.len() >= STRETCH_BYTES {
            self.push_malformed(frames);
            self.skipping = true;
            self.forget(self.pending.len());
        }
        None
    }

    /// A last line without newline is kept if it is complete.
    fn finish_last_line(&mut self, frames: &mut Vec<Frame>) {
        if self.pending.is_empty() || line::kind_of(&self.pending) == LineKind::Other {
            return;
        }
        let mut frame = line::parse(&self.pending, self.rows + 1);
        if line::is_whole(&self.pending, &frame) {
            self.formats.add(line::kind_of(&self.pending));
            if self.formats.tagged {
                self.responses.resolve(std::slice::from_mut(&mut frame));
            }
            self.inference.settings().complete(&mut frame);
            self.stations.resolve(&mut frame);
            self.mac_rows += u64::from(is_mac(&frame));
            frames.push(frame);
            self.rows += 1;
        } else {
            self.cut_at = Some(self.offset);
        }
    }

    /// Parses the first `len` octets of `pending`, which are complete lines, into rows.
    fn push_lines(&mut self, len: usize, frames: &mut Vec<Frame>) {
        let text = self.pending.get(..len).unwrap_or_default();
        let (events, lines) = event_lines(text, &mut self.formats);
        let is_settled = self.inference.is_settled() && self.stations.are_node_numbers() && !self.formats.tagged;
        let (first_row, new) = (self.rows + 1, frames.len());
        let mut parsed = parse(&events, first_row, is_settled.then_some(&self.inference), frames);
        let is_completed = is_settled && !parsed.is_news;
        if is_settled && parsed.is_news {
            frames.truncate(new);
            parsed = parse(&events, first_row, None, frames);
        }

        let rows = frames.get_mut(new..).unwrap_or_default();
        if let Some((_, line)) = events.get(parsed.first_bad) {
            let offset = line.as_ptr().addr().saturating_sub(text.as_ptr().addr());
            let before = memchr::memchr_iter(b'\n', text.get(..offset).unwrap_or_default()).count();
            let row = rows.iter().find(|row| row.parse_error.is_some()).map_or(first_row, |row| row.frame_no);
            let place = (row, self.lines + before as u64 + 1, self.offset + offset as u64);
            self.malformed.add(parsed.bad, place);
            carry_time(rows, self.last_ts_ns);
        }
        self.last_ts_ns = rows.last().map_or(self.last_ts_ns, |frame| frame.ts_ns);
        self.other_lines += lines - rows.len() as u64;
        self.lines += lines;
        self.rows += rows.len() as u64;
        let mac_rows = rows.iter().filter(|frame| is_mac(frame)).count() as u64;
        if !is_completed {
            self.learn_and_complete(rows);
        }
        self.mac_rows += mac_rows;
        self.forget(len);
    }

    /// Completes rows with the inferred settings, after adding these rows to the inference.
    fn learn_and_complete(&mut self, rows: &mut [Frame]) {
        if self.formats.tagged {
            self.responses.resolve(rows);
        }
        if !self.inference.is_settled() || rows.iter().any(|frame| self.inference.is_of_new_sender(frame)) {
            self.inference.observe(rows);
        }
        let were_node_numbers = self.stations.are_node_numbers();
        self.stations.observe(rows);
        if were_node_numbers && !self.stations.are_node_numbers() && self.mac_rows > 0 {
            self.renamed_at = rows.iter().find(|frame| stations::differs(frame)).map(|frame| frame.frame_no);
        }
        let (settings, stations) = (self.inference.settings(), &self.stations);
        rows.par_iter_mut().for_each(|frame| {
            settings.complete(frame);
            stations.resolve(frame);
        });
    }

    /// A row for a line that exceeds the maximum length.
    fn push_malformed(&mut self, frames: &mut Vec<Frame>) {
        self.rows += 1;
        self.malformed.add(1, (self.rows, self.lines + 1, self.offset));
        let mut frame = Frame::new(self.rows, self.last_ts_ns);
        frame.parse_error = Some(ParseError::TraceLine);
        frames.push(frame);
    }

    fn forget(&mut self, len: usize) {
        self.pending.drain(..len.min(self.pending.len()));
        self.offset += len as u64;
    }
}

/// The data rates of all nodes, the lowest first.
fn data_rates(settings: &Settings) -> String {
    let mut rates: Vec<f64> = settings.data_of.values().copied().chain(settings.data_mbps).collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    let words: Vec<String> = rates.iter().map(f64::to_string).collect();
    if words.is_empty() {
        NOT_VISIBLE.to_owned()
    } else {
        format!("{} Mb/s", words.join(", "))
    }
}

/// What [`parse`] found besides the rows.
struct Parsed {
    /// Index of the first malformed line, and the number of such lines.
    first_bad: usize,
    bad: u64,
    /// True if what was inferred does not cover these rows.
    is_news: bool,
}

/// Appends the rows of `events`, completed with what was inferred if it is given.
fn parse(events: &[(LineKind, &[u8])], first_row: u64, settled: Option<&Inference>, frames: &mut Vec<Frame>) -> Parsed {
    let (first_bad, bad) = (AtomicUsize::new(usize::MAX), AtomicUsize::new(0));
    let is_news = AtomicBool::new(false);
    frames.par_extend(events.par_iter().enumerate().with_min_len(256).map(|(index, &(kind, line))| {
        let mut frame = line::parse_as(kind, line, first_row + index as u64);
        if frame.parse_error.is_some() {
            first_bad.fetch_min(index, Ordering::Relaxed);
            bad.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(inference) = settled {
            if stations::differs(&frame) || inference.is_of_new_sender(&frame) {
                is_news.store(true, Ordering::Relaxed);
            }
            inference.known().complete(&mut frame);
        }
        frame
    }));
    Parsed { first_bad: first_bad.into_inner(), bad: bad.into_inner() as u64, is_news: is_news.into_inner() }
}

fn is_mac(frame: &Frame) -> bool {
    frame.layer == Layer::Mac && frame.parse_error.is_none()
}

/// The lines that become rows, with their types, and the total number of lines.
fn event_lines<'a>(text: &'a [u8], formats: &mut Formats) -> (Vec<(LineKind, &'a [u8])>, u64) {
    let mut events = Vec::with_capacity(text.len() / 64);
    let (mut start, mut lines) = (0, 0);
    for newline in memchr::memchr_iter(b'\n', text) {
        let line = text.get(start..newline).unwrap_or_default();
        let kind = line::kind_of(line);
        formats.add(kind);
        if kind != LineKind::Other {
            events.push((kind, line));
        }
        (start, lines) = (newline + 1, lines + 1);
    }
    (events, lines)
}

/// A row of a malformed line gets the time of the row before it.
fn carry_time(rows: &mut [Frame], mut last_ts_ns: i64) {
    for row in rows {
        if row.parse_error.is_some() {
            row.ts_ns = last_ts_ns;
        }
        last_ts_ns = row.ts_ns;
    }
}

impl<R: Read + Send> Reader for Ns2Reader<R> {
    fn read(&mut self, frames: &mut Vec<Frame>) -> Result<bool> {
        if self.at_end {
            return Ok(false);
        }
        self.read_stretch()?;
        if let Some(len) = self.complete_lines(frames) {
            self.push_lines(len, frames);
            if self.at_end {
                self.finish_last_line(frames);
            }
        }
        Ok(!self.at_end)
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if let Some((row, line, offset)) = self.malformed.first {
            let message = format!("{} lines not understood, the first is line {line}", self.malformed.count);
            warnings.push(Warning { frame_no: Some(row), offset: Some(offset), code: WarningCode::TraceLine, message });
        }
        if (self.formats.classic || self.formats.tagged) && self.mac_rows == 0 {
            let message = "the trace has no MAC lines, so nothing is known of the air: MAC tracing was off in the \
                           simulation (`-macTrace ON` of node-config switches it on)"
                .to_owned();
            warnings.push(Warning { frame_no: None, offset: None, code: WarningCode::MacTraceOff, message });
        }
        if let Some(row) = self.renamed_at {
            let message = format!(
                "MAC addresses are not the numbers of nodes, which shows only from row {row} on: receivers and \
                 transmitters of the rows before may be named after another node"
            );
            warnings.push(Warning { frame_no: Some(row), offset: None, code: WarningCode::NodesUncertain, message });
        }
        if let Some(offset) = self.cut_at {
            let message =
                format!("the last line (line {}) is cut short; everything before it was kept", self.lines + 1);
            warnings.push(Warning {
                frame_no: None,
                offset: Some(offset),
                code: WarningCode::TruncatedRecord,
                message,
            });
        }
        warnings
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let settings = self.inference.known();
        let rate = |mbps: Option<f64>| mbps.map_or(NOT_VISIBLE.to_owned(), |mbps| format!("{mbps} Mb/s"));
        vec![
            ("format", self.formats.describe()),
            ("timestamps", "start of what is sent, end of what is received".to_owned()),
            ("movement and other lines", self.other_lines.to_string()),
            ("basic rate", rate(settings.basic_mbps)),
            ("data rate", data_rates(settings)),
            ("preamble and header", format!("{} us", settings.coding.preamble_us())),
        ]
    }
}
