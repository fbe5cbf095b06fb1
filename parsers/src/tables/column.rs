//! Fills one column of a table from rows. All other properties of the column are in its schema.

use std::fmt::Display;
use std::hash::Hash;
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::types::{ArrowPrimitiveType, Int32Type};
use arrow_array::{new_null_array, ArrayRef, BooleanArray, DictionaryArray, Int32Array, PrimitiveArray, StringArray};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;

use super::codes::Codes;
use super::values::{zeros, Truths, Values};
use crate::frame::source_of;
use crate::frame::Addr;

/// Rows of one recording.
pub struct Rows<'a, R> {
    /// Name of the recording, for the `source` column.
    pub source: &'a str,
    /// The rows.
    pub rows: &'a [R],
}

/// Definition of how one column of a [`crate::tables::Table`] is filled.
#[derive(Debug)]
pub struct ColumnFiller<R: 'static> {
    /// The column's name in the schema.
    pub name: &'static str,
    /// Never null.
    pub required: bool,
    /// Text with few distinct values, stored dictionary-encoded.
    pub dictionary: bool,
    /// Creates the builder of its array for these rows, which then gets them block by block.
    pub filler: fn(&Rows<'_, R>) -> Box<dyn Filler<R>>,
}

/// Builder of one column.
pub trait Filler<R> {
    /// Adds the next rows: [`super::values::BLOCK_ROWS`] of them, fewer only in the last block.
    fn fill(&mut self, rows: &[R]);

    /// The array of all rows added.
    fn finish(self: Box<Self>) -> ArrayRef;
}

/// A builder from two functions and their shared state: one adds blocks, one finishes the array.
struct Filling<S, F, E> {
    state: S,
    fill: F,
    finish: E,
}

impl<R, S, F, E> Filler<R> for Filling<S, F, E>
where
    F: Fn(&mut S, &[R]),
    E: Fn(S) -> ArrayRef,
{
    fn fill(&mut self, rows: &[R]) {
        (self.fill)(&mut self.state, rows);
    }

    fn finish(self: Box<Self>) -> ArrayRef {
        (self.finish)(self.state)
    }
}

fn filler<R: 'static, S: 'static>(
    state: S,
    fill: impl Fn(&mut S, &[R]) + 'static,
    finish: impl Fn(S) -> ArrayRef + 'static,
) -> Box<dyn Filler<R>> {
    Box::new(Filling { state, fill, finish })
}

/// Numbers.
pub fn numbers<R: 'static, T: ArrowPrimitiveType>(
    rows: &Rows<'_, R>,
    get: impl Fn(&R) -> Option<T::Native> + 'static,
) -> Box<dyn Filler<R>> {
    let finish = |values: Values<T::Native>| {
        let (values, nulls) = values.finish();
        Arc::new(PrimitiveArray::<T>::new(values, nulls)) as ArrayRef
    };
    filler(Values::new(rows.rows.len()), move |values, rows| values.extend(rows, &get), finish)
}

/// Booleans.
pub fn truths<R: 'static>(rows: &Rows<'_, R>, get: impl Fn(&R) -> Option<bool> + 'static) -> Box<dyn Filler<R>> {
    let finish = |values: Truths| {
        let (values, nulls) = values.finish();
        Arc::new(BooleanArray::new(values, nulls)) as ArrayRef
    };
    filler(Truths::new(rows.rows.len()), move |values, rows| values.extend(rows, &get), finish)
}

/// Free text with few repeated values.
pub fn sentences<R: 'static>(_: &Rows<'_, R>, get: impl Fn(&R) -> &str + 'static) -> Box<dyn Filler<R>> {
    let fill = move |texts: &mut Vec<String>, rows: &[R]| texts.extend(rows.iter().map(|row| get(row).to_owned()));
    filler(Vec::new(), fill, |texts| Arc::new(StringArray::from(texts)))
}

