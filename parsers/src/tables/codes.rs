//! Assigns numbers to the distinct values of a column.

use std::hash::{Hash, Hasher};

use ahash::AHashMap;
use rustc_hash::FxHasher;

/// The distinct values so far, numbered in the order of first occurrence.
///
/// About `RECENT` recent values are found without a map lookup: consecutive rows have few distinct values.
pub struct Codes<K, const RECENT: usize = 32> {
    codes: AHashMap<K, i32>,
    keys: Vec<K>,
    /// Cache indexed by a cheap hash. On a miss, the map decides; its hash resists adversarial values.
    recent: Box<[Option<(K, i32)>; RECENT]>,
}

impl<K: Copy, const RECENT: usize> Default for Codes<K, RECENT> {
    fn default() -> Self {
        Codes { codes: AHashMap::new(), keys: Vec::new(), recent: Box::new([None; RECENT]) }
    }
}

impl<K: Copy + Eq + Hash, const RECENT: usize> Codes<K, RECENT> {
    /// The number of `key`.
    #[inline]
    #[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "below RECENT; once per cell")]
    pub fn of(&mut self, key: K) -> i32 {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        let place = (hasher.finish() % RECENT as u64) as usize;
        match self.recent[place] {
            Some((recent, code)) if recent == key => code,
            _ => {
                let code = self.look_up(key);
                self.recent[place] = Some((key, code));
                code
            }
        }
    }

    #[inline(never)]
    fn look_up(&mut self, key: K) -> i32 {
        *self.codes.entry(key).or_insert_with(|| {
            self.keys.push(key);
            i32::try_from(self.keys.len() - 1).unwrap_or(i32::MAX) // rows of a batch are fewer
        })
    }

    /// Number of distinct values.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// True if there is no value yet.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The values in the order of their numbers.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_one_number_whatever_came_between() {
        let mut codes = Codes::<u64>::default();
        let of: Vec<i32> = (0..3000u64).chain(0..3000).chain([5, 2999, 5]).map(|key| codes.of(key * 1024)).collect();
        let expected: Vec<i32> = (0..3000).chain(0..3000).chain([5, 2999, 5]).collect();
        assert_eq!(of, expected);
        assert_eq!(codes.keys(), (0..3000).map(|key| key * 1024).collect::<Vec<u64>>());
    }
}
