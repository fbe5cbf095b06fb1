//! What a Parquet file says of itself: its table, who wrote it, and the unit and meaning of every column.

use arrow_schema::Schema;
use serde_json::{json, Map, Value};
use winf_parsers::tables::schema::FORMAT_VERSION;
use winf_parsers::tables::TableSchema;

/// The file's key-value metadata.
///
/// `winf.columns` is a JSON object of columns, each with `unit` and `meaning`, for readers that know no Arrow schema.
pub fn key_values(table: &TableSchema) -> Vec<(String, String)> {
    let said = table.columns.iter().map(|column| {
        let facts = json!({ "unit": column.unit, "meaning": column.meaning });
        (column.name.clone(), facts)
    });
    let values = [
        ("winf.table", table.name.to_owned()),
        ("winf.format_version", FORMAT_VERSION.to_string()),
        ("winf.version", env!("CARGO_PKG_VERSION").to_owned()),
        ("winf.columns", Value::Object(said.collect::<Map<_, _>>()).to_string()),
    ];
    values.map(|(key, value)| (key.to_owned(), value)).into()
}

/// The Arrow schema of the file's columns, texts plain; fields carry unit, meaning and source.
pub fn arrow_schema(table: &TableSchema) -> Schema {
    Schema::new(table.columns.iter().map(|column| column.field(column.kind.data_type(), true)).collect::<Vec<_>>())
}