/// Lists of small integers; an empty list is null.
pub fn lists<R: 'static, V: Copy + Into<i32> + 'static>(
    _: &Rows<'_, R>,
    get: impl Fn(&R) -> &[V] + 'static,
) -> Box<dyn Filler<R>> {
    let fill = move |(empty, lists): &mut (usize, Option<ListBuilder<Int32Builder>>), rows: &[R]| {
        if lists.is_none() && rows.iter().all(|row| get(row).is_empty()) {
            *empty += rows.len();
            return;
        }
        let lists = lists.get_or_insert_with(|| {
            let mut lists = ListBuilder::new(Int32Builder::new());
            lists.append_nulls(*empty);
            lists
        });
        for values in rows.iter().map(&get) {
            values.iter().for_each(|&value| lists.values().append_value(value.into()));
            lists.append(!values.is_empty());
        }
    };
    filler((0, None), fill, |(empty, lists)| match lists {
        Some(mut lists) => Arc::new(lists.finish()),
        None => new_null_array(&DataType::new_list(DataType::Int32, true), empty),
    })
}

/// The source name, followed by the radio number for all radios but the first.
pub fn radios<R: 'static>(rows: &Rows<'_, R>, radio: impl Fn(&R) -> u8 + 'static) -> Box<dyn Filler<R>> {
    let source = rows.source.to_owned();
    let later = move |row: &R| Some(radio(row)).filter(|&radio| radio > 0).map(i32::from);
    let finish = move |values: Values<i32>| {
        let (keys, _) = values.finish(); // the number of the first radio equals that of a missing value
        let last = keys.iter().max().map_or(0, |&last| u8::try_from(last).unwrap_or(u8::MAX));
        dictionary(Int32Array::new(keys, None), (0..=last).map(|radio| source_of(&source, radio)).collect())
    };
    filler(Values::new(rows.rows.len()), move |values, rows| values.extend(rows, &later), finish)
}

/// A constant text for every row.
pub fn constant<R: 'static>(_: &Rows<'_, R>, text: &str) -> Box<dyn Filler<R>> {
    let text = text.to_owned();
    let finish = move |rows: usize| {
        let keys = Int32Array::new(ScalarBuffer::new(zeros(rows * size_of::<i32>()), 0, rows), None);
        dictionary(keys, vec![text.clone()])
    };
    filler(0, |count, rows: &[R]| *count += rows.len(), finish)
}

/// Members of an enum, whose discriminants are the dictionary's keys.
pub fn members<R: 'static, E: Copy>(
    rows: &Rows<'_, R>,
    all: &'static [E],
    name: impl Fn(E) -> &'static str + 'static,
    key: impl Fn(&R) -> Option<i32> + 'static,
) -> Box<dyn Filler<R>> {
    let finish = move |values: Values<i32>| {
        let (keys, nulls) = values.finish();
        dictionary(Int32Array::new(keys, nulls), all.iter().map(|&member| name(member).to_owned()).collect())
    };
    filler(Values::new(rows.rows.len()), move |values, rows| values.extend(rows, &key), finish)
}

/// Station addresses.
pub fn addresses<R: 'static>(rows: &Rows<'_, R>, get: impl Fn(&R) -> Option<Addr> + 'static) -> Box<dyn Filler<R>> {
    texts(rows, get, |address| address.to_string())
}

/// Other text: rows with equal `key` have equal text, and `text` formats it once per batch.
pub fn texts<R: 'static, K: Copy + Eq + Hash + 'static>(
    rows: &Rows<'_, R>,
    key: impl Fn(&R) -> Option<K> + 'static,
    text: impl Fn(K) -> String + 'static,
) -> Box<dyn Filler<R>> {
    let fill = move |(values, codes): &mut (Values<i32>, Codes<K>), rows: &[R]| {
        values.extend(rows, |row| key(row).map(|key| codes.of(key)));
    };
    let finish = move |(values, codes): (Values<i32>, Codes<K>)| {
        let (keys, nulls) = values.finish();
        dictionary(Int32Array::new(keys, nulls), codes.keys().iter().map(|&key| text(key)).collect())
    };
    filler((Values::new(rows.rows.len()), Codes::default()), fill, finish)
}

/// Formats a key that implements `Display`.
pub fn shown<K: Display>(key: K) -> String {
    key.to_string()
}

#[expect(clippy::expect_used, reason = "keys are numbers of the values")]
fn dictionary(keys: Int32Array, values: Vec<String>) -> ArrayRef {
    let values: ArrayRef = Arc::new(StringArray::from(values));
    let array = DictionaryArray::<Int32Type>::try_new(keys, values);
    Arc::new(array.expect("keys were made from these values"))
}

