use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringViewArray,
};

use super::*;

/// One exchange: observer, sender, start and idle time before it in microseconds.
type One = (&'static str, &'static str, i64, f64);

/// DCF data exchanges of these senders, all complete, as Polars exports them (`views`) or as parsers make them.
fn batch(rows: &[One], views: bool) -> RecordBatch {
    let texts = |texts: Vec<&'static str>| -> ArrayRef {
        match views {
            true => Arc::new(StringViewArray::from_iter(texts.into_iter().map(Some))),
            false => Arc::new(texts.into_iter().collect::<DictionaryArray<Int32Type>>()),
        }
    };
    let constant = |text: &'static str| texts(rows.iter().map(|_| text).collect());
    let numbers = |value: i32| -> ArrayRef {
        match views {
            true => Arc::new(rows.iter().map(|_| Some(i64::from(value))).collect::<Int64Array>()),
            false => Arc::new(rows.iter().map(|_| Some(value)).collect::<Int32Array>()),
        }
    };
    let unknown = || -> ArrayRef { Arc::new(Int64Array::from(vec![None; rows.len()])) };
    let truth = |value: bool| -> ArrayRef { Arc::new(BooleanArray::from(vec![value; rows.len()])) };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("source", constant("a.pcap")),
        ("observer", texts(rows.iter().map(|row| row.0).collect())),
        ("sender", texts(rows.iter().map(|row| row.1).collect())),
        ("bssid", constant("ap")),
        ("kind", constant("basic")),
        ("data_kind", constant("data")),
        ("phy", constant("erp")),
        ("preamble", constant("long")),
        ("start_ns", Arc::new(rows.iter().map(|row| Some(1000 * row.2)).collect::<Int64Array>())),
        ("rts_start_ns", unknown()),
        ("rts_ns", unknown()),
        ("cts_start_ns", unknown()),
        ("cts_ns", unknown()),
        ("tid", numbers(0)),
        ("attempt", numbers(1)),
        ("channel_mhz", numbers(2412)),
        ("mpdus", numbers(1)),
        ("length_bytes", numbers(1500)),
        ("idle_before_us", Arc::new(rows.iter().map(|row| Some(row.3)).collect::<Float64Array>())),
        ("ack_airtime_us", Arc::new(rows.iter().map(|row| Some(30.0 + row.3)).collect::<Float64Array>())),
        ("complete", truth(true)),
        ("hidden", truth(false)),
        ("direct", truth(false)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap()
}

fn sample(rows: &[One]) -> Sample {
    let [one, other] = [true, false].map(|views| Sample::new(&[batch(rows, views)]).unwrap());
    assert!(one.stations().eq(other.stations()));
    assert_eq!(one.behaviours(), other.behaviours());
    one
}

#[test]
fn stations_are_numbered_by_medium_and_address() {
    let found = sample(&[("y", "b", 1, 0.0), ("x", "c", 3, 0.0), ("x", "a", 2, 0.0), ("x", "c", 9, 0.0)]);
    let stations: Vec<_> = found.stations().map(|one| (one.medium, one.sender.unwrap(), one.exchanges)).collect();
    assert_eq!(stations, [(0, "a", 1), (0, "c", 2), (1, "b", 1)]);
    let first = found.stations().next().unwrap();
    assert_eq!((first.phy, first.channel_mhz, first.row, first.guessed), (Some("erp"), Some(2412), 0, false));
}

#[test]
fn gaps_count_where_the_medium_became_idle_for_all() {
    let rows =
        [("x", "a", 1, 50.0), ("x", "a", 2, 28.0), ("x", "b", 3, 28.5), ("x", "a", 4, 10.0), ("y", "a", 5, 28.0)];
    let found = sample(&rows).gaps(&[10.0, 10.0, 10.0]);
    let gap = |gap_us, station, own| Gap { gap_us, station, category: DCF, first: true, own };
    // The first of each medium has no exchange before it, and 10 us are SIFS.
    assert_eq!(found, [(gap(28, 0, true), 1), (gap(28, 1, false), 1)]);
}

#[test]
fn a_backoff_is_counted_down_over_the_gaps_of_others() {
    // AIFS 28, slots of 9: 3 slots, then 2 and 4 before the next own exchange.
    let rows = [
        ("x", "b", 1, 0.0),
        ("x", "a", 2, 28.0 + 27.0),
        ("x", "b", 3, 28.0 + 18.0),
        ("x", "a", 4, 28.0 + 36.0),
        ("x", "a", 5, 28.0 + 45.0),
    ];
    let of = Backoffs {
        station: 0,
        category: DCF,
        sifs_us: 10.0,
        aifs_us: 28.0,
        slot_us: 9.0,
        phase_us: 1.0,
        width_us: 1.0,
        tolerance_us: 2.5,
        max_slots: 1024,
    };
    let found = sample(&rows);
    assert_eq!(found.countdowns(&of).into_iter().collect::<Vec<_>>(), [(5, 1), (6, 1)]);
    assert!(found.countdowns(&Backoffs { max_slots: 5, ..of }).is_empty(), "longer ones are not counted");
    assert!(found.countdowns(&Backoffs { category: 0, ..of }).is_empty());
}

#[test]
fn behaviour_is_of_unicast_data() {
    let found = sample(&[("x", "a", 1, 0.0), ("x", "a", 2, 0.5), ("x", "a", 3, 4.0), ("x", "a", 4, 5.0)]).behaviours();
    let [(0, own)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(own.airtimes[2], Airtime { median_us: Some(30.5), close: 2, count: 4 });
    assert_eq!(own.airtimes[3], own.airtimes[2]);
    assert_eq!(own.airtimes[4], Airtime::default());
    assert_eq!((own.unicast, own.matching, own.dsss), (4, [0, 0, 0], 0));
    assert_eq!((own.mpdus_max, own.psdu_max_bytes), (Some(1), Some(1500)));
}

#[test]
fn acknowledgments_of_management_frames_do_not_count() {
    let rows = batch(&[("x", "a", 1, 0.0), ("x", "a", 2, 274.0), ("x", "a", 3, 0.0), ("x", "a", 4, 274.0)], false);
    let kinds: DictionaryArray<Int32Type> = ["data", "management", "data", "management"].into_iter().collect();
    let place = rows.schema().index_of("data_kind").unwrap();
    let mut columns = rows.columns().to_vec();
    columns[place] = Arc::new(kinds);
    let mixed = Sample::new(&[RecordBatch::try_new(rows.schema(), columns).unwrap()]).unwrap();
    let found = mixed.behaviours();
    let [(0, own)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(own.airtimes[2], Airtime { median_us: Some(30.0), close: 2, count: 2 });
}

#[test]
fn a_column_of_another_type_is_an_error() {
    let columns: Vec<(&str, ArrayRef)> = vec![("source", Arc::new(Int64Array::from(vec![1])))];
    assert!(Sample::new(&[RecordBatch::try_from_iter(columns).unwrap()]).is_err());
    assert_eq!(Sample::new(&[]).unwrap().stations().count(), 0);
}
