//! Builders for the values and validity bitmap of a column.
//!
//! About half of the columns of a recording stay empty. An empty column costs one scan of its rows. Nothing is stored
//! before the first value, and empty columns share one zeroed buffer.

use std::sync::LazyLock;

use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};

use super::BATCH_ROWS;

/// Rows per block: one word of a bitmap. A block stays in the L1 cache while every column processes it.
pub(super) const BLOCK_ROWS: usize = u64::BITS as usize;

/// A column of fixed-size values with nulls.
pub(super) struct Values<V> {
    rows: usize,
    /// Expected number of further rows.
    capacity: usize,
    /// One value per row, from the first block with a value on; empty before that.
    values: Vec<V>,
    valid: Bits,
}

impl<V: Copy + Default> Values<V> {
    /// Creates a builder for about this number of rows.
    pub(super) fn new(capacity: usize) -> Values<V> {
        Values { rows: 0, capacity, values: Vec::new(), valid: Bits::default() }
    }

    /// Adds a block: [`BLOCK_ROWS`] rows, fewer only in the last one.
    #[inline(always)]
    pub(super) fn extend<R>(&mut self, rows: &[R], mut get: impl FnMut(&R) -> Option<V>) {
        // Most columns stay empty: to look for a first value is cheaper than to store that there is none.
        if self.values.is_empty() && !rows.iter().any(|row| get(row).is_some()) {
            self.rows += rows.len();
            return;
        }
        let (mut block, mut valid) = ([V::default(); BLOCK_ROWS], 0);
        for ((row, slot), place) in rows.iter().zip(&mut block).zip(0..) {
            let value = get(row);
            valid |= u64::from(value.is_some()) << place;
            *slot = value.unwrap_or_default();
        }
        if self.values.is_empty() {
            self.values.reserve(self.capacity.max(self.rows + rows.len()));
            self.values.resize(self.rows, V::default());
            self.valid.begin(self.rows, self.capacity);
        }
        self.values.extend_from_slice(block.get(..rows.len()).unwrap_or(&block));
        self.valid.push(valid, rows.len());
        self.rows += rows.len();
    }

    /// The values (unspecified for nulls), and the rows that are not null.
    pub(super) fn finish(self) -> (ScalarBuffer<V>, Option<NullBuffer>)
    where
        V: ArrowNativeType,
    {
        if self.values.is_empty() {
            return (ScalarBuffer::new(zeros(self.rows * size_of::<V>()), 0, self.rows), Some(no_rows(self.rows)));
        }
        (self.values.into(), self.valid.into_nulls(self.rows))
    }
}

/// A column of Booleans with nulls.
pub(super) struct Truths {
    rows: usize,
    capacity: usize,
    values: Bits,
    valid: Bits,
}

impl Truths {
    /// Creates a builder for about this number of rows.
    pub(super) fn new(capacity: usize) -> Truths {
        Truths { rows: 0, capacity, values: Bits::default(), valid: Bits::default() }
    }

    /// Adds a block, as [`Values::extend`].
    #[inline(always)]
    pub(super) fn extend<R>(&mut self, rows: &[R], get: impl Fn(&R) -> Option<bool>) {
        let (mut values, mut valid) = (0, 0);
        for (row, place) in rows.iter().zip(0..) {
            let value = get(row);
            values |= u64::from(value == Some(true)) << place;
            valid |= u64::from(value.is_some()) << place;
        }
        if self.valid.words.is_empty() && valid != 0 {
            self.values.begin(self.rows, self.capacity);
            self.valid.begin(self.rows, self.capacity);
        }
        if !self.valid.words.is_empty() || valid != 0 {
            self.values.push(values, rows.len());
            self.valid.push(valid, rows.len());
        }
        self.rows += rows.len();
    }

