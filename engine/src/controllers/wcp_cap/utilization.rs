//! How far from the boundary of the achievable region a link stays: S003 sec. III-B, "binary search".

/// Epochs with a short queue before the utilisation may grow.
const CALM_EPOCHS: u32 = 5;
/// Average queue, packets, above which the utilisation is too high.
const LONG_QUEUE_PACKETS: f64 = 1.0;
/// Width at which a search is over; the next reaction starts a new one.
const NARROW: f64 = 0.02;

/// Halves the interval of utilisations towards what keeps the average queue below one packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UtilizationSearch {
    bounds: (f64, f64),
    low: f64,
    high: f64,
    value: f64,
    calm: u32,
}

impl UtilizationSearch {
    /// Starts at the greatest.
    #[must_use]
    pub fn new(least: f64, greatest: f64) -> Self {
        Self { bounds: (least, greatest), low: least, high: greatest, value: greatest, calm: 0 }
    }

    /// The utilisation to stay below.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// An epoch ended with this average queue.
    pub fn on_epoch(&mut self, average_queue_packets: f64) {
        if average_queue_packets > LONG_QUEUE_PACKETS {
            self.calm = 0;
            self.high = self.value;
            self.halve();
        } else {
            self.calm += 1;
            if self.calm >= CALM_EPOCHS {
                self.calm = 0;
                self.low = self.value;
                self.halve();
            }
        }
    }

    fn halve(&mut self) {
        if (self.high - self.low).abs() < NARROW {
            (self.low, self.high) = self.bounds;
        }
        self.value = (self.low + self.high) / 2.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrows_towards_the_utilisation_that_keeps_queues_short() {
        let mut search = UtilizationSearch::new(0.5, 1.0);
        let mut values = Vec::new();
        for _ in 0..40 {
            search.on_epoch(if search.value() > 0.85 { 2.0 } else { 0.5 });
            values.push(search.value());
        }
        assert!(values.iter().any(|value| (value - 0.85).abs() < 0.02), "{values:?}");
        assert!(values.iter().all(|value| (0.5..=1.0).contains(value)));
    }

    #[test]
    fn a_short_queue_does_not_raise_it_before_five_epochs() {
        let mut search = UtilizationSearch::new(0.5, 1.0);
        search.on_epoch(2.0);
        assert_eq!(search.value(), 0.75);
        (0..4).for_each(|_| search.on_epoch(0.0));
        assert_eq!(search.value(), 0.75);
        search.on_epoch(0.0);
        assert_eq!(search.value(), 0.875);
    }
}
