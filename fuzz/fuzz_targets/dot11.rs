//! MAC frames. The first octet says what the recording claims about them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use winf_parsers::frame::Frame;
use winf_parsers::ieee80211::dot11::{self, Mpdu};

fuzz_target!(|input: &[u8]| {
    let Some((&claims, octets)) = input.split_first() else { return };
    let cut_off = if claims & 8 != 0 { 1000 } else { 0 };
    let mpdu = Mpdu {
        octets,
        recorded_bytes: octets.len() as u32 + cut_off,
        trailing_fcs: claims & 1 != 0,
        bad_fcs: claims & 2 != 0,
        data_pad: claims & 4 != 0,
    };
    dot11::decode(&mpdu, &mut Frame::new(1, 0));
});
