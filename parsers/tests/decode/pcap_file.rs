//! Captures written octet by octet, and short ways to read them.

use std::path::Path;

use winf_parsers::base::{Error, Warning};
use winf_parsers::frame::Frame;
use winf_parsers::sources::pcap::CaptureReader;
use winf_parsers::sources::Reader;

/// How a capture's numbers are written.
#[derive(Clone, Copy)]
pub struct Variant {
    pub big_endian: bool,
    pub nanoseconds: bool,
}

pub const USUAL: Variant = Variant { big_endian: false, nanoseconds: false };

impl Variant {
    fn u32(self, value: u32) -> [u8; 4] {
        if self.big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    fn u16(self, value: u16) -> [u8; 2] {
        if self.big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    pub fn file_header(self, network: u32) -> Vec<u8> {
        let magic = if self.nanoseconds { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
        let mut octets = self.u32(magic).to_vec();
        octets.extend(self.u16(2));
        octets.extend(self.u16(4));
        for field in [0, 0, 65535, network] {
            octets.extend(self.u32(field));
        }
        octets
    }

    /// A record at `micros` microseconds.
    pub fn record(self, micros: u32, original_bytes: u32, octets: &[u8]) -> Vec<u8> {
        let fraction = micros % 1_000_000 * if self.nanoseconds { 1000 } else { 1 };
        let mut record = Vec::new();
        for field in [micros / 1_000_000, fraction, octets.len() as u32, original_bytes] {
            record.extend(self.u32(field));
        }
        record.extend(octets);
        record
    }

    pub fn file(self, network: u32, frames: &[Vec<u8>]) -> Vec<u8> {
        let mut file = self.file_header(network);
        for (number, frame) in frames.iter().enumerate() {
            file.extend(self.record(1_500_000 + 100 * number as u32, frame.len() as u32, frame));
        }
        file
    }
}

/// RTS, CTS, data and ACK without FCS.
pub fn exchange() -> Vec<Vec<u8>> {
    let (a, b) = ([2, 0, 0, 0, 0, 0x0a], [2, 0, 0, 0, 0, 0x0b]);
    let data = [&[0x08, 0x00, 44, 0], b.as_slice(), &a, &b, &[0x10, 0x00], &[0x5a; 500]].concat();
    vec![
        [&[0xb4, 0x00, 0x94, 0x00], b.as_slice(), &a].concat(),
        [&[0xc4, 0x00, 0x68, 0x00], a.as_slice()].concat(),
        data,
        [&[0xd4, 0x00, 0x00, 0x00], a.as_slice()].concat(),
    ]
}

/// The frames with a radiotap header in front: flags (nothing set) and 6 Mb/s at 5180 MHz.
pub fn with_radiotap(frames: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let radiotap = [0, 0, 14, 0, 0x0e, 0, 0, 0, 0x00, 12, 0x3c, 0x14, 0x40, 0x01];
    frames.into_iter().map(|frame| [radiotap.as_slice(), &frame].concat()).collect()
}

pub fn open(file: &[u8]) -> Result<CaptureReader<&[u8]>, Error> {
    CaptureReader::new(file, Path::new("test.pcap"))
}

pub fn read_all(reader: &mut dyn Reader) -> Vec<Frame> {
    let mut frames = Vec::new();
    while reader.read(&mut frames).unwrap() {}
    frames
}

pub fn read(file: &[u8]) -> (Vec<Frame>, Vec<Warning>) {
    let mut reader = open(file).unwrap();
    let frames = read_all(&mut reader);
    (frames, reader.warnings())
}
