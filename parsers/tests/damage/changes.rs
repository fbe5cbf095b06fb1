//! Samples with an octet changed.

use std::ops::Range;

use rayon::prelude::*;

use crate::reading::read_through;
use crate::samples::{all_samples, Kind, Sample, SOME};
use crate::watch;

/// Records around the changed one: those of an exchange.
const BEFORE: usize = 1;
const AFTER: usize = 2;
/// How much is read behind a file header that is changed, and behind a record header.
const HEAD_BYTES: usize = 64 << 10;
const TAIL_BYTES: usize = 16 << 10;
/// Octets of a record header of pcap, and of the part of a packet block that says how long it is.
const RECORD_HEADER: usize = 16;

#[test]
fn octets_changed_in_some_records() {
    change_records(SOME);
}

#[test]
#[ignore = "nightly: every record, 47 times as many"]
fn every_octet_changed() {
    change_records(1);
}

#[test]
fn file_headers_changed() {
    all_samples().par_iter().for_each(|sample| {
        let mut content = sample.beginning(HEAD_BYTES).octets;
        watch::ends(format!("{} changed in its header", sample.name), || {
            change_range(&mut content, 0..sample.head, sample.kind);
        });
    });
}

#[test]
fn some_record_headers_changed_before_much() {
    change_record_headers(SOME);
}

#[test]
#[ignore = "nightly: every record, 47 times as many"]
fn record_headers_changed_before_much() {
    change_record_headers(1);
}

fn change_records(step: usize) {
    all_samples().par_iter().for_each(|sample| {
        (0..sample.records()).into_par_iter().step_by(step).for_each(|record| {
            watch::ends(format!("{} changed in record {record}", sample.name), || change_record(sample, record));
        });
    });
}

fn change_record_headers(step: usize) {
    let captures: Vec<Sample> = all_samples().into_iter().filter(|sample| sample.kind != Kind::Text).collect();
    captures.par_iter().for_each(|sample| {
        (0..sample.records()).into_par_iter().step_by(step).for_each(|record| {
            let until = sample.ends.partition_point(|&end| end <= sample.ends[record] + TAIL_BYTES);
            let (mut window, at) = sample.window(record, until.max(record + 1));
            watch::ends(format!("{} changed in the header of record {record}", sample.name), || {
                for offset in at..at + RECORD_HEADER {
                    window[offset] = !window[offset];
                    read_through(window.clone(), sample.kind);
                    window[offset] = !window[offset];
                }
            });
        });
    });
}

fn change_record(sample: &Sample, record: usize) {
    let first = record.saturating_sub(BEFORE);
    let (mut window, at) = sample.window(first, (record + 1 + AFTER).min(sample.records()));
    let start = at + sample.start(record) - sample.start(first);
    change_range(&mut window, start..start + sample.ends[record] - sample.start(record), sample.kind);
}

/// Reads `content` with all [`values`] at every offset in turn.
pub fn change_range(content: &mut [u8], offsets: Range<usize>, kind: Kind) {
    for offset in offsets {
        let was = content[offset];
        for value in values(was, offset) {
            content[offset] = value;
            read_through(content.to_vec(), kind);
        }
        content[offset] = was;
    }
}

/// What an octet is changed to: nothing, everything, the contrary, and one bit of it.
pub fn values(octet: u8, offset: usize) -> [u8; 4] {
    [0x00, 0xff, !octet, octet ^ 1 << (offset % 8)]
}
