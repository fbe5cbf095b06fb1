//! What rt-Winf measures on one outgoing link (S000 sec. 3, sender's state).

use crate::cross_layer::CrossLayer;
use crate::units::{seconds, Nanos, SECOND};

/// Weight of a new sample.
const WEIGHT: f64 = 1.0 / 8.0;

/// Capacity per own exchange and share of failed attempts, smoothed.
///
/// What is smoothed is time per byte: the mean of rates would be more than a queue drains at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkMeter {
    configured_bytes_per_s: Option<f64>,
    seconds_per_byte: Option<f64>,
    collision_probability: f64,
    lost_to_backoff: Option<f64>,
    receiver_busy: Option<(Nanos, f64)>,
    measured_at: Option<Nanos>,
}

impl LinkMeter {
    /// A link whose capacity is known and never measured: a wire.
    pub(crate) fn configured(rate_bps: u64) -> Self {
        Self { configured_bytes_per_s: Some(rate_bps as f64 / 8.0), ..Self::default() }
    }

    /// An exchange succeeded. `cycle`: DIFS, the backoffs that were drawn for the packet, and T_X of the attempt that
    /// succeeded; the airtime of attempts that failed counts in the collision probability.
    pub(crate) fn on_exchange(&mut self, now: Nanos, packet_bytes: u32, cycle: Nanos) {
        let sample = seconds(cycle.max(1)) / f64::from(packet_bytes.max(1));
        let smoothed = self.seconds_per_byte.map_or(sample, |known| known + WEIGHT * (sample - known));
        self.seconds_per_byte = Some(smoothed);
        self.measured_at = Some(now);
    }

    /// A packet was acknowledged: K of S000 eq. (7).
    pub(crate) fn on_backoff(&mut self, lost: f64) {
        self.lost_to_backoff = Some(lost);
    }

    /// The ACK told for which share of the last second the receiver found its medium busy.
    pub(crate) fn on_told(&mut self, now: Nanos, busy_share: f64) {
        self.receiver_busy = Some((now, busy_share));
    }

    /// An attempt ended.
    pub(crate) fn on_attempt(&mut self, failed: bool) {
        self.collision_probability += WEIGHT * (f64::from(u8::from(failed)) - self.collision_probability);
    }

    /// When it last measured an exchange.
    pub(crate) fn measured_at(&self) -> Option<Nanos> {
        self.measured_at
    }

    /// The measurements; `busy_share` is that of the node, or of the wire. Cooperation: the receiver's counts where it is
    /// the higher one, for as long as the second that it speaks of.
    pub(crate) fn read(&self, now: Nanos, busy_share: f64) -> CrossLayer {
        let told = self.receiver_busy.filter(|(at, _)| now.saturating_sub(*at) <= SECOND);
        let busy_share = told.map_or(busy_share, |(_, receiver)| receiver.max(busy_share));
        let capacity = self.configured_bytes_per_s.or_else(|| self.seconds_per_byte.map(f64::recip));
        CrossLayer {
            capacity_bytes_per_s: capacity,
            available_bytes_per_s: capacity.map(|capacity| capacity * (1.0 - busy_share).max(0.0)),
            collision_probability: self.collision_probability,
            lost_to_backoff: self.lost_to_backoff,
            printed: None,
            measured_at: self.measured_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// V-W1: 1500 bytes in a cycle of 50 + 310 + 2293.273 us with RTS and CTS.
    #[test]
    fn capacity_is_payload_over_the_whole_cycle() {
        let mut meter = LinkMeter::default();
        assert_eq!(meter.read(0, 0.0), CrossLayer::default());
        meter.on_exchange(5, 1500, 2_653_273);
        let capacity = meter.read(0, 0.25).capacity_bytes_per_s.unwrap();
        assert!((capacity * 8.0 - 4_522_716.0).abs() < 1.0, "{capacity}");
        assert_eq!(meter.read(0, 0.25).available_bytes_per_s, Some(0.75 * capacity));
    }

    #[test]
    fn exchanges_count_by_the_time_they_take() {
        let mut meter = LinkMeter::default();
        meter.on_exchange(5, 1000, 1_000_000);
        meter.on_exchange(6, 1000, 9_000_000);
        let capacity = meter.read(0, 0.0).capacity_bytes_per_s.unwrap();
        assert!((capacity - 500_000.0).abs() < 1e-3, "{capacity}");
    }

    /// S000 sec. 3.1: the lower available bandwidth of both ends of the hop counts.
    #[test]
    fn the_receiver_of_a_hop_lowers_what_is_available() {
        let mut meter = LinkMeter::configured(8_000_000);
        meter.on_told(7, 0.6);
        let available = |now, busy_share| meter.read(now, busy_share).available_bytes_per_s.unwrap();
        assert!((available(7, 0.25) - 4e5).abs() < 1e-6);
        assert!((available(7, 0.75) - 2.5e5).abs() < 1e-6, "the sender's own is lower");
        assert!((available(SECOND + 8, 0.25) - 7.5e5).abs() < 1e-6, "what was told is too old");
    }

    #[test]
    fn failures_are_smoothed() {
        let mut meter = LinkMeter::default();
        meter.on_attempt(true);
        assert_eq!(meter.read(0, 0.0).collision_probability, 0.125);
    }
}
