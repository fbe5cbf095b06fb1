//! What estimators take from the exchanges of a stretch in one pass: rows in, rows out. Instants and times are ns; those
//! of damaged recordings wrap around, as they do in Polars.

pub mod filling;
pub mod succession;
