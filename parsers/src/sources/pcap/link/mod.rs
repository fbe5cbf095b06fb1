//! Decodes a record into a frame: link-layer header, MAC frame, airtime.

mod encapsulation;

use super::record::Record;
use super::tally::Fault;
use crate::frame::{Assumptions, Frame, ParseError};
use crate::ieee80211::airtime;
use crate::ieee80211::dot11::{self, Mpdu};
use crate::ieee80211::radiotap;
use encapsulation::Encapsulation;

/// Decoding settings for a capture's records.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    encapsulation: Encapsulation,
    /// Whether frames end with an FCS, from the file header. The header of a frame takes precedence.
    declared_fcs: Option<bool>,
    /// The same, inferred from the frames.
    found_fcs: Option<bool>,
}

impl Link {
    /// `None` for an unsupported link type. `declared_fcs` is the FCS presence from the file header.
    pub fn new(link_type: u32, declared_fcs: Option<bool>) -> Option<Link> {
        let encapsulation = Encapsulation::of(link_type)?;
        Some(Link { encapsulation, declared_fcs, found_fcs: None })
    }

    /// Name and number of the link type, for messages.
    pub fn name(&self) -> &'static str {
        self.encapsulation.name()
    }

    /// Source of the FCS presence, for messages.
    pub fn fcs_fact(&self) -> &'static str {
        match (self.declared_fcs, self.found_fcs) {
            (Some(true), _) => "present, says the file header",
            (Some(false), _) => "absent, says the file header",
            (None, Some(true)) => "present, as the CRC of frames or the length of ACKs shows",
            (None, Some(false)) => "absent, as the CRC of frames or the length of ACKs shows",
            (None, None) if self.encapsulation == Encapsulation::Radiotap => "per frame, from radiotap Flags",
            (None, None) => "per frame, from the capture header",
        }
    }

    /// Infers FCS presence from a sample of the capture, if neither file header nor frames declare it.
    pub fn find_fcs<'a>(&mut self, sample: impl Iterator<Item = Record<'a>>) {
        if self.declared_fcs.is_some() {
            return;
        }
        let undeclared = sample.filter(Record::is_whole).filter_map(|record| self.undeclared_mpdu(record.octets));
        let mut undeclared = undeclared.peekable();
        if undeclared.peek().is_some() {
            self.found_fcs = Some(dot11::has_trailing_fcs(undeclared));
        }
    }

    /// Whether any record of a sample is of an 802.11 interface; those of a network may all be of another kind.
    pub fn is_802_11<'a>(&self, mut sample: impl Iterator<Item = Record<'a>>) -> bool {
        let read = |record: Record<'_>| self.encapsulation.read(record.octets, &mut Frame::new(0, 0));
        !self.encapsulation.is_remote() || sample.any(|record| read(record) != Err(ParseError::LinkType))
    }

    /// Decodes a record into `frame`.
    pub fn decode(&self, record: Record<'_>, frame: &mut Frame) -> Option<Fault> {
        let octets = self.encapsulation.without_padding(record.octets);
        let padding = u32::try_from(record.octets.len() - octets.len()).unwrap_or(u32::MAX);
        let record = Record { octets, original_bytes: record.original_bytes.saturating_sub(padding), ..record };
        let radiotap_fault = match self.encapsulation.read(record.octets, frame) {
            Ok(header) => {
                if !self.encapsulation.is_remote() {
                    frame.direction = frame.direction.or(record.marks.direction);
                }
                self.decode_mpdu(record, header, frame);
                header.fault
            }
            Err(error) => {
                frame.parse_error = Some(error);
                None
            }
        };
        airtime::fill(frame);
        Fault::of(frame.parse_error, radiotap_fault)
    }

    fn decode_mpdu(&self, record: Record<'_>, header: radiotap::Header, frame: &mut Frame) {
        let mut octets = record.octets.get(header.length..).unwrap_or_default();
        if header.no_psdu && octets.is_empty() {
            frame.length_bytes = Some(0);
            return;
        }
        let mut recorded_bytes = record.full_bytes().saturating_sub(u32::try_from(header.length).unwrap_or(u32::MAX));
        let mut declared_fcs = header.flags.map(radiotap::Flags::fcs_at_end).or(self.declared_fcs);
        if let (true, Some(true), Some((frame_octets, [0, 0, 0, 0]))) =
            (self.encapsulation.is_remote(), declared_fcs, octets.split_last_chunk())
        {
            // Access points of Cisco send zeros in place of the FCS: nothing tells whether it was right.
            (octets, recorded_bytes, declared_fcs) = (frame_octets, recorded_bytes.saturating_sub(4), Some(false));
        }
        let trailing_fcs = declared_fcs.or(self.found_fcs).unwrap_or(false);
        if declared_fcs.is_none() && !trailing_fcs {
            frame.assumptions.insert(Assumptions::FCS_PRESENT);
        }
        if !record.is_whole() {
            frame.assumptions.insert(Assumptions::CONTAINER_LENGTH);
        }
        // Over a network, the mark is that of the packet that the frame came in.
        let is_marked = record.marks.has_bad_fcs && !self.encapsulation.is_remote();
        let bad_fcs = is_marked || header.flags.is_some_and(radiotap::Flags::bad_fcs);
        let data_pad = header.flags.is_some_and(radiotap::Flags::data_pad);
        dot11::decode(&Mpdu { octets, recorded_bytes, trailing_fcs, bad_fcs, data_pad }, frame);
    }

    /// The MAC frame of a record that does not declare FCS presence.
    fn undeclared_mpdu<'a>(&self, octets: &'a [u8]) -> Option<&'a [u8]> {
        let header = self.encapsulation.read(octets, &mut Frame::new(0, 0)).ok()?;
        octets.get(header.length..).filter(|_| header.flags.is_none())
    }
}

/// Name of a link type, for messages (<https://www.tcpdump.org/linktypes.html>).
pub(super) const fn link_type_name(link_type: u32) -> &'static str {
    match link_type {
        0 | 108 => "BSD loopback",
        1 => "Ethernet",
        9 => "PPP",
        101 | 228 | 229 => "raw IP",
        113 | 276 => "Linux cooked capture of other devices",
        187 | 201 | 251 | 256 => "Bluetooth",
        189 | 220 | 249 => "USB",
        195 | 215 | 230 => "802.15.4",
        _ => "unknown",
    }
}
