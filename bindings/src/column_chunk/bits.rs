//! Numbers of any width, packed one behind the other, the lowest bit first.

/// Values whose bits together fill whole octets at every width.
pub const GROUP: usize = 8;

/// Appends the `width` low bits of every value, `width` at most 64; a last group that is not full is filled with zeros.
pub fn pack(values: impl ExactSizeIterator<Item = u64>, width: u8, out: &mut Vec<u8>) {
    let end = out.len() + values.len().div_ceil(GROUP) * usize::from(width);
    out.reserve(end - out.len() + size_of::<u64>());
    let mut bits = Bits::default();
    match width {
        0..=32 => {
            for value in values {
                bits.put(value as u32, width, out);
            }
        }
        _ => {
            for value in values {
                bits.put(value as u32, 32, out);
                bits.put((value >> 32) as u32, width - 32, out);
            }
        }
    }
    out.extend_from_slice(&bits.pending.to_le_bytes());
    out.resize(end, 0);
}

/// Appends a number of seven bits an octet, the lowest first (ULEB128).
pub fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Bits that do not fill an output word yet.
#[derive(Default)]
struct Bits {
    pending: u64,
    count: u8,
}

impl Bits {
    #[inline(always)]
    fn put(&mut self, value: u32, width: u8, out: &mut Vec<u8>) {
        self.pending |= u64::from(value) << self.count;
        self.count += width;
        if self.count >= 32 {
            out.extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.count -= 32;
        }
    }
}
