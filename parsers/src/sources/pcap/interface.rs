//! An interface of a capture: one radio with one encapsulation.

use std::fmt;

use super::link::{link_type_name, Link};
use super::record::{Record, Stamp};
use super::timestamp::Resolution;

/// Properties of an interface, from the capture and inferred from its frames.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    /// LINKTYPE_ number.
    pub link_type: u32,
    /// Decoder of its frames; `None` for an unsupported link type.
    pub link: Option<Link>,
    /// Snap length, octets; 0 is no limit.
    pub snap_length: u32,
    /// Unit of its timestamps.
    pub resolution: Resolution,
    /// Seconds to add to its timestamps.
    pub offset_s: i64,
    /// Name of the device; empty if the capture does not contain it.
    pub name: String,
    /// Number of its radio; set at its first frame of a supported link type.
    pub radio: Option<u8>,
}

impl Interface {
    /// An interface with microsecond timestamps and no name. `trailing_fcs` is from the file header.
    pub fn new(link_type: u32, snap_length: u32, trailing_fcs: Option<bool>) -> Interface {
        let link = Link::new(link_type, trailing_fcs);
        let resolution = Resolution::Decimal(6);
        Interface { link_type, link, snap_length, resolution, offset_s: 0, name: String::new(), radio: None }
    }

    /// A timestamp in this interface's unit.
    pub fn stamp(&self, ticks: u64) -> Stamp {
        let since_offset = self.resolution.ns(ticks);
        Stamp::of(since_offset.saturating_add(i128::from(self.offset_s) * 1_000_000_000))
    }

    /// True once: when FCS presence is not declared and has to be inferred from the frames.
    pub fn wants_sample(&self) -> bool {
        self.radio.is_none() && self.link.is_some()
    }

    /// Whether a sample of its records has an 802.11 frame.
    pub fn is_802_11<'a>(&self, sample: impl Iterator<Item = Record<'a>>) -> bool {
        self.link.as_ref().is_some_and(|link| link.is_802_11(sample))
    }

    /// Assigns the radio number, and infers from a sample of its frames whether they end with an FCS.
    pub fn examine<'a>(&mut self, radio: u8, sample: impl Iterator<Item = Record<'a>>) {
        self.radio = Some(radio);
        if let Some(link) = &mut self.link {
            link.find_fcs(sample);
        }
    }

    /// True for the same device and settings, independent of the position of the description in the file.
    pub fn describes_same(&self, other: &Interface) -> bool {
        self.link_type == other.link_type
            && self.snap_length == other.snap_length
            && self.resolution == other.resolution
            && self.offset_s == other.offset_s
            && self.name == other.name
    }

    /// Human-readable description.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![
            ("resolution", self.resolution.to_string()),
            ("link type", self.link_name()),
            ("snap length", self.snap_length.to_string()),
        ];
        if let Some(link) = &self.link {
            facts.push(("fcs", link.fcs_fact().to_owned()));
        }
        if !self.name.is_empty() {
            facts.push(("interface", self.name.clone()));
        }
        facts
    }

    fn link_name(&self) -> String {
        match &self.link {
            Some(link) => link.name().to_owned(),
            None => format!("{} ({}), not read", link_type_name(self.link_type), self.link_type),
        }
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.name.is_empty() { "unnamed" } else { &self.name };
        write!(formatter, "{name}, {}, {}", self.link_name(), self.resolution)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_every_unit_become_nanoseconds() {
        let ns = |resolution, offset_s, ticks| {
            Interface { resolution, offset_s, ..Interface::new(127, 0, None) }.stamp(ticks).ns().unwrap()
        };
        assert_eq!(ns(Resolution::Decimal(6), 0, 1_500_000), 1_500_000_000);
        assert_eq!(ns(Resolution::Decimal(9), -2, 1_500_000_001), -499_999_999);
        assert_eq!(ns(Resolution::Decimal(0), 0, 7), 7_000_000_000);
        assert_eq!(ns(Resolution::Decimal(12), 0, 1_999), 1);
        assert_eq!(ns(Resolution::Binary(10), 1, 512), 1_500_000_000);
        assert_eq!(ns(Resolution::Binary(32), 0, 1 << 31), 500_000_000);
    }

    #[test]
    fn stamps_that_are_no_time_are_told_apart() {
        let stamp = |offset_s, ticks| {
            Interface { resolution: Resolution::Decimal(9), offset_s, ..Interface::new(127, 0, None) }.stamp(ticks)
        };
        assert_eq!(stamp(0, u64::MAX), Stamp::Impossible);
        assert_eq!(stamp(-1 << 33, 1 << 60), Stamp::Impossible);
        assert_eq!(stamp(0, 1 << 62), Stamp::Ns(1 << 62));
    }

    #[test]
    fn absurd_units_and_stamps_do_not_overflow() {
        for exponent in 0..=127 {
            for resolution in [Resolution::Decimal(exponent), Resolution::Binary(exponent)] {
                for offset_s in [i64::MIN, 0, i64::MAX] {
                    let interface = Interface { resolution, offset_s, ..Interface::new(127, 0, None) };
                    interface.stamp(0);
                    interface.stamp(u64::MAX);
                }
            }
        }
    }
}
