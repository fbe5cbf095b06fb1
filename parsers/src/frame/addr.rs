//! Station addresses: a 48-bit MAC address or a simulator node number in one 64-bit word.

use std::fmt;
use std::num::NonZeroU64;

const MAC_TAG: u64 = 1 << 48;
const NODE_TAG: u64 = 1 << 49;
const GROUP_BIT: u64 = 1 << 40;

/// A station: an IEEE 802 MAC address, or a simulator's node number.
///
/// The word is non-zero, so `Option<Addr>` has the same size as `Addr`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Addr(NonZeroU64);

impl Addr {
    /// The broadcast address `ff:ff:ff:ff:ff:ff`.
    pub const BROADCAST: Addr = Addr::mac([0xff; 6]);

    /// The address `00:00:00:00:00:00`, which no station has: drivers put it where they know none.
    pub const NONE: Addr = Addr::mac([0; 6]);

    /// A MAC address from its six octets in transmission order.
    pub const fn mac(octets: [u8; 6]) -> Addr {
        let [a, b, c, d, e, f] = octets;
        let bits = u64::from_be_bytes([0, 0, a, b, c, d, e, f]) | MAC_TAG;
        match NonZeroU64::new(bits) {
            Some(word) => Addr(word),
            None => unreachable!(), // MAC_TAG is set
        }
    }

    /// A simulator node, written `node-3`.
    pub const fn node(number: u32) -> Addr {
        match NonZeroU64::new(number as u64 | NODE_TAG) {
            Some(word) => Addr(word),
            None => unreachable!(), // NODE_TAG is set
        }
    }

    /// Reads `aa:bb:cc:dd:ee:ff` (either case) or `node-3`.
    pub fn parse(text: &str) -> Option<Addr> {
        if let Some(number) = text.strip_prefix("node-") {
            return number.parse().ok().map(Addr::node);
        }
        let mut octets = [0u8; 6];
        let mut parts = text.split(':');
        for octet in &mut octets {
            let part = parts.next().filter(|p| p.len() == 2)?;
            *octet = u8::from_str_radix(part, 16).ok()?;
        }
        parts.next().is_none().then_some(Addr::mac(octets))
    }

    /// True for broadcast and multicast addresses, whose frames are not acknowledged.
    pub const fn is_group(self) -> bool {
        self.0.get() & (MAC_TAG | GROUP_BIT) == (MAC_TAG | GROUP_BIT)
    }

    /// True for an address that a station may have: neither a group's nor the one of zeros.
    pub fn is_station(self) -> bool {
        !self.is_group() && self != Addr::NONE
    }

    /// The individual address of the station. The group bit can signal a bandwidth instead, as in the TA of control
    /// frames (IEEE 802.11-2020, 9.2.4.3.8); this clears it.
    pub const fn individual(self) -> Addr {
        if !self.is_group() {
            return self;
        }
        match NonZeroU64::new(self.0.get() & !GROUP_BIT) {
            Some(word) => Addr(word),
            None => unreachable!(), // MAC_TAG is set
        }
    }

    /// The raw word, for use as a hash key.
    pub const fn bits(self) -> u64 {
        self.0.get()
    }
}

impl fmt::Display for Addr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.0.get();
        if bits & NODE_TAG != 0 {
            return write!(f, "node-{}", bits & 0xffff_ffff);
        }
        let [_, _, a, b, c, d, e, g] = bits.to_be_bytes();
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl fmt::Debug for Addr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for text in ["00:00:00:00:00:00", "0a:1b:2c:3d:4e:5f", "node-0", "node-4294967295"] {
            assert_eq!(Addr::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Addr::parse("AA:BB:CC:DD:EE:FF").unwrap().to_string(), "aa:bb:cc:dd:ee:ff");
    }

    #[test]
    fn malformed_text_is_refused() {
        for text in ["", "aa:bb:cc:dd:ee", "aa:bb:cc:dd:ee:ff:00", "a:b:c:d:e:f", "node-", "node-x"] {
            assert_eq!(Addr::parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_mac_addresses_can_be_groups() {
        assert!(Addr::BROADCAST.is_group());
        assert!(Addr::mac([0x01, 0, 0x5e, 0, 0, 1]).is_group());
        assert!(!Addr::mac([0x02, 0, 0, 0, 0, 1]).is_group());
        assert!(!Addr::node(0xffff_ffff).is_group());
        assert_eq!(Addr::mac([0x03, 0, 0, 0, 0, 1]).individual(), Addr::mac([0x02, 0, 0, 0, 0, 1]));
        assert_eq!(Addr::node(0xffff_ffff).individual(), Addr::node(0xffff_ffff));
        assert!(Addr::node(0).is_station() && Addr::mac([0, 0, 0, 0, 0, 1]).is_station());
        assert!(!Addr::NONE.is_station() && !Addr::BROADCAST.is_station());
        assert_eq!(std::mem::size_of::<Option<Addr>>(), 8);
    }
}
