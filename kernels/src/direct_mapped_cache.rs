//! A direct-mapped cache for per-row lookups.

/// log2 of the slots of a [`DirectMappedCache`]: 256 slots stay in the processor's cache.
const SLOT_BITS: u32 = 8;

/// The values looked up last, by key. Each key has one slot; keys that share a slot evict one another.
pub struct DirectMappedCache<K, V> {
    slots: Vec<Option<(K, V)>>,
}

impl<K: Clone, V: Clone> Default for DirectMappedCache<K, V> {
    fn default() -> Self {
        Self { slots: vec![None; 1 << SLOT_BITS] }
    }
}

impl<K: Copy + Eq + Into<u128>, V: Copy> DirectMappedCache<K, V> {
    /// The cached value of a key; on a miss the value that `find` returns, which is then cached.
    #[inline]
    pub fn get_or_insert_with(&mut self, key: K, find: impl FnOnce() -> V) -> V {
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
    fn evicted_keys_are_looked_up_again() {
        let (mut cache, mut found) = (DirectMappedCache::default(), 0);
        for round in 0..3 {
            for key in (0..1000_u64).chain([u64::MAX]) {
                let value = cache.get_or_insert_with(key, || {
                    found += 1;
                    key
                });
                assert_eq!(value, key);
            }
            assert!(found >= 1001 + 700 * round, "slots are shared");
        }
        let before = found;
        assert_eq!([cache.get_or_insert_with(7, || 7), cache.get_or_insert_with(7, || unreachable!())], [7, 7]);
        assert!(found == before);
    }
}
