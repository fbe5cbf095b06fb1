//! Differences of whole numbers (Apache Parquet, Encodings: DELTA_BINARY_PACKED = 5).

use super::rle::{pack, put_varint};

/// Values of a block, which has one smallest difference.
const BLOCK: usize = 128;
/// Values of a miniblock, which has one width.
const MINIBLOCK: usize = 32;

/// Appends the values.
pub(super) fn encode(values: &[i64], out: &mut Vec<u8>) {
    put_varint(BLOCK as u64, out);
    put_varint((BLOCK / MINIBLOCK) as u64, out);
    put_varint(values.len() as u64, out);
    put_varint(zigzag(values.first().copied().unwrap_or_default()), out);
    let mut deltas = [0i64; BLOCK];
    for start in (1..values.len()).step_by(BLOCK) {
        let pairs = values[start - 1..].windows(2).take(BLOCK);
        let count = pairs.len();
        for (delta, pair) in deltas.iter_mut().zip(pairs) {
            *delta = pair[1].wrapping_sub(pair[0]);
        }
        put_block(&mut deltas, count, out);
    }
}

/// One block, of which the first `count` differences count.
fn put_block(deltas: &mut [i64; BLOCK], count: usize, out: &mut Vec<u8>) {
    let least = deltas[..count].iter().copied().min().unwrap_or_default();
    deltas[..count].iter_mut().for_each(|delta| *delta = delta.wrapping_sub(least));
    deltas[count..].fill(0);
    put_varint(zigzag(least), out);
    let widths_at = out.len();
    out.extend_from_slice(&[0; BLOCK / MINIBLOCK]);
    for (number, miniblock) in deltas[..count.next_multiple_of(MINIBLOCK)].chunks(MINIBLOCK).enumerate() {
        let all = miniblock.iter().fold(0, |all, &delta| all | delta as u64);
        let width = u64::BITS - all.leading_zeros();
        out[widths_at + number] = width as u8;
        pack(miniblock.iter().map(|&delta| delta as u64), width, out);
    }
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_format_description() {
        // Encodings.md: 7, 5, 3, 1, 2, 3, 4, 5; differences -2 -2 -2 1 1 1 1; smallest -2; 2 bits each.
        let mut out = Vec::new();
        encode(&[7, 5, 3, 1, 2, 3, 4, 5], &mut out);
        assert_eq!(out[..6], [0x80, 0x01, 4, 8, 14, 3]);
        assert_eq!(out[6..10], [2, 0, 0, 0]);
        assert_eq!(out[10..], [0b1100_0000, 0b0011_1111, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn no_values_are_a_header_alone() {
        let mut out = Vec::new();
        encode(&[], &mut out);
        assert_eq!(out, [0x80, 0x01, 4, 0, 0]);
    }
}
