//! One Parquet file of a table, its columns encoded in parallel.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, SchemaRef};
use parquet::arrow::arrow_writer::{
    compute_leaves, ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriter, ArrowWriterOptions,
};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use rayon::prelude::*;

use crate::chunk::{Chunk, ChunkWriter};

/// Rows per row group: what a reader must hold of one column at a time.
const ROW_GROUP_ROWS: usize = 1 << 18;

/// A Parquet file being written. Every batch is encoded as it comes; memory is that of one row group, encoded.
pub struct PartWriter {
    file: SerializedFileWriter<File>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    /// One per column, of the row group in progress; none between row groups.
    columns: Vec<ColumnWriter>,
    rows: usize,
}

impl PartWriter {
    /// Creates the file at `path`.
    pub fn create(path: &Path, schema: SchemaRef) -> Result<PartWriter, ParquetError> {
        // Without the Arrow schema every reader sees plain text columns, whatever each batch's dictionary was.
        let options = ArrowWriterOptions::new().with_properties(properties()?).with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(File::create(path)?, Arc::clone(&schema), options)?;
        let (file, factory) = writer.into_serialized_writer()?;
        Ok(PartWriter { file, factory, schema, columns: Vec::new(), rows: 0 })
    }

    /// Encodes the batches; a full row group goes to the file.
    pub fn write(&mut self, batches: &[RecordBatch]) -> Result<(), ParquetError> {
        let rows = batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        if rows == 0 {
            return Ok(());
        }
        if self.columns.is_empty() {
            self.columns = self.begin_row_group()?;
        }
        self.columns.par_iter_mut().zip(&self.schema.fields()[..]).enumerate().try_for_each(
            |(index, (writer, field))| batches.iter().try_for_each(|batch| writer.write(field, batch.column(index))),
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

    fn begin_row_group(&self) -> Result<Vec<ColumnWriter>, ParquetError> {
        let writers = self.factory.create_column_writers(self.file.flushed_row_groups().len())?;
        let columns = self.file.schema_descr().columns().iter().zip(self.schema.fields());
        let of_column = |(writer, (column, field)): (_, (&Arc<_>, &Arc<Field>))| match ChunkWriter::new(
            field,
            Arc::clone(column),
        ) {
            Some(chunk) => ColumnWriter::Chunk(chunk),
            None => ColumnWriter::Library(Box::new(writer)),
        };
        Ok(writers.into_iter().zip(columns).map(of_column).collect())
    }

    fn end_row_group(&mut self) -> Result<(), ParquetError> {
        let columns = std::mem::take(&mut self.columns);
        let chunks: Vec<_> = columns.into_par_iter().map(ColumnWriter::close).collect::<Result<_, _>>()?;
        let mut row_group = self.file.next_row_group()?;
        for chunk in chunks {
            chunk.append_to(&mut row_group)?;
        }
        row_group.close()?;
        self.rows = 0;
        Ok(())
    }
}

/// Encodes one column of a row group. Every column is flat, or a list of one flat column.
enum ColumnWriter {
    Chunk(ChunkWriter),
    Library(Box<ArrowColumnWriter>),
}

enum ColumnChunk {
    Chunk(Chunk),
    Library(ArrowColumnChunk),
}

impl ColumnWriter {
    fn write(&mut self, field: &Field, array: &ArrayRef) -> Result<(), ParquetError> {
        match self {
            ColumnWriter::Chunk(chunk) => chunk.write(array),
            ColumnWriter::Library(writer) => {
                compute_leaves(field, array)?.iter().try_for_each(|leaf| writer.write(leaf))
            }
        }
    }

    fn close(self) -> Result<ColumnChunk, ParquetError> {
        Ok(match self {
            ColumnWriter::Chunk(chunk) => ColumnChunk::Chunk(chunk.close()?),
            ColumnWriter::Library(writer) => ColumnChunk::Library(writer.close()?),
        })
    }
}

impl ColumnChunk {
    fn append_to(self, row_group: &mut SerializedRowGroupWriter<'_, File>) -> Result<(), ParquetError> {
        match self {
            ColumnChunk::Chunk(chunk) => {
                let (octets, close) = chunk.into_parts();
                row_group.append_column(&octets, close)
            }
            ColumnChunk::Library(chunk) => chunk.append_to_row_group(row_group),
        }
    }
}

/// Of the file, and of the columns that the library encodes: texts without minima and maxima, and lists.
fn properties() -> Result<WriterProperties, ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(ChunkWriter::compression()?)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    Ok(properties.build())
}
