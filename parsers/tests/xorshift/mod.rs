//! Random numbers for tests: the same in every run.

/// xorshift64*, begun with what it holds.
pub struct Random(pub u64);

impl Random {
    /// 40 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 24
    }

    /// A number from 0 up to, and without, `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}
