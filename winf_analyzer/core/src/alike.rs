//! Which rows of a table are alike, for Python: a number for each combination of values.
//!
//! The exchanges of a recording differ in their stamps; of senders, receivers and PHYs there are few combinations. What
//! depends on these alone is worked out once for each, and the number says where to find it.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch, StringViewArray, UInt32Array};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use rustc_hash::FxHashMap;

use crate::memo::Memo;
use crate::rows::Rows;

/// The column of what [`Alike::number`] returns.
const NUMBER: &str = "number";

/// The number of a null; values have those from 1.
const NULL: u32 = 0;

/// Numbers the rows of tables by the combination of their values; the same in all tables that it is given.
#[pyclass(module = "winf_analyzer._core")]
#[derive(Default)]
pub struct Alike {
    columns: Vec<Column>,
}

#[pymethods]
impl Alike {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Numbers rows from 0 in the order in which their combinations of values first appear; null is a value.
    fn number(&mut self, py: Python<'_>, table: PyTable) -> PyResult<Rows> {
        let (batches, _) = table.into_inner();
        let numbered = py.detach(|| {
            let numbers: Arc<dyn Array> = Arc::new(UInt32Array::from(self.numbers(&batches)?));
            RecordBatch::try_from_iter([(NUMBER, numbers)])
        });
        numbered.map(Rows::from).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

impl Alike {
    /// A number per row of all batches, which have the same columns, of the same types in every call.
    ///
    /// # Errors
    /// A column that holds neither texts, flags nor numbers.
    fn numbers(&mut self, batches: &[RecordBatch]) -> Result<Vec<u32>, ArrowError> {
        let mut numbers = vec![0; batches.iter().map(RecordBatch::num_rows).sum()];
        let columns = batches.first().map_or(0, RecordBatch::num_columns).max(self.columns.len());
        self.columns.resize_with(columns, Column::default);
        for (place, Column { values, pairs }) in self.columns.iter_mut().enumerate() {
            let mut rows = numbers.iter_mut();
            for batch in batches {
                values.of(batch.column(place), |value| {
                    if let Some(number) = rows.next() {
                        *number = pairs.number(u64::from(*number) << 32 | u64::from(value));
                    }
                })?;
            }
        }
        Ok(numbers)
    }
}

/// What is known of a column.
#[derive(Default)]
struct Column {
    values: Values,
    /// The number of what the columns before hold, and of its value.
    pairs: Interned,
}

/// Numbers keys from 0 in the order in which they are first asked for.
#[derive(Default)]
struct Interned {
    known: FxHashMap<u64, u32>,
    memo: Memo<u64, u32>,
}

impl Interned {
    fn number(&mut self, key: u64) -> u32 {
        let known = &mut self.known;
        self.memo.get_or(key, || {
            // More than there are numbers would take a table of four thousand million rows.
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            *known.entry(key).or_insert(next)
        })
    }
}

/// The distinct values of a column.
#[derive(Default)]
struct Values {
    texts: FxHashMap<Box<str>, u32>,
    numbers: Interned,
}

impl Values {
    /// Tells the number of each value of an array.
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

    /// Equal texts mostly have equal views: of the same length, prefix and place in a dictionary.
    fn of_texts(&mut self, array: &StringViewArray, mut tell: impl FnMut(u32)) {
        let mut views: FxHashMap<u128, u32> = FxHashMap::default();
        let mut memo = Memo::default();
        for (row, &view) in array.views().iter().enumerate() {
            if array.is_null(row) {
                tell(NULL);
                continue;
            }
            tell(memo.get_or(view, || {
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
    fn rows_are_alike_where_every_value_is() {
        let long = "a text that is too long to stand in a view";
        let first = batch(
            &[Some(long), Some("b"), Some(long), None],
            &[Some(-1), None, Some(-1), Some(0)],
            &[Some(true), None, Some(true), Some(false)],
        );
        let second =
            batch(&[Some(long), None, Some("")], &[Some(-1), Some(0), None], &[Some(true), Some(false), Some(false)]);
        assert_eq!(Alike::default().numbers(&[first.clone(), second.clone()]).unwrap(), [0, 1, 0, 2, 0, 2, 3]);
        let mut alike = Alike::default();
        assert!(alike.numbers(&[]).unwrap().is_empty());
        assert_eq!(alike.numbers(&[first]).unwrap(), [0, 1, 0, 2]);
        assert!(alike.numbers(&[]).unwrap().is_empty(), "an empty table changes nothing");
        assert_eq!(alike.numbers(&[second]).unwrap(), [0, 2, 3], "numbers stay from table to table");
    }

    #[test]
    fn nothing_known_is_one_combination() {
        let none = batch(&[None, None], &[None, None], &[None, None]);
        assert_eq!(Alike::default().numbers(&[none.clone(), none]).unwrap(), [0, 0, 0, 0]);
        assert_eq!(Alike::default().numbers(&[]).unwrap(), [0_u32; 0]);
    }

    #[test]
    fn other_types_are_refused() {
        let column: ArrayRef = Arc::new(arrow_array::Date32Array::from(vec![1]));
        let batch = RecordBatch::try_from_iter([("other", column)]).unwrap();
        assert!(Alike::default().numbers(&[batch]).is_err());
    }
}
