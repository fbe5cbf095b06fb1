//! The RLE/bit-packing hybrid (Parquet's Encodings.md, RLE = 3): runs of one value, and groups of packed values.

use super::bits::{pack, put_number, GROUP};

/// Equal octets of a bitmap that become a run; fewer cost less as part of what is around them.
const RUN_OCTETS: usize = 4;

/// Appends `values`, each below `1 << width`.
pub fn put_values(values: &[u32], width: u8, out: &mut Vec<u8>) {
    let mut rest = values;
    while let Some(&first) = rest.first() {
        let run = rest.iter().position(|value| *value != first).unwrap_or(rest.len());
        let done = if run >= GROUP || run == rest.len() {
            put_run(first, run, width, out);
            run
        } else {
            let groups = rest.chunks(GROUP).take_while(|group| !is_run(group)).count();
            let packed = rest.get(..groups * GROUP).unwrap_or(rest);
            put_number(groups as u64 * 2 + 1, out);
            pack(packed.iter().map(|value| u64::from(*value)), width, out);
            packed.len()
        };
        rest = rest.get(done..).unwrap_or_default();
    }
}

/// Appends the first `len` bits of a bitmap, the lowest bit of an octet first, as values of width 1.
pub fn put_bits(bitmap: &[u8], len: usize, out: &mut Vec<u8>) {
    let bitmap = bitmap.get(..len.div_ceil(GROUP)).unwrap_or(bitmap);
    let (mut packed, mut at) = (0, 0);
    while let Some(&first) = bitmap.get(at) {
        let rest = bitmap.get(at..).unwrap_or_default();
        let run = rest.iter().position(|octet| *octet != first).unwrap_or(rest.len());
        if matches!(first, 0 | 0xff) && run >= RUN_OCTETS {
            put_octets(bitmap.get(packed..at).unwrap_or_default(), out);
            put_run(u32::from(first & 1), (run * GROUP).min(len - at * GROUP), 1, out);
            packed = at + run;
        }
        at += run;
    }
    put_octets(bitmap.get(packed..).unwrap_or_default(), out);
}

fn is_run(group: &[u32]) -> bool {
    group.first().is_some_and(|first| group.iter().all(|value| value == first))
}

fn put_run(value: u32, count: usize, width: u8, out: &mut Vec<u8>) {
    put_number(count as u64 * 2, out);
    out.extend(value.to_le_bytes().into_iter().take(usize::from(width).div_ceil(8)));
}

/// Octets of a bitmap are groups of packed bits as they are.
fn put_octets(octets: &[u8], out: &mut Vec<u8>) {
    if !octets.is_empty() {
        put_number(octets.len() as u64 * 2 + 1, out);
        out.extend_from_slice(octets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(put: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out);
        out
    }

    #[test]
    fn values_are_packed_as_the_format_says() {
        // The example of Encodings.md: 0 to 7 with three bits each.
        assert_eq!(encoded(|out| put_values(&[0, 1, 2, 3, 4, 5, 6, 7], 3, out)), [3, 0x88, 0xc6, 0xfa]);
        assert_eq!(encoded(|out| put_values(&[5; 100], 3, out)), [200, 1, 5]);
        assert_eq!(encoded(|out| put_values(&[1, 0, 1], 1, out)), [3, 0b101]);
        assert_eq!(encoded(|out| put_values(&[0; 9], 0, out)), [18]);
    }

    #[test]
    fn octets_of_a_bitmap_are_kept_or_counted() {
        assert_eq!(encoded(|out| put_bits(&[0xff; 9], 70, out)), [140, 1, 1]);
        assert_eq!(encoded(|out| put_bits(&[0xff, 0x0f, 0, 0, 0, 0], 48, out)), [5, 0xff, 0x0f, 64, 0]);
        assert_eq!(encoded(|out| put_bits(&[0b11], 2, out)), [3, 0b11]);
        assert!(encoded(|out| put_bits(&[], 0, out)).is_empty());
    }
}
