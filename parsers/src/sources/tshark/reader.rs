//! Reads a capture through tshark.

use std::io;
use std::path::{Path, PathBuf};

use super::fcs::FcsEvidence;
use super::fields::Field;
use super::interfaces::Interfaces;
use super::keys::Key;
use super::options::TsharkOptions;
use super::process::{Process, Setup};
use super::program::Program;
use super::row::Row;
use super::stderr::Messages;
use super::tally::Tally;
use super::{mac, network, radio};
use crate::base::time::accepted;
use crate::base::{Error, Result, Warning, WarningCode};
use crate::frame::{Frame, ParseError};
use crate::ieee80211::airtime;
use crate::sources::reader::Reader;

/// Frames per batch.
const BATCH_FRAMES: usize = 8 << 10;

/// A capture in any format that Wireshark supports, read sequentially in bounded memory.
pub struct TsharkReader {
    path: PathBuf,
    program: Program,
    setup: Setup,
    /// `None` once the process has ended.
    process: Option<Process>,
    /// Frames read ahead of the first call.
    ahead: Vec<Frame>,
    frames_read: u64,
    /// Time of the latest frame that has one.
    last_ns: i64,
    /// Protocols before the MAC header of the first frame.
    encapsulation: String,
    fcs: FcsEvidence,
    interfaces: Interfaces,
    tally: Tally,
    end: Option<Warning>,
}

impl TsharkReader {
    /// Starts tshark on the capture at `path`, with `keys` for its encrypted frames and the user's `options`.
    ///
    /// # Errors
    /// [`Error::DecoderUnavailable`] without a suitable tshark, [`Error::Io`] if the file cannot be opened,
    /// [`Error::Decoder`] if tshark rejects it or finds no 802.11 in its first frames.
    pub fn open(path: &Path, keys: &[Key], options: &TsharkOptions) -> Result<TsharkReader> {
        let program = Program::find()?;
        let failed = |attempted| move |source| Error::Io { path: path.to_owned(), attempted, source };
        std::fs::File::open(path).map_err(failed("opening"))?;
        let mut setup = Setup { fields: Field::ALL.to_vec(), assumes_fcs: true };
        loop {
            let process = Process::start(&program, path, keys, options, &setup).map_err(failed("starting tshark"))?;
            let mut reader = TsharkReader {
                path: path.to_owned(),
                program: program.clone(),
                setup,
                process: Some(process),
                ahead: Vec::new(),
                frames_read: 0,
                last_ns: 0,
                encapsulation: String::new(),
                fcs: FcsEvidence::default(),
                interfaces: Interfaces::default(),
                tally: Tally::default(),
                end: None,
            };
            match reader.begin()? {
                None => return Ok(reader),
                Some(better) => setup = better,
            }
        }
    }

    /// Reads the first frames. Returns new options if the frames show that tshark must be restarted with them.
    fn begin(&mut self) -> Result<Option<Setup>> {
        let mut first = Vec::new();
        if !self.read_lines(&mut first)? {
            let messages = self.finish()?;
            let known = |field: &Field| !messages.unknown_fields.iter().any(|name| name == field.name());
            let fields: Vec<Field> = self.setup.fields.iter().copied().filter(known).collect();
            if fields.len() < self.setup.fields.len() {
                return Ok(Some(Setup { fields, ..self.setup }));
            }
        }
        if !first.is_empty() && first.iter().all(|frame| frame.parse_error == Some(ParseError::LinkType)) {
            let message = format!("no 802.11 frames in it, but {}. Capture in monitor mode", self.encapsulation);
            return Err(Error::Decoder { path: self.path.clone(), message });
        }
        if self.setup.assumes_fcs && self.fcs.shows_none() {
            return Ok(Some(Setup { assumes_fcs: false, ..self.setup.clone() }));
        }
        self.ahead = first;
        Ok(None)
    }

