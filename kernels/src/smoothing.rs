//! Exponential smoothing of rows that are alike, carried from chunk to chunk: s <- s + weight (x - s).

use std::sync::Arc;

use arrow_array::builder::Float64Builder;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;

use crate::columns::{known, refused};
use crate::group_ids::GroupIds;

/// Smoothed values by group.
pub struct Smoothing {
    weight: f64,
    start: Option<f64>,
    groups: GroupIds,
    /// By group and column.
    states: Vec<Vec<Option<f64>>>,
}

impl Smoothing {
    /// `weight`: of the newest value; `start`: s before the first one, or none: that one.
    #[must_use]
    pub fn new(weight: f64, start: Option<f64>) -> Self {
        Self { weight, start, groups: GroupIds::default(), states: Vec::new() }
    }

    /// Takes the next rows: `by` says which are alike, `values` has columns of floats; returns these smoothed.
    ///
    /// # Errors
    /// Those of [`GroupIds::number`]; a column of values holds no floats, has nulls, or has not as many rows.
    pub fn follow(&mut self, by: &[RecordBatch], values: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
        let groups = self.groups.ids(by)?;
        let (Some(first), rows) = (values.first(), values.iter().map(RecordBatch::num_rows).sum()) else {
            return Ok(RecordBatch::new_empty(Arc::new(arrow_schema::Schema::empty())));
        };
        let columns_before = self.states.first().map_or(first.num_columns(), Vec::len);
        if groups.len() != rows || first.num_columns() != columns_before {
            return Err(ArrowError::InvalidArgumentError(format!(
                "{rows} values of {} rows, or other columns",
                groups.len()
            )));
        }
        let known_groups = groups.iter().max().map_or(0, |&last| last as usize + 1).max(self.states.len());
        let start = vec![self.start; first.num_columns()];
        self.states.resize(known_groups, start);
        let mut columns: Vec<(String, ArrayRef)> = Vec::new();
        for (index, field) in first.schema_ref().fields().iter().enumerate() {
            let mut smoothed = Float64Builder::with_capacity(rows);
            let mut alike = groups.iter();
            for batch in values {
                let column = batch.column(index).as_primitive_opt::<Float64Type>();
                let column = column.ok_or_else(|| refused(field.name(), "has another type"))?;
                for (&value, &group) in known(field.name(), column)?.values().iter().zip(&mut alike) {
                    let state = &mut self.states[group as usize][index];
                    let next = state.map_or(value, |before| before + self.weight * (value - before));
                    *state = Some(next);
                    smoothed.append_value(next);
                }
            }
            columns.push((field.name().clone(), Arc::new(smoothed.finish())));
        }
        RecordBatch::try_from_iter(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Float64Array, UInt32Array};

    fn smoothed(smoothing: &mut Smoothing, rows: &[(u32, f64)]) -> Vec<f64> {
        let by = rows.iter().map(|row| row.0).collect::<UInt32Array>();
        let values = rows.iter().map(|row| row.1).collect::<Float64Array>();
        let table = |array: ArrayRef| RecordBatch::try_from_iter([("x", array)]).unwrap();
        let found = smoothing.follow(&[table(Arc::new(by))], &[table(Arc::new(values))]).unwrap();
        found.column(0).as_primitive::<Float64Type>().values().to_vec()
    }

    #[test]
    fn groups_go_on_where_they_were() {
        let mut smoothing = Smoothing::new(0.25, None);
        assert_eq!(smoothed(&mut smoothing, &[(7, 8.0), (1, 2.0), (7, 0.0)]), [8.0, 2.0, 6.0]);
        assert_eq!(smoothed(&mut smoothing, &[]), [0.0; 0]);
        assert_eq!(smoothed(&mut smoothing, &[(1, 6.0), (7, 2.0), (3, 1.0)]), [3.0, 5.0, 1.0]);
    }

    #[test]
    fn a_start_counts_as_the_value_before() {
        assert_eq!(smoothed(&mut Smoothing::new(0.125, Some(0.0)), &[(0, 1.0), (0, 1.0)]), [0.125, 0.234375]);
    }
}
