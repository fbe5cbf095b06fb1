//! The native module of winf_analyzer: recordings to Parquet, native passes and replays for Python.
//!
//! [`ingest`], [`merge`] and [`follow`] write the tables of recordings; [`survey`] and [`stream`] read a recording
//! without a dataset. [`replay`] runs worlds in the engine. [`python`] is the module `winf_analyzer._core`; it converts
//! and holds no logic.

pub mod arrow_table;
pub mod column_chunk;
pub mod evidence;
pub mod facts;
pub mod follow;
pub mod footer;
pub mod frame_counts;
pub mod ingest;
pub mod ingest_together;
pub mod merge;
pub mod part;
pub mod part_metadata;
pub mod part_reader;
pub mod phy_constants;
pub mod python;
pub mod record_batches;
pub mod recycling_channel;
pub mod replay;
pub mod stream;
pub mod survey;
