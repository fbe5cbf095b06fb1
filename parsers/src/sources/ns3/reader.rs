//! Reads a trace as a stream of rows.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::line::{self, Device, Line, LineKind};
use super::psdu;
use crate::base::{Error, Result, Warning, WarningCode};
use crate::frame::{Addr, Direction, Frame, FrameKind, ParseError};
use crate::sources::reader::Reader;

/// Maximum line length; a longer line is treated as damage. An A-MPDU of 64 MPDUs takes some 30 kB.
const MAX_LINE_BYTES: u64 = 1 << 20;
/// Rows per batch.
const ROWS: usize = 8192;
/// Rows buffered to infer the devices' addresses before the first row is output.
const HELD_ROWS: usize = 1 << 16;
/// Memory bound, independent of the trace.
const MAX_DEVICES: usize = 1 << 16;
/// Default precision of a C++ stream, digits.
const DEFAULT_DIGITS: usize = 6;

/// Reads an ASCII trace of ns-3's Wi-Fi devices.
///
/// `observer` is the MAC address of the device, taken from the frames that it sends. It is `node-N` until the device
/// has sent a frame with a transmitter address. `start_ns` and `end_ns` are filled: timestamps mark the start of a
/// transmission and the end of a reception.
pub struct Ns3Reader<R> {
    input: BufReader<R>,
    path: PathBuf,
    /// The first part of an incomplete line.
    text: Vec<u8>,
    /// True within a line that exceeds the maximum length.
    is_skipping: bool,
    addresses: HashMap<Device, Addr>,
    at_end: bool,
    /// Number of octets, lines, rows and PPDUs so far.
    offset: u64,
    lines: u64,
    rows: u64,
    ppdus: u32,
    other_lines: u64,
    last_ts_ns: i64,
    most_digits: usize,
    malformed: u64,
    /// Row, line and offset of the first malformed line.
    first_malformed: Option<(u64, u64, u64)>,
    /// Number of rows of QoS data without addresses, and the first of them.
    unaddressed: u64,
    first_unaddressed: Option<u64>,
    cut_at: Option<u64>,
}

impl<R: Read + Send> Ns3Reader<R> {
    /// Reads from `input`; `path` is for messages.
    pub fn new(input: R, path: &Path) -> Ns3Reader<R> {
        Ns3Reader {
            input: BufReader::new(input),
            path: path.to_owned(),
            text: Vec::new(),
            is_skipping: false,
            addresses: HashMap::new(),
            at_end: false,
            offset: 0,
            lines: 0,
            rows: 0,
            ppdus: 0,
            other_lines: 0,
            last_ts_ns: 0,
            most_digits: 0,
            malformed: 0,
            first_malformed: None,
            unaddressed: 0,
            first_unaddressed: None,
            cut_at: None,
        }
    }

    /// Reads the next line. Appends its rows, and the device of each row to `devices`. Returns false if there is no
    /// line, at the end or at present.
    fn read_line(&mut self, frames: &mut Vec<Frame>, devices: &mut Vec<Option<Device>>) -> Result<bool> {
        let room = MAX_LINE_BYTES.saturating_sub(self.text.len() as u64);
        match self.input.by_ref().take(room).read_until(b'\n', &mut self.text) {
            Ok(_) => {}
            // The file may grow; the incomplete line is kept.
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
            Err(source) => return Err(Error::Io { path: self.path.clone(), attempted: "reading", source }),
        }
        let mut text = std::mem::take(&mut self.text);
        self.at_end = text.is_empty();
        if self.is_skipping {
            self.is_skipping = !text.ends_with(b"\n");
        } else if !self.at_end {
            self.take_line(&text, frames, devices);
        }
        self.offset += text.len() as u64;
        text.clear();
        self.text = text;
        Ok(!self.at_end)
    }

    /// Appends the rows of a line, and the device of each to `devices`.
    fn take_line(&mut self, text: &[u8], frames: &mut Vec<Frame>, devices: &mut Vec<Option<Device>>) {
        let is_complete = text.ends_with(b"\n");
        if line::kind_of(text.trim_ascii_end()) == LineKind::Other {
            self.other_lines += 1;
        } else if !is_complete && (text.len() as u64) < MAX_LINE_BYTES {
            self.cut_at = Some(self.offset); // packets have no length limit
        } else if let Some(device) = self.push(text, frames) {
            devices.resize(frames.len(), Some(device));
        } else {
            self.push_malformed(frames);
            devices.push(None);
            self.is_skipping = !is_complete;
        }
        self.lines += 1;
    }

