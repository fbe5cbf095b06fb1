//! Reads some columns of a Parquet part, batch by batch.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::arrow::ProjectionMask;
use parquet::errors::ParquetError;
use winf_parsers::tables::BATCH_ROWS;

/// Hands the rows of the part at `path` to `take`, texts as dictionaries with 32-bit keys; false if interrupted.
///
/// # Errors
/// The part cannot be read, or those of `take`.
pub fn read<const N: usize>(
    path: &Path,
    columns: [&str; N],
    interrupted: &mut impl FnMut() -> bool,
    mut take: impl FnMut(&RecordBatch) -> Result<(), ArrowError>,
) -> Result<bool, ParquetError> {
    let file = File::open(path)?;
    // Texts come as dictionaries, as they are stored.
    let stored = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
    let fields = stored.schema().fields().iter().map(|field| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            Arc::new(Field::new(field.name(), dictionary(), field.is_nullable()))
        }
        _ => Arc::clone(field),
    });
    let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields.collect::<Vec<_>>())));
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)?;
    let columns = ProjectionMask::columns(builder.parquet_schema(), columns);
    for batch in builder.with_projection(columns).with_batch_size(BATCH_ROWS).build()? {
        if interrupted() {
            return Ok(false);
        }
        take(&batch?)?;
    }
    Ok(true)
}

fn dictionary() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}
