//! The supported link types: number, name, and the header before the MAC frame.

mod avs;
mod cooked;
mod pktap;
mod ppi;
mod prism;
mod radio;
mod remote;

use crate::frame::{Frame, ParseError};
use crate::ieee80211::radiotap;
use cooked::CookedVersion;
use remote::{Network, Remote};

/// The header before the MAC frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encapsulation {
    Radiotap,
    Bare,
    Prism,
    Avs,
    Ppi,
    Cooked(CookedVersion),
    Pktap,
    /// 802.11 frames sent over a network.
    Remote(Network),
}

/// LINKTYPE_ number, name with number for messages, and encapsulation.
const LINK_TYPES: &[(u32, &str, Encapsulation)] = &[
    (127, "802.11 with radiotap header (127)", Encapsulation::Radiotap),
    (105, "802.11 (105)", Encapsulation::Bare),
    (119, "802.11 with Prism header (119)", Encapsulation::Prism),
    (163, "802.11 with AVS header (163)", Encapsulation::Avs),
    (192, "802.11 with PPI header (192)", Encapsulation::Ppi),
    (113, "Linux cooked capture (113)", Encapsulation::Cooked(CookedVersion::One)),
    (276, "Linux cooked capture v2 (276)", Encapsulation::Cooked(CookedVersion::Two)),
    (258, "802.11 with PKTAP header (258)", Encapsulation::Pktap),
    (1, "802.11 sent over Ethernet (1)", Encapsulation::Remote(Network::Ethernet)),
    (101, "802.11 sent over IP (101)", Encapsulation::Remote(Network::Ip)),
    (228, "802.11 sent over IPv4 (228)", Encapsulation::Remote(Network::Ip)),
    (229, "802.11 sent over IPv6 (229)", Encapsulation::Remote(Network::Ip)),
];

impl Encapsulation {
    /// `None` for an unsupported link type.
    pub fn of(link_type: u32) -> Option<Encapsulation> {
        LINK_TYPES.iter().find(|(number, ..)| *number == link_type).map(|&(_, _, encapsulation)| encapsulation)
    }

    /// Name and number, for messages.
    pub fn name(self) -> &'static str {
        LINK_TYPES.iter().find(|(.., encapsulation)| *encapsulation == self).map_or("", |&(_, name, _)| name)
    }

    /// Reads the header at the start of `octets` into the radio columns of `frame`.
    pub fn read(self, octets: &[u8], frame: &mut Frame) -> Result<radiotap::Header, ParseError> {
        match self {
            Encapsulation::Radiotap => radiotap::decode(octets, frame),
            Encapsulation::Bare => Ok(radiotap::Header { length: 0, flags: None, no_psdu: false, fault: None }),
            Encapsulation::Prism if !avs::looks_like(octets) => prism::decode(octets)?.apply(frame),
            Encapsulation::Prism | Encapsulation::Avs => avs::decode(octets)?.apply(frame),
            Encapsulation::Ppi => ppi::decode(octets)?.apply(frame),
            Encapsulation::Cooked(version) => read_behind(cooked::decode(octets, version)?, octets, frame),
            Encapsulation::Pktap => read_behind(pktap::decode(octets)?, octets, frame),
            Encapsulation::Remote(network) => match remote::decode(octets, network)? {
                Remote::Frame(radio) => radio.apply(frame),
                Remote::Header(link_type, at) => read_behind((link_type, at), octets, frame),
            },
        }
    }

    /// Whether records of its link type mostly have no 802.11 frame in them.
    pub fn is_remote(self) -> bool {
        matches!(self, Encapsulation::Remote(_))
    }

    /// The record without what follows the 802.11 frame.
    pub fn without_padding(self, octets: &[u8]) -> &[u8] {
        let end = match self {
            Encapsulation::Remote(network) => remote::end(octets, network),
            _ => None,
        };
        end.and_then(|end| octets.get(..end)).unwrap_or(octets)
    }
}

/// Reads the header of link type `inner` at offset `at` of the record, after an outer header.
fn read_behind((inner, at): (u32, usize), octets: &[u8], frame: &mut Frame) -> Result<radiotap::Header, ParseError> {
    let encapsulation = Encapsulation::of(inner).ok_or(ParseError::LinkType)?;
    let header = encapsulation.read(octets.get(at..).unwrap_or_default(), frame)?;
    Ok(radiotap::Header { length: at + header.length, ..header })
}
