//! One column: name, type, documentation, and the loop that fills it from rows.

use std::fmt::Display;
use std::hash::Hash;
use std::sync::Arc;

use ahash::AHashMap;
use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::types::{ArrowPrimitiveType, Int32Type};
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, Int32Array, PrimitiveArray, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;

use crate::addr::Addr;
use crate::radios::source_of;

/// Rows of one recording.
pub struct Rows<'a, R> {
    /// The recording's name: the `source` column.
    pub source: &'a str,
    /// The rows.
    pub rows: &'a [R],
}

/// One column of a [`crate::table::Table`].
#[derive(Debug)]
pub struct Column<R: 'static> {
    /// The name, with its unit.
    pub name: &'static str,
    /// What it says.
    pub doc: &'static str,
    /// Never null.
    pub required: bool,
    /// Its Arrow type.
    pub data_type: fn() -> DataType,
    /// Fills it.
    pub build: fn(&Rows<'_, R>) -> ArrayRef,
}

/// The type of every text column: few distinct values, so dictionary-encoded.
pub fn text_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// A list of 32-bit integers.
pub fn list_type() -> DataType {
    DataType::new_list(DataType::Int32, true)
}

/// Numbers.
pub fn numbers<R, T: ArrowPrimitiveType>(rows: &Rows<'_, R>, get: impl Fn(&R) -> Option<T::Native>) -> ArrayRef {
    let mut values = Vec::with_capacity(rows.rows.len());
    let valid = BooleanBuffer::collect_bool(rows.rows.len(), |row| {
        let value = get(&rows.rows[row]);
        values.push(value.unwrap_or_default());
        value.is_some()
    });
    Arc::new(PrimitiveArray::<T>::new(values.into(), nulls(valid)))
}

/// Truth values.
pub fn truths<R>(rows: &Rows<'_, R>, get: impl Fn(&R) -> Option<bool>) -> ArrayRef {
    let values = BooleanBuffer::collect_bool(rows.rows.len(), |row| get(&rows.rows[row]).unwrap_or_default());
    let valid = BooleanBuffer::collect_bool(rows.rows.len(), |row| get(&rows.rows[row]).is_some());
    Arc::new(BooleanArray::new(values, nulls(valid)))
}

/// Free text, rarely the same twice.
pub fn sentences<R>(rows: &Rows<'_, R>, get: impl Fn(&R) -> &str) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(rows.rows.iter().map(get)))
}

/// Lists of small integers; an empty list is null.
pub fn lists<R>(rows: &Rows<'_, R>, get: impl Fn(&R) -> &[i8]) -> ArrayRef {
    let mut lists = ListBuilder::new(Int32Builder::new());
    for row in rows.rows {
        let values = get(row);
        values.iter().for_each(|&value| lists.values().append_value(value.into()));
        lists.append(!values.is_empty());
    }
    Arc::new(lists.finish())
}

/// The name of the source, with the number of the radio behind it where it is not the first.
pub fn radios<R>(rows: &Rows<'_, R>, radio: impl Fn(&R) -> u8) -> ArrayRef {
    match rows.rows.iter().map(&radio).max().unwrap_or_default() {
        0 => constant(rows, rows.source),
        last => {
            let names = (0..=last).map(|radio| source_of(rows.source, radio)).collect();
            dictionary(keys(rows, |row| Some(radio(row).into())), names)
        }
    }
}

/// The same text in every row.
pub fn constant<R>(rows: &Rows<'_, R>, text: &str) -> ArrayRef {
    dictionary(Int32Array::from_value(0, rows.rows.len()), vec![text.to_owned()])
}

/// Members of an enum, whose discriminants are the dictionary's keys.
pub fn members<R, E: Copy>(
    rows: &Rows<'_, R>,
    all: &[E],
    name: impl Fn(E) -> &'static str,
    key: impl Fn(&R) -> Option<i32>,
) -> ArrayRef {
    let values = all.iter().map(|&member| name(member).to_owned()).collect();
    dictionary(keys(rows, key), values)
}

/// Station addresses.
pub fn addresses<R>(rows: &Rows<'_, R>, get: impl Fn(&R) -> Option<Addr>) -> ArrayRef {
    texts(rows, get, |address| address.to_string())
}

/// Any other text: `key` says which rows have the same, `text` spells it once per batch.
pub fn texts<R, K: Copy + Eq + Hash>(
    rows: &Rows<'_, R>,
    key: impl Fn(&R) -> Option<K>,
    text: impl Fn(K) -> String,
) -> ArrayRef {
    let mut codes: AHashMap<K, i32> = AHashMap::new();
    let mut values: Vec<String> = Vec::new();
    let mut last: Option<(K, i32)> = None; // neighbours often agree
    let mut code_of = |key: K| {
        if let Some((_, code)) = last.filter(|(seen, _)| *seen == key) {
            return code;
        }
        let code = *codes.entry(key).or_insert_with(|| {
            values.push(text(key));
            values.len() as i32 - 1
        });
        last = Some((key, code));
        code
    };
    let keys = keys(rows, |row| key(row).map(&mut code_of));
    dictionary(keys, values)
}

