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

impl<K: Hash + Eq + Copy, V: Copy> Cache<K, V> {
    /// Room for `capacity` entries, rounded up to a power of two.
    pub(super) fn new(capacity: usize) -> Cache<K, V> {
        let sets = (capacity / WAYS).max(1).next_power_of_two();
        Cache { sets: vec![[None; WAYS]; sets], hasher: RandomState::new() }
    }

    /// The value of a key, which becomes the most recently used of its set.
    pub(super) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let set = self.set(key);
        let found = set.iter().position(|entry| matches!(entry, Some((k, _)) if *k == key))?;
        set.get_mut(..=found)?.rotate_right(1);
        set.first_mut()?.as_mut().map(|(_, value)| value)
    }

    /// Sets the value of a key.
    pub(super) fn insert(&mut self, key: K, value: V) {
        if let Some(kept) = self.get_mut(key) {
            *kept = value;
            return;
        }
        let set = self.set(key);
        set.rotate_right(1);
        set[0] = Some((key, value));
    }

    fn set(&mut self, key: K) -> &mut [Option<(K, V)>; WAYS] {
        let index = self.hasher.hash_one(key) as usize & (self.sets.len() - 1);
        &mut self.sets[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_forgets_its_least_recently_used_entry() {
        let mut cache = Cache::new(WAYS);
        for key in 0..4 {
            cache.insert(key, key * 10);
        }
        assert_eq!(cache.get_mut(0).copied(), Some(0));
        cache.insert(4, 40);
        assert_eq!(cache.get_mut(1), None);
        assert_eq!([0, 2, 3, 4].map(|key| cache.get_mut(key).copied()), [Some(0), Some(20), Some(30), Some(40)]);
        cache.insert(4, 41);
        assert_eq!(cache.get_mut(4).copied(), Some(41));
    }
}
