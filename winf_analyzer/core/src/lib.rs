//! Native half of winf_analyzer: recordings to Parquet, and the Python bindings.
//!
//! The parsers know nothing of files to write; [`ingest`] and [`merge`] do that. [`python`] converts arguments,
//! releases the interpreter lock and turns errors into Python's: no logic lives there. [`replay`] runs worlds in the
//! engine, with tables and bindings of its own; [`saturation`] is the part of an estimator that is solved case by case,
//! [`passes`] what estimators take from exchanges in one pass over their rows; [`contention`] and [`hidden`] are the parts
//! of MAC parameters and hidden pairs that go over every gap or exchange; [`alike`] numbers rows.

pub mod alike;
pub mod columns;
pub mod contention;
pub mod facts;
pub mod follow;
pub mod handover;
pub mod hidden;
pub mod ingest;
pub mod memo;
pub mod merge;
pub mod part;
pub mod passes;
pub mod phy_constants;
pub mod python;
pub mod replay;
pub mod rows;
pub mod saturation;
pub mod stream;
pub mod survey;
