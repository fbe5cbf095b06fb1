//! Sums of columns by a dense group number: one addition per value, where a hash table takes several.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt32Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, PrimitiveArray, RecordBatch, UInt32Array};
use arrow_schema::{ArrowError, DataType};

use crate::columns::{known, primitive};

/// The column of group numbers.
const GROUP: &str = "group";

/// The sums of all other columns per [`GROUP`] that has rows, in its order: flags are counted, whole numbers wrap around,
/// floats are added in the order of the rows; null is nothing.
///
/// # Errors
/// The column is missing or has nulls, or another one holds neither flags nor 64-bit numbers.
pub fn group_sums(batches: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    let numbers: Vec<_> =
        batches.iter().map(|batch| known(GROUP, primitive(batch, GROUP)?)).collect::<Result<_, _>>()?;
    let groups = numbers.iter().flat_map(|numbers: &&UInt32Array| numbers.values()).max();
    let groups = groups.map_or(0, |&last| last as usize + 1);
    let mut is_there = vec![false; groups];
    for &group in numbers.iter().flat_map(|numbers| numbers.values()) {
        is_there[group as usize] = true;
    }
    let present = || is_there.iter().zip(0_u32..).filter_map(|(&there, group)| there.then_some(group));
    let mut columns = vec![(GROUP.to_owned(), Arc::new(present().collect::<UInt32Array>()) as ArrayRef)];
    let Some(first) = batches.first() else { return RecordBatch::try_from_iter(columns) };
    for (index, field) in first.schema_ref().fields().iter().enumerate().filter(|(_, field)| field.name() != GROUP) {
        let arrays = || numbers.iter().zip(batches).map(|(&numbers, batch)| (numbers, batch.column(index).as_ref()));
        let kept = |group: u32| group as usize;
        let sums: ArrayRef = match field.data_type() {
            DataType::Boolean => {
                let mut sums = vec![0; groups];
                arrays().for_each(|(numbers, flags)| count(numbers, flags.as_boolean(), &mut sums));
                Arc::new(Int64Array::from_iter_values(present().map(|group| sums[kept(group)])))
            }
            DataType::Int64 => {
                let mut sums = vec![0; groups];
                arrays().for_each(|(numbers, values)| {
                    add(numbers, values.as_primitive::<Int64Type>(), &mut sums, |sum: i64, value| {
                        sum.wrapping_add(value)
                    });
                });
                Arc::new(Int64Array::from_iter_values(present().map(|group| sums[kept(group)])))
            }
            DataType::Float64 => {
                let mut sums = vec![0.0; groups];
                arrays().for_each(|(numbers, values)| {
                    add(numbers, values.as_primitive::<Float64Type>(), &mut sums, |sum: f64, value| sum + value);
                });
                Arc::new(Float64Array::from_iter_values(present().map(|group| sums[kept(group)])))
            }
            other => return Err(ArrowError::InvalidArgumentError(format!("columns of {other} are not summed"))),
        };
        columns.push((field.name().clone(), sums));
    }
    RecordBatch::try_from_iter(columns)
}

fn count(numbers: &PrimitiveArray<UInt32Type>, flags: &BooleanArray, sums: &mut [i64]) {
    let groups = numbers.values();
    match flags.nulls() {
        None => flags.values().set_indices().for_each(|row| sums[groups[row] as usize] += 1),
        Some(nulls) => {
            (nulls.inner() & flags.values()).set_indices().for_each(|row| sums[groups[row] as usize] += 1);
        }
    }
}

fn add<T: arrow_array::ArrowPrimitiveType>(
    numbers: &UInt32Array,
    values: &PrimitiveArray<T>,
    sums: &mut [T::Native],
    plus: impl Fn(T::Native, T::Native) -> T::Native,
) {
    let rows = numbers.values().iter().zip(values.values());
    match values.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => {
            for (&group, &value) in rows {
                let sum = &mut sums[group as usize];
                *sum = plus(*sum, value);
            }
        }
        Some(nulls) => {
            for ((&group, &value), is_known) in rows.zip(nulls) {
                let sum = &mut sums[group as usize];
                if is_known {
                    *sum = plus(*sum, value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(groups: &[u32], flags: &[Option<bool>], numbers: &[Option<i64>]) -> RecordBatch {
        RecordBatch::try_from_iter_with_nullable([
            ("flags", Arc::new(BooleanArray::from(flags.to_vec())) as ArrayRef, true),
            (GROUP, Arc::new(UInt32Array::from(groups.to_vec())) as ArrayRef, true),
            ("numbers", Arc::new(Int64Array::from(numbers.to_vec())) as ArrayRef, true),
        ])
        .unwrap()
    }

    #[test]
    fn batches_add_up_and_empty_groups_are_left_out() {
        let first = batch(&[3, 0, 3], &[Some(true), None, Some(true)], &[Some(5), Some(i64::MAX), None]);
        let second = batch(&[3, 0], &[Some(false), Some(true)], &[Some(-7), Some(1)]);
        let found = group_sums(&[first, second]).unwrap();
        let of = |name| found.column_by_name(name).unwrap().as_primitive::<Int64Type>().values().to_vec();
        assert_eq!(found.column_by_name(GROUP).unwrap().as_primitive::<UInt32Type>().values().to_vec(), [0, 3]);
        assert_eq!([of("flags"), of("numbers")], [[1, 2], [i64::MIN, -2]]);
    }

    #[test]
    fn other_columns_are_refused() {
        let groups = || Arc::new(UInt32Array::from(vec![0])) as ArrayRef;
        let refused = RecordBatch::try_from_iter([(GROUP, groups()), ("other", groups())]).unwrap();
        assert!(group_sums(&[refused]).unwrap_err().to_string().contains("UInt32 are not summed"));
        assert!(group_sums(&[batch(&[], &[], &[]).project(&[0, 2]).unwrap()]).is_err());
    }
}
