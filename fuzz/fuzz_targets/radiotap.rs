//! Radiotap headers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use winf_parsers::frame::Frame;
use winf_parsers::ieee80211::{airtime, radiotap};

fuzz_target!(|record: &[u8]| {
    let mut frame = Frame::new(1, 0);
    if let Ok(header) = radiotap::decode(record, &mut frame) {
        assert!(header.length <= record.len());
    }
    frame.length_bytes = u32::try_from(record.len()).ok();
    airtime::fill(&mut frame);
    assert!(frame.airtime_us.is_none_or(|us| us.is_finite() && us >= 0.0));
});
