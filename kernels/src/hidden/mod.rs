//! Evidence for and against two stations being hidden from each other: counts per link ([`links`]) and overlaps in time
//! ([`overlaps`]); [`table`] reads exchanges from record batches and returns the counts.
//!
//! `winf_analyzer/_hidden/evidence.py` says what it is evidence of. Times are ns; those of damaged recordings wrap around.

pub mod links;
pub mod overlaps;
pub mod table;
