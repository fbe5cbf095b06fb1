//! Busy time of a medium before an instant: the measure of a union of intervals.

pub mod table;

use std::collections::BTreeMap;

/// A time in which a medium is busy, ns; one that ends before it starts is empty.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// The medium.
    pub medium: u32,
    /// Its first instant.
    pub start_ns: i64,
    /// The instant after its last.
    pub end_ns: i64,
}

/// Busy time per medium, carried from chunk to chunk.
#[derive(Default)]
pub struct BusyTime {
    media: BTreeMap<u32, MediumState>,
}

/// A chunk of time: what ends in [`from_ns`, `to_ns`); None: unbounded.
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    /// Its first instant.
    pub from_ns: Option<i64>,
    /// The instant after its last.
    pub to_ns: Option<i64>,
}

impl Chunk {
    fn clip(self, instant_ns: i64) -> i64 {
        let late = self.from_ns.map_or(instant_ns, |from_ns| from_ns.max(instant_ns));
        self.to_ns.map_or(late, |to_ns| to_ns.min(late))
    }
}

/// A medium up to some instant.
#[derive(Clone, Copy, Default)]
struct MediumState {
    /// Measure of the union of the intervals that have started, clipped to the chunks so far, ns.
    busy_ns: i64,
    /// The latest end within the chunk; None before the first.
    reach_ns: Option<i64>,
    /// The latest end, not clipped.
    last_ns: i64,
}

impl BusyTime {
    /// Busy time of a medium before each edge, in this chunk and those before, ns.
    ///
    /// The intervals are those that end in the chunk, in any order, and those that cross its end. Edges (medium,
    /// instant) are sorted and lie after the start of the chunk, up to and including its end.
    ///
    /// With the intervals sorted by start, let reach be the latest end of those that start by the edge, and busy the
    /// measure of their union. The part of it after the edge is exactly [edge, reach]. One sort and one sweep: the cost
    /// does not depend on how many edges an interval spans.
    pub fn up_to(&mut self, mut intervals: Vec<Interval>, edges: &[(u32, i64)], chunk: Chunk) -> Vec<i64> {
        // What crosses the start of the chunk continues from there.
        for (&medium, before) in &mut self.media {
            before.reach_ns = None;
            let start_ns = chunk.from_ns.unwrap_or(before.last_ns);
            intervals.push(Interval { medium, start_ns, end_ns: before.last_ns });
        }
        // Exchanges come in the order of their ends, which is nearly this one: a sort that finds runs.
        intervals.sort_by_key(|interval| (interval.medium, interval.start_ns));
        let mut intervals = intervals.into_iter().peekable();
        let mut busy_ns = Vec::with_capacity(edges.len());
        for &(medium, edge_ns) in edges {
            while let Some(next) = intervals.next_if(|next| (next.medium, next.start_ns) <= (medium, edge_ns)) {
                self.add(next, chunk);
            }
            busy_ns.push(self.media.get(&medium).map_or(0, |state| state.before(edge_ns)));
        }
        intervals.for_each(|interval| self.add(interval, chunk));
        busy_ns
    }

    /// Adds an interval that starts no earlier than the others of its medium.
    fn add(&mut self, interval: Interval, chunk: Chunk) {
        let new = MediumState { last_ns: interval.end_ns, ..MediumState::default() };
        let state = self.media.entry(interval.medium).or_insert(new);
        state.last_ns = state.last_ns.max(interval.end_ns);
        let (start_ns, end_ns) = (chunk.clip(interval.start_ns), chunk.clip(interval.end_ns));
        let reach_ns = state.reach_ns.map_or(start_ns, |reach_ns| reach_ns.max(start_ns));
        state.busy_ns = state.busy_ns.wrapping_add(end_ns.wrapping_sub(reach_ns).max(0));
        state.reach_ns = Some(end_ns.max(reach_ns));
    }
}

