//! The values of a column, encoded page by page.

use std::hash::Hash;

use ahash::AHashMap;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::Array;
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use parquet::basic::Encoding;
use parquet::file::statistics::Statistics;
use winf_parsers::table::codes::Codes;

use super::{delta, rle};

/// Octets from which on a dictionary no longer pays.
const MOST_DICTIONARY_BYTES: usize = 1 << 20;

/// Takes in the values of arrays of one type, and gives them out as the content of data pages.
pub(super) trait Encoder: Send {
    /// Takes in the values that are there.
    fn append(&mut self, array: &dyn Array);

    /// Appends what was taken in since the last page, and says how it is encoded.
    fn flush(&mut self, page: &mut Vec<u8>) -> Encoding;

    /// The dictionary that pages refer to, as plain values, and their number; `None` where none refers to one.
    fn dictionary(&self) -> Option<(Vec<u8>, usize)> {
        None
    }

    /// Least and greatest value; `None` for texts: comparing every value costs more than a reader gains, who filters
    /// by equality.
    fn statistics(&self, nulls: u64) -> Option<Statistics>;
}

/// What encodes columns of this type; `None` for types that are left to the library.
pub(super) fn encoder(data_type: &DataType) -> Option<Box<dyn Encoder>> {
    match data_type {
        DataType::Int64 => Some(Box::new(Deltas::default())),
        DataType::Int32 => Some(Box::new(Numbers::<i32>::default())),
        DataType::Float64 => Some(Box::new(Numbers::<f64>::default())),
        DataType::Boolean => Some(Box::new(Truths::default())),
        DataType::Dictionary(key, value) if **key == DataType::Int32 && **value == DataType::Utf8 => {
            Some(Box::new(Texts::default()))
        }
        _ => None,
    }
}

/// Times and counters: they hardly repeat but rise, so their differences are stored.
#[derive(Default)]
struct Deltas {
    page: Vec<i64>,
    range: Option<(i64, i64)>,
}

impl Encoder for Deltas {
    fn append(&mut self, array: &dyn Array) {
        let array = array.as_primitive::<Int64Type>();
        let first = self.page.len();
        gather(array.values(), array.nulls(), &mut self.page);
        let new = &self.page[first..];
        if let (Some(&least), Some(&greatest)) = (new.iter().min(), new.iter().max()) {
            let (low, high) = self.range.unwrap_or((least, greatest));
            self.range = Some((low.min(least), high.max(greatest)));
        }
    }

    fn flush(&mut self, page: &mut Vec<u8>) -> Encoding {
        delta::encode(&self.page, page);
        self.page.clear();
        Encoding::DELTA_BINARY_PACKED
    }

    fn statistics(&self, nulls: u64) -> Option<Statistics> {
        let (least, greatest) = self.range.unzip();
        Some(Statistics::int64(least, greatest, None, Some(nulls), false))
    }
}

/// A number that has few distinct values in a column.
trait Number: Copy + Send + Default + 'static {
    /// What tells two of them apart.
    type Bits: Copy + Eq + Hash + Send;
    /// Of the plain encoding.
    type Octets: AsRef<[u8]>;
    fn values(array: &dyn Array) -> &[Self];
    fn bits(self) -> Self::Bits;
    fn of_bits(bits: Self::Bits) -> Self;
    fn octets(self) -> Self::Octets;
    fn is_less(self, other: Self) -> bool;
    /// False for what has no place in an order.
    fn is_ordered(self) -> bool;
    fn statistics(range: Option<(Self, Self)>, nulls: u64) -> Statistics;
}

impl Number for i32 {
    type Bits = i32;
    type Octets = [u8; 4];
    fn values(array: &dyn Array) -> &[i32] {
        array.as_primitive::<Int32Type>().values()
    }
    fn bits(self) -> i32 {
        self
    }
    fn of_bits(bits: i32) -> i32 {
        bits
    }
    fn octets(self) -> [u8; 4] {
        self.to_le_bytes()
    }
    fn is_less(self, other: i32) -> bool {
        self < other
    }
    fn is_ordered(self) -> bool {
        true
    }
    fn statistics(range: Option<(i32, i32)>, nulls: u64) -> Statistics {
        let (least, greatest) = range.unzip();
        Statistics::int32(least, greatest, None, Some(nulls), false)
    }
}

