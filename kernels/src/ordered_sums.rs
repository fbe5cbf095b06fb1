//! Sums of floats by a dense group number, from the least value to the greatest: the same bits in any order of the rows.

use std::sync::Arc;

use arrow_array::types::{Float64Type, UInt32Type};
use arrow_array::{ArrayRef, Float64Array, PrimitiveArray, RecordBatch};
use arrow_schema::{ArrowError, Schema};

use crate::columns::{known, primitive};

/// The column of group numbers.
const GROUP: &str = "group";

/// The sums of all other columns for each group number from 0 on: a row for each up to the largest, 0 of no rows. Null is
/// nothing.
///
/// # Errors
/// The column is missing or has nulls, or another one holds no 64-bit floats.
pub fn ordered_sums(batches: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    let numbers: Vec<_> =
        batches.iter().map(|batch| known(GROUP, primitive::<UInt32Type>(batch, GROUP)?)).collect::<Result<_, _>>()?;
    let rows = || numbers.iter().flat_map(|numbers| numbers.values());
    // Where the values of each group begin, in the order of the groups.
    let mut begins = vec![0; rows().max().map_or(0, |&last| last as usize + 1)];
    rows().for_each(|&group| begins[group as usize] += 1);
    let mut before = 0;
    for begin in &mut begins {
        before += std::mem::replace(begin, before);
    }
    let Some(first) = batches.first() else { return Ok(RecordBatch::new_empty(Arc::new(Schema::empty()))) };
    let names = first.schema_ref().fields().iter().map(|field| field.name()).filter(|&name| name != GROUP);
    let mut values = vec![0.0; before];
    let mut columns: Vec<(&String, ArrayRef)> = Vec::new();
    for name in names {
        let mut next = begins.clone();
        for (groups, batch) in numbers.iter().zip(batches) {
            let of_batch: &PrimitiveArray<Float64Type> = primitive(batch, name)?;
            for (&group, value) in groups.values().iter().zip(of_batch) {
                let place = &mut next[group as usize];
                values[*place] = value.unwrap_or(0.0);
                *place += 1;
            }
        }
        // Each now stands where its group ends.
        let sums = begins.iter().zip(&next).map(|(&begin, &end)| {
            let group = &mut values[begin..end];
            group.sort_unstable_by(f64::total_cmp);
            group.iter().fold(0.0, |sum, value| sum + value)
        });
        columns.push((name, Arc::new(Float64Array::from_iter_values(sums))));
    }
    RecordBatch::try_from_iter(columns)
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::{Int64Array, UInt32Array};

    use super::*;

    fn batch(groups: &[u32], values: &[Option<f64>]) -> RecordBatch {
        RecordBatch::try_from_iter_with_nullable([
            (GROUP, Arc::new(UInt32Array::from(groups.to_vec())) as ArrayRef, false),
            ("value", Arc::new(Float64Array::from(values.to_vec())) as ArrayRef, true),
        ])
        .unwrap()
    }

    #[test]
    fn the_order_of_rows_and_batches_makes_no_difference() {
        let values = [Some(1e16), Some(1.0), Some(-1e16), Some(1.0), None, Some(0.5)];
        let groups = [2, 2, 2, 2, 2, 0];
        // From the least: -1e16 + 1 + 1 + 1e16, and the 1 are lost in steps of 2.
        let expected = [0.5, 0.0, (-1e16 + 1.0) + 1.0 + 1e16];
        for turn in 0..values.len() {
            let (mut values, mut groups) = (values, groups);
            values.rotate_left(turn);
            groups.rotate_left(turn);
            let parts = [batch(&groups[..turn], &values[..turn]), batch(&groups[turn..], &values[turn..])];
            let found = ordered_sums(&parts).unwrap();
            assert_eq!(found.column(0).as_primitive::<Float64Type>().values().to_vec(), expected);
        }
        assert_eq!(ordered_sums(&[]).unwrap().num_columns(), 0);
        assert_eq!(ordered_sums(&[batch(&[], &[])]).unwrap().num_rows(), 0);
    }

    #[test]
    fn other_columns_are_refused() {
        let groups = || Arc::new(UInt32Array::from(vec![0])) as ArrayRef;
        let whole = Arc::new(Int64Array::from(vec![0])) as ArrayRef;
        assert!(ordered_sums(&[RecordBatch::try_from_iter([(GROUP, groups()), ("whole", whole)]).unwrap()]).is_err());
        assert!(ordered_sums(&[RecordBatch::try_from_iter([("other", groups())]).unwrap()]).is_err());
    }
}
