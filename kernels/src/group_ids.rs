//! Group ids of rows: one number per distinct combination of values.
//!
//! A recording has few combinations of sender, receiver and PHY. What depends on these alone is computed once per
//! combination and looked up by group id.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch, StringViewArray, UInt32Array};
use arrow_schema::{ArrowError, DataType};
use rustc_hash::FxHashMap;

use crate::direct_mapped_cache::DirectMappedCache;

/// The column that [`GroupIds::number`] returns.
const NUMBER: &str = "number";

/// The id of a null within its column; values count from 1.
const NULL: u32 = 0;

/// Assigns group ids to rows; equal rows get equal ids in all tables that it is given.
#[derive(Default)]
pub struct GroupIds {
    columns: Vec<ColumnIds>,
}

impl GroupIds {
    /// The column `number`: ids from 0 in the order in which combinations of values first appear; null is a value.
    ///
    /// # Errors
    /// A column that holds neither texts, flags nor numbers.
    pub fn number(&mut self, batches: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
        let numbers: Arc<dyn Array> = Arc::new(UInt32Array::from(self.ids(batches)?));
        RecordBatch::try_from_iter([(NUMBER, numbers)])
    }

    /// An id per row of all batches, which have the same columns, of the same types in every call.
    pub(crate) fn ids(&mut self, batches: &[RecordBatch]) -> Result<Vec<u32>, ArrowError> {
        let mut numbers = vec![0; batches.iter().map(RecordBatch::num_rows).sum()];
        let columns = batches.first().map_or(0, RecordBatch::num_columns).max(self.columns.len());
        self.columns.resize_with(columns, ColumnIds::default);
        for (index, ColumnIds { values, pairs }) in self.columns.iter_mut().enumerate() {
            let mut rows = numbers.iter_mut();
            for batch in batches {
                values.of(batch.column(index), |value| {
                    if let Some(number) = rows.next() {
                        *number = pairs.number(u64::from(*number) << 32 | u64::from(value));
                    }
                })?;
            }
        }
        Ok(numbers)
    }
}

/// The ids given so far in one column.
#[derive(Default)]
struct ColumnIds {
    values: Values,
    /// By the id of the columns before it and the id of its own value.
    pairs: Interned,
}

/// Ids of keys, from 0 in the order in which they are first asked for.
#[derive(Default)]
struct Interned {
    known: FxHashMap<u64, u32>,
    cache: DirectMappedCache<u64, u32>,
}

impl Interned {
    fn number(&mut self, key: u64) -> u32 {
        let known = &mut self.known;
        self.cache.get_or_insert_with(key, || {
            // Saturates only in tables of more than 2^32 rows.
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            *known.entry(key).or_insert(next)
        })
    }
}

/// Ids of the distinct values of a column.
#[derive(Default)]
struct Values {
    texts: FxHashMap<Box<str>, u32>,
    numbers: Interned,
}

impl Values {
    /// Calls `tell` with the id of each value of an array, in row order.
    fn of(&mut self, array: &dyn Array, tell: impl FnMut(u32)) -> Result<(), ArrowError> {
        match array.data_type() {
            DataType::Utf8View => self.of_texts(array.as_string_view(), tell),
            DataType::Int64 => self.of_words(array.as_primitive::<Int64Type>().iter(), i64::cast_unsigned, tell),
            DataType::UInt32 => self.of_words(array.as_primitive::<UInt32Type>().iter(), u64::from, tell),
            DataType::Float64 => self.of_words(array.as_primitive::<Float64Type>().iter(), f64::to_bits, tell),
            DataType::Boolean => self.of_words(array.as_boolean().iter(), u64::from, tell),
            other => return Err(ArrowError::InvalidArgumentError(format!("columns of {other} are not numbered"))),
        }
        Ok(())
    }

    /// Equal texts mostly have equal views (length, prefix, buffer, offset), so views are looked up first.
    fn of_texts(&mut self, array: &StringViewArray, mut tell: impl FnMut(u32)) {
        let mut views: FxHashMap<u128, u32> = FxHashMap::default();
        let mut cache = DirectMappedCache::default();
        for (row, &view) in array.views().iter().enumerate() {
            if array.is_null(row) {
                tell(NULL);
                continue;
            }
            tell(cache.get_or_insert_with(view, || {
                let texts = &mut self.texts;
                *views.entry(view).or_insert_with(|| {
                    let text = array.value(row);
                    let next = u32::try_from(texts.len() + 1).unwrap_or(u32::MAX);
                    texts.get(text).copied().unwrap_or_else(|| *texts.entry(text.into()).or_insert(next))
                })
            }));
        }
    }

    fn of_words<T>(
        &mut self,
        values: impl Iterator<Item = Option<T>>,
        word: impl Fn(T) -> u64,
        mut tell: impl FnMut(u32),
    ) {
        for value in values {
            tell(value.map_or(NULL, |value| self.numbers.number(word(value)).saturating_add(1)));
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{ArrayRef, BooleanArray, Int64Array};

    use super::*;

    fn batch(texts: &[Option<&str>], words: &[Option<i64>], flags: &[Option<bool>]) -> RecordBatch {
        let columns: [(&str, ArrayRef); 3] = [
            ("text", Arc::new(StringViewArray::from_iter(texts))),
            ("word", Arc::new(Int64Array::from_iter(words))),
            ("flag", Arc::new(BooleanArray::from_iter(flags))),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    #[test]
    fn rows_with_equal_values_share_an_id() {
        let long = "a text that is too long to stand in a view";
        let first = batch(
            &[Some(long), Some("b"), Some(long), None],
            &[Some(-1), None, Some(-1), Some(0)],
            &[Some(true), None, Some(true), Some(false)],
        );
        let second =
            batch(&[Some(long), None, Some("")], &[Some(-1), Some(0), None], &[Some(true), Some(false), Some(false)]);
        assert_eq!(GroupIds::default().ids(&[first.clone(), second.clone()]).unwrap(), [0, 1, 0, 2, 0, 2, 3]);
        let mut group_ids = GroupIds::default();
        assert!(group_ids.ids(&[]).unwrap().is_empty());
        assert_eq!(group_ids.ids(&[first]).unwrap(), [0, 1, 0, 2]);
        assert!(group_ids.ids(&[]).unwrap().is_empty(), "an empty table changes nothing");
        assert_eq!(group_ids.ids(&[second]).unwrap(), [0, 2, 3], "numbers stay from table to table");
    }

    #[test]
    fn nulls_form_one_group() {
        let none = batch(&[None, None], &[None, None], &[None, None]);
        assert_eq!(GroupIds::default().ids(&[none.clone(), none]).unwrap(), [0, 0, 0, 0]);
        assert_eq!(GroupIds::default().ids(&[]).unwrap(), [0_u32; 0]);
    }

    #[test]
    fn other_types_are_refused() {
        let column: ArrayRef = Arc::new(arrow_array::Date32Array::from(vec![1]));
        let batch = RecordBatch::try_from_iter([("other", column)]).unwrap();
        assert!(GroupIds::default().ids(&[batch]).is_err());
    }
}
