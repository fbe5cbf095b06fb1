//! Builds a radiotap header from single fields.

/// A header under construction; its first eight octets are written last.
pub(super) struct HeaderWriter {
    octets: Vec<u8>,
    present: u32,
}

impl HeaderWriter {
    /// Without fields.
    pub fn new() -> HeaderWriter {
        HeaderWriter { octets: vec![0; 8], present: 0 }
    }

    /// Adds the field of `bit`, if there is a value. Fields must be added in bit order; each is aligned to `align`
    /// octets.
    pub fn add<const N: usize>(&mut self, bit: u32, align: usize, value: Option<[u8; N]>) {
        let Some(value) = value else { return };
        self.present |= 1 << bit;
        self.octets.resize(self.octets.len().next_multiple_of(align), 0);
        self.octets.extend(value);
    }

    /// The whole header.
    pub fn finish(mut self) -> Vec<u8> {
        let [low, high, ..] = self.octets.len().to_le_bytes();
        let [a, b, c, d] = self.present.to_le_bytes();
        for (octet, value) in self.octets.iter_mut().zip([0, 0, low, high, a, b, c, d]) {
            *octet = value;
        }
        self.octets
    }
}