impl MediumState {
    fn before(&self, edge_ns: i64) -> i64 {
        let beyond_ns = self.reach_ns.map_or(0, |reach_ns| reach_ns.wrapping_sub(edge_ns).max(0));
        self.busy_ns.wrapping_sub(beyond_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALWAYS: Chunk = Chunk { from_ns: None, to_ns: None };

    fn interval(medium: u32, start_ns: i64, end_ns: i64) -> Interval {
        Interval { medium, start_ns, end_ns }
    }

    #[test]
    fn overlaps_count_once_and_media_apart() {
        let intervals = [(0, 200, 400), (0, 100, 300), (0, 250, 260), (1, 0, 1000), (0, 400, 450)];
        let intervals = intervals.map(|(medium, start, end)| interval(medium, start, end)).to_vec();
        let edges = [(0, 50), (0, 350), (0, 500), (1, 10), (1, 2000), (2, 7)];
        assert_eq!(BusyTime::default().up_to(intervals, &edges, ALWAYS), [0, 250, 350, 10, 1000, 0]);
    }

    #[test]
    fn the_ends_of_time_wrap_and_do_not_panic() {
        let ends = [i64::MIN, -1, 0, 1, i64::MAX];
        let all = ends.iter().flat_map(|&start| ends.iter().map(move |&end| interval(7, start, end)));
        let edges: Vec<_> = [6, 7, 8].iter().flat_map(|&medium| ends.map(|edge| (medium, edge))).collect();
        for [from_ns, to_ns] in [[i64::MIN, i64::MAX], [i64::MAX, i64::MIN], [0, 1]] {
            let chunk = Chunk { from_ns: Some(from_ns), to_ns: Some(to_ns) };
            let mut busy_time = BusyTime::default();
            for _ in 0..2 {
                assert_eq!(busy_time.up_to(all.clone().collect(), &edges, chunk).len(), edges.len());
            }
        }
    }

    #[test]
    fn the_measure_is_what_counting_gives_with_and_without_cuts() {
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
            let holds = |i: &Interval, medium, t| i.medium == medium && i.start_ns <= t && t < i.end_ns;
            let count =
                |&(medium, edge): &_| (-100..edge).filter(|&t| intervals.iter().any(|i| holds(i, medium, t))).count();
            let counted: Vec<_> = edges.iter().map(|edge| (*edge, count(edge) as i64)).collect();

            let whole = BusyTime::default().up_to(intervals.clone(), &edges, ALWAYS);
            assert_eq!(edges.iter().copied().zip(whole).collect::<Vec<_>>(), counted);

            let cut = cut_at(&[None, Some(draw(50) - 40), Some(draw(50) + 20), Some(90), None], &intervals, &edges);
            assert_eq!(cut, counted);
        }
    }

    /// The same from chunk to chunk, sorted.
    fn cut_at(cuts: &[Option<i64>], all: &[Interval], edges: &[(u32, i64)]) -> Vec<((u32, i64), i64)> {
        let (mut busy_time, mut found) = (BusyTime::default(), Vec::new());
        for ends in cuts.windows(2) {
            let chunk = Chunk { from_ns: ends[0], to_ns: ends[1] };
            let from_ns = |t: i64| chunk.from_ns.is_none_or(|from_ns| from_ns <= t);
            let to_ns = |t: i64| chunk.to_ns.is_none_or(|to_ns| t < to_ns);
            let mut intervals: Vec<_> = all.iter().filter(|i| from_ns(i.end_ns) && to_ns(i.end_ns)).copied().collect();
            let later = all.iter().filter(|i| !to_ns(i.end_ns));
            intervals.extend(later.map(|i| Interval { end_ns: chunk.to_ns.unwrap_or(i.end_ns), ..*i }));
            let edges: Vec<_> =
                edges.iter().filter(|(_, t)| from_ns(t.wrapping_sub(1)) && to_ns(t.wrapping_sub(1))).copied().collect();
            let busy_ns = busy_time.up_to(intervals, &edges, chunk);
            found.extend(edges.into_iter().zip(busy_ns));
        }
        found.sort_unstable();
        found
    }
}
