//! Pacing.

use crate::units::{nanos, Nanos};

/// Holds the last departure; the next may follow once its size has been sent at the current pace.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    last: Option<(Nanos, u32)>,
}

impl Pacer {
    /// Earliest departure of the next packet at `bytes_per_s`; `None`: never at that pace.
    #[must_use]
    pub fn ready_at(&self, bytes_per_s: Option<f64>) -> Option<Nanos> {
        match (self.last, bytes_per_s) {
            (_, None) => Some(0),
            (_, Some(pace)) if pace.is_nan() || pace <= 0.0 => None,
            (None, Some(_)) => Some(0),
            (Some((at, size)), Some(pace)) => Some(at.saturating_add(nanos(f64::from(size) / pace))),
        }
    }

    /// A packet of `size_bytes` left.
    pub fn departed(&mut self, now: Nanos, size_bytes: u32) {
        self.last = Some((now, size_bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::MILLISECOND;

    #[test]
    fn the_pace_of_the_moment_counts() {
        let mut pacer = Pacer::default();
        assert_eq!(pacer.ready_at(Some(1000.0)), Some(0));
        pacer.departed(5 * MILLISECOND, 100);
        assert_eq!(pacer.ready_at(Some(1000.0)), Some(105 * MILLISECOND));
        assert_eq!(pacer.ready_at(Some(2000.0)), Some(55 * MILLISECOND));
        assert_eq!([0.0, -1.0, f64::NAN].map(|pace| pacer.ready_at(Some(pace))), [None; 3]);
        assert_eq!([Some(f64::INFINITY), None].map(|pace| pacer.ready_at(pace).unwrap() <= 5 * MILLISECOND), [true; 2]);
    }
}