/// Spells a key that displays itself.
pub fn shown<K: Display>(key: K) -> String {
    key.to_string()
}

/// Dictionary keys, one per row.
fn keys<R>(rows: &Rows<'_, R>, mut key: impl FnMut(&R) -> Option<i32>) -> Int32Array {
    let mut keys = Vec::with_capacity(rows.rows.len());
    let valid = BooleanBuffer::collect_bool(rows.rows.len(), |row| {
        let key = key(&rows.rows[row]);
        keys.push(key.unwrap_or_default());
        key.is_some()
    });
    Int32Array::new(keys.into(), nulls(valid))
}

/// The null buffer of an array, none where every row has a value.
fn nulls(valid: BooleanBuffer) -> Option<NullBuffer> {
    Some(NullBuffer::new(valid)).filter(|nulls| nulls.null_count() > 0)
}

fn dictionary(keys: Int32Array, values: Vec<String>) -> ArrayRef {
    let values: ArrayRef = Arc::new(StringArray::from(values));
    let array = DictionaryArray::<Int32Type>::try_new(keys, values);
    Arc::new(array.expect("keys were made from these values"))
}

/// Declares the columns of a [`crate::table::Table`]: `name: kind(expression), "documentation";` with the row bound to a name.
///
/// Where it is used, `column` and `Rows` of [`crate::table`] and the Arrow types of its kinds are in scope.
#[macro_export]
macro_rules! columns {
    ($row:ident: $type:ty { $($name:ident: $kind:ident $(<$enum:ident>)? ($get:expr), $doc:literal;)+ }) => {
        &[$($crate::column_of!($row: $type, $name, $kind $(<$enum>)?, $get, $doc),)+]
    };
}

/// One column of each kind; `expression` yields an `Option` unless the kind is a required one (`id`, `always`).
#[macro_export]
#[doc(hidden)]
macro_rules! column_of {
    (@ $name:ident, $doc:literal, $required:literal, $type:expr, $build:expr) => {
        $crate::table::column::Column {
            name: stringify!($name), doc: $doc, required: $required, data_type: || $type, build: $build,
        }
    };
    ($row:ident: $t:ty, $name:ident, source, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, true, column::text_type(), |rows: &Rows<'_, $t>| column::constant(rows, rows.source))
    };
    ($row:ident: $t:ty, $name:ident, radio, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, true, column::text_type(), |rows: &Rows<'_, $t>| column::radios(rows, |$row| $get))
    };
    ($row:ident: $t:ty, $name:ident, id, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, true, DataType::Int64, |rows: &Rows<'_, $t>| {
            column::numbers::<_, Int64Type>(rows, |$row| Some($get as i64))
        })
    };
    ($row:ident: $t:ty, $name:ident, i64, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, false, DataType::Int64, |rows: &Rows<'_, $t>| {
            column::numbers::<_, Int64Type>(rows, |$row| $get)
        })
    };
    ($row:ident: $t:ty, $name:ident, i32, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, false, DataType::Int32, |rows: &Rows<'_, $t>| {
            column::numbers::<_, Int32Type>(rows, |$row| $get.map(|value| value as i32))
        })
    };
    ($row:ident: $t:ty, $name:ident, f64, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, false, DataType::Float64, |rows: &Rows<'_, $t>| {
            column::numbers::<_, Float64Type>(rows, |$row| $get.map(f64::from))
        })
    };
    ($row:ident: $t:ty, $name:ident, bool, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, false, DataType::Boolean, |rows: &Rows<'_, $t>| column::truths(rows, |$row| $get))
    };
    ($row:ident: $t:ty, $name:ident, list, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, false, column::list_type(), |rows: &Rows<'_, $t>| column::lists(rows, |$row| $get))
    };
    ($row:ident: $t:ty, $name:ident, sentence, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, true, DataType::Utf8, |rows: &Rows<'_, $t>| column::sentences(rows, |$row| $get))
    };
    ($row:ident: $t:ty, $name:ident, addr, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, false, column::text_type(), |rows: &Rows<'_, $t>| {
            column::addresses(rows, |$row| $get)
        })
    };
    ($row:ident: $t:ty, $name:ident, always<$enum:ident>, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, true, column::text_type(), |rows: &Rows<'_, $t>| {
            column::members(rows, $enum::ALL, $enum::name, |$row| Some($get as i32))
        })
    };
    ($row:ident: $t:ty, $name:ident, member<$enum:ident>, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, false, column::text_type(), |rows: &Rows<'_, $t>| {
            column::members(rows, $enum::ALL, $enum::name, |$row| $get.map(|member| member as i32))
        })
    };
    ($row:ident: $t:ty, $name:ident, text, $get:expr, $doc:literal) => {
        $crate::column_of!(@ $name, $doc, false, column::text_type(), |rows: &Rows<'_, $t>| {
            let (key, text) = $get;
            column::texts(rows, key, text)
        })
    };
}
