//! What a table is: the files of `winf_analyzer/_schema/tables`, which state every column of a dataset once.
//!
//! They are part of the binary and parsed where a table is first asked for. Tables that are filled in Python are among
//! them, so that one reader serves the Arrow schemas, the Parquet files, the documents and Python.

use std::sync::LazyLock;

use arrow_schema::{DataType, Field};
use serde::Deserialize;

/// Version of a dataset's form; a reader refuses a newer one.
pub const FORMAT_VERSION: u32 = 1;

/// The schema of one table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSchema {
    /// The table's name, as in SQL.
    #[serde(skip)]
    pub name: &'static str,
    /// What one row is.
    pub row: String,
    /// The commands that fill it.
    pub filled_by: String,
    /// The columns in order.
    pub columns: Vec<ColumnSchema>,
}

/// What is stated of one column.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSchema {
    /// The name, with its unit.
    pub name: String,
    /// The type.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// The unit: `ns`, `bit/s`, `1` for counts and shares; empty where values have none.
    pub unit: String,
    /// What a value says.
    pub meaning: String,
    /// Where values come from: a field of a header, another table's column, a computation.
    pub source: String,
    /// Of a column added to a table: SQL over the older columns that gives it where a dataset lacks it.
    #[serde(default)]
    pub absent: Option<String>,
}

/// Type of a column, by its Arrow name.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum ColumnType {
    /// Text.
    #[serde(rename = "utf8")]
    Utf8,
    /// 32-bit integer.
    #[serde(rename = "int32")]
    Int32,
    /// 64-bit integer.
    #[serde(rename = "int64")]
    Int64,
    /// 64-bit floating-point number.
    #[serde(rename = "float64")]
    Float64,
    /// Truth value.
    #[serde(rename = "bool")]
    Bool,
    /// List of 32-bit integers.
    #[serde(rename = "list<int32>")]
    ListOfInt32,
}

impl ColumnType {
    /// The name, as in the files.
    pub const fn name(self) -> &'static str {
        match self {
            ColumnType::Utf8 => "utf8",
            ColumnType::Int32 => "int32",
            ColumnType::Int64 => "int64",
            ColumnType::Float64 => "float64",
            ColumnType::Bool => "bool",
            ColumnType::ListOfInt32 => "list<int32>",
        }
    }

    /// The Arrow type of plain values.
    pub fn data_type(self) -> DataType {
        match self {
            ColumnType::Utf8 => DataType::Utf8,
            ColumnType::Int32 => DataType::Int32,
            ColumnType::Int64 => DataType::Int64,
            ColumnType::Float64 => DataType::Float64,
            ColumnType::Bool => DataType::Boolean,
            ColumnType::ListOfInt32 => DataType::new_list(DataType::Int32, true),
        }
    }
}

impl ColumnSchema {
    /// The Arrow field; its metadata hold `unit`, `meaning` and `source`.
    pub fn field(&self, data_type: DataType, nullable: bool) -> Field {
        let metadata = [("unit", &self.unit), ("meaning", &self.meaning), ("source", &self.source)];
        let metadata = metadata.map(|(key, value)| (key.to_owned(), value.clone()));
        Field::new(&self.name, data_type, nullable).with_metadata(metadata.into())
    }
}

/// The schema of a table; `None` where there is no such table.
pub fn table(name: &str) -> Option<&'static TableSchema> {
    TABLES.iter().find(|(known, _)| *known == name).map(|(_, schema)| &**schema)
}

/// The schemas of all tables, sorted by name.
pub fn tables() -> impl Iterator<Item = &'static TableSchema> {
    TABLES.iter().map(|(_, schema)| &**schema)
}

// `static TABLES`: every table with its name, as the build script finds the files.
include!(concat!(env!("OUT_DIR"), "/tables.rs"));

fn read(name: &'static str, text: &str) -> TableSchema {
    let schema = toml::from_str(text).unwrap_or_else(|error| panic!("_schema/tables/{name}.toml: {error}"));
    TableSchema { name, ..schema }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_column_says_what_it_means_and_where_it_is_from() {
        for table in tables() {
            let names: BTreeSet<_> = table.columns.iter().map(|column| &column.name).collect();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
            assert!(table.row.starts_with("one row per ") && !table.filled_by.is_empty(), "{}", table.name);
            for column in &table.columns {
                assert!(column.meaning.len() > 3 && !column.source.is_empty(), "{}.{}", table.name, column.name);
            }
        }
    }

    #[test]
    fn units_are_those_of_the_names() {
        const UNITS: [(&str, &str); 9] = [
            ("_ns", "ns"),
            ("_us", "us"),
            ("_ms", "ms"),
            ("_bps", "bit/s"),
            ("_mbps", "Mbit/s"),
            ("_bytes", "bytes"),
            ("_packets", "1"),
            ("_dbm", "dBm"),
            ("_mhz", "MHz"),
        ];
        for column in tables().flat_map(|table| &table.columns) {
            if let Some((_, unit)) = UNITS.iter().find(|(suffix, _)| column.name.ends_with(suffix)) {
                let is_rate = column.name.contains("_per_");
                assert!(column.unit == *unit || (is_rate && column.unit.starts_with(unit)), "{}", column.name);
            }
            let has_number = !matches!(column.kind, ColumnType::Utf8 | ColumnType::Bool);
            assert!(has_number || column.unit.is_empty(), "{}", column.name);
        }
    }
}