    /// Appends the rows of a line and returns its device; `None` where the line is malformed.
    fn push(&mut self, text: &[u8], frames: &mut Vec<Frame>) -> Option<Device> {
        let line = line::parse(std::str::from_utf8(text).ok()?.trim_end())?;
        let first = frames.len();
        psdu::rows(&line, self.rows + 1, self.ppdus, frames)?;
        self.rows += (frames.len() - first) as u64;
        self.ppdus = self.ppdus.wrapping_add(1);
        self.most_digits = self.most_digits.max(digits(&line));
        let sent = frames.get(first..).unwrap_or_default();
        for frame in sent.iter().filter(|frame| frame.kind == FrameKind::QosData && frame.ra.is_none()) {
            self.unaddressed += 1;
            self.first_unaddressed.get_or_insert(frame.frame_no);
        }
        self.last_ts_ns = sent.first().map_or(self.last_ts_ns, |frame| frame.ts_ns);
        if let Some(ta) = sent.iter().filter(|frame| frame.direction == Some(Direction::Tx)).find_map(|frame| frame.ta)
        {
            if self.addresses.len() < MAX_DEVICES {
                self.addresses.entry(line.device).or_insert(ta.individual());
            }
        }
        Some(line.device)
    }

    fn push_malformed(&mut self, frames: &mut Vec<Frame>) {
        self.rows += 1;
        self.malformed += 1;
        self.first_malformed.get_or_insert((self.rows, self.lines + 1, self.offset));
        let mut frame = Frame::new(self.rows, self.last_ts_ns);
        frame.parse_error = Some(ParseError::TraceLine);
        frames.push(frame);
    }

    /// Sets the observer, and the transmitter if the release does not print it.
    fn name(&self, frame: &mut Frame, device: Device) {
        let station = self.addresses.get(&device).copied().unwrap_or(Addr::node(device.0));
        frame.observer = Some(station);
        let names_transmitter = !matches!(frame.kind, FrameKind::Cts | FrameKind::Ack);
        if frame.direction == Some(Direction::Tx) && frame.ta.is_none() && names_transmitter {
            frame.ta = Some(station);
        }
    }

    /// Resolution of the last timestamps, nanoseconds.
    fn resolution_ns(&self) -> i64 {
        let whole_seconds = (self.last_ts_ns / 1_000_000_000).max(0);
        let before_point = if whole_seconds == 0 { 0 } else { whole_seconds.ilog10() + 1 };
        let after_point = u32::try_from(DEFAULT_DIGITS).unwrap_or_default().saturating_sub(before_point).min(9);
        10i64.pow(9 - after_point)
    }

    fn is_coarse(&self) -> bool {
        self.most_digits <= DEFAULT_DIGITS && self.resolution_ns() > 1000
    }
}

/// Significant digits of the time.
fn digits(line: &Line<'_>) -> usize {
    let mantissa = line.seconds.split(['e', 'E']).next().unwrap_or_default();
    mantissa.trim_start_matches(['0', '.']).bytes().filter(u8::is_ascii_digit).count()
}

impl<R: Read + Send> Reader for Ns3Reader<R> {
    fn read(&mut self, frames: &mut Vec<Frame>) -> Result<bool> {
        let wanted = if self.offset == 0 { HELD_ROWS } else { ROWS };
        let (mut rows, mut devices) = (Vec::new(), Vec::new());
        while !self.at_end && rows.len() < wanted && self.read_line(&mut rows, &mut devices)? {}
        for (frame, device) in rows.iter_mut().zip(devices) {
            if let Some(device) = device {
                self.name(frame, device);
            }
        }
        frames.append(&mut rows);
        Ok(!self.at_end)
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if let Some((row, line, offset)) = self.first_malformed {
            let message = format!("{} lines not understood, the first is line {line}", self.malformed);
            warnings.push(Warning { frame_no: Some(row), offset: Some(offset), code: WarningCode::TraceLine, message });
        }
        if let Some(offset) = self.cut_at {
            let message = format!("the last line (line {}) is cut short; everything before it was kept", self.lines);
            let code = WarningCode::TruncatedRecord;
            warnings.push(Warning { frame_no: None, offset: Some(offset), code, message });
        }
        if self.unaddressed > 0 {
            let message = format!(
                "{} rows of QoS data without addresses, which this release of ns-3 does not print: who receives it is \
                 unknown, and of receptions who sent it; captures (EnablePcap) have the addresses",
                self.unaddressed
            );
            let code = WarningCode::AddressesMissing;
            warnings.push(Warning { frame_no: self.first_unaddressed, offset: None, code, message });
        }
        if self.is_coarse() {
            let message = format!(
                "the stamps at the end are rounded to {} us, so exchanges cannot be told apart there: \
                 print more digits (stream->GetStream()->precision(12))",
                self.resolution_ns() / 1000
            );
            warnings.push(Warning { frame_no: None, offset: None, code: WarningCode::CoarseStamps, message });
        }
        warnings
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![
            ("format", "ns-3 ASCII trace of Wi-Fi devices".to_owned()),
            ("timestamps", "start of what is sent, end of what is received".to_owned()),
            ("devices that sent", self.addresses.len().to_string()),
            ("lines of other devices", self.other_lines.to_string()),
        ]
    }
}
