//! The window field of TCP's header (RFC 9293, sec. 3.1), which C3TCP's module at the source lowers in acknowledgements
//! that pass (S001 sec. 4.4).

use crate::packet::Packet;

/// Octets of a header without options.
pub const HEADER: usize = 20;
const WINDOW: std::ops::Range<usize> = 14..16;
const CHECKSUM: std::ops::Range<usize> = 16..18;
/// Of the data offset in words and of the flag ACK, in octets 12 and 13.
const OFFSET_AND_ACK: u16 = 5 << 12 | 1 << 4;

/// The header of an acknowledgement whose window is in units of `2^scale` octets; numbers count segments here.
#[must_use]
pub fn encode(ack: &Packet, scale: u8) -> [u8; HEADER] {
    let mut octets = [0; HEADER];
    octets[8..12].copy_from_slice(&(ack.cumulative as u32).to_be_bytes());
    octets[12..14].copy_from_slice(&OFFSET_AND_ACK.to_be_bytes());
    octets[WINDOW].copy_from_slice(&units(ack.receive_window_bytes.into(), scale).to_be_bytes());
    let sum = !checksum(&octets);
    octets[CHECKSUM].copy_from_slice(&sum.to_be_bytes());
    octets
}

/// Leaves the lesser of the reported window and `bytes` in the field, and the checksum right (RFC 1624, eq. 3).
pub fn lower(header: &mut [u8; HEADER], scale: u8, bytes: f64) {
    let reported = word(header, WINDOW.start);
    let lowered = units(bytes, scale).min(reported);
    let sum = add(add(!word(header, CHECKSUM.start), !reported), lowered);
    header[WINDOW].copy_from_slice(&lowered.to_be_bytes());
    header[CHECKSUM].copy_from_slice(&(!sum).to_be_bytes());
}

/// The window that TCP reads, octets.
#[must_use]
pub fn window_bytes(header: &[u8; HEADER], scale: u8) -> u32 {
    u32::from(word(header, WINDOW.start)) << scale
}

/// Whole units of `2^scale` octets, as many as the field holds.
fn units(bytes: f64, scale: u8) -> u16 {
    // Values beyond the field, infinity among them, become its greatest.
    (bytes / f64::from(1_u32 << scale)).floor() as u16
}

fn word(octets: &[u8; HEADER], at: usize) -> u16 {
    u16::from_be_bytes([octets[at], octets[at + 1]])
}

/// Sum of the words in one's complement.
fn checksum(octets: &[u8; HEADER]) -> u16 {
    (0..HEADER).step_by(2).fold(0, |sum, at| add(sum, word(octets, at)))
}

fn add(a: u16, b: u16) -> u16 {
    let (sum, carry) = a.overflowing_add(b);
    sum + u16::from(carry)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::controllers::test_flow::packet;
    use crate::packet::{Header, PacketKind};

    fn ack(receive_window_bytes: u32) -> Packet {
        Packet { receive_window_bytes, cumulative: 70_000, ..packet(PacketKind::Ack, 40, Header::None) }
    }

    #[test]
    fn the_lesser_window_stands_in_the_field_in_whole_units() {
        for (scale, reported, computed, read) in [
            (0, 20_000, 2_774.9, 2_774),
            (0, 2_000, 2_774.9, 2_000),
            (0, 1 << 20, f64::INFINITY, 65_535),
            (7, 1 << 20, 2_774.9, 21 * 128),
            (14, 1 << 20, 9_000.0, 0),
        ] {
            let mut header = encode(&ack(reported), scale);
            lower(&mut header, scale, computed);
            assert_eq!(window_bytes(&header, scale), read, "{scale} {reported} {computed}");
        }
    }

    proptest! {
        /// A receiver adds all words, the checksum among them, and gets ones.
        #[test]
        fn the_checksum_stays_right(reported in 0_u32..2_000_000, computed in 0.0..2e6_f64, scale in 0_u8..15) {
            let mut header = encode(&ack(reported), scale);
            prop_assert_eq!(checksum(&header), u16::MAX);
            lower(&mut header, scale, computed);
            prop_assert_eq!(checksum(&header), u16::MAX);
        }
    }
}
