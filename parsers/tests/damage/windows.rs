//! Damage does in a window what it does in the whole file: the same rows with the same faults, up to the end of the
//! window. Shown on the beginning of every sample: cut at every offset, and with everything that is done to octets.

use rayon::prelude::*;
use winf_parsers::base::WarningCode;
use winf_parsers::frame::Frame;

use crate::changes::values;
use crate::reading::decode;
use crate::samples::{samples, Kind, Sample, SOME};

/// How much of each sample is read anew for every offset.
const CAPTURE_BYTES: usize = 6 << 10;
const TRACE_BYTES: usize = 2 << 10;
const BEFORE: usize = 1;
const AFTER: usize = 2;

#[test]
fn a_cut_window_reads_like_the_cut_file() {
    each_record(|sample, record, first| {
        let (window, at) = sample.window(first, record + 1);
        let (head, skipped) = (rows_before(sample, 0), rows_before(sample, first));
        for cut in sample.start(record)..sample.ends[record] {
            let (whole, whole_codes) = decode(&sample.octets[..cut]).expect("more than a header");
            let (part, part_codes) = decode(&window[..at + cut - sample.start(first)]).expect("more than a header");
            let (part, whole) = (facts(sample, &part[head..]), facts(sample, &whole[skipped..]));
            assert_eq!((part, damage(part_codes)), (whole, damage(whole_codes)), "{} cut at {cut}", sample.name);
        }
    });
}

#[test]
fn a_window_changed_at_some_octets_reads_like_the_changed_file() {
    change_windows(SOME);
}

#[test]
#[ignore = "nightly: every octet, 47 times as many"]
fn a_changed_window_reads_like_the_changed_file() {
    change_windows(1);
}

fn change_windows(step: usize) {
    each_record(|sample, record, first| {
        let (mut window, at) = sample.window(first, (record + 1 + AFTER).min(sample.records()));
        let (head, skipped) = (rows_before(sample, 0), rows_before(sample, first));
        let mut file = sample.octets.clone();
        // Offsets of the file, not of the record: of every record other ones.
        let some = (sample.start(record)..sample.ends[record]).filter(|offset| offset % step == 0);
        for offset in some {
            let (was, inside) = (file[offset], at + offset - sample.start(first));
            for value in values(was, offset) {
                (file[offset], window[inside]) = (value, value);
                let (whole, _) = decode(&file).expect("an undamaged record in front");
                let (part, _) = decode(&window).expect("an undamaged record in front");
                let place = format!("{} with {value:#04x} at {offset}", sample.name);
                let until = whole.len().min(skipped + part.len() - head);
                assert_eq!(facts(sample, &part[head..]), facts(sample, &whole[skipped..until]), "{place}");
            }
            (file[offset], window[inside]) = (was, was);
        }
    });
}

/// Calls `check` with the beginning of every sample, a record of it, and the first record of its window.
fn each_record(check: impl Fn(&Sample, usize, usize) + Sync) {
    let mut beginnings: Vec<Sample> = samples().iter().map(beginning).collect();
    let capture = beginnings.iter().find(|sample| sample.kind == Kind::Pcap).expect("a capture");
    beginnings.push(capture.as_pcapng());
    beginnings.par_iter().for_each(|sample| {
        (BEFORE..sample.records()).into_par_iter().for_each(|record| check(sample, record, record - BEFORE));
    });
}

/// Warnings of damage. That a trace has no MAC lines is said of the whole file.
fn damage(codes: Vec<WarningCode>) -> Vec<WarningCode> {
    codes.into_iter().filter(|&code| code != WarningCode::MacTraceOff).collect()
}

fn beginning(sample: &Sample) -> Sample {
    sample.beginning(if sample.kind == Kind::Text { TRACE_BYTES } else { CAPTURE_BYTES })
}

/// Rows of what is in front of record `first`.
fn rows_before(sample: &Sample, first: usize) -> usize {
    let before = &sample.octets[..sample.start(first)];
    decode(before).map_or(0, |(frames, _)| frames.len())
}

/// What the records alone tell. Of a trace much depends on the lines before: rates, whose address is whose.
fn facts(sample: &Sample, frames: &[Frame]) -> Vec<Frame> {
    let of_line = |frame: &Frame| Frame {
        direction: frame.direction,
        layer: frame.layer,
        packet_uid: frame.packet_uid,
        parse_error: frame.parse_error,
        ..Frame::new(0, if frame.parse_error.is_some() { 0 } else { frame.ts_ns })
    };
    let of_record = |frame: &Frame| Frame { frame_no: 0, ..frame.clone() };
    frames.iter().map(|frame| if sample.kind == Kind::Text { of_line(frame) } else { of_record(frame) }).collect()
}
