//! Quantiles in bounded memory.

use crate::units::Nanos;

/// Buckets per doubling: quantiles are off by at most one part in 128.
const PER_OCTAVE_BITS: u32 = 6;

/// Counts of spans in buckets that grow with the span, and their sum.
#[derive(Clone, Debug, Default)]
pub(super) struct Histogram {
    buckets: Vec<u64>,
    count: u64,
    sum: u128,
}

impl Histogram {
    /// Adds a span.
    pub(super) fn add(&mut self, span: Nanos) {
        let bucket = bucket(span);
        if bucket >= self.buckets.len() {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.count += 1;
        self.sum += u128::from(span);
    }

    /// Mean, exact; `None` of nothing.
    pub(super) fn mean(&self) -> Option<Nanos> {
        (self.count > 0).then(|| (self.sum / u128::from(self.count)) as Nanos)
    }

    /// The span that a share of all does not exceed; `None` of nothing.
    pub(super) fn quantile(&self, share: f64) -> Option<Nanos> {
        let rank = ((self.count as f64 * share).ceil() as u64).max(1);
        let mut below = 0;
        let found = self.buckets.iter().position(|&count| {
            below += count;
            below >= rank
        })?;
        Some((lower(found) + lower(found + 1)) / 2)
    }
}

/// The bucket of a span.
fn bucket(span: Nanos) -> usize {
    let octave = (Nanos::BITS - span.leading_zeros()).saturating_sub(PER_OCTAVE_BITS + 1);
    ((u64::from(octave) << PER_OCTAVE_BITS) + (span >> octave)) as usize
}

/// The least span in a bucket.
fn lower(bucket: usize) -> Nanos {
    let bucket = bucket as u64;
    let octave = (bucket >> PER_OCTAVE_BITS).saturating_sub(1);
    (bucket - (octave << PER_OCTAVE_BITS)) << octave
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_narrow_and_in_order() {
        for span in [0, 1, 63, 64, 127, 128, 1000, 123_456_789, 987_654_321_012] {
            let (low, high) = (lower(bucket(span)), lower(bucket(span) + 1));
            assert!(low <= span && span < high, "{span}: {low}..{high}");
            assert!(high - low <= span / 64 + 1, "{span}: {low}..{high}");
        }
    }

    #[test]
    fn quantiles_of_one_to_a_thousand() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|span| histogram.add(span * 1_000_000));
        assert_eq!(histogram.mean(), Some(500_500_000));
        for share in [0.5, 0.95] {
            let quantile = histogram.quantile(share).unwrap() as f64;
            assert!((quantile / (share * 1e9) - 1.0).abs() < 0.01, "{quantile}");
        }
    }
}
