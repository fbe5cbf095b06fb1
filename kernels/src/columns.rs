//! Typed columns of a record batch.

use arrow_array::cast::AsArray;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, BooleanArray, PrimitiveArray, RecordBatch, StringViewArray};
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

/// A column of truth values without nulls.
///
/// # Errors
/// No such column, of another type, or with nulls.
pub fn flags<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a BooleanArray, ArrowError> {
    let column = column(batch, name)?.as_boolean_opt().ok_or_else(|| refused(name, "has another type"))?;
    known(name, column)
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

pub(crate) fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a dyn Array, ArrowError> {
    batch.column_by_name(name).map(AsRef::as_ref).ok_or_else(|| refused(name, "is missing"))
}

pub(crate) fn refused(name: &str, reason: &str) -> ArrowError {
    ArrowError::InvalidArgumentError(format!("the column {name} {reason}"))
}
