//! What a Parquet file says of itself: its table, who wrote it, and the unit and meaning of every column.

use arrow_schema::{DataType, Schema};
use serde_json::{json, Map, Value};
use winf_parsers::tables::schema::FORMAT_VERSION;
use winf_parsers::tables::{ColumnSchema, TableSchema};

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

/// The Arrow schema of the file's columns; fields carry unit, meaning and source.
///
/// Texts are plain and have 64-bit offsets, which Polars wants: files say the same whoever wrote them.
pub fn arrow_schema(table: &TableSchema) -> Schema {
    let field = |column: &ColumnSchema| {
        let data_type = match column.kind.data_type() {
            DataType::Utf8 => DataType::LargeUtf8,
            DataType::List(item) => DataType::LargeList(item),
            other => other,
        };
        column.field(data_type, true)
    };
    Schema::new(table.columns.iter().map(field).collect::<Vec<_>>())
}
