//! The distinct values of a column chunk, numbered in the order of their first occurrence.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{Array, StringArray};
use arrow_schema::DataType;
use parquet::file::statistics::Statistics;
use winf_parsers::tables::codes::Codes;

/// Octets of a dictionary page from which on values are written as they are: they hardly repeat.
pub(super) const FULL_BYTES: usize = 1 << 20;
/// Recent numbers found without a look-up.
const RECENT: usize = 1 << 10;
const UNSEEN: u32 = u32::MAX;

/// Distinct values, by the type of the column.
pub enum Dictionary {
    /// Texts, which arrays hold as dictionaries of their own.
    Texts {
        /// The number of each text.
        codes: HashMap<Box<str>, u32>,
        /// The texts as a dictionary page has them.
        page: Vec<u8>,
    },
    /// 32-bit integers.
    Integers(Codes<i32, RECENT>),
    /// The bits of 64-bit floating-point numbers.
    Reals(Codes<u64, RECENT>),
}

impl Dictionary {
    /// An empty dictionary; `None` for types that are not coded by one.
    pub fn of(column: &DataType) -> Option<Dictionary> {
        match column {
            DataType::Dictionary(..) => Some(Dictionary::Texts { codes: HashMap::new(), page: Vec::new() }),
            DataType::Int32 => Some(Dictionary::Integers(Codes::default())),
            DataType::Float64 => Some(Dictionary::Reals(Codes::default())),
            _ => None,
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Dictionary::Texts { codes, .. } => codes.len(),
            Dictionary::Integers(codes) => codes.len(),
            Dictionary::Reals(codes) => codes.len(),
        }
    }

    /// True if it takes no more values.
    pub fn is_full(&self) -> bool {
        let bytes = match self {
            Dictionary::Texts { page, .. } => page.len(),
            Dictionary::Integers(codes) => codes.len() * size_of::<i32>(),
            Dictionary::Reals(codes) => codes.len() * size_of::<u64>(),
        };
        bytes >= FULL_BYTES
    }

    /// Appends the numbers of the values of an array, leaving out nulls.
    pub fn code(&mut self, array: &dyn Array, out: &mut Vec<u32>) {
        out.reserve(array.len() - array.null_count());
        match self {
            Dictionary::Texts { codes, page } => {
                let (keys, texts) = texts(array);
                let mut seen = vec![UNSEEN; texts.len()];
                each_value(array, |row| {
                    let key = keys.get(row).map_or(0, |key| *key as usize);
                    let Some(code) = seen.get_mut(key) else { return };
                    if *code == UNSEEN {
                        *code = code_of(texts.value(key), codes, page);
                    }
                    out.push(*code);
                });
            }
            Dictionary::Integers(codes) => {
                let values = array.as_primitive::<Int32Type>().values();
                each_value(array, |row| out.extend(values.get(row).map(|value| codes.of(*value) as u32)));
            }
            Dictionary::Reals(codes) => {
                let values = array.as_primitive::<Float64Type>().values();
                each_value(array, |row| out.extend(values.get(row).map(|value| codes.of(value.to_bits()) as u32)));
            }
        }
    }

    /// The values one after the other, as a dictionary page has them.
    pub fn page(&self) -> Vec<u8> {
        match self {
            Dictionary::Texts { page, .. } => page.clone(),
            Dictionary::Integers(codes) => codes.keys().iter().flat_map(|value| value.to_le_bytes()).collect(),
            Dictionary::Reals(codes) => codes.keys().iter().flat_map(|bits| bits.to_le_bytes()).collect(),
        }
    }

    /// Least and greatest integer, and the number of nulls, of a chunk with no values but these.
    pub fn statistics(&self, nulls: usize) -> Option<Statistics> {
        match self {
            Dictionary::Integers(codes) => {
                let (least, greatest) = (codes.keys().iter().min().copied(), codes.keys().iter().max().copied());
                Some(Statistics::int32(least, greatest, None, Some(nulls as u64), false))
            }
            _ => None,
        }
    }
}

/// Appends the values of an array of a coded type as they are, leaving out nulls (PLAIN).
pub fn put_plain(array: &dyn Array, out: &mut Vec<u8>) {
    match array.data_type() {
        DataType::Int32 => {
            let values = array.as_primitive::<Int32Type>().values();
            each_value(array, |row| out.extend(values.get(row).into_iter().flat_map(|value| value.to_le_bytes())));
        }
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>().values();
            each_value(array, |row| out.extend(values.get(row).into_iter().flat_map(|value| value.to_le_bytes())));
        }
        _ => {
            let (keys, texts) = texts(array);
            each_value(array, |row| put_text(texts.value(keys.get(row).map_or(0, |key| *key as usize)), out));
        }
    }
}

fn texts(array: &dyn Array) -> (&[i32], &StringArray) {
    let array = array.as_dictionary::<Int32Type>();
    (array.keys().values(), array.values().as_string())
}

/// The number of a text. It is asked for once per array and text: inlined, it would slow down the loop over the rows.
#[inline(never)]
fn code_of(text: &str, codes: &mut HashMap<Box<str>, u32>, page: &mut Vec<u8>) -> u32 {
    if let Some(code) = codes.get(text) {
        return *code;
    }
    let code = codes.len() as u32;
    codes.insert(text.into(), code);
    put_text(text, page);
    code
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// Calls `use_row` with the index of every row that is not null.
pub fn each_value(array: &dyn Array, mut use_row: impl FnMut(usize)) {
    let Some(nulls) = array.nulls() else { return (0..array.len()).for_each(use_row) };
    // Word by word: where answers follow data, runs of rows with values are too short for an iterator of runs.
    for (word, first) in nulls.inner().bit_chunks().iter_padded().zip((0..).step_by(u64::BITS as usize)) {
        let mut left = word;
        while left != 0 {
            use_row(first + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}
