//! Samples that end too early.

use rayon::prelude::*;
use winf_parsers::base::WarningCode;

use crate::reading::read_through;
use crate::samples::{all_samples, Kind, Sample, SOME};
use crate::watch;

/// Records in front of the one that is cut.
const BEFORE: usize = 2;
/// Octets in front of the end of a record, in whole records.
const MUCH_BEFORE: usize = 32 << 10;

#[test]
fn cut_at_the_offsets_of_some_records() {
    cut_records(SOME);
}

#[test]
#[ignore = "nightly: every record, 47 times as many"]
fn cut_at_every_offset() {
    cut_records(1);
}

#[test]
fn cut_around_some_ends_of_records() {
    cut_around_ends(SOME);
}

#[test]
#[ignore = "nightly: every record, 47 times as many"]
fn cut_around_every_end_of_a_record() {
    cut_around_ends(1);
}

fn cut_records(step: usize) {
    all_samples().par_iter().for_each(|sample| {
        for cut in 0..sample.head {
            read_through(sample.octets[..cut].to_vec(), sample.kind);
        }
        (0..sample.records()).into_par_iter().step_by(step).for_each(|record| {
            watch::ends(format!("{} cut in record {record}", sample.name), || cut_record(sample, record));
        });
    });
}

fn cut_around_ends(step: usize) {
    all_samples().par_iter().for_each(|sample| {
        sample.ends.par_iter().step_by(step).for_each(|&end| {
            watch::ends(format!("{} cut around {end}", sample.name), || {
                for cut in [end - 1, end, (end + 1).min(sample.octets.len())] {
                    read_through(sample.up_to(cut, MUCH_BEFORE), sample.kind);
                }
            });
        });
    });
}

/// Cuts a record behind its every octet. Those before it are kept.
fn cut_record(sample: &Sample, record: usize) {
    let first = record.saturating_sub(BEFORE);
    let (window, _) = sample.window(first, record + 1);
    let length = sample.ends[record] - sample.start(record);
    for kept in 0..length {
        let content = window[..window.len() - length + kept].to_vec();
        let rows = read_through(content, sample.kind);
        if sample.kind == Kind::Text || record == first {
            continue;
        }
        let rows = rows.unwrap_or_else(|| panic!("{}: refused with record {record} cut at {kept}", sample.name));
        let expected: &[_] = if kept == 0 { &[] } else { &[WarningCode::TruncatedRecord] };
        assert_eq!((rows.frames, rows.codes.as_slice()), (record - first, expected), "{} {record} {kept}", sample.name);
    }
}