    /// The values (false for nulls), and the rows that are not null.
    pub(super) fn finish(self) -> (BooleanBuffer, Option<NullBuffer>) {
        if self.valid.words.is_empty() {
            return (BooleanBuffer::new(zeros(self.rows.div_ceil(8)), 0, self.rows), Some(no_rows(self.rows)));
        }
        (BooleanBuffer::new(self.values.words.into(), 0, self.rows), self.valid.into_nulls(self.rows))
    }
}

/// A bitmap built word by word.
#[derive(Default)]
struct Bits {
    words: Vec<u64>,
    unset: usize,
}

impl Bits {
    /// Appends blocks without a set bit.
    fn begin(&mut self, rows: usize, capacity: usize) {
        self.words.reserve(capacity.max(rows + 1).div_ceil(BLOCK_ROWS));
        self.words.resize(rows / BLOCK_ROWS, 0);
        self.unset = rows;
    }

    fn push(&mut self, word: u64, rows: usize) {
        self.words.push(word);
        self.unset += rows - word.count_ones() as usize;
    }

    /// `None` if every row has a value.
    fn into_nulls(self, rows: usize) -> Option<NullBuffer> {
        (self.unset > 0).then(|| NullBuffer::new(BooleanBuffer::new(self.words.into(), 0, rows)))
    }
}

/// The null buffer of an empty column.
pub(super) fn no_rows(rows: usize) -> NullBuffer {
    NullBuffer::new(BooleanBuffer::new(zeros(rows.div_ceil(8)), 0, rows))
}

/// A zeroed buffer, shared by all empty columns.
pub(super) fn zeros(octets: usize) -> Buffer {
    static ZEROS: LazyLock<Buffer> = LazyLock::new(|| vec![0u64; BATCH_ROWS].into());
    match octets <= ZEROS.len() {
        true => ZEROS.slice_with_length(0, octets),
        false => vec![0u64; octets.div_ceil(size_of::<u64>())].into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(rows: &[Option<i32>]) -> (Vec<i32>, Option<Vec<bool>>) {
        let mut values = Values::new(rows.len());
        rows.chunks(BLOCK_ROWS).for_each(|block| values.extend(block, |row| *row));
        let (values, nulls) = values.finish();
        (values.to_vec(), nulls.map(|nulls| nulls.iter().collect()))
    }

    fn truths(rows: &[Option<bool>]) -> (Vec<bool>, Option<Vec<bool>>) {
        let mut values = Truths::new(rows.len());
        rows.chunks(BLOCK_ROWS).for_each(|block| values.extend(block, |row| *row));
        let (values, nulls) = values.finish();
        (values.iter().collect(), nulls.map(|nulls| nulls.iter().collect()))
    }

    #[test]
    fn values_stand_in_their_rows_wherever_the_first_one_is() {
        for length in [0, 1, 63, 64, 65, 200, BATCH_ROWS + 3] {
            for first in [0, 1, 63, 64, 130, length] {
                let rows: Vec<_> =
                    (0..length as i32).map(|row| (row >= first as i32 && row % 3 > 0).then_some(row)).collect();
                let has_value: Vec<bool> = rows.iter().map(Option::is_some).collect();
                let (values, nulls) = column(&rows);
                assert_eq!(values.len(), length);
                assert_eq!(nulls.unwrap_or_else(|| vec![true; length]), has_value);
                assert!(values.iter().zip(&rows).all(|(value, row)| row.is_none_or(|row| row == *value)));

                let rows: Vec<_> = rows.iter().map(|row| row.map(|row| row % 2 == 0)).collect();
                let (values, nulls) = truths(&rows);
                assert_eq!(nulls.unwrap_or_else(|| vec![true; length]), has_value);
                assert!(values.iter().zip(&rows).all(|(value, row)| row.unwrap_or_default() == *value));
            }
        }
    }

    #[test]
    fn a_column_without_a_gap_has_no_null_buffer() {
        assert_eq!(column(&[Some(1); 70]), (vec![1; 70], None));
        assert_eq!(truths(&[Some(true); 70]), (vec![true; 70], None));
    }
}
