//! Native passes of the estimators: Arrow record batches in, Arrow record batches out.
//!
//! Polars expressions hold the formulas. This crate holds what depends on the row before ([`busy_time`],
//! [`head_of_line`], [`hidden`], [`sequence_steps`], [`smoothing`]), what is solved iteratively or simulated ([`saturation`]), the likelihood of a
//! contention window ([`plateau`]), the correlation of a log with a recording ([`correlation`]), row numbering
//! ([`group_ids`]) and sums by such numbers ([`group_sums`], [`ordered_sums`]). [`exchange_sample`] holds what MAC parameters are inferred
//! from. [`stations`] counts frames by station and by who heard them, [`sequence_gaps`] those that were not heard,
//! [`link_evidence`] exchanges by link. It knows neither Python nor files.

pub mod busy_time;
pub mod columns;
pub mod correlation;
pub mod direct_mapped_cache;
pub mod exchange_sample;
pub mod group_ids;
pub mod group_sums;
pub mod head_of_line;
pub mod hidden;
pub mod link_evidence;
pub mod names;
pub mod ordered_sums;
pub mod plateau;
pub mod saturation;
pub mod sequence_gaps;
pub mod sequence_steps;
pub mod smoothing;
pub mod stations;
