//! Typed columns of a record batch.

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int32Type};
use arrow_array::{Array, BooleanArray, Int32Array, PrimitiveArray, RecordBatch, StringViewArray};
use arrow_schema::ArrowError;

/// A column of numbers, possibly with nulls.
///
/// # Errors
/// No such column, or of another type.
pub fn primitive<'a, T: ArrowPrimitiveType>(
    batch: &'a RecordBatch,
    name: &str,
) -> Result<&'a PrimitiveArray<T>, ArrowError> {
    column(batch, name)?.as_primitive_opt().ok_or_else(|| refused(name, "has another type"))
}

/// A column of texts in the layout that Polars exports, possibly with nulls.
///
/// # Errors
/// No such column, or of another type.
pub fn texts<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a StringViewArray, ArrowError> {
    column(batch, name)?.as_string_view_opt().ok_or_else(|| refused(name, "has another type"))
}

/// The number of a row, if there is one.
pub(crate) fn value<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>, row: usize) -> Option<T::Native> {
    column.is_valid(row).then(|| column.value(row))
}

/// The text of a row, if there is one.
pub(crate) fn text(column: &StringViewArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}

/// A column of truth values, possibly with nulls.
///
/// # Errors
/// No such column, or of another type.
pub fn booleans<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a BooleanArray, ArrowError> {
    column(batch, name)?.as_boolean_opt().ok_or_else(|| refused(name, "has another type"))
}

/// A column of truth values without nulls.
///
/// # Errors
/// No such column, of another type, or with nulls.
pub fn flags<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a BooleanArray, ArrowError> {
    known(name, booleans(batch, name)?)
}

/// A column without nulls.
///
/// # Errors
/// It has some.
pub fn known<'a, A: Array>(name: &str, array: &'a A) -> Result<&'a A, ArrowError> {
    if array.null_count() == 0 {
        Ok(array)
    } else {
        Err(refused(name, "has nulls"))
    }
}

/// A column of texts as codes: what its dictionary's values mean.
pub(crate) struct Coded<'a, C> {
    keys: &'a Int32Array,
    codes: Vec<C>,
    null: C,
}

impl<C: Copy> Coded<'_, C> {
    #[inline]
    pub(crate) fn of(&self, row: usize) -> C {
        match self.keys.is_valid(row) {
            true => self.codes[self.keys.value(row) as usize],
            false => self.null,
        }
    }
}

/// A column of texts in a dictionary with 32-bit keys, each as `code` has it.
pub(crate) fn coded<'a, C>(
    batch: &'a RecordBatch,
    name: &str,
    null: C,
    mut code: impl FnMut(&str) -> C,
) -> Result<Coded<'a, C>, ArrowError> {
    let other = || refused(name, "has another type");
    let column = column(batch, name)?.as_dictionary_opt::<Int32Type>().ok_or_else(other)?;
    let values = column.values().as_string_opt::<i32>().ok_or_else(other)?;
    Ok(Coded { keys: column.keys(), codes: values.iter().map(|text| code(text.unwrap_or_default())).collect(), null })
}

/// A column of truth values, possibly with nulls.
pub(crate) fn truths<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a BooleanArray, ArrowError> {
    column(batch, name)?.as_boolean_opt().ok_or_else(|| refused(name, "has another type"))
}

pub(crate) fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a dyn Array, ArrowError> {
    batch.column_by_name(name).map(AsRef::as_ref).ok_or_else(|| refused(name, "is missing"))
}

pub(crate) fn refused(name: &str, reason: &str) -> ArrowError {
    ArrowError::InvalidArgumentError(format!("the column {name} {reason}"))
}
