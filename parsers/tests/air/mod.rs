//! Frames by hand: who sends what to whom, at which rate, and when it starts.
#![allow(dead_code)] // each test file uses its part

use winf_parsers::frame::{Addr, Frame, FrameFlags, FrameKind, Phy, Preamble};
use winf_parsers::ieee80211::airtime;

/// Two stations, an access point, and one that hears other stations than the observer does.
pub const A: Addr = Addr::mac([2, 0, 0, 0, 0, 0xa]);
pub const B: Addr = Addr::mac([2, 0, 0, 0, 0, 0xb]);
pub const C: Addr = Addr::mac([2, 0, 0, 0, 0, 0xc]);
pub const D: Addr = Addr::mac([2, 0, 0, 0, 0, 0xd]);

/// An MSDU of 1500 octets with MAC header and FCS.
pub const DATA_OCTETS: u32 = 1528;

/// 802.11b at 11 Mb/s (data) or 1 Mb/s (control), long preamble, or 802.11g at 54 and 24 Mb/s.
#[derive(Clone, Copy)]
pub enum Band {
    Dsss,
    Erp,
}

/// A frame that starts at `start_us`, not timed yet: its stamp is its start.
pub fn frame(band: Band, kind: FrameKind, ta: Option<Addr>, ra: Addr, start_us: f64) -> Frame {
    let length = match kind {
        FrameKind::Rts | FrameKind::PsPoll => 20,
        FrameKind::Cts | FrameKind::Ack => 14,
        FrameKind::BlockAck => 32,
        FrameKind::BlockAckReq => 24,
        FrameKind::Null => 28,
        _ => DATA_OCTETS,
    };
    let is_data = length == DATA_OCTETS;
    let (phy, rate, channel) = match (band, is_data) {
        (Band::Dsss, true) => (Phy::HrDsss, 11.0, 2437),
        (Band::Dsss, false) => (Phy::Dsss, 1.0, 2437),
        (Band::Erp, true) => (Phy::Erp, 54.0, 2437),
        (Band::Erp, false) => (Phy::Erp, 24.0, 2437),
    };
    let mut frame = Frame {
        kind,
        ta,
        ra: Some(ra),
        phy: Some(phy),
        rate_mbps: Some(rate),
        channel_mhz: Some(channel),
        preamble: matches!(band, Band::Dsss).then_some(Preamble::Long),
        length_bytes: Some(length),
        payload_bytes: is_data.then_some(1500),
        flags: Some(FrameFlags::default()),
        ..Frame::new(1, (start_us * 1000.0).round() as i64)
    };
    airtime::fill(&mut frame);
    frame
}

/// Sets start and end from a stamp that is the start.
pub fn timed(mut frame: Frame) -> Frame {
    frame.start_ns = Some(frame.ts_ns);
    frame.end_ns = frame.airtime_us.map(|us| frame.ts_ns + (us * 1000.0).round() as i64);
    frame
}

/// Marks a repetition.
pub fn retry(mut frame: Frame) -> Frame {
    frame.flags = Some(FrameFlags { retry: true, ..FrameFlags::default() });
    frame
}

/// End of a timed frame, microseconds.
pub fn end_us(frame: &Frame) -> f64 {
    frame.end_ns.unwrap() as f64 / 1000.0
}

/// A xorshift generator: the same numbers on every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}
