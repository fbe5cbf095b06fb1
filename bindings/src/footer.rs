//! What the footer of a Parquet file says.

use std::collections::BTreeMap;
use std::fs::File;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;

use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaDataReader};
use parquet::schema::printer::print_schema;

/// The footer of a part.
#[derive(Debug, Default)]
pub struct Footer {
    /// Rows of the file.
    pub rows: i64,
    /// Its Parquet schema as text: names, types and repetition of the columns.
    pub schema: String,
    /// Its key-value metadata.
    pub key_values: BTreeMap<String, String>,
}

/// Reads the footer of the file at `path`, which may hold anything.
///
/// # Errors
/// It cannot be read, or is no Parquet file.
pub fn read_footer(path: &Path) -> Result<Footer, ParquetError> {
    let file = File::open(path)?;
    // The library panics on some damaged footers.
    let parsed = catch_unwind(AssertUnwindSafe(|| ParquetMetaDataReader::new().parse_and_finish(&file)));
    let metadata = parsed.map_err(|_| ParquetError::General("the footer is damaged".to_owned()))??;
    let file = metadata.file_metadata();
    let mut schema = Vec::new();
    print_schema(&mut schema, file.schema());
    let pairs = file.key_value_metadata().into_iter().flatten();
    let key_values = pairs.map(|KeyValue { key, value }| (key.clone(), value.clone().unwrap_or_default())).collect();
    Ok(Footer { rows: file.num_rows(), schema: String::from_utf8_lossy(&schema).into_owned(), key_values })
}
