//! The hybrid of runs and bit-packed values (Apache Parquet, Encodings: RLE = 3).

/// Octets of a bitmap, all alike, that are worth a run.
const SHORTEST_OCTET_RUN: usize = 8;

/// Appends the bits of `bitmap`, lowest first, `length` of them: levels of one bit.
pub(super) fn encode_bits(bitmap: &[u8], length: usize, out: &mut Vec<u8>) {
    let octets = bitmap.get(..length.div_ceil(8)).unwrap_or(bitmap);
    let whole = length / 8;
    let (mut packed, mut at) = (0, 0);
    while at < whole {
        let alike = octets[at..whole].iter().take_while(|&&octet| octet == octets[at]).count();
        if matches!(octets[at], 0x00 | 0xff) && alike >= SHORTEST_OCTET_RUN {
            put_packed(&octets[packed..at], out);
            put_varint((alike as u64 * 8) << 1, out);
            out.push(octets[at] & 1);
            packed = at + alike;
        }
        at += alike;
    }
    put_packed(&octets[packed..], out);
}

/// Appends `count` times the level 1.
pub(super) fn encode_ones(count: usize, out: &mut Vec<u8>) {
    put_varint((count as u64) << 1, out);
    out.push(1);
}

/// Appends `codes`, each below 2 to the `width`, which is 32 at the most.
pub(super) fn encode_codes(codes: &[u32], width: u32, out: &mut Vec<u8>) {
    // A run and the header behind it take three octets; eight packed values take as many octets as each has bits.
    let shortest_run = if width < 4 { 16 } else { 8 };
    let (mut packed, mut at) = (0, 0);
    while let Some(&code) = codes.get(at) {
        let run = codes[at..].iter().take_while(|&&other| other == code).count();
        // Packed values come in groups of eight: the run gives what is missing to the last one.
        let missing = (at - packed).next_multiple_of(8) - (at - packed);
        if run >= missing + shortest_run {
            put_codes(&codes[packed..at + missing], width, out);
            put_varint(((run - missing) as u64) << 1, out);
            out.extend_from_slice(&code.to_le_bytes()[..width.div_ceil(8) as usize]);
            packed = at + run;
        }
        at += run;
    }
    put_codes(&codes[packed..], width, out);
}

/// Appends values of `width` bits each, the first in the lowest bits, and zeros up to the next octet.
pub(super) fn pack(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    let (mut bits, mut count) = (0u128, 0);
    for value in values {
        bits |= u128::from(value) << count;
        count += width;
        if count >= u64::BITS {
            out.extend_from_slice(&(bits as u64).to_le_bytes());
            bits >>= u64::BITS;
            count -= u64::BITS;
        }
    }
    out.extend_from_slice(&bits.to_le_bytes()[..count.div_ceil(8) as usize]);
}

/// Appends an unsigned LEB128 number.
pub(super) fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_packed(octets: &[u8], out: &mut Vec<u8>) {
    if !octets.is_empty() {
        put_varint((octets.len() as u64) << 1 | 1, out);
        out.extend_from_slice(octets);
    }
}

fn put_codes(codes: &[u32], width: u32, out: &mut Vec<u8>) {
    if !codes.is_empty() {
        let groups = codes.len().div_ceil(8);
        put_varint((groups as u64) << 1 | 1, out);
        let padding = std::iter::repeat_n(0, groups * 8 - codes.len());
        pack(codes.iter().map(|&code| code.into()).chain(padding), width, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The format's description, read word for word.
    fn decode(mut octets: &[u8], width: u32, count: usize) -> Vec<u32> {
        let mut values = Vec::new();
        let mut next = || {
            let (first, rest) = octets.split_first().unwrap();
            octets = rest;
            *first
        };
        while values.len() < count {
            let (mut header, mut shift) = (0u64, 0);
            loop {
                let octet = next();
                header |= u64::from(octet & 0x7f) << shift;
                shift += 7;
                if octet < 0x80 {
                    break;
                }
            }
            if header & 1 == 0 {
                let value = (0..width.div_ceil(8)).fold(0, |value, octet| value | u32::from(next()) << (8 * octet));
                values.extend(std::iter::repeat_n(value, (header >> 1) as usize));
            } else {
                let packed: Vec<u8> = (0..(header >> 1) * u64::from(width)).map(|_| next()).collect();
                let bit = |at: usize| u32::from(packed[at / 8] >> (at % 8) & 1);
                let values_in = (header >> 1) as usize * 8;
                let value =
                    |number| (0..width as usize).fold(0, |value, at| value | bit(number * width as usize + at) << at);
                values.extend((0..values_in).map(value));
            }
        }
        assert!(octets.is_empty() && values[count..].iter().all(|&padding| padding == 0));
        values.truncate(count);
        values
    }

    /// Runs of all lengths between values that differ.
    fn values(limit: u32) -> Vec<u32> {
        let runs = (1..60u32).chain([500, 1, 1, 1, 7, 8, 9, 15, 16, 17, 1000]);
        runs.enumerate()
            .flat_map(|(number, run)| vec![(number as u32).wrapping_mul(2_654_435_761) % limit; run as usize])
            .collect()
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        for (width, limit) in [(1, 2), (2, 3), (5, 31), (8, 256), (13, 8000), (18, 200_000), (32, u32::MAX)] {
            let codes = values(limit);
            for length in [0, 1, 7, 8, 9, 100, codes.len()] {
                let mut out = Vec::new();
                encode_codes(&codes[..length], width, &mut out);
                assert_eq!(decode(&out, width, length), codes[..length], "{width} bits, {length} values");
            }
        }
        let mut out = Vec::new();
        encode_codes(&[0; 20_000], 0, &mut out);
        assert_eq!(out, [0xc0, 0xb8, 0x02]);
    }

    #[test]
    fn bitmaps_are_decoded_bit_by_bit() {
        let bits: Vec<u32> = values(2);
        for length in [0, 1, 8, 63, 64, 65, 200, bits.len()] {
            let mut bitmap = vec![0u8; length.div_ceil(8)];
            bits[..length].iter().enumerate().for_each(|(at, &bit)| bitmap[at / 8] |= (bit as u8) << (at % 8));
            let mut out = Vec::new();
            encode_bits(&bitmap, length, &mut out);
            assert_eq!(decode(&out, 1, length), bits[..length]);
        }
    }
}
