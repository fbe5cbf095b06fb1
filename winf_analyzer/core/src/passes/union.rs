//! How long a medium was busy before some instant: the measure of a union of intervals.

/// A time in which a medium is filled, ns; one that ends before it starts is empty.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// The medium.
    pub medium: u32,
    /// Its first instant.
    pub start_ns: i64,
    /// The instant after its last.
    pub end_ns: i64,
}

/// Measure of the union of the intervals of a medium before each edge (medium and instant; sorted), ns.
///
/// With the intervals sorted by start, let reach be the latest end of those that start by the edge, and filled the
/// measure of their union. The part of it after the edge is exactly [edge, reach]. One sort and one sweep: the cost
/// does not depend on how many edges an interval spans.
pub fn union_up_to(mut intervals: Vec<Interval>, edges: &[(u32, i64)]) -> Vec<i64> {
    // Exchanges come in the order of their ends, which is nearly this one: a sort that finds runs.
    intervals.sort_by_key(|interval| (interval.medium, interval.start_ns));
    let mut intervals = intervals.into_iter().peekable();
    let mut union = Union::default();
    let before = |&(medium, edge_ns): &(u32, i64)| {
        while let Some(interval) = intervals.next_if(|next| (next.medium, next.start_ns) <= (medium, edge_ns)) {
            union.add(interval);
        }
        union.before(medium, edge_ns)
    };
    edges.iter().map(before).collect()
}

/// The union of the intervals of one medium that have started.
#[derive(Default)]
struct Union {
    medium: Option<u32>,
    reach_ns: i64,
    filled_ns: i64,
}

impl Union {
    /// Adds an interval that starts no earlier than the others of its medium.
    fn add(&mut self, interval: Interval) {
        if self.medium != Some(interval.medium) {
            *self = Union { medium: Some(interval.medium), reach_ns: interval.start_ns, filled_ns: 0 };
        }
        let novel = interval.end_ns.wrapping_sub(interval.start_ns.max(self.reach_ns));
        if interval.end_ns > self.reach_ns {
            self.filled_ns = self.filled_ns.wrapping_add(novel.max(0));
            self.reach_ns = interval.end_ns;
        }
    }

    fn before(&self, medium: u32, edge_ns: i64) -> i64 {
        if self.medium == Some(medium) {
            self.filled_ns.wrapping_sub(self.reach_ns.wrapping_sub(edge_ns).max(0))
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(medium: u32, start_ns: i64, end_ns: i64) -> Interval {
        Interval { medium, start_ns, end_ns }
    }

    #[test]
    fn overlaps_count_once_and_media_apart() {
        let intervals = [(0, 200, 400), (0, 100, 300), (0, 250, 260), (1, 0, 1000), (0, 400, 450)];
        let intervals = intervals.map(|(medium, start, end)| interval(medium, start, end)).to_vec();
        let edges = [(0, 50), (0, 350), (0, 500), (1, 10), (1, 2000), (2, 7)];
        assert_eq!(union_up_to(intervals, &edges), [0, 250, 350, 10, 1000, 0]);
    }

    #[test]
    fn the_end_of_time_wraps_and_does_not_panic() {
        let ends = [i64::MIN, -1, 0, 1, i64::MAX];
        let all = ends.iter().flat_map(|&start| ends.iter().map(move |&end| interval(7, start, end)));
        let edges: Vec<_> = [6, 7, 8].iter().flat_map(|&medium| ends.map(|edge| (medium, edge))).collect();
        assert_eq!(union_up_to(all.collect(), &edges).len(), edges.len());
    }

    #[test]
    fn the_measure_is_what_counting_gives() {
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let mut draw = |most: i64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as i64 % most
        };
        for size in 0..300 {
            let mut drawn = |_| {
                let (medium, start_ns) = (draw(3) as u32, draw(200) - 50);
                interval(medium, start_ns, start_ns + draw(70) - 10)
            };
            let intervals: Vec<_> = (0..size % 25).map(&mut drawn).collect();
            let mut edges: Vec<_> = (0..20).map(|_| (draw(4) as u32, draw(330) - 80)).collect();
            edges.sort_unstable();
            let holds = |known: &Interval, medium, t| known.medium == medium && known.start_ns <= t && t < known.end_ns;
            let count =
                |&(medium, edge)| (-100..edge).filter(|&t| intervals.iter().any(|i| holds(i, medium, t))).count();
            let counted: Vec<_> = edges.iter().map(|edge| count(edge) as i64).collect();
            assert_eq!(union_up_to(intervals, &edges), counted);
        }
    }
}
