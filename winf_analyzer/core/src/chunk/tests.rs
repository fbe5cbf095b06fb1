//! What is written here is read by the `parquet` crate's reader.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{
    Array, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_schema::{DataType, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::statistics::Statistics;

use super::*;

/// The arrays of one column as they are read back, and the file's metadata.
fn written_and_read(field: Field, arrays: &[ArrayRef]) -> (Vec<ArrayRef>, Arc<ParquetMetaData>) {
    let schema = Arc::new(Schema::new(vec![field]));
    let options = ArrowWriterOptions::new().with_skip_arrow_metadata(true);
    let writer = ArrowWriter::try_new_with_options(Vec::new(), Arc::clone(&schema), options).unwrap();
    let (mut file, _) = writer.into_serialized_writer().unwrap();
    let mut chunk = ChunkWriter::new(schema.field(0), file.schema_descr().column(0)).unwrap();
    arrays.iter().for_each(|array| chunk.write(array).unwrap());
    let (octets, close) = chunk.close().unwrap().into_parts();
    let mut row_group = file.next_row_group().unwrap();
    row_group.append_column(&octets, close).unwrap();
    row_group.close().unwrap();
    file.finish().unwrap();
    let octets = Bytes::from(file.inner().clone());
    let reader = ParquetRecordBatchReaderBuilder::try_new(octets).unwrap();
    let metadata = Arc::clone(reader.metadata());
    let batches: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
    (batches.iter().map(|batch| Arc::clone(batch.column(0))).collect(), metadata)
}

/// Which rows have a value: all, none, every third, long runs, few.
const PATTERNS: [fn(usize) -> bool; 6] =
    [|_| true, |_| false, |row| row % 3 > 0, |row| row / 700 % 2 == 0, |row| row % 997 == 0, |row| row > 30_000];
/// Rows of the arrays: whole words of a bitmap and not, over several pages.
const LENGTHS: [usize; 6] = [8192, 8192, 5, 8191, 0, 30_000];

/// One row's number per array and row, `None` where it has no value.
fn rows(pattern: fn(usize) -> bool) -> Vec<Vec<Option<usize>>> {
    let mut next = 0..;
    let mut array = |length| next.by_ref().take(length).map(|row| pattern(row).then_some(row)).collect();
    LENGTHS.iter().map(|&length| array(length)).collect()
}

/// Writes rows made into arrays by `make`, and compares what `read` gets from the ones read with the ones written.
fn check<T: PartialEq + std::fmt::Debug>(
    make: impl Fn(&[Option<usize>]) -> ArrayRef,
    read: impl Fn(&ArrayRef) -> Vec<Option<T>>,
    expected: impl Fn(usize) -> T,
) {
    for pattern in PATTERNS {
        let rows = rows(pattern);
        let arrays: Vec<ArrayRef> = rows.iter().map(|rows| make(rows)).collect();
        let field = |nullable| Field::new("column", arrays[0].data_type().clone(), nullable);
        let expected: Vec<Option<T>> = rows.iter().flatten().map(|row| row.map(&expected)).collect();
        let has_gaps = expected.iter().any(Option::is_none);
        for nullable in [true].into_iter().chain((!has_gaps).then_some(false)) {
            let (found, metadata) = written_and_read(field(nullable), &arrays);
            assert_eq!(found.iter().flat_map(&read).collect::<Vec<_>>(), expected);
            if let Some(statistics) = metadata.row_group(0).column(0).statistics() {
                let nulls = expected.iter().filter(|value| value.is_none()).count();
                assert_eq!(statistics.null_count_opt(), Some(nulls as u64));
            }
        }
    }
}

#[test]
fn whole_numbers_are_read_back() {
    let of = |row: usize| (row as i64).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> (row % 64);
    check(
        |rows| Arc::new(rows.iter().map(|row| row.map(of)).collect::<Int64Array>()),
        |array| array.as_primitive::<Int64Type>().iter().collect(),
        of,
    );
    check(
        |rows| Arc::new(rows.iter().map(|row| row.map(|row| row as i32 % 4096 - 9)).collect::<Int32Array>()),
        |array| array.as_primitive::<Int32Type>().iter().collect(),
        |row| row as i32 % 4096 - 9,
    );
}

#[test]
fn fractions_and_truths_are_read_back() {
    check(
        |rows| Arc::new(rows.iter().map(|row| row.map(|row| row as f64 / 7.0)).collect::<Float64Array>()),
        |array| array.as_primitive::<Float64Type>().iter().collect(),
        |row| row as f64 / 7.0,
    );
    check(
        |rows| Arc::new(rows.iter().map(|row| row.map(|row| row % 5 == 0)).collect::<BooleanArray>()),
        |array| array.as_boolean().iter().collect(),
        |row| row % 5 == 0,
    );
}

/// Each array has a dictionary of its own, in an order of its own, with values that no row has.
fn texts(rows: &[Option<usize>], text: impl Fn(usize) -> String) -> ArrayRef {
    let mut values: Vec<String> = rows.iter().flatten().map(|&row| text(row)).collect();
    values.extend(["of no row".to_owned(), "z".to_owned()]);
    values.sort();
    values.dedup();
    let places = rows.len() % 7 % values.len();
    values.rotate_left(places);
    let numbers: std::collections::HashMap<&str, i32> = values.iter().map(String::as_str).zip(0..).collect();
    let keys = rows.iter().map(|row| row.map(|row| numbers[text(row).as_str()]));
    Arc::new(DictionaryArray::<Int32Type>::new(keys.collect(), Arc::new(StringArray::from(values.clone()))))
}

fn read_texts(array: &ArrayRef) -> Vec<Option<String>> {
    array.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect()
}

#[test]
fn texts_are_read_back_whatever_the_dictionaries() {
    let few = |row: usize| format!("station {}", row % 3);
    check(|rows| texts(rows, few), read_texts, few);
    let one = |_: usize| "always".to_owned();
    check(|rows| texts(rows, one), read_texts, one);
    let long = |row: usize| format!("{row:>100}");
    check(|rows| texts(rows, long), read_texts, long);
}

#[test]
fn a_dictionary_that_grows_too_large_is_given_up() {
    let numbers: Vec<ArrayRef> = (0..30)
        .map(|array| Arc::new(Float64Array::from_iter_values((0..8192).map(|row| f64::from(array * 8192 + row)))) as _)
        .collect();
    let (found, metadata) = written_and_read(Field::new("column", DataType::Float64, true), &numbers);
    let found = found.iter().flat_map(|array| array.as_primitive::<Float64Type>().values().to_vec());
    assert!(found.eq((0..30 * 8192).map(f64::from)));
    let data_pages = metadata.row_group(0).column(0).page_encoding_stats_mask().unwrap();
    assert!(data_pages.is_set(Encoding::RLE_DICTIONARY) && data_pages.is_set(Encoding::PLAIN));
    let Some(Statistics::Double(range)) = metadata.row_group(0).column(0).statistics() else { panic!("of no doubles") };
    assert_eq!((range.min_opt(), range.max_opt()), (Some(&0.0), Some(&f64::from(30 * 8192 - 1))));
}

#[test]
fn what_is_no_number_is_kept_and_has_no_part_in_the_range() {
    let values = [f64::NAN, 3.0, -0.0, 0.0, f64::INFINITY, f64::NAN];
    let array: ArrayRef = Arc::new(Float64Array::from_iter_values(values));
    let (found, metadata) = written_and_read(Field::new("column", DataType::Float64, false), &[array]);
    let found = found[0].as_primitive::<Float64Type>();
    assert!(found.values().iter().zip(values).all(|(found, value)| found.to_bits() == value.to_bits()));
    let Some(Statistics::Double(range)) = metadata.row_group(0).column(0).statistics() else { panic!("of no doubles") };
    assert_eq!(
        (range.min_opt().map(|least| least.to_bits()), range.max_opt()),
        (Some((-0.0f64).to_bits()), Some(&f64::INFINITY))
    );
}

#[test]
fn a_null_where_there_must_be_none_is_refused() {
    let field = Field::new("column", DataType::Int64, false);
    let schema = Arc::new(Schema::new(vec![field.clone()]));
    let file = ArrowWriter::try_new(Vec::new(), schema, None).unwrap().into_serialized_writer().unwrap().0;
    let mut chunk = ChunkWriter::new(&field, file.schema_descr().column(0)).unwrap();
    let array: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    assert!(chunk.write(&array).is_err());
}
