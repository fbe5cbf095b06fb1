//! The pages of a column chunk, compressed, and what its metadata say of them.

use std::cell::RefCell;

use arrow_array::Array;
use arrow_buffer::BooleanBufferBuilder;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;

use super::hybrid;

/// Rows from which a page ends: what a reader unpacks at once.
const PAGE_ROWS: usize = 1 << 15;

/// Level of Zstandard in all parts.
pub const ZSTD_LEVEL: i32 = 1;

thread_local! {
    /// One for all columns: a compressor has a megabyte of tables, which stay in the cache.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// A column chunk being written: its finished data pages, and which rows of the next one have values.
pub struct Pages {
    column: ColumnDescPtr,
    data: TrackedWrite<Vec<u8>>,
    has_value: BooleanBufferBuilder,
    encodings: Vec<Encoding>,
    uncompressed_bytes: usize,
    rows: usize,
    nulls: usize,
}

/// A finished column chunk, as `SerializedRowGroupWriter::append_column` takes it.
pub struct ColumnChunk {
    /// Its octets.
    pub octets: Bytes,
    /// Its metadata; offsets are into the octets.
    pub close: ColumnCloseResult,
}

impl Pages {
    /// No page yet.
    pub fn new(column: ColumnDescPtr) -> Pages {
        Pages {
            column,
            data: TrackedWrite::new(Vec::new()),
            has_value: BooleanBufferBuilder::new(0),
            encodings: vec![Encoding::RLE],
            uncompressed_bytes: 0,
            rows: 0,
            nulls: 0,
        }
    }

    /// Adds the rows of an array to the page in progress; their values are the caller's.
    pub fn add_rows(&mut self, array: &dyn Array) {
        match array.nulls() {
            Some(nulls) => self.has_value.append_buffer(nulls.inner()),
            None => self.has_value.append_n(array.len(), true),
        }
        self.nulls += array.null_count();
    }

    /// True if the page in progress has enough rows.
    pub fn is_full(&self) -> bool {
        self.has_value.len() >= PAGE_ROWS
    }

    /// Ends the page in progress, whose rows with values have these `values` in this encoding.
    pub fn end_page(&mut self, encoding: Encoding, values: &[u8]) -> Result<()> {
        let rows = self.has_value.len();
        let has_value = self.has_value.finish();
        let mut content = Vec::new();
        if self.column.max_def_level() > 0 {
            content.extend([0; size_of::<u32>()]);
            hybrid::put_bits(has_value.values(), rows, &mut content);
            let levels = content.len() - size_of::<u32>();
            content.splice(..size_of::<u32>(), (levels as u32).to_le_bytes());
        }
        content.extend_from_slice(values);
        let page = Page::DataPage {
            buf: compressed(&content)?.into(),
            num_values: u32::try_from(rows)?,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        self.uncompressed_bytes += write_page(page, content.len(), &mut self.data)?;
        self.rows += rows;
        if !self.encodings.contains(&encoding) {
            self.encodings.push(encoding);
        }
        Ok(())
    }

    /// True if the page in progress has rows.
    pub fn has_rows(&self) -> bool {
        !self.has_value.is_empty()
    }

    /// Rows without a value so far.
    pub fn nulls(&self) -> usize {
        self.nulls
    }

    /// The chunk; `dictionary` has the values that pages refer to, and their number.
    pub fn close(mut self, dictionary: Option<(&[u8], usize)>, statistics: Option<Statistics>) -> Result<ColumnChunk> {
        let mut file = TrackedWrite::new(Vec::new());
        if let Some((values, count)) = dictionary {
            let page = Page::DictionaryPage {
                buf: compressed(values)?.into(),
                num_values: u32::try_from(count)?,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            self.uncompressed_bytes += write_page(page, values.len(), &mut file)?;
            self.encodings.push(Encoding::PLAIN);
        }
        let data_offset = file.bytes_written();
        let mut octets = file.into_inner()?;
        octets.append(&mut self.data.into_inner()?);
        let mut metadata = ColumnChunkMetaData::builder(self.column)
            .set_encodings(self.encodings)
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
            .set_num_values(i64::try_from(self.rows)?)
            .set_total_compressed_size(i64::try_from(octets.len())?)
            .set_total_uncompressed_size(i64::try_from(self.uncompressed_bytes)?)
            .set_data_page_offset(i64::try_from(data_offset)?)
            .set_dictionary_page_offset(dictionary.map(|_| 0));
        if let Some(statistics) = statistics {
            metadata = metadata.set_statistics(statistics);
        }
        let close = ColumnCloseResult {
            bytes_written: octets.len() as u64,
            rows_written: self.rows as u64,
            metadata: metadata.build()?,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        Ok(ColumnChunk { octets: octets.into(), close })
    }
}

/// Writes a page with its header; the octets it would take uncompressed.
fn write_page(page: Page, uncompressed: usize, file: &mut TrackedWrite<Vec<u8>>) -> Result<usize> {
    let written = SerializedPageWriter::new(file).write_page(CompressedPage::new(page, uncompressed))?;
    Ok(written.uncompressed_size)
}

fn compressed(octets: &[u8]) -> Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|compressor| {
        let compressor = match compressor {
            Some(compressor) => compressor,
            none => none.insert(Compressor::new(ZSTD_LEVEL)?),
        };
        Ok(compressor.compress(octets)?)
    })
}
