//! Differences of successive numbers (Parquet's Encodings.md, DELTA_BINARY_PACKED = 5).

use super::bits::{pack, put_number};

/// Differences per block, which share a minimum.
const BLOCK: usize = 128;
/// Differences per miniblock, which share a width.
const MINIBLOCK: usize = 32;

/// The values, encoded.
pub fn encoded(values: &[i64]) -> Vec<u8> {
    let mut out = Vec::with_capacity(values.len() * 2);
    put_number(BLOCK as u64, &mut out);
    put_number((BLOCK / MINIBLOCK) as u64, &mut out);
    put_number(values.len() as u64, &mut out);
    put_signed(values.first().copied().unwrap_or_default(), &mut out);
    let (mut before, mut differences) = (values.first().copied().unwrap_or_default(), [0; BLOCK]);
    for block in values.get(1..).unwrap_or_default().chunks(BLOCK) {
        for (difference, value) in differences.iter_mut().zip(block) {
            *difference = value.wrapping_sub(before);
            before = *value;
        }
        put_block(differences.get(..block.len()).unwrap_or_default(), &mut out);
    }
    out
}

fn put_block(differences: &[i64], out: &mut Vec<u8>) {
    let least = differences.iter().copied().min().unwrap_or_default();
    let above = |difference: &i64| difference.wrapping_sub(least) as u64;
    put_signed(least, out);
    let mut widths = [0; BLOCK / MINIBLOCK];
    for (width, miniblock) in widths.iter_mut().zip(differences.chunks(MINIBLOCK)) {
        let bits = miniblock.iter().map(above).fold(0, |bits, value| bits | value);
        *width = (u64::BITS - bits.leading_zeros()) as u8;
    }
    out.extend_from_slice(&widths);
    for (width, miniblock) in widths.into_iter().zip(differences.chunks(MINIBLOCK)) {
        let end = out.len() + MINIBLOCK / 8 * usize::from(width);
        pack(miniblock.iter().map(above), width, out);
        out.resize(end, 0);
    }
}

/// Zigzag: small magnitudes are small numbers, whatever their sign.
fn put_signed(number: i64, out: &mut Vec<u8>) {
    put_number(((number << 1) ^ (number >> 63)) as u64, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_packed_as_the_format_says() {
        // The second example of Encodings.md: differences of -2, -2, -2, 1, 1, 1, 1, above -2 in two bits.
        let packed = [3, 2, 0, 0, 0, 0b1100_0000, 0b0011_1111, 0, 0, 0, 0, 0, 0];
        assert_eq!(encoded(&[7, 5, 3, 1, 2, 3, 4, 5]), [&[128, 1, 4, 8, 14], &packed[..]].concat());
        assert_eq!(encoded(&[]), [128, 1, 4, 0, 0]);
    }
}