/// Binds builders to the columns of a [`crate::tables::Table`]: `name: kind(expression);` with a name for the row, in
/// schema order.
///
/// The call site must import `column` and `Rows` of [`crate::tables`] and the Arrow types of the kinds used.
#[macro_export]
macro_rules! fillers {
    ($row:ident: $type:ty { $($name:ident: $kind:ident $(<$enum:ident>)? ($get:expr);)+ }) => {
        &[$($crate::filler_of!($row: $type, $name, $kind $(<$enum>)?, $get),)+]
    };
}

/// A builder of each kind; `expression` yields an `Option` unless the kind is a required one (`id`, `always`).
#[macro_export]
#[doc(hidden)]
macro_rules! filler_of {
    (@ $name:ident, $required:literal, $dictionary:literal, $build:expr) => {
        $crate::tables::column::ColumnFiller {
            name: stringify!($name), required: $required, dictionary: $dictionary, filler: $build,
        }
    };
    ($row:ident: $t:ty, $name:ident, source, $get:expr) => {
        $crate::filler_of!(@ $name, true, true, |rows: &Rows<'_, $t>| column::constant(rows, rows.source))
    };
    ($row:ident: $t:ty, $name:ident, radio, $get:expr) => {
        $crate::filler_of!(@ $name, true, true, |rows: &Rows<'_, $t>| column::radios(rows, |$row| $get))
    };
    ($row:ident: $t:ty, $name:ident, id, $get:expr) => {
        $crate::filler_of!(@ $name, true, false, |rows: &Rows<'_, $t>| {
            column::numbers::<_, Int64Type>(rows, |$row| Some($get as i64))
        })
    };
    ($row:ident: $t:ty, $name:ident, i64, $get:expr) => {
        $crate::filler_of!(@ $name, false, false, |rows: &Rows<'_, $t>| {
            column::numbers::<_, Int64Type>(rows, |$row| $get)
        })
    };
    ($row:ident: $t:ty, $name:ident, i32, $get:expr) => {
        $crate::filler_of!(@ $name, false, false, |rows: &Rows<'_, $t>| {
            column::numbers::<_, Int32Type>(rows, |$row| $get.map(|value| value as i32))
        })
    };
    ($row:ident: $t:ty, $name:ident, f64, $get:expr) => {
        $crate::filler_of!(@ $name, false, false, |rows: &Rows<'_, $t>| {
            column::numbers::<_, Float64Type>(rows, |$row| $get.map(f64::from))
        })
    };
    ($row:ident: $t:ty, $name:ident, bool, $get:expr) => {
        $crate::filler_of!(@ $name, false, false, |rows: &Rows<'_, $t>| column::truths(rows, |$row| $get))
    };
    ($row:ident: $t:ty, $name:ident, list, $get:expr) => {
        $crate::filler_of!(@ $name, false, false, |rows: &Rows<'_, $t>| column::lists(rows, |$row| $get))
    };
    ($row:ident: $t:ty, $name:ident, sentence, $get:expr) => {
        $crate::filler_of!(@ $name, true, false, |rows: &Rows<'_, $t>| column::sentences(rows, |$row| $get))
    };
    ($row:ident: $t:ty, $name:ident, addr, $get:expr) => {
        $crate::filler_of!(@ $name, false, true, |rows: &Rows<'_, $t>| column::addresses(rows, |$row| $get))
    };
    ($row:ident: $t:ty, $name:ident, always<$enum:ident>, $get:expr) => {
        $crate::filler_of!(@ $name, true, true, |rows: &Rows<'_, $t>| {
            column::members(rows, $enum::ALL, $enum::name, |$row| Some($get as i32))
        })
    };
    ($row:ident: $t:ty, $name:ident, member<$enum:ident>, $get:expr) => {
        $crate::filler_of!(@ $name, false, true, |rows: &Rows<'_, $t>| {
            column::members(rows, $enum::ALL, $enum::name, |$row| $get.map(|member| member as i32))
        })
    };
    ($row:ident: $t:ty, $name:ident, text, $get:expr) => {
        $crate::filler_of!(@ $name, false, true, |rows: &Rows<'_, $t>| {
            let (key, text) = $get;
            column::texts(rows, key, text)
        })
    };
}
