//! The numerical part of the `saturation` estimator: Bianchi's fixed point ([`fixed_point`], with [`table`] for record
//! batches) and a Monte-Carlo simulation of DCF for what the fixed point leaves out ([`dcf_monte_carlo`]).

pub mod dcf_monte_carlo;
pub mod fixed_point;
pub mod table;