    /// Appends the next frames; returns false at the end.
    fn read_lines(&mut self, frames: &mut Vec<Frame>) -> Result<bool> {
        let Some(process) = &mut self.process else { return Ok(false) };
        let failed = |source| Error::Io { path: self.path.clone(), attempted: "reading what tshark prints", source };
        let mut line = Vec::new();
        for _ in 0..BATCH_FRAMES {
            if !process.read_line(&mut line).map_err(failed)? {
                return Ok(!frames.is_empty());
            }
            self.frames_read += 1;
            let line = String::from_utf8_lossy(&line);
            let row = Row::new(&line, &self.setup.fields);
            if self.encapsulation.is_empty() {
                self.encapsulation = encapsulation(&row);
            }
            self.fcs.observe(&row);
            let mut frame = decode(&row, self.frames_read);
            match time_ns(&row) {
                Some(ns) => self.last_ns = ns,
                None => {
                    frame.ts_ns = self.last_ns;
                    self.tally.add_time(frame.frame_no);
                }
            }
            if frame.parse_error != Some(ParseError::LinkType) {
                frame.radio = self.interfaces.radio(&row);
            }
            self.tally.add(frame.parse_error, frame.frame_no);
            frames.push(frame);
        }
        Ok(true)
    }

    /// Evaluates exit status and messages of tshark.
    fn finish(&mut self) -> Result<Messages> {
        let Some(process) = self.process.take() else { return Ok(Messages::default()) };
        let failed = |source: io::Error| Error::Io { path: self.path.clone(), attempted: "running tshark", source };
        let (status, text) = process.finish().map_err(failed)?;
        let messages = Messages::parse(&text);
        let said = messages.complaint.clone();
        if messages.is_truncated {
            self.end(WarningCode::TruncatedRecord, "the last record is cut short and was left out".to_owned());
        } else if messages.is_damaged && self.frames_read > 0 {
            self.end(WarningCode::ImpossibleRecordLength, said.unwrap_or_default());
        } else if !status.success() && messages.unknown_fields.is_empty() {
            let message = said.unwrap_or_else(|| format!("tshark ended early ({status})"));
            return Err(Error::Decoder { path: self.path.clone(), message });
        }
        Ok(messages)
    }

    fn end(&mut self, code: WarningCode, message: String) {
        self.end = Some(Warning { frame_no: Some(self.frames_read + 1), offset: None, code, message });
    }
}

impl Reader for TsharkReader {
    fn read(&mut self, frames: &mut Vec<Frame>) -> Result<bool> {
        if !self.ahead.is_empty() {
            frames.append(&mut self.ahead);
            return Ok(true);
        }
        let before = frames.len();
        let more = self.read_lines(frames)?;
        if frames.len() - before < BATCH_FRAMES {
            self.finish()?;
        }
        Ok(more)
    }

    fn radios(&self) -> u8 {
        self.interfaces.count()
    }

    fn warnings(&self) -> Vec<Warning> {
        let of_frames = self.tally.warnings().into_iter().chain(self.end.clone());
        of_frames.chain(self.interfaces.warning()).collect()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("decoder", format!("tshark {}", self.program.version())), ("encapsulation", self.encapsulation.clone())]
    }
}

fn decode(row: &Row<'_>, frame_no: u64) -> Frame {
    let mut frame = Frame::new(frame_no, time_ns(row).unwrap_or_default());
    if !protocols(row).any(|protocol| matches!(protocol, "wlan" | "radiotap" | "prism" | "wlancap")) {
        frame.parse_error = Some(ParseError::LinkType);
        return frame;
    }
    match radio::fill(row, &mut frame) {
        Ok(capture) => {
            frame.direction = frame.direction.or(mac::marks(row).direction);
            mac::fill(row, &capture, &mut frame);
            if frame.parse_error.is_none() {
                frame.network = network::decode(row);
            }
        }
        Err(error) => frame.parse_error = Some(error),
    }
    airtime::fill(&mut frame);
    frame
}

