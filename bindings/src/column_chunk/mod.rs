//! Flat columns of a row group, encoded from Arrow arrays into Parquet pages.
//!
//! The library's writer hashes every value of an array that is a dictionary already, and materializes the level and
//! the index of every row. Here texts are hashed once per array, levels are copied from the bitmaps of arrays, and one
//! compressor serves all columns. Files, metadata and page headers are the library's.

mod bits;
mod delta;
mod dictionary;
mod hybrid;
mod pages;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::Array;
use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::DataType;
use parquet::basic::Encoding;
use parquet::errors::Result;
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescPtr;

use dictionary::{each_value, put_plain, Dictionary};
use pages::Pages;
pub use pages::{ColumnChunk, ZSTD_LEVEL};

/// Encoder of one column of a row group.
pub struct ColumnEncoder {
    pages: Pages,
    values: Values,
}

/// The values of the page in progress.
enum Values {
    /// Numbers of distinct values; the values themselves once the dictionary is full.
    Coded { dictionary: Dictionary, codes: Vec<u32>, plain: Vec<u8> },
    /// Numbers that hardly repeat but rise, and the least and greatest of the chunk.
    Rising { values: Vec<i64>, least: i64, greatest: i64 },
    /// Booleans.
    Truths(BooleanBufferBuilder),
}

impl ColumnEncoder {
    /// Whether arrays of the type `arrow` are encoded here; the library has to do others.
    pub fn encodes(arrow: &DataType) -> bool {
        matches!(arrow, DataType::Int64 | DataType::Boolean) || Dictionary::of(arrow).is_some()
    }

    /// Encoder of the Parquet column `column`, from arrays of the type `arrow`; `None` if the library has to do it.
    pub fn new(column: ColumnDescPtr, arrow: &DataType) -> Option<ColumnEncoder> {
        let values = match arrow {
            DataType::Int64 => Values::Rising { values: Vec::new(), least: i64::MAX, greatest: i64::MIN },
            DataType::Boolean => Values::Truths(BooleanBufferBuilder::new(0)),
            other => Values::Coded { dictionary: Dictionary::of(other)?, codes: Vec::new(), plain: Vec::new() },
        };
        Some(ColumnEncoder { pages: Pages::new(column), values })
    }

    /// Adds the rows of an array.
    ///
    /// # Errors
    /// A page cannot be made.
    pub fn write(&mut self, array: &dyn Array) -> Result<()> {
        self.pages.add_rows(array);
        let mut ends = self.pages.is_full();
        match &mut self.values {
            Values::Coded { dictionary, plain, .. } if dictionary.is_full() => put_plain(array, plain),
            Values::Coded { dictionary, codes, .. } => {
                dictionary.code(array, codes);
                ends |= dictionary.is_full();
            }
            Values::Rising { values, least, greatest } => {
                let (numbers, before) = (array.as_primitive::<Int64Type>().values(), values.len());
                match array.nulls() {
                    None => values.extend_from_slice(numbers),
                    Some(_) => each_value(array, |row| values.extend(numbers.get(row))),
                }
                for value in values.get(before..).unwrap_or_default() {
                    *least = (*least).min(*value);
                    *greatest = (*greatest).max(*value);
                }
            }
            Values::Truths(truths) => {
                let values = array.as_boolean().values();
                match array.nulls() {
                    None => truths.append_buffer(values),
                    Some(_) => each_value(array, |row| truths.append(values.value(row))),
                }
            }
        }
        if ends {
            self.end_page()?;
        }
        Ok(())
    }

    /// The finished chunk.
    ///
    /// # Errors
    /// A page cannot be made.
    pub fn close(mut self) -> Result<ColumnChunk> {
        if self.pages.has_rows() {
            self.end_page()?;
        }
        let nulls = self.pages.nulls();
        match self.values {
            Values::Coded { dictionary, .. } => {
                let statistics = (!dictionary.is_full()).then(|| dictionary.statistics(nulls)).flatten();
                self.pages.close(Some((&dictionary.page(), dictionary.len())), statistics)
            }
            Values::Rising { least, greatest, .. } => {
                let range = (least <= greatest).then_some((least, greatest));
                let (least, greatest) = range.unzip();
                self.pages.close(None, Some(Statistics::int64(least, greatest, None, Some(nulls as u64), false)))
            }
            Values::Truths(_) => self.pages.close(None, None),
        }
    }

    fn end_page(&mut self) -> Result<()> {
        match &mut self.values {
            Values::Coded { dictionary, codes, plain } if dictionary.is_full() && codes.is_empty() => {
                self.pages.end_page(Encoding::PLAIN, plain)?;
                plain.clear();
            }
            Values::Coded { dictionary, codes, .. } => {
                let width = (usize::BITS - dictionary.len().saturating_sub(1).leading_zeros()) as u8;
                let mut values = vec![width];
                hybrid::put_values(codes, width, &mut values);
                self.pages.end_page(Encoding::RLE_DICTIONARY, &values)?;
                codes.clear();
            }
            Values::Rising { values, .. } => {
                self.pages.end_page(Encoding::DELTA_BINARY_PACKED, &delta::encoded(values))?;
                values.clear();
            }
            Values::Truths(truths) => self.pages.end_page(Encoding::PLAIN, truths.finish().values())?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
