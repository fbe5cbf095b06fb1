//! Damage of single frames, counted so that a damaged file cannot flood the warnings.

use crate::frame::ParseError;
use crate::radiotap;
use crate::warning::{Warning, WarningCode};

/// What was wrong with one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The radiotap header, whole or in part.
    Radiotap,
    /// A radiotap bit that is not in the registry.
    RadiotapBit(u32),
    /// The MAC header.
    Header,
}

impl Fault {
    /// The fault that the decoders reported, if any. A bad FCS is no fault of the recording.
    pub fn of(parse_error: Option<ParseError>, radiotap: Option<radiotap::Fault>) -> Option<Fault> {
        match (parse_error, radiotap) {
            (Some(ParseError::RadiotapCut | ParseError::RadiotapVersion), _) | (_, Some(radiotap::Fault::Overrun)) => {
                Some(Fault::Radiotap)
            }
            (_, Some(radiotap::Fault::UnknownBit(bit))) => Some(Fault::RadiotapBit(bit)),
            (Some(ParseError::HeaderCut | ParseError::ProtocolVersion), None) => Some(Fault::Header),
            _ => None,
        }
    }
}

/// How often something happened, and where first.
#[derive(Clone, Copy, Debug)]
struct Count {
    frames: u64,
    first_frame: u64,
    first_offset: u64,
}

/// Counts by fault, and what ended the recording early.
#[derive(Debug, Default)]
pub(super) struct Tally {
    radiotap: Option<Count>,
    radiotap_bit: Option<(u32, Count)>,
    header: Option<Count>,
    end: Option<Warning>,
}

impl Tally {
    /// Counts a fault of the frame `frame_no`, whose record starts at `offset`.
    pub fn add(&mut self, fault: Fault, frame_no: u64, offset: u64) {
        let first = Count { frames: 0, first_frame: frame_no, first_offset: offset };
        let count = match fault {
            Fault::Radiotap => self.radiotap.get_or_insert(first),
            Fault::RadiotapBit(bit) => &mut self.radiotap_bit.get_or_insert((bit, first)).1,
            Fault::Header => self.header.get_or_insert(first),
        };
        count.frames += 1;
    }

    /// Notes why nothing after the frame `frame_no` was read.
    pub fn end(&mut self, code: WarningCode, frame_no: u64, offset: u64, message: String) {
        self.end = Some(Warning { frame_no: Some(frame_no), offset: Some(offset), code, message });
    }

    /// One warning per kind of damage.
    pub fn warnings(&self) -> Vec<Warning> {
        let counted = |count: Count, code, message: String| Warning {
            frame_no: Some(count.first_frame),
            offset: Some(count.first_offset),
            code,
            message: format!("{message} in {}, first in this one", frames(count.frames)),
        };
        let radiotap = self
            .radiotap
            .map(|count| counted(count, WarningCode::RadiotapDamaged, "damaged radiotap header".to_owned()));
        let bit = self.radiotap_bit.map(|(bit, count)| {
            let message = format!("radiotap bit {bit} is not known and ends the reading of the header");
            counted(count, WarningCode::RadiotapUnknownBit, message)
        });
        let header = self
            .header
            .map(|count| counted(count, WarningCode::HeaderUnreadable, "802.11 header not readable".to_owned()));
        [radiotap, bit, header, self.end.clone()].into_iter().flatten().collect()
    }
}

fn frames(count: u64) -> String {
    if count == 1 {
        "1 frame".to_owned()
    } else {
        format!("{count} frames")
    }
}
