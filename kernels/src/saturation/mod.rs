//! The numerical part of the `saturation` estimator: Bianchi's fixed point ([`fixed_point`], with [`table`] for record
//! batches) and a Monte-Carlo simulation of DCF for what the fixed point leaves out ([`dcf_monte_carlo`]).

pub mod dcf_monte_carlo;
pub mod fixed_point;
pub mod table;

/// CWmax+1 (9.4.2.28, 17.4.4).
const WINDOW_MAX: f64 = 1024.0;

/// Attempts of a packet without response after which it is discarded: dot11ShortRetryLimit.
const SHORT_RETRY_LIMIT: usize = 7;
