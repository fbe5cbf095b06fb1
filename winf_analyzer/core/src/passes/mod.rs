//! What estimators take from the exchanges of a stretch in one pass: rows in, in the order of `stretches.ORDER`, rows
//! out. Instants and times are ns; those of damaged recordings wrap around, as they do in Polars.

pub mod names;
pub mod succession;
pub mod table;
pub mod union;
