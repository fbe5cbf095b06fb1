//! The cross-layer store of S000 (Barreto, XCP-Winf and RCP-Winf, sec. 4): what the MAC measured, for controllers.

use crate::units::Nanos;

/// What rt-Winf measured on one outgoing link, and when. `None`: nothing measured yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrossLayer {
    /// Capacity a queue can drain at, bytes/s: payload over the whole channel access cycle, smoothed 1/8 per exchange.
    pub capacity_bytes_per_s: Option<f64>,
    /// Available bandwidth over the last second, bytes/s.
    pub available_bytes_per_s: Option<f64>,
    /// Share of the link's attempts that failed, smoothed 1/8 per attempt.
    pub collision_probability: f64,
    /// When the capacity was last measured; `None`: never, or it is that of a wire.
    pub measured_at: Option<Nanos>,
}

impl CrossLayer {
    /// How old the capacity is, nanoseconds; `None` before the first measurement.
    #[must_use]
    pub fn age(&self, now: Nanos) -> Option<Nanos> {
        self.measured_at.map(|at| now.saturating_sub(at))
    }
}
