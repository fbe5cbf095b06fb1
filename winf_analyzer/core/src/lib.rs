//! Native half of winf_analyzer: recordings to Parquet, and the Python bindings.
//!
//! The parsers know nothing of files to write; [`ingest`] does that. [`python`] converts arguments,
//! releases the interpreter lock and turns errors into Python's: no logic lives there.

pub mod facts;
pub mod follow;
pub mod ingest;
pub mod part;
pub mod python;
pub mod stream;
