//! What is encoded here, read by the library.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array};
use arrow_array::{RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::ParquetMetaData;

use super::dictionary::FULL_BYTES;
use super::*;

/// Rows of one chunk, cut into arrays of uneven lengths as batches are.
fn cut(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    let lengths = [8192, 1, 7, 8192, 63, 0, 8192, 4099];
    let mut from = 0;
    lengths.into_iter().cycle().map_while(move |length| {
        let begin = (from < rows).then_some(from)?;
        from = rows.min(begin + length);
        Some((begin, from - begin))
    })
}

/// The column as it is read, and the file's metadata.
fn written(rows: &ArrayRef, nullable: bool) -> (RecordBatch, Arc<ParquetMetaData>) {
    let schema = Arc::new(Schema::new(vec![Field::new("column", rows.data_type().clone(), nullable)]));
    let writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), None).unwrap();
    let (mut file, _) = writer.into_serialized_writer().unwrap();
    let mut encoder = ColumnEncoder::new(file.schema_descr().column(0), rows.data_type()).unwrap();
    cut(rows.len()).for_each(|(from, length)| encoder.write(&rows.slice(from, length)).unwrap());
    let chunk = encoder.close().unwrap();
    let mut row_group = file.next_row_group().unwrap();
    row_group.append_column(&chunk.octets, chunk.close).unwrap();
    row_group.close().unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(file.into_inner().unwrap())).unwrap();
    let metadata = Arc::clone(builder.metadata());
    let read = builder.with_batch_size(rows.len().max(1)).build().unwrap().next();
    (read.map_or_else(|| RecordBatch::new_empty(schema), Result::unwrap), metadata)
}

fn assert_read_as_written(rows: ArrayRef) {
    for nullable in [true, false].into_iter().filter(|nullable| *nullable || rows.null_count() == 0) {
        let (read, metadata) = written(&rows, nullable);
        assert_eq!(metadata.file_metadata().num_rows(), rows.len() as i64);
        assert_eq!(read.column(0), &rows, "{} {} rows, {} nulls", rows.data_type(), rows.len(), rows.null_count());
    }
}

/// Numbers without a pattern.
fn noise(seed: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(seed), |last| {
        Some(last.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407))
    })
    .map(|number| number ^ (number >> 29))
    .skip(1)
}

const LENGTHS: [usize; 9] = [0, 1, 8, 33, 129, 4096, 8193, 40_000, 100_000];

/// Assigns nulls: none, all, all but the last, some without a pattern, long stretches.
fn with_nulls<V: Clone>(values: &[V]) -> Vec<Vec<Option<V>>> {
    let has_value: [fn(usize, usize) -> bool; 5] = [
        |_, _| true,
        |_, _| false,
        |row, rows| row + 1 == rows,
        |row, _| row * 7 % 11 < 6,
        |row, _| row / 1000 % 2 == 1,
    ];
    let chosen = |keeps: fn(usize, usize) -> bool| {
        values.iter().enumerate().map(|(row, value)| keeps(row, values.len()).then(|| value.clone())).collect()
    };
    has_value.into_iter().map(chosen).collect()
}

#[test]
fn numbers_are_read_as_written() {
    for length in LENGTHS {
        let patterns: [Vec<i64>; 4] = [
            noise(1).take(length).map(|number| number as i64).collect(),
            noise(2)
                .take(length)
                .scan(0, |time, number| {
                    *time += (number % 90_000) as i64;
                    Some(*time)
                })
                .collect(),
            vec![i64::MIN; length],
            (0..length).map(|row| if row % 2 == 0 { i64::MIN } else { i64::MAX }).collect(),
        ];
        for values in patterns.iter().flat_map(|values| with_nulls(values)) {
            let narrow = |value: Option<i64>| value.map(|value| value as i32 >> 8);
            assert_read_as_written(Arc::new(values.iter().copied().map(narrow).collect::<Int32Array>()));
            let real = |value: Option<i64>| value.map(|value| (value % 100) as f64 / 8.0);
            assert_read_as_written(Arc::new(values.iter().copied().map(real).collect::<Float64Array>()));
            let truth = |value: Option<i64>| value.map(|value| value % 3 == 0);
            assert_read_as_written(Arc::new(values.iter().copied().map(truth).collect::<BooleanArray>()));
            assert_read_as_written(Arc::new(values.into_iter().collect::<Int64Array>()));
        }
    }
}

fn texts(rows: &[Option<String>]) -> ArrayRef {
    Arc::new(rows.iter().map(Option::as_deref).collect::<DictionaryArray<Int32Type>>())
}

#[test]
fn texts_are_read_as_written() {
    for length in LENGTHS {
        let few: Vec<_> = noise(3).take(length).map(|number| format!("node-{}", number % 5)).collect();
        for rows in with_nulls(&few) {
            assert_same_texts(&texts(&rows));
        }
    }
}

/// Readers number the texts of a dictionary anew.
fn assert_same_texts(rows: &ArrayRef) {
    let plain = |array: &ArrayRef| -> Vec<Option<String>> {
        let array = array.as_dictionary::<Int32Type>().downcast_dict::<StringArray>().unwrap();
        array.into_iter().map(|text| text.map(str::to_owned)).collect()
    };
    assert_eq!(plain(written(rows, true).0.column(0)), plain(rows));
}

#[test]
fn values_follow_a_full_dictionary_as_they_are() {
    let length = FULL_BYTES / 4 + 50_000;
    let integers = Int32Array::from_iter((0..length).map(|row| (row % 9 > 0).then_some(row as i32 * 5)));
    let (_, metadata) = written(&(Arc::new(integers.clone()) as ArrayRef), true);
    let encodings: Vec<_> = metadata.row_group(0).column(0).encodings().collect();
    assert_eq!(encodings, [Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY]);
    assert_eq!(metadata.row_group(0).column(0).statistics(), None);
    assert_read_as_written(Arc::new(integers));
    assert_read_as_written(Arc::new(Float64Array::from_iter(
        (0..length).map(|row| (row % 9 > 0).then_some(row as f64)),
    )));
    let long = |row: usize| (!row.is_multiple_of(9)).then(|| format!("{row:060}"));
    assert_same_texts(&texts(&(0..60_000).map(long).collect::<Vec<_>>()));
}

#[test]
fn every_number_that_is_not_a_number_is_kept() {
    let bits = [f64::NAN, -f64::NAN, f64::from_bits(0x7ff8_0000_0000_0001), -0.0, 0.0, f64::INFINITY];
    let (read, _) = written(&(Arc::new(Float64Array::from(bits.to_vec())) as ArrayRef), true);
    let read = read.column(0).as_primitive::<arrow_array::types::Float64Type>().values().to_vec();
    assert_eq!(read.iter().map(|value| value.to_bits()).collect::<Vec<_>>(), bits.map(f64::to_bits));
}

#[test]
fn the_footer_has_ranges_and_nulls_of_integers() {
    let rows: ArrayRef = Arc::new(Int64Array::from(vec![None, Some(7), Some(-3)]));
    let expected = Statistics::int64(Some(-3), Some(7), None, Some(1), false);
    assert_eq!(written(&rows, true).1.row_group(0).column(0).statistics(), Some(&expected));
    let rows: ArrayRef = Arc::new(Int32Array::from(vec![Some(2), None, None]));
    let expected = Statistics::int32(Some(2), Some(2), None, Some(2), false);
    assert_eq!(written(&rows, true).1.row_group(0).column(0).statistics(), Some(&expected));
}
