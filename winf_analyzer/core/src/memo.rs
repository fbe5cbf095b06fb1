//! The last answers to questions that rows ask again and again.

/// Slots of a [`Memo`]: 256, which stay in the cache.
const SLOT_BITS: u32 = 8;

/// Values found last, by key: a slot for each of a few hundred keys, in which the later takes the place of the former.
pub struct Memo<K, V> {
    slots: Vec<Option<(K, V)>>,
}

impl<K: Clone, V: Clone> Default for Memo<K, V> {
    fn default() -> Self {
        Self { slots: vec![None; 1 << SLOT_BITS] }
    }
}

impl<K: Copy + Eq + Into<u128>, V: Copy> Memo<K, V> {
    /// The value of a key: the one remembered, else the one found now.
    #[inline]
    pub fn get_or(&mut self, key: K, find: impl FnOnce() -> V) -> V {
        let wide: u128 = key.into();
        // Fibonacci hashing: the upper bits depend on all of them.
        let mixed = (wide as u64 ^ (wide >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut self.slots[(mixed >> (u64::BITS - SLOT_BITS)) as usize];
        match *slot {
            Some((known, value)) if known == key => value,
            _ => slot.insert((key, find())).1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_are_remembered_are_found_again() {
        let (mut memo, mut found) = (Memo::default(), 0);
        for round in 0..3 {
            for key in (0..1000_u64).chain([u64::MAX]) {
                let value = memo.get_or(key, || {
                    found += 1;
                    key
                });
                assert_eq!(value, key);
            }
            assert!(found >= 1001 + 700 * round, "places are shared");
        }
        let before = found;
        assert_eq!([memo.get_or(7, || 7), memo.get_or(7, || unreachable!())], [7, 7]);
        assert!(found == before);
    }
}
