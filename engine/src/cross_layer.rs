//! The cross-layer store of S000 (Barreto, XCP-Winf and RCP-Winf, sec. 4): what the MAC measured, for controllers.

use crate::units::Nanos;

/// Values of S000's formulas as printed, for one outgoing link; `None`: nothing measured yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Printed {
    /// C_Winf, bytes/s: of the last exchange, whatever the node was in it.
    pub capacity_bytes_per_s: Option<f64>,
    /// AB_Winf, bytes/s: since the start of the run.
    pub available_bytes_per_s: Option<f64>,
}

/// What rt-Winf measured on one outgoing link, and when. `None`: nothing measured yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrossLayer {
    /// Capacity a queue can drain at, bytes/s: payload over the whole channel access cycle, smoothed 1/8 per exchange.
    pub capacity_bytes_per_s: Option<f64>,
    /// Available bandwidth over the last second, bytes/s.
    pub available_bytes_per_s: Option<f64>,
    /// Share of the link's attempts that failed, smoothed 1/8 per attempt.
    pub collision_probability: f64,
    /// K of S000 eq. (7), the share of its time that backoff took, of the last packet that the node sent on the link;
    /// `None`: none yet, or it is a wire.
    pub lost_to_backoff: Option<f64>,
    /// What rt-Winf says as printed; `None`: on a wire, and where no controller of the run reads it.
    pub printed: Option<Printed>,
    /// When the capacity was last measured; `None`: never, or it is that of a wire.
    pub measured_at: Option<Nanos>,
}

impl CrossLayer {
    /// The store as S000 fills it: the printed values in the place of the unbiased ones. A wire keeps what it has.
    #[must_use]
    pub fn as_printed(&self) -> Self {
        self.printed.map_or(*self, |printed| Self {
            capacity_bytes_per_s: printed.capacity_bytes_per_s,
            available_bytes_per_s: printed.available_bytes_per_s,
            ..*self
        })
    }

    /// How old the capacity is, nanoseconds; `None` before the first measurement.
    #[must_use]
    pub fn age(&self, now: Nanos) -> Option<Nanos> {
        self.measured_at.map(|at| now.saturating_sub(at))
    }
}
