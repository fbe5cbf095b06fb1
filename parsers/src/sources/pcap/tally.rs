//! Counts damage of single frames, so that a damaged file does not produce a warning per frame.

use crate::base::{Warning, WarningCode};
use crate::frame::ParseError;
use crate::ieee80211::radiotap;

/// The fault of one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The radiotap header, wholly or partly damaged.
    Radiotap,
    /// A radiotap bit that is not in the registry.
    RadiotapBit(u32),
    /// A Prism, AVS or PPI header.
    CaptureHeader,
    /// The MAC header.
    Header,
    /// The time stamp.
    Time,
    /// A frame of an unsupported link type.
    LinkType,
}

impl Fault {
    /// The fault reported by the decoders, if any. A bad FCS is not a fault of the recording.
    pub fn of(parse_error: Option<ParseError>, radiotap: Option<radiotap::Fault>) -> Option<Fault> {
        match (parse_error, radiotap) {
            (Some(ParseError::RadiotapCut | ParseError::RadiotapVersion), _) | (_, Some(radiotap::Fault::Overrun)) => {
                Some(Fault::Radiotap)
            }
            (_, Some(radiotap::Fault::UnknownBit(bit))) => Some(Fault::RadiotapBit(bit)),
            (Some(ParseError::CaptureHeader), _) => Some(Fault::CaptureHeader),
            (Some(ParseError::LinkType), _) => Some(Fault::LinkType),
            (Some(ParseError::HeaderCut | ParseError::ProtocolVersion), None) => Some(Fault::Header),
            _ => None,
        }
    }
}

/// Number of occurrences, and the first one.
#[derive(Clone, Copy, Debug)]
struct Count {
    frames: u64,
    first_frame: u64,
    first_offset: u64,
}

/// Counts per fault, and the reason if the recording ended early.
#[derive(Debug, Default)]
pub(super) struct Tally {
    radiotap: Option<Count>,
    radiotap_bit: Option<(u32, Count)>,
    capture_header: Option<Count>,
    header: Option<Count>,
    time: Option<Count>,
    link_type: Option<Count>,
    end: Option<Warning>,
}

impl Tally {
    /// Counts a fault of frame `frame_no`, whose record starts at `offset`.
    pub fn add(&mut self, fault: Fault, frame_no: u64, offset: u64) {
        let first = Count { frames: 0, first_frame: frame_no, first_offset: offset };
        let count = match fault {
            Fault::Radiotap => self.radiotap.get_or_insert(first),
            Fault::RadiotapBit(bit) => &mut self.radiotap_bit.get_or_insert((bit, first)).1,
            Fault::CaptureHeader => self.capture_header.get_or_insert(first),
            Fault::Header => self.header.get_or_insert(first),
            Fault::Time => self.time.get_or_insert(first),
            Fault::LinkType => self.link_type.get_or_insert(first),
        };
        count.frames += 1;
    }

    /// Records why reading stopped after frame `frame_no`.
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
        let plain =
            |count: Option<Count>, code, message: &str| count.map(|count| counted(count, code, message.to_owned()));
        let radiotap = plain(self.radiotap, WarningCode::RadiotapDamaged, "damaged radiotap header");
        let bit = self.radiotap_bit.map(|(bit, count)| {
            let message = format!("radiotap bit {bit} is not known and ends the reading of the header");
            counted(count, WarningCode::RadiotapUnknownBit, message)
        });
        let capture_header =
            plain(self.capture_header, WarningCode::CaptureHeaderDamaged, "damaged Prism, AVS or PPI header");
        let header = plain(self.header, WarningCode::HeaderUnreadable, "802.11 header not readable");
        let time = self.time.map(|count| Warning {
            message: format!(
                "impossible time stamp in {}, first in this one; each has the time of a frame beside it",
                frames(count.frames)
            ),
            ..counted(count, WarningCode::TimeImpossible, String::new())
        });
        let link_type = plain(self.link_type, WarningCode::OtherLinkType, "link type other than 802.11");
        [radiotap, bit, capture_header, header, time, link_type, self.end.clone()].into_iter().flatten().collect()
    }
}

fn frames(count: u64) -> String {
    if count == 1 {
        "1 frame".to_owned()
    } else {
        format!("{count} frames")
    }
}
