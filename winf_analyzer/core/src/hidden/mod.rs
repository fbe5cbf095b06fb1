//! What exchanges say for and against two stations being hidden from each other: counts of every link ([`links`]) and
//! what overlapped in time ([`overlaps`]); [`table`] brings exchanges in and counts out.
//!
//! `winf_analyzer/hidden/evidence.py` says what it is evidence of. Times are ns; those of damaged recordings wrap around.

pub mod links;
pub mod names;
pub mod overlaps;
pub mod table;

/// Slots of a [`Memo`]: 256, which stay in the cache.
const SLOT_BITS: u32 = 8;

/// Values found last, where the next rows ask for them again: a table of one entry per slot, the later takes its place.
struct Memo<K, V> {
    slots: Vec<Option<(K, V)>>,
}

impl<K: Clone, V: Clone> Default for Memo<K, V> {
    fn default() -> Self {
        Self { slots: vec![None; 1 << SLOT_BITS] }
    }
}

impl<K: Copy + Eq + Into<u128>, V: Copy> Memo<K, V> {
    #[inline]
    fn get_or(&mut self, key: K, find: impl FnOnce() -> V) -> V {
        let wide: u128 = key.into();
        let mixed = (wide as u64 ^ (wide >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut self.slots[(mixed >> (u64::BITS - SLOT_BITS)) as usize];
        match *slot {
            Some((known, value)) if known == key => value,
            _ => slot.insert((key, find())).1,
        }
    }
}