impl Number for f64 {
    type Bits = u64;
    type Octets = [u8; 8];
    fn values(array: &dyn Array) -> &[f64] {
        array.as_primitive::<Float64Type>().values()
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
    fn of_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    fn octets(self) -> [u8; 8] {
        self.to_le_bytes()
    }
    fn is_less(self, other: f64) -> bool {
        self < other
    }
    fn is_ordered(self) -> bool {
        !self.is_nan()
    }
    fn statistics(range: Option<(f64, f64)>, nulls: u64) -> Statistics {
        // Either zero may be meant by a zero (parquet.thrift, ColumnOrder).
        let least = range.map(|(least, _)| if least == 0.0 { -0.0 } else { least });
        let greatest = range.map(|(_, greatest)| if greatest == 0.0 { 0.0 } else { greatest });
        Statistics::double(least, greatest, None, Some(nulls), false)
    }
}

/// Numbers by a dictionary, and plain once it has grown too large.
struct Numbers<T: Number> {
    codes: Codes<T::Bits, 4096>,
    range: Option<(T, T)>,
    page: Coded,
    plain: Vec<T>,
    gathered: Vec<T>,
}

impl<T: Number> Default for Numbers<T> {
    fn default() -> Self {
        let (plain, gathered) = (Vec::new(), Vec::new());
        Numbers { codes: Codes::default(), range: None, page: Coded::default(), plain, gathered }
    }
}

impl<T: Number> Encoder for Numbers<T> {
    fn append(&mut self, array: &dyn Array) {
        self.gathered.clear();
        gather(T::values(array), array.nulls(), &mut self.gathered);
        let known = self.codes.len();
        match self.page.is_plain {
            true => self.plain.extend_from_slice(&self.gathered),
            false => self.page.codes.extend(self.gathered.iter().map(|value| self.codes.of(value.bits()) as u32)),
        }
        // Every value of a dictionary has been there: of the others only the new ones are compared.
        let new = self.codes.keys().get(known..).unwrap_or_default().iter().map(|&bits| T::of_bits(bits));
        self.range = new.chain(self.plain.iter().copied().take(if self.page.is_plain { usize::MAX } else { 0 })).fold(
            self.range,
            |range, value| match range {
                _ if !value.is_ordered() => range,
                None => Some((value, value)),
                Some((least, _)) if value.is_less(least) => range.map(|(_, greatest)| (value, greatest)),
                Some((least, greatest)) if greatest.is_less(value) => Some((least, value)),
                Some(_) => range,
            },
        );
    }

    fn flush(&mut self, page: &mut Vec<u8>) -> Encoding {
        if self.page.is_plain {
            self.plain.drain(..).for_each(|value| page.extend_from_slice(value.octets().as_ref()));
            return Encoding::PLAIN;
        }
        self.page.flush(self.codes.len(), self.codes.len() * size_of::<T>(), page)
    }

    fn dictionary(&self) -> Option<(Vec<u8>, usize)> {
        let count = self.codes.len();
        let octets = || self.codes.keys().iter().flat_map(|&bits| T::of_bits(bits).octets().as_ref().to_vec());
        (count > 0).then(|| (octets().collect(), count))
    }

