//! One column of a row group, encoded from Arrow arrays.
//!
//! The columns of these tables are flat, most of their texts are few, and half of them are empty. Encoding them with that
//! in mind takes a fraction of the time of the `parquet` crate's encoders, which look up every row's text and hold a
//! level per row. Pages, headers, metadata and every other type stay with the crate.

mod delta;
mod rle;
mod values;

use std::cell::RefCell;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::Field;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, EncodingMask, PageType, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, PageEncodingStats};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;

use values::Encoder;

/// Rows from which on a page is complete, as the crate has it.
const PAGE_ROWS: usize = 20_000;
/// zstd level: higher ones take longer and save little on columns that were encoded well.
const LEVEL: i32 = 2;

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// A column chunk being written: pages, compressed, in memory.
pub struct ChunkWriter {
    column: ColumnDescPtr,
    encoder: Box<dyn Encoder>,
    /// Which rows of the page have a value; `None` for a column that every row has a value of.
    valid: Option<BooleanBufferBuilder>,
    page_rows: usize,
    rows: u64,
    nulls: u64,
    pages: Vec<CompressedPage>,
}

/// A column chunk, ready for its row group.
pub struct Chunk {
    octets: Bytes,
    close: ColumnCloseResult,
}

impl ChunkWriter {
    /// For a field of the Arrow schema and the Parquet column made from it; `None` where its type is left to the crate.
    pub fn new(field: &Field, column: ColumnDescPtr) -> Option<ChunkWriter> {
        let encoder = values::encoder(field.data_type())?;
        let valid = field.is_nullable().then(|| BooleanBufferBuilder::new(PAGE_ROWS));
        Some(ChunkWriter { column, encoder, valid, page_rows: 0, rows: 0, nulls: 0, pages: Vec::new() })
    }

    /// How the crate encodes such a column, for the properties of the file.
    pub fn compression() -> Result<Compression> {
        Ok(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
    }

    /// Encodes an array of the field's type.
    ///
    /// # Errors
    /// [`ParquetError::General`] for a null where there must be none, and where compression fails.
    pub fn write(&mut self, array: &ArrayRef) -> Result<()> {
        let (rows, nulls) = (array.len(), array.null_count());
        match (&mut self.valid, array.nulls()) {
            (Some(valid), Some(bitmap)) if nulls > 0 => valid.append_buffer(bitmap.inner()),
            (Some(valid), _) => valid.append_n(rows, true),
            (None, _) if nulls > 0 => return Err(ParquetError::General(format!("{}: null", self.column.name()))),
            (None, _) => {}
        }
        self.encoder.append(array.as_ref());
        self.page_rows += rows;
        self.rows += rows as u64;
        self.nulls += nulls as u64;
        if self.page_rows >= PAGE_ROWS {
            self.end_page()
        } else {
            Ok(())
        }
    }

    /// Ends the chunk.
    ///
    /// # Errors
    /// Those of compression and of metadata.
    pub fn close(mut self) -> Result<Chunk> {
        if self.page_rows > 0 {
            self.end_page()?;
        }
        let dictionary = self.encoder.dictionary().map(|(octets, values)| {
            let page = |buf| Page::DictionaryPage {
                buf,
                num_values: values as u32,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            compressed(&octets, page)
        });
        let dictionary = dictionary.transpose()?;
        let mut sink = TrackedWrite::new(Vec::new());
        let mut stats: Vec<PageEncodingStats> = Vec::new();
        let (mut uncompressed, mut data_at) = (0, 0);
        let mut dictionary_at = None;
        {
            let mut writer = SerializedPageWriter::new(&mut sink);
            for page in dictionary.into_iter().chain(self.pages) {
                let (page_type, encoding) = (page.page_type(), page.encoding());
                match stats.iter_mut().find(|known| (known.page_type, known.encoding) == (page_type, encoding)) {
                    Some(known) => known.count += 1,
                    None => stats.push(PageEncodingStats { page_type, encoding, count: 1 }),
                }
                let written = writer.write_page(page)?;
                uncompressed += written.uncompressed_size;
                if page_type == PageType::DICTIONARY_PAGE {
                    dictionary_at = Some(0);
                    data_at = written.bytes_written as i64;
                }
            }
            writer.close()?;
        }
        let octets = sink.into_inner()?;
        let encodings = stats.iter().map(|stats| &stats.encoding).chain([&Encoding::RLE]);
        let mut metadata = ColumnChunkMetaData::builder(self.column)
            .set_compression(ChunkWriter::compression()?)
            .set_encodings_mask(EncodingMask::new_from_encodings(encodings))
            .set_total_compressed_size(octets.len() as i64)
            .set_total_uncompressed_size(uncompressed as i64)
            .set_num_values(self.rows as i64)
            .set_data_page_offset(data_at)
            .set_dictionary_page_offset(dictionary_at);
        metadata = metadata.set_page_encoding_stats(stats.clone());
        if let Some(statistics) = self.encoder.statistics(self.nulls) {
            metadata = metadata.set_statistics(statistics);
        }
        let close = ColumnCloseResult {
            bytes_written: octets.len() as u64,
            rows_written: self.rows,
            metadata: metadata.build()?,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        Ok(Chunk { octets: octets.into(), close })
    }

    fn end_page(&mut self) -> Result<()> {
        let mut octets = Vec::new();
        if let Some(valid) = &mut self.valid {
            put_levels(valid, &mut octets);
        }
        let encoding = self.encoder.flush(&mut octets);
        let num_values = self.page_rows as u32;
        self.page_rows = 0;
        self.pages.push(compressed(&octets, |buf| Page::DataPage {
            buf,
            num_values,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        })?);
        Ok(())
    }
}

impl Chunk {
    /// Its octets, and what the row group must know of them.
    pub fn into_parts(self) -> (Bytes, ColumnCloseResult) {
        (self.octets, self.close)
    }
}

/// Appends a page's definition levels, their length first, and begins anew.
fn put_levels(valid: &mut BooleanBufferBuilder, page: &mut Vec<u8>) {
    let start = page.len();
    page.extend_from_slice(&[0; 4]);
    let bits = valid.finish();
    match bits.count_set_bits() == bits.len() {
        true => rle::encode_ones(bits.len(), page),
        false => rle::encode_bits(bits.values(), bits.len(), page),
    }
    let length = (page.len() - start - 4) as u32;
    page[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

fn compressed(octets: &[u8], page: impl FnOnce(Bytes) -> Page) -> Result<CompressedPage> {
    let failed = |error: std::io::Error| ParquetError::External(Box::new(error));
    let packed = COMPRESSOR.with_borrow_mut(|compressor| {
        let compressor = match compressor {
            Some(compressor) => compressor,
            None => compressor.insert(Compressor::new(LEVEL).map_err(failed)?),
        };
        compressor.compress(octets).map_err(failed)
    })?;
    Ok(CompressedPage::new(page(packed.into()), octets.len()))
}

#[cfg(test)]
mod tests;
