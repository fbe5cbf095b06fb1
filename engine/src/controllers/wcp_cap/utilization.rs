//! How far from the boundary of the achievable region a link stays: S003 sec. III-B, "binary search".

/// Epochs with a short queue before the utilisation may grow.
const CALM_EPOCHS: u32 = 5;
/// Average queue, packets, above which the utilisation is too high.
const LONG_QUEUE_PACKETS: f64 = 1.0;
/// Width at which a search is over: the next reaction starts a new one from where this one ended, towards the bound that
/// it points at.
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
        self.value = (self.low + self.high) / 2.0;
        if self.high - self.low < NARROW {
            (self.low, self.high) = self.bounds;
        }
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

    /// The utilisation after each of so many reactions to queues that are always short, or always long.
    fn reactions<const COUNT: usize>(search: &mut UtilizationSearch, average_queue_packets: f64) -> [f64; COUNT] {
        let epochs = if average_queue_packets > LONG_QUEUE_PACKETS { 1 } else { CALM_EPOCHS };
        [(); COUNT].map(|()| {
            (0..epochs).for_each(|_| search.on_epoch(average_queue_packets));
            search.value()
        })
    }

    /// S003 sec. III-B: "is reduced" where the queue is long, "is increased" where it stays short; never the other way.
    #[test]
    fn queues_that_stay_as_they_are_move_it_one_way() {
        let mut search = UtilizationSearch::new(0.5, 1.0);
        assert_eq!(reactions(&mut search, 0.0), [1.0; 4], "nothing is greater");
        assert_eq!(reactions(&mut search, 2.0), [0.75, 0.625, 0.5625, 0.53125, 0.515625, 0.5078125, 0.50390625]);
        assert_eq!(reactions(&mut search, 0.0), [0.501953125 + 0.25, 0.8759765625, 0.93798828125]);
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
