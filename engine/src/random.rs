//! Random numbers that are the same on every machine and in every version.

use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// What a stream of random numbers is for. Each purpose and index has its own, so that a controller that sends more
/// packets does not change what the channel does to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Backoffs of a node.
    Backoff = 1,
    /// Losses on a link's channel.
    Channel = 2,
    /// First firings of the timers of an interface's router.
    RouterTimers = 3,
    /// The Monte-Carlo simulation of DCF in the saturation estimator.
    DcfMonteCarlo = 4,
    /// Times of a node's routing messages.
    Routing = 5,
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of one purpose and index under a seed.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose, index: u32) -> Self {
        let stream = ((purpose as u64) << 32) | u64::from(index);
        let mixed = SplitMix64::seed_from_u64(stream).next_u64();
        Self(Xoshiro256PlusPlus::seed_from_u64(seed ^ mixed))
    }

    /// A whole number from 0 to `most`, all equally likely.
    pub fn up_to(&mut self, most: u32) -> u32 {
        let high = self.0.next_u64() >> 32;
        ((high * (u64::from(most) + 1)) >> 32) as u32
    }

    /// Close to a standard normal number: the sum of twelve uniform ones, less their mean. No logarithm is involved, so
    /// that it is the same on every machine.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// True with a probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.unit() < probability
    }

    /// From 0 to 1, without 1, all equally likely.
    pub fn unit(&mut self) -> f64 {
        const STEPS: f64 = (1_u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 / STEPS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let draw = |seed, purpose, index| Stream::new(seed, purpose, index).up_to(u32::MAX - 1);
        assert_eq!(draw(1, Purpose::Backoff, 3), draw(1, Purpose::Backoff, 3));
        assert_ne!(draw(1, Purpose::Backoff, 3), draw(2, Purpose::Backoff, 3));
        assert_ne!(draw(1, Purpose::Backoff, 3), draw(1, Purpose::Channel, 3));
        assert_ne!(draw(1, Purpose::Backoff, 3), draw(1, Purpose::Backoff, 4));
    }

    #[test]
    fn a_backoff_is_uniform() {
        let mut stream = Stream::new(7, Purpose::Backoff, 0);
        let draws: Vec<_> = (0..32_000).map(|_| stream.up_to(31)).collect();
        let mean = draws.iter().map(|&slots| f64::from(slots)).sum::<f64>() / 32_000.0;
        assert!((mean - 15.5).abs() < 0.2, "{mean}");
        assert!(draws.contains(&0) && draws.contains(&31) && draws.iter().all(|&slots| slots <= 31));
    }

    #[test]
    fn a_normal_number_has_its_mean_and_deviation() {
        let mut stream = Stream::new(7, Purpose::RouterTimers, 0);
        let draws: Vec<_> = (0..32_000).map(|_| stream.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 32_000.0;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 32_000.0;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    }

    #[test]
    fn chances_at_the_ends_are_certain() {
        let mut stream = Stream::new(7, Purpose::Channel, 0);
        assert!((0..1000).all(|_| stream.chance(1.0)));
        assert!((0..1000).all(|_| !stream.chance(0.0)));
    }
}
