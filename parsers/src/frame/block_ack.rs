//! Which MPDUs a BlockAck acknowledges.

/// Octets kept of a bitmap: the 256 MPDUs of HE. Longer EHT bitmaps (up to 1024 MPDUs) are truncated.
const OCTETS: u16 = 32;
/// The same in words of 64 bits.
const WORDS: usize = OCTETS as usize / 8;

/// Starting sequence number and bitmap of a BlockAck with one TID (IEEE 802.11-2020, 9.3.1.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockAckBitmap {
    start_seq: u16,
    octets: u16,
    words: [u64; WORDS],
}

impl BlockAckBitmap {
    /// From the starting sequence number, 0 to 4095, and the bitmap in transmission order.
    pub fn new(start_seq: u16, octets: &[u8]) -> BlockAckBitmap {
        let mut words = [0; WORDS];
        for (word, octets) in words.iter_mut().zip(octets.chunks(8)) {
            *word = octets.iter().rev().fold(0, |word, &octet| word << 8 | u64::from(octet));
        }
        let kept = u16::try_from(octets.len()).map_or(OCTETS, |octets| octets.min(OCTETS));
        BlockAckBitmap { start_seq, octets: kept, words }
    }

    /// The sequence number of the first bit.
    pub fn start_seq(&self) -> u16 {
        self.start_seq
    }

    /// Number of sequence numbers that the bitmap covers, from the starting one on.
    pub fn bits(&self) -> u16 {
        8 * self.octets
    }

    /// True if acknowledged, false if reported missing, `None` outside the bitmap.
    pub fn acknowledges(&self, seq: u16) -> Option<bool> {
        let bit = seq.wrapping_sub(self.start_seq) & 0x0fff;
        let word = self.words.get(usize::from(bit / 64)).filter(|_| bit < self.bits())?;
        Some(word >> (bit % 64) & 1 == 1)
    }

    /// The newest sequence number that is acknowledged; `None` if none is.
    pub fn newest(&self) -> Option<u16> {
        let (index, word) = self.words.iter().enumerate().rfind(|(_, word)| **word != 0)?;
        let newest = 64 * u16::try_from(index).ok()? + 63 - u16::try_from(word.leading_zeros()).ok()?;
        Some(self.start_seq.wrapping_add(newest) & 0x0fff)
    }

    /// Number of acknowledged MPDUs.
    pub fn acknowledged(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// The octets in hexadecimal, in transmission order: bit 0 of the first octet is the starting sequence number.
    pub fn hex(&self) -> String {
        use std::fmt::Write;
        let mut text = String::with_capacity(2 * usize::from(self.octets));
        for octet in self.words.iter().flat_map(|word| word.to_le_bytes()).take(self.octets.into()) {
            // Writing to a String cannot fail.
            let _ = write!(text, "{octet:02x}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_count_from_the_starting_sequence_number_and_wrap() {
        let bitmap = BlockAckBitmap::new(4094, &[0b0000_0101, 0, 0, 0, 0, 0, 0, 0x80]);
        assert_eq!((bitmap.bits(), bitmap.acknowledged()), (64, 3));
        let of = |seq| bitmap.acknowledges(seq);
        assert_eq!(
            [of(4094), of(4095), of(0), of(61), of(62), of(4093)],
            [Some(true), Some(false), Some(true), Some(true), None, None]
        );
        assert_eq!(bitmap.hex(), "0500000000000080");
        assert_eq!(bitmap.newest(), Some(61));
        assert_eq!(BlockAckBitmap::new(4094, &[0b0000_0001, 0]).newest(), Some(4094));
        assert_eq!(BlockAckBitmap::new(4094, &[0, 0]).newest(), None);
    }

    #[test]
    fn what_is_beyond_256_bits_is_left_out() {
        let bitmap = BlockAckBitmap::new(0, &[0xff; 128]);
        assert_eq!((bitmap.bits(), bitmap.acknowledged(), bitmap.acknowledges(256)), (256, 256, None));
        assert_eq!(BlockAckBitmap::new(7, &[]).acknowledges(7), None);
    }
}
