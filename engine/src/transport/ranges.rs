//! Sets of segment numbers, kept as ranges: memory grows with the gaps, not with the segments.

/// Sorted ranges `[from, to)` that neither overlap nor touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    ranges: Vec<(u64, u64)>,
}

impl Ranges {
    /// Adds `[from, to)`; returns how many of its segments are new.
    pub fn insert(&mut self, from: u64, to: u64) -> u64 {
        if from >= to {
            return 0;
        }
        let first = self.ranges.partition_point(|range| range.1 < from);
        let last = self.ranges.partition_point(|range| range.0 <= to);
        let (mut merged, mut known) = ((from, to), 0);
        for range in &self.ranges[first..last] {
            known += overlap(*range, (from, to));
            merged = (merged.0.min(range.0), merged.1.max(range.1));
        }
        self.ranges.splice(first..last, [merged]);
        to - from - known
    }

    /// Removes all segments below `segment`.
    pub fn remove_below(&mut self, segment: u64) {
        let whole = self.ranges.partition_point(|range| range.1 <= segment);
        self.ranges.drain(..whole);
        if let Some(first) = self.ranges.first_mut() {
            first.0 = first.0.max(segment);
        }
    }

    /// Removes all segments.
    pub fn clear(&mut self) {
        self.ranges.clear();
    }

    /// Whether the segment is in the set.
    #[must_use]
    pub fn contains(&self, segment: u64) -> bool {
        self.range_of(segment).is_some()
    }

    /// The range a segment lies in.
    #[must_use]
    pub fn range_of(&self, segment: u64) -> Option<(u64, u64)> {
        let at = self.ranges.partition_point(|range| range.1 <= segment);
        self.ranges.get(at).copied().filter(|range| range.0 <= segment)
    }

    /// Lowest segment from `from` on that is not in the set.
    #[must_use]
    pub fn first_gap(&self, from: u64) -> u64 {
        self.range_of(from).map_or(from, |range| range.1)
    }

    /// How many segments of `[from, to)` are in the set.
    #[must_use]
    pub fn count(&self, from: u64, to: u64) -> u64 {
        let first = self.ranges.partition_point(|range| range.1 <= from);
        let after = self.ranges[first..].iter();
        after.take_while(|range| range.0 < to).map(|range| overlap(*range, (from, to))).sum()
    }

    /// The `nth` highest segment, counted from 1; `None` if there are fewer.
    #[must_use]
    pub fn nth_highest(&self, nth: u64) -> Option<u64> {
        let mut left = nth.checked_sub(1)?;
        for range in self.ranges.iter().rev() {
            let length = range.1 - range.0;
            if left < length {
                return Some(range.1 - 1 - left);
            }
            left -= length;
        }
        None
    }

    /// The ranges, lowest first.
    #[must_use]
    pub fn as_slice(&self) -> &[(u64, u64)] {
        &self.ranges
    }
}

fn overlap(a: (u64, u64), b: (u64, u64)) -> u64 {
    a.1.min(b.1).saturating_sub(a.0.max(b.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ranges: &[(u64, u64)]) -> Ranges {
        let mut set = Ranges::default();
        for &(from, to) in ranges {
            set.insert(from, to);
        }
        set
    }

    #[test]
    fn neighbours_merge_and_only_new_segments_count() {
        let mut set = set(&[(5, 7), (9, 12)]);
        assert_eq!(set.insert(7, 9), 2);
        assert_eq!(set.as_slice(), [(5, 12)]);
        assert_eq!(set.insert(3, 14), 4);
        assert_eq!(set.insert(4, 10), 0);
        assert_eq!(set.insert(8, 8), 0);
        assert_eq!(set.as_slice(), [(3, 14)]);
    }

    #[test]
    fn what_lies_below_is_forgotten() {
        let mut set = set(&[(1, 3), (5, 8), (10, 11)]);
        set.remove_below(6);
        assert_eq!(set.as_slice(), [(6, 8), (10, 11)]);
        set.remove_below(8);
        assert_eq!(set.as_slice(), [(10, 11)]);
    }

    #[test]
    fn gaps_counts_and_the_highest_are_found() {
        let set = set(&[(2, 4), (6, 9)]);
        assert_eq!((set.first_gap(0), set.first_gap(2), set.first_gap(7)), (0, 4, 9));
        assert_eq!((set.count(0, 100), set.count(3, 7), set.count(4, 6)), (5, 2, 0));
        assert_eq!([1, 3, 4, 5, 6].map(|nth| set.nth_highest(nth)), [Some(8), Some(6), Some(3), Some(2), None]);
        assert_eq!(set.nth_highest(0), None);
        assert!(set.contains(3) && !set.contains(4));
    }
}
