//! Registries: formats and the schemas of native tables.

use arrow_schema::DataType;
use pyo3::prelude::*;
use winf_parsers::capture::FORMATS;
use winf_parsers::table::{Column, CAPABILITIES, EXCHANGES, FRAMES, HEARINGS, WARNINGS};

use crate::replay::tables::{REPLAY_FLOWS, REPLAY_LINKS, REPLAY_SUMMARY};

/// Every format that can be read: name, description, where it is implemented.
#[pyfunction]
pub fn formats() -> Vec<(&'static str, &'static str, &'static str)> {
    FORMATS.iter().map(|format| (format.name, format.description, format.module)).collect()
}

/// A column of a table: name, Arrow type, documentation.
pub type ColumnDoc = (String, String, String);

/// Every table that is made here: its name, what a row is, and its columns.
#[pyfunction]
pub fn tables() -> Vec<(String, String, Vec<ColumnDoc>)> {
    fn columns<R>(columns: &[Column<R>]) -> Vec<ColumnDoc> {
        let text = |column: &Column<R>| {
            let kind = match (column.data_type)() {
                DataType::Dictionary(_, values) => values.to_string(),
                other => other.to_string(),
            };
            (column.name.to_owned(), kind, column.doc.to_owned())
        };
        columns.iter().map(text).collect()
    }
    vec![
        (FRAMES.name.to_owned(), FRAMES.doc.to_owned(), columns(FRAMES.columns)),
        (EXCHANGES.name.to_owned(), EXCHANGES.doc.to_owned(), columns(EXCHANGES.columns)),
        (CAPABILITIES.name.to_owned(), CAPABILITIES.doc.to_owned(), columns(CAPABILITIES.columns)),
        (WARNINGS.name.to_owned(), WARNINGS.doc.to_owned(), columns(WARNINGS.columns)),
        (HEARINGS.name.to_owned(), HEARINGS.doc.to_owned(), columns(HEARINGS.columns)),
        (REPLAY_FLOWS.name.to_owned(), REPLAY_FLOWS.doc.to_owned(), columns(REPLAY_FLOWS.columns)),
        (REPLAY_LINKS.name.to_owned(), REPLAY_LINKS.doc.to_owned(), columns(REPLAY_LINKS.columns)),
        (REPLAY_SUMMARY.name.to_owned(), REPLAY_SUMMARY.doc.to_owned(), columns(REPLAY_SUMMARY.columns)),
    ]
}
