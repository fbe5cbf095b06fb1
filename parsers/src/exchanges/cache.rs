//! A map of bounded size that evicts old entries.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a set's number is masked by the number of sets, a power of two; several times per frame"
)]

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

/// Entries per set. If a set is full, its least recently used entry is evicted.
const WAYS: usize = 4;

/// Initial number of sets. Most recordings need few, and clearing many sets takes longer than reading a short
/// recording.
const FIRST_SETS: usize = 64;
/// Factor by which the number of sets grows.
const GROWTH: usize = 8;

/// Set-associative cache with a fixed maximum number of entries. A key maps to a set of four entries. Inserting
/// into a full set grows the cache. Once the number of sets is at its maximum, the least recently used entry of
/// the set is evicted instead.
#[derive(Clone, Debug)]
pub(super) struct Cache<K, V> {
    /// The number of sets is a power of two.
    sets: Vec<[Option<(K, V)>; WAYS]>,
    most_sets: usize,
    /// Without a random key: what is evicted is the same in every run.
    hasher: BuildHasherDefault<DefaultHasher>,
}

impl<K: Hash + Eq + Copy, V: Copy + Default> Cache<K, V> {
    /// Empty cache for `capacity` entries, rounded up to a power of two.
    pub(super) fn new(capacity: usize) -> Cache<K, V> {
        let most_sets = (capacity / WAYS).max(1).next_power_of_two();
        Cache { sets: vec![[None; WAYS]; most_sets.min(FIRST_SETS)], most_sets, hasher: BuildHasherDefault::default() }
    }

    /// The value of a key, if it is in the cache.
    pub(super) fn get(&self, key: K) -> Option<V> {
        let set = &self.sets[self.set_of(self.hasher.hash_one(key))];
        set.iter().flatten().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// The value of a key, or a new default value. It becomes the most recently used entry of its set.
    pub(super) fn entry(&mut self, key: K) -> &mut V {
        let hash = self.hasher.hash_one(key);
        let is_key = |entry: &Option<(K, V)>| matches!(entry, Some((known, _)) if *known == key);
        let found = self.sets[self.set_of(hash)].iter().position(is_key);
        while found.is_none() && self.sets[self.set_of(hash)][WAYS - 1].is_some() && self.sets.len() < self.most_sets {
            self.grow();
        }
        let index = self.set_of(hash);
        let set = &mut self.sets[index];
        set[..=found.unwrap_or(WAYS - 1)].rotate_right(1);
        if found.is_none() {
            set[0] = None;
        }
        &mut set[0].get_or_insert_with(|| (key, V::default())).1
    }

    /// Splits every set into several. No entry is evicted.
    fn grow(&mut self) {
        let sets = (self.sets.len() * GROWTH).min(self.most_sets);
        let parted = std::mem::replace(&mut self.sets, vec![[None; WAYS]; sets]);
        // Inserts the most recently used entry last, so that it is first in its set again.
        for (key, value) in parted.into_iter().flat_map(|set| set.into_iter().rev()).flatten() {
            *self.entry(key) = value;
        }
    }

    fn set_of(&self, hash: u64) -> usize {
        hash as usize & (self.sets.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_forgets_its_least_recently_used_entry() {
        let mut cache = Cache::new(WAYS);
        for key in 0..4 {
            *cache.entry(key) = key * 10;
        }
        assert_eq!(*cache.entry(0), 0);
        *cache.entry(4) = 40;
        assert_eq!([0, 1, 2, 3, 4].map(|key| cache.get(key)), [Some(0), None, Some(20), Some(30), Some(40)]);
        *cache.entry(4) += 1;
        assert_eq!(cache.get(4), Some(41));
        assert_eq!(*cache.entry(1), 0, "forgotten");
    }

    #[test]
    fn nothing_is_forgotten_while_it_may_grow() {
        let mut cache = Cache::new(1 << 16);
        for key in 0..500_u32 {
            *cache.entry(key) = key;
        }
        assert!((0..500).all(|key| cache.get(key) == Some(key)));
        (0..1_000_000).for_each(|key| *cache.entry(key) = key);
        assert_eq!(cache.sets.len(), (1 << 16) / WAYS);
        assert_eq!(cache.get(999_999), Some(999_999));
    }

    #[test]
    fn the_same_entries_are_evicted_in_every_run() {
        let kept = || {
            let mut cache = Cache::new(1 << 10);
            (0..5000_u32).for_each(|key| *cache.entry(key) = key);
            (0..5000).filter(|&key| cache.get(key).is_some()).collect::<Vec<_>>()
        };
        assert_eq!(kept(), kept());
    }
}
