//! One Parquet file of a table, its columns encoded in parallel.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, FieldRef, Fields, Schema, SchemaRef};
use parquet::arrow::arrow_writer::{
    compute_leaves, ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriter, ArrowWriterOptions,
};
use parquet::arrow::{encode_arrow_schema, ARROW_SCHEMA_META_KEY};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnDescPtr;
use rayon::prelude::*;
use winf_parsers::tables::TableSchema;

use crate::column_chunk::{ColumnChunk, ColumnEncoder, ZSTD_LEVEL};
use crate::part_metadata::{arrow_schema, key_values};

/// Rows per row group: what a reader must hold of one column at a time.
const ROW_GROUP_ROWS: usize = 1 << 18;

/// A column of the row group in progress.
enum Column {
    Ours(Box<ColumnEncoder>),
    /// Lists, and text without a dictionary.
    Library(Box<ArrowColumnWriter>),
}

/// A column of a finished row group.
enum Chunk {
    Ours(ColumnChunk),
    Library(ArrowColumnChunk),
}

/// A Parquet file being written. Every batch is encoded as it comes; memory is that of one row group, encoded.
pub struct PartWriter {
    file: SerializedFileWriter<File>,
    /// Makes the library's columns alone: to begin one takes longer than to encode a few rows.
    library: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    /// One per column, of the row group in progress; none between row groups.
    columns: Vec<Column>,
    rows: usize,
}

impl PartWriter {
    /// Creates the file of a table at `path`, for batches that have the Arrow schema `schema`.
    pub fn create(path: &Path, table: &TableSchema, schema: SchemaRef) -> Result<PartWriter, ParquetError> {
        let fields = schema.fields().iter().filter(|field| !ColumnEncoder::encodes(field.data_type())).cloned();
        let others = Arc::new(Schema::new(fields.collect::<Fields>()));
        let (_, library) =
            ArrowWriter::try_new(io::sink(), others, Some(properties()?.build()))?.into_serialized_writer()?;
        // The Arrow schema is that of plain text columns, not the batches', each of which has a dictionary of its own.
        let properties = properties()?.set_key_value_metadata(Some(metadata(table))).build();
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(File::create(path)?, Arc::clone(&schema), options)?;
        let (file, _) = writer.into_serialized_writer()?;
        Ok(PartWriter { file, library, schema, columns: Vec::new(), rows: 0 })
    }

    /// Encodes the batches; a full row group goes to the file. Without rows there is no row group: most tables of a new
    /// dataset are empty, and to begin their columns would take most of the time of writing them.
    pub fn write(&mut self, batches: &[RecordBatch]) -> Result<(), ParquetError> {
        let rows = batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        if rows == 0 {
            return Ok(());
        }
        if self.columns.is_empty() {
            self.columns = self.begin_row_group()?;
        }
        self.columns.par_iter_mut().zip(&self.schema.fields()[..]).enumerate().try_for_each(
            |(index, (column, field))| batches.iter().try_for_each(|batch| column.write(field, batch.column(index))),
        )?;
        self.rows += rows;
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

    fn begin_row_group(&self) -> Result<Vec<Column>, ParquetError> {
        let mut library = self.library.create_column_writers(self.file.flushed_row_groups().len())?.into_iter();
        let stored = self.file.schema_descr().columns();
        let column = |(stored, field): (&ColumnDescPtr, &FieldRef)| {
            if let Some(ours) = ColumnEncoder::new(Arc::clone(stored), field.data_type()) {
                return Ok(Column::Ours(Box::new(ours)));
            }
            let missing = || ParquetError::General(format!("no writer of the column {}", field.name()));
            library.next().map(|writer| Column::Library(Box::new(writer))).ok_or_else(missing)
        };
        stored.iter().zip(&self.schema.fields()[..]).map(column).collect()
    }

    fn end_row_group(&mut self) -> Result<(), ParquetError> {
        let columns = std::mem::take(&mut self.columns);
        let chunks: Vec<_> = columns.into_par_iter().map(Column::close).collect::<Result<_, _>>()?;
        let mut row_group = self.file.next_row_group()?;
        for chunk in chunks {
            match chunk {
                Chunk::Ours(chunk) => row_group.append_column(&chunk.octets, chunk.close)?,
                Chunk::Library(chunk) => chunk.append_to_row_group(&mut row_group)?,
            }
        }
        row_group.close()?;
        self.rows = 0;
        Ok(())
    }
}

impl Column {
    fn write(&mut self, field: &Field, array: &ArrayRef) -> Result<(), ParquetError> {
        match self {
            Column::Ours(encoder) => encoder.write(array),
            Column::Library(writer) => compute_leaves(field, array)?.iter().try_for_each(|leaf| writer.write(leaf)),
        }
    }

    fn close(self) -> Result<Chunk, ParquetError> {
        match self {
            Column::Ours(encoder) => encoder.close().map(Chunk::Ours),
            Column::Library(writer) => writer.close().map(Chunk::Library),
        }
    }
}

fn properties() -> Result<WriterPropertiesBuilder, ParquetError> {
    let zstd = Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?);
    let properties = WriterProperties::builder().set_compression(zstd);
    // An index of pages helps readers of single rows, of which there are none; all columns have one or none has.
    Ok(properties.set_statistics_enabled(EnabledStatistics::None).set_offset_index_disabled(true))
}

fn metadata(table: &TableSchema) -> Vec<KeyValue> {
    let arrow = (ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(&arrow_schema(table)));
    key_values(table).into_iter().chain([arrow]).map(|(key, value)| KeyValue::new(key, value)).collect()
}