    fn statistics(&self, nulls: u64) -> Option<Statistics> {
        Some(T::statistics(self.range, nulls))
    }
}

/// Numbers of a dictionary's values, until the dictionary is given up.
#[derive(Default)]
struct Coded {
    codes: Vec<u32>,
    is_plain: bool,
}

impl Coded {
    /// Appends the codes of a page into a dictionary of so many values and octets.
    fn flush(&mut self, values: usize, octets: usize, page: &mut Vec<u8>) -> Encoding {
        if values == 0 {
            return Encoding::PLAIN; // of no values
        }
        let width = usize::BITS - (values - 1).leading_zeros();
        page.push(width as u8);
        rle::encode_codes(&self.codes, width, page);
        self.codes.clear();
        self.is_plain = octets >= MOST_DICTIONARY_BYTES;
        Encoding::RLE_DICTIONARY
    }
}

/// Texts, which come with a dictionary for each array: only its values are looked up, never a row's.
#[derive(Default)]
struct Texts {
    codes: AHashMap<Box<str>, u32>,
    dictionary: Vec<u8>,
    page: Coded,
    plain: Vec<u8>,
    keys: Vec<i32>,
}

impl Texts {
    /// The code of a text in the dictionary of the column.
    fn code(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.codes.get(text) {
            return code;
        }
        let code = self.codes.len() as u32;
        self.codes.insert(text.into(), code);
        put_text(text, &mut self.dictionary);
        code
    }
}

impl Encoder for Texts {
    fn append(&mut self, array: &dyn Array) {
        const UNKNOWN: u32 = u32::MAX;
        let array = array.as_dictionary::<Int32Type>();
        let texts = array.values().as_string::<i32>();
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        gather(array.keys().values(), array.nulls(), &mut keys);
        if self.page.is_plain {
            keys.iter().for_each(|&key| put_text(texts.value(key as usize), &mut self.plain));
        } else {
            let mut codes = vec![UNKNOWN; texts.len()];
            self.page.codes.reserve(keys.len());
            for &key in &keys {
                let code = &mut codes[key as usize];
                if *code == UNKNOWN {
                    *code = self.code(texts.value(key as usize));
                }
                self.page.codes.push(*code);
            }
        }
        self.keys = keys;
    }

    fn flush(&mut self, page: &mut Vec<u8>) -> Encoding {
        if self.page.is_plain {
            page.append(&mut self.plain);
            return Encoding::PLAIN;
        }
        self.page.flush(self.codes.len(), self.dictionary.len(), page)
    }

    fn dictionary(&self) -> Option<(Vec<u8>, usize)> {
        (!self.codes.is_empty()).then(|| (self.dictionary.clone(), self.codes.len()))
    }

    fn statistics(&self, _: u64) -> Option<Statistics> {
        None
    }
}

/// Truth values, a bit each.
#[derive(Default)]
struct Truths {
    page: Vec<bool>,
    has_false: bool,
    has_true: bool,
}

impl Encoder for Truths {
    fn append(&mut self, array: &dyn Array) {
        let array = array.as_boolean();
        let first = self.page.len();
        let values: Vec<bool> = array.values().iter().collect();
        gather(&values, array.nulls(), &mut self.page);
        let trues = self.page[first..].iter().filter(|&&value| value).count();
        self.has_true |= trues > 0;
        self.has_false |= trues < self.page.len() - first;
    }

    fn flush(&mut self, page: &mut Vec<u8>) -> Encoding {
        page.extend_from_slice(BooleanBuffer::from(self.page.as_slice()).values());
        self.page.clear();
        Encoding::PLAIN
    }

    fn statistics(&self, nulls: u64) -> Option<Statistics> {
        let is_empty = !self.has_true && !self.has_false;
        let range = (!is_empty).then_some((!self.has_false, self.has_true));
        let (least, greatest) = range.unzip();
        Some(Statistics::boolean(least, greatest, None, Some(nulls), false))
    }
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// Appends the values that are there, without a branch per row.
fn gather<T: Copy + Default>(values: &[T], nulls: Option<&NullBuffer>, out: &mut Vec<T>) {
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else {
        return out.extend_from_slice(values);
    };
    let mut block = [T::default(); 64];
    for (values, valid) in values.chunks(block.len()).zip(nulls.inner().bit_chunks().iter_padded()) {
        match valid {
            0 => {}
            u64::MAX if values.len() == block.len() => out.extend_from_slice(values),
            _ => {
                let mut count = 0;
                for (place, &value) in values.iter().enumerate() {
                    block[count % 64] = value;
                    count += (valid >> place & 1) as usize;
                }
                out.extend_from_slice(&block[..count]);
            }
        }
    }
}
