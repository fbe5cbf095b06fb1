//! A map that forgets instead of growing.

use std::hash::{BuildHasher, Hash, RandomState};

/// Entries that share a place; the least recently used of them makes room.
const WAYS: usize = 4;

/// Keeps up to a fixed number of entries. A key maps to a set of four places, and inserting into a
/// full set evicts the entry of it that was used longest ago.
#[derive(Clone, Debug)]
pub(super) struct Cache<K, V> {
    sets: Vec<[Option<(K, V)>; WAYS]>,
    hasher: RandomState,
}

impl<K: Hash + Eq + Copy, V: Copy + Default> Cache<K, V> {
    /// Room for `capacity` entries, rounded up to a power of two.
    pub(super) fn new(capacity: usize) -> Cache<K, V> {
        let sets = (capacity / WAYS).max(1).next_power_of_two();
        Cache { sets: vec![[None; WAYS]; sets], hasher: RandomState::new() }
    }

    /// The value of a key, if it is still known.
    pub(super) fn get(&self, key: K) -> Option<V> {
        let set = &self.sets[self.set_of(key)];
        set.iter().flatten().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// The value of a key, or a new one; it becomes the most recently used of its set.
    pub(super) fn entry(&mut self, key: K) -> &mut V {
        let index = self.set_of(key);
        let set = &mut self.sets[index];
        let found = set.iter().position(|entry| matches!(entry, Some((known, _)) if *known == key));
        let used = found.unwrap_or(WAYS - 1);
        set[..=used].rotate_right(1);
        if found.is_none() {
            set[0] = None;
        }
        &mut set[0].get_or_insert_with(|| (key, V::default())).1
    }

    fn set_of(&self, key: K) -> usize {
        self.hasher.hash_one(key) as usize & (self.sets.len() - 1)
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
}
