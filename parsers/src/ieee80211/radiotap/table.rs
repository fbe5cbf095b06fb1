//! The radiotap fields: one row per bit of the present word, or type of item.
//!
//! Sizes and alignments: <https://www.radiotap.org/fields/defined>.

use super::decoding::Decoding;
use super::{common, eht, he, ht, vht};

/// One bit of the present word, or one type of type-length-value item.
pub struct Field {
    /// Bit number in the present word, or type.
    pub bit: u8,
    /// Name in the radiotap registry.
    pub name: &'static str,
    /// Alignment in octets, from the start of the radiotap header.
    pub align: usize,
    /// Size in octets; for an item, the usual size.
    pub size: usize,
    /// Applies the field. The slice has exactly `size` octets; for an item, it has the item's length. `None` means that
    /// the field has no information.
    pub(super) apply: fn(&mut Decoding<'_>, &[u8]) -> Option<()>,
}

/// The field of a bit in the radiotap namespace, where one is defined.
pub fn field(bit: u32) -> Option<&'static Field> {
    FIELDS.get(usize::try_from(bit).ok()?)
}

/// The item of a type that is no bit of the present word, where one is defined.
pub fn item(number: u16) -> Option<&'static Field> {
    ITEMS.iter().find(|item| u16::from(item.bit) == number)
}

const fn row(
    bit: u8,
    name: &'static str,
    align: usize,
    size: usize,
    apply: fn(&mut Decoding<'_>, &[u8]) -> Option<()>,
) -> Field {
    Field { bit, name, align, size, apply }
}

/// Every field with a fixed size, in bit order. Bit 28 (TLVs) ends the fixed fields; bits 29 to 31 control the present
/// words.
pub static FIELDS: [Field; 28] = [
    row(0, "TSFT", 8, 8, common::tsft),
    row(1, "flags", 1, 1, common::flags),
    row(2, "rate", 1, 1, common::rate),
    row(3, "channel", 2, 4, common::channel),
    row(4, "FHSS", 2, 2, common::skip),
    row(5, "antenna signal dBm", 1, 1, common::antenna_signal),
    row(6, "antenna noise dBm", 1, 1, common::antenna_noise),
    row(7, "lock quality", 2, 2, common::skip),
    row(8, "TX attenuation", 2, 2, common::skip),
    row(9, "TX attenuation dB", 2, 2, common::skip),
    row(10, "TX power dBm", 1, 1, common::skip),
    row(11, "antenna", 1, 1, common::antenna),
    row(12, "antenna signal dB", 1, 1, common::received),
    row(13, "antenna noise dB", 1, 1, common::skip),
    row(14, "RX flags", 2, 2, common::received),
    row(15, "TX flags", 2, 2, common::sent),
    row(16, "RTS retries", 1, 1, common::skip),
    row(17, "data retries", 1, 1, common::skip),
    row(18, "XChannel", 4, 8, common::xchannel),
    row(19, "MCS", 1, 3, ht::mcs),
    row(20, "A-MPDU status", 4, 8, common::ampdu_status),
    row(21, "VHT", 2, 12, vht::vht),
    row(22, "timestamp", 8, 12, common::timestamp),
    row(23, "HE", 2, 12, he::he),
    row(24, "HE-MU", 2, 12, he::he_mu),
    row(25, "HE-MU-other-user", 2, 6, common::skip),
    row(26, "0-length-PSDU", 1, 1, common::no_psdu),
    row(27, "L-SIG", 2, 4, common::l_sig),
];

/// Every item type beyond those bits. The 900 MHz PHY (S1G) is not supported.
pub static ITEMS: [Field; 3] =
    [row(32, "S1G", 4, 6, common::skip), row(33, "U-SIG", 4, 12, eht::u_sig), row(34, "EHT", 4, 44, eht::eht)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stands_at_its_bit() {
        for (place, field) in FIELDS.iter().enumerate() {
            assert_eq!(usize::from(field.bit), place, "{}", field.name);
            assert!(field.align.is_power_of_two() && field.size > 0, "{}", field.name);
        }
    }
}
