//! The numerical part of the `saturation` estimator: Bianchi's fixed point ([`bianchi`], with [`table`] for record
//! batches) and a Monte-Carlo simulation of DCF for what the fixed point leaves out ([`dcf_monte_carlo`]).

pub mod bianchi;
pub mod dcf_monte_carlo;
pub mod table;

/// CWmax+1 (9.4.2.28, 17.4.4).
const WINDOW_MAX: f64 = (winf_ieee80211::MAX_CW + 1) as f64;

/// Attempts of a packet without response after which it is discarded.
const SHORT_RETRY_LIMIT: usize = winf_ieee80211::SHORT_RETRY_LIMIT as usize;
