//! The equations of an RCP router. Rates in bytes/s, sizes in bytes, times in seconds.

/// alpha, beta and eta of RCP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Of the spare bandwidth.
    pub alpha: f64,
    /// Of the queue.
    pub beta: f64,
    /// Utilisation aimed at.
    pub eta: f64,
}

/// What a router saw between two updates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// How long it was, s.
    pub length_s: f64,
    /// Capacity of the link.
    pub capacity_bytes_per_s: f64,
    /// Traffic that came in.
    pub input_bytes_per_s: f64,
    /// Queue at its end.
    pub queue_bytes: f64,
    /// Moving mean of the round-trip time, s.
    pub average_rtt_s: f64,
}

impl Gains {
    /// Factor on the rate, which may be negative under heavy overload: 1 + (T/d) (alpha (V - y) - beta Q/d) / V with
    /// V = eta C.
    #[must_use]
    pub fn ratio(&self, slot: &Slot) -> f64 {
        let aim = self.eta * slot.capacity_bytes_per_s;
        1.0 + slot.length_s / slot.average_rtt_s * self.spare(aim, slot.input_bytes_per_s, slot) / aim
    }

    /// alpha (V - y) - beta Q/d, bytes/s.
    #[must_use]
    pub fn spare(&self, aim_bytes_per_s: f64, traffic_bytes_per_s: f64, slot: &Slot) -> f64 {
        self.alpha * (aim_bytes_per_s - traffic_bytes_per_s) - self.beta * slot.queue_bytes / slot.average_rtt_s
    }
}

/// Mean round-trip time after a slot whose packets reported `sample_s` on average: a rise counts at once per round trip, a
/// fall only as far as the flows at this rate fill the link. Without a packet it stays.
#[must_use]
pub fn average_rtt(before_s: f64, sample_s: Option<f64>, slot_s: f64, rate: f64, capacity: f64) -> f64 {
    let Some(sample_s) = sample_s else { return before_s };
    let turn = slot_s / before_s;
    let weight = if sample_s >= before_s { turn } else { rate / capacity * (sample_s / before_s) * turn };
    before_s + weight.clamp(0.0, 1.0) * (sample_s - before_s)
}

/// A rate within what a link may offer: from `least` up to eta C, which comes first where they cross.
#[must_use]
pub fn clip(rate: f64, least: f64, aim: f64) -> f64 {
    rate.max(least).min(aim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPACITY: f64 = 1.375e6;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-6 * b.abs(), "{a} is not {b}");
    }

    fn slot(input_bytes_per_s: f64, queue_bytes: f64, length_s: f64, average_rtt_s: f64) -> Slot {
        Slot { length_s, capacity_bytes_per_s: CAPACITY, input_bytes_per_s, queue_bytes, average_rtt_s }
    }

    fn step(rate: f64, gains: (f64, f64, f64), slot: &Slot) -> (f64, f64) {
        let gains = Gains { alpha: gains.0, beta: gains.1, eta: gains.2 };
        let ratio = gains.ratio(slot);
        (ratio, clip(rate * ratio, 0.1 * 1500.0 / slot.average_rtt_s, gains.eta * CAPACITY))
    }

    #[test]
    fn v_r1_an_idle_link_raises_its_rate() {
        let (ratio, rate) = step(0.05 * CAPACITY, (0.4, 0.4, 1.0), &slot(0.0, 0.0, 0.01, 0.2));
        near(ratio, 1.02);
        near(rate, 70_125.0);
    }

    #[test]
    fn v_r2_a_link_near_its_aim_hardly_moves() {
        let (ratio, rate) = step(3e5, (0.5, 0.25, 0.95), &slot(1.2e6, 20_000.0, 0.01, 0.1));
        near(ratio, 1.000_239_234);
        near(rate, 300_071.770_3);
    }

    #[test]
    fn v_r3_overload_lowers_the_rate() {
        let (ratio, rate) = step(8e5, (0.4, 0.4, 0.95), &slot(2.4e6, 60_000.0, 0.01, 0.1));
        near(ratio, 0.948_133_971);
        near(rate, 758_507.177);
    }

    #[test]
    fn v_r4_the_rate_has_a_floor() {
        let (ratio, rate) = step(2000.0, (0.6, 0.6, 0.95), &slot(3e6, 2e5, 0.1, 0.1));
        near(2000.0 * ratio, -1_393.301_435);
        near(rate, 1500.0);
    }

    #[test]
    fn v_r5_the_mean_round_trip_rises_faster_than_it_falls() {
        near(average_rtt(0.1, Some(0.15), 0.01, 3e5, CAPACITY), 0.105);
        near(average_rtt(0.1, Some(0.06), 0.01, 3e5, CAPACITY), 0.099_476_363_6);
        near(average_rtt(0.1, None, 0.01, 3e5, CAPACITY), 0.1);
    }

    #[test]
    fn v_r6_flows_share_what_is_aimed_at() {
        let (mut rate, mut queue) = (0.05 * CAPACITY, 0.0_f64);
        for _ in 0..4000 {
            let input = 4.0 * rate;
            queue = (queue + (input - CAPACITY) * 0.01).max(0.0);
            rate = step(rate, (0.4, 0.4, 0.95), &slot(input, queue, 0.01, 0.1)).1;
        }
        near(rate, 0.95 * CAPACITY / 4.0);
        assert_eq!(queue, 0.0);
    }
}
