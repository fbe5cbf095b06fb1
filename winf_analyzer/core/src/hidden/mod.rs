//! What exchanges say for and against two stations being hidden from each other: counts of every link ([`links`]) and
//! what overlapped in time ([`overlaps`]); [`table`] brings exchanges in and counts out.
//!
//! `winf_analyzer/_hidden/evidence.py` says what it is evidence of. Times are ns; those of damaged recordings wrap around.

pub mod links;
pub mod names;
pub mod overlaps;
pub mod table;
