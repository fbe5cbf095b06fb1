//! From a record of a capture to a frame: link layer header, MAC frame, airtime.

use super::tally::Fault;
use crate::airtime;
use crate::dot11::{self, Mpdu};
use crate::frame::{Assumptions, Frame};
use crate::radiotap;

/// What stands in front of the MAC frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encapsulation {
    Radiotap,
    Bare,
}

/// How a capture's records are to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    encapsulation: Encapsulation,
    /// Whether frames end with their FCS where their own header does not say so.
    trailing_fcs: Option<bool>,
}

/// A record as it stands in the capture.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub octets: &'a [u8],
    /// Its length before it was cut.
    pub original_bytes: u32,
}

impl Record<'_> {
    /// Length with what the capture left out; some writers leave `original_bytes` zero.
    fn full_bytes(&self) -> u32 {
        self.original_bytes.max(u32::try_from(self.octets.len()).unwrap_or(u32::MAX))
    }

    fn is_whole(&self) -> bool {
        u32::try_from(self.octets.len()) == Ok(self.full_bytes())
    }
}

impl Link {
    /// `None` for a link type that is not read here. `trailing_fcs` is what the file header says.
    pub fn new(link_type: u32, trailing_fcs: Option<bool>) -> Option<Link> {
        let encapsulation = match link_type {
            127 => Encapsulation::Radiotap,
            105 => Encapsulation::Bare,
            _ => return None,
        };
        Some(Link { encapsulation, trailing_fcs })
    }

    /// Name and number, for people.
    pub fn name(&self) -> &'static str {
        match self.encapsulation {
            Encapsulation::Radiotap => "802.11 with radiotap header (127)",
            Encapsulation::Bare => "802.11 (105)",
        }
    }

    /// Whether frames that do not say so end with their FCS; `None` while that is not known.
    pub fn trailing_fcs(&self) -> Option<bool> {
        self.trailing_fcs
    }

    /// Settles from a sample of the capture what neither file header nor frames say about the FCS.
    pub fn settle_trailing_fcs<'a>(&mut self, sample: impl Iterator<Item = Record<'a>>) {
        if self.trailing_fcs.is_some() {
            return;
        }
        let undeclared = sample.filter(Record::is_whole).filter_map(|record| self.undeclared_mpdu(record.octets));
        let mut undeclared = undeclared.peekable();
        if undeclared.peek().is_some() {
            self.trailing_fcs = Some(dot11::has_trailing_fcs(undeclared));
        }
    }

    /// Decodes a record into `frame`.
    pub fn decode(&self, record: Record<'_>, frame: &mut Frame) -> Option<Fault> {
        let result = match self.encapsulation {
            Encapsulation::Radiotap => radiotap::decode(record.octets, frame),
            Encapsulation::Bare => Ok(radiotap::Header { length: 0, flags: None, no_psdu: false, fault: None }),
        };
        let radiotap_fault = match result {
            Ok(header) => {
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
        let octets = record.octets.get(header.length..).unwrap_or_default();
        if header.no_psdu && octets.is_empty() {
            frame.length_bytes = Some(0);
            return;
        }
        let recorded_bytes = record.full_bytes().saturating_sub(u32::try_from(header.length).unwrap_or(u32::MAX));
        let declared = header.flags.map(radiotap::Flags::fcs_at_end).or(self.trailing_fcs);
        let trailing_fcs = declared.unwrap_or(false);
        if header.flags.is_none() && !trailing_fcs {
            frame.assumptions.insert(Assumptions::FCS_PRESENT);
        }
        if !record.is_whole() {
            frame.assumptions.insert(Assumptions::CONTAINER_LENGTH);
        }
        let bad_fcs = header.flags.is_some_and(radiotap::Flags::bad_fcs);
        let data_pad = header.flags.is_some_and(radiotap::Flags::data_pad);
        dot11::decode(&Mpdu { octets, recorded_bytes, trailing_fcs, bad_fcs, data_pad }, frame);
    }

    /// The MAC frame of a record that does not say whether it ends with the FCS.
    fn undeclared_mpdu<'a>(&self, octets: &'a [u8]) -> Option<&'a [u8]> {
        if self.encapsulation == Encapsulation::Bare {
            return Some(octets);
        }
        let header = radiotap::decode(octets, &mut Frame::new(0, 0)).ok()?;
        octets.get(header.length..).filter(|_| header.flags.is_none())
    }
}