fn protocols<'a>(row: &Row<'a>) -> impl Iterator<Item = &'a str> {
    row.text(Field::Protocols).unwrap_or_default().split(':')
}

/// The protocols before the MAC frame, for messages.
fn encapsulation(row: &Row<'_>) -> String {
    let headers: Vec<&str> = protocols(row).take_while(|&protocol| protocol != "wlan").collect();
    let headers: Vec<&str> = headers.into_iter().filter(|&protocol| protocol != "wlan_radio").collect();
    if headers.is_empty() {
        "802.11".to_owned()
    } else {
        headers.join(":")
    }
}

fn time_ns(row: &Row<'_>) -> Option<i64> {
    row.text(Field::FrameTime).and_then(nanoseconds)
}

/// Seconds since the epoch with their decimals, in nanoseconds.
fn nanoseconds(text: &str) -> Option<i64> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_negative = seconds.starts_with('-');
    // The fraction may have more than nine digits and exceed a second; it then counts nanoseconds.
    let fraction: i64 = format!("{fraction:0<9}").parse().ok()?;
    let whole = seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)?;
    accepted(i128::from(whole) + i128::from(if is_negative { fraction.checked_neg()? } else { fraction }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Addr;
    use crate::frame::{Assumptions, FrameKind};

    #[test]
    fn stamps_are_exact() {
        assert_eq!(nanoseconds("1520544171.392545001"), Some(1_520_544_171_392_545_001));
        assert_eq!(nanoseconds("0.5"), Some(500_000_000));
        assert_eq!(nanoseconds("-0.000000001"), Some(-1));
        assert_eq!(nanoseconds("1.1000046000"), Some(2_000_046_000));
        assert_eq!(nanoseconds("7"), Some(7_000_000_000));
        assert_eq!((nanoseconds(""), nanoseconds("99999999999.0"), nanoseconds("1.x")), (None, None, None));
    }

    #[test]
    fn lines_of_any_content_are_frames() {
        const WORDS: [&str; 16] = [
            "\t",
            "\t",
            "\t",
            "\u{1f}",
            ":",
            "wlan",
            "radiotap",
            "0x",
            "1",
            "255",
            "65535",
            "4294967295",
            "-1",
            "ff",
            "True",
            ".5",
        ];
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for frame_no in 0..20_000 {
            let mut line = "1.5\t".to_owned();
            for _ in 0..200 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                line.push_str(WORDS[(state >> 32) as usize % WORDS.len()]);
            }
            let frame = decode(&Row::new(&line, Field::ALL), frame_no);
            assert!(frame.airtime_us.is_none_or(|us| us.is_finite() && us >= 0.0));
        }
    }

    #[test]
    fn a_line_becomes_a_row() {
        let printed = [Field::FrameTime, Field::RecordBytes, Field::CapturedBytes, Field::Protocols, Field::RadioRate];
        let mac = [Field::TypeSubtype, Field::Duration, Field::Ra];
        let line = "1.5\t14\t14\twlan_radio:wlan\t6\t0x001d\t0\t02:00:00:00:00:01";
        let frame = decode(&Row::new(line, &[printed.as_slice(), &mac].concat()), 7);
        assert_eq!((frame.frame_no, frame.ts_ns, frame.kind), (7, 1_500_000_000, FrameKind::Ack));
        assert_eq!((frame.length_bytes, frame.nav_us, frame.rate_mbps), (Some(18), Some(0), Some(6.0)));
        assert_eq!(frame.ra, Addr::parse("02:00:00:00:00:01"));
        assert!(frame.assumptions.contains(Assumptions::FCS_PRESENT));
        assert_eq!(
            decode(&Row::new("1.5\t60\t60\teth:ethertype:ip", &printed), 1).parse_error,
            Some(ParseError::LinkType)
        );
    }
}
