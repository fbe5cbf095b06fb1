//! One Parquet file of a table, its columns encoded in parallel.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::arrow_writer::{
    compute_leaves, ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriter, ArrowWriterOptions,
};
use parquet::arrow::{encode_arrow_schema, ARROW_SCHEMA_META_KEY};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use rayon::prelude::*;
use winf_parsers::tables::TableSchema;

use crate::part_metadata::{arrow_schema, key_values};

/// Rows per row group: what a reader must hold of one column at a time.
const ROW_GROUP_ROWS: usize = 1 << 18;

/// A Parquet file being written. Every batch is encoded as it comes; memory is that of one row group, encoded.
pub struct PartWriter {
    file: SerializedFileWriter<File>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    /// One per column, of the row group in progress; none between row groups.
    columns: Vec<ArrowColumnWriter>,
    rows: usize,
}

impl PartWriter {
    /// Creates the file of a table at `path`, for batches that have the Arrow schema `schema`.
    pub fn create(path: &Path, table: &TableSchema, schema: SchemaRef) -> Result<PartWriter, ParquetError> {
        // The Arrow schema is that of plain text columns, not the batches', each of which has a dictionary of its own.
        let properties = properties(&schema)?.set_key_value_metadata(Some(metadata(table))).build();
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(File::create(path)?, Arc::clone(&schema), options)?;
        let (file, factory) = writer.into_serialized_writer()?;
        Ok(PartWriter { file, factory, schema, columns: Vec::new(), rows: 0 })
    }

    /// Encodes the batches; a full row group goes to the file.
    pub fn write(&mut self, batches: &[RecordBatch]) -> Result<(), ParquetError> {
        if self.columns.is_empty() {
            self.columns = self.factory.create_column_writers(self.file.flushed_row_groups().len())?;
        }
        self.columns.par_iter_mut().zip(&self.schema.fields()[..]).enumerate().try_for_each(
            |(index, (writer, field))| {
                batches.iter().try_for_each(|batch| {
                    let leaves = compute_leaves(field, batch.column(index))?;
                    leaves.iter().try_for_each(|leaf| writer.write(leaf))
                })
            },
        )?;
        self.rows += batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        if self.rows >= ROW_GROUP_ROWS {
            self.end_row_group()?;
        }
        Ok(())
    }

    /// Writes what is in progress and the footer.
    pub fn close(mut self) -> Result<(), ParquetError> {
        if !self.columns.is_empty() {
            self.end_row_group()?;
        }
        self.file.close()?;
        Ok(())
    }

    fn end_row_group(&mut self) -> Result<(), ParquetError> {
        let columns = std::mem::take(&mut self.columns);
        let chunks: Vec<_> = columns.into_par_iter().map(ArrowColumnWriter::close).collect::<Result<_, _>>()?;
        let mut row_group = self.file.next_row_group()?;
        for chunk in chunks {
            chunk.append_to_row_group(&mut row_group)?;
        }
        row_group.close()?;
        self.rows = 0;
        Ok(())
    }
}

/// Times and numbers hardly repeat but rise: their differences are stored. Everything else has few distinct values.
/// Texts carry no minima and maxima: comparing every value costs more than a reader gains, who filters by equality.
fn properties(schema: &SchemaRef) -> Result<WriterPropertiesBuilder, ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::Chunk);
    let properties = schema.fields().iter().fold(properties, |properties, field| {
        let column = ColumnPath::from(field.name().as_str());
        match field.data_type() {
            DataType::Int64 => properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED),
            DataType::Dictionary(..) | DataType::Utf8 => {
                properties.set_column_statistics_enabled(column, EnabledStatistics::None)
            }
            _ => properties,
        }
    });
    Ok(properties)
}

fn metadata(table: &TableSchema) -> Vec<KeyValue> {
    let arrow = (ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(&arrow_schema(table)));
    key_values(table).into_iter().chain([arrow]).map(|(key, value)| KeyValue::new(key, value)).collect()
}
