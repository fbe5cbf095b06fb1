//! Captures written octet by octet.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use winf_parsers::base::{Error, Warning};
use winf_parsers::frame::Frame;
use winf_parsers::sources::{self, pcap::CaptureReader, Reader};

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

/// The same with a radiotap header in front: flags (nothing set) and 6 Mb/s at 5180 MHz.
pub fn radiotap_exchange() -> Vec<Vec<u8>> {
    let radiotap = [0, 0, 14, 0, 0x0e, 0, 0, 0, 0x00, 12, 0x3c, 0x14, 0x40, 0x01];
    exchange().into_iter().map(|frame| [radiotap.as_slice(), &frame].concat()).collect()
}

/// A little-endian pcap file with microseconds.
pub fn pcap(link_type: u32, frames: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    for field in [0xa1b2_c3d4u32, 4 << 16 | 2, 0, 0, 65535, link_type] {
        file.extend(field.to_le_bytes());
    }
    for (frame, number) in frames.iter().zip(0u32..) {
        for field in [1, 500_000 + 100 * number, frame.len() as u32, frame.len() as u32] {
            file.extend(field.to_le_bytes());
        }
        file.extend(frame);
    }
    file
}

/// The same with the 24-octet record headers of magic a1b2cd34, in either byte order.
pub fn long_pcap(big_endian: bool, frames: &[Vec<u8>]) -> Vec<u8> {
    let u32s = |fields: &[u32]| -> Vec<u8> {
        fields.iter().flat_map(|field| if big_endian { field.to_be_bytes() } else { field.to_le_bytes() }).collect()
    };
    let version = if big_endian { 2 << 16 | 4 } else { 4 << 16 | 2 };
    let mut file = u32s(&[0xa1b2_cd34, version, 0, 0, 65535, 127]);
    for (frame, number) in frames.iter().zip(0u32..) {
        let length = frame.len() as u32;
        file.extend(u32s(&[1, 500_000 + 100 * number, length, length, 3, 0x0300_0004]));
        file.extend(frame);
    }
    file
}

pub fn open(file: &[u8]) -> Result<CaptureReader<&[u8]>, Error> {
    CaptureReader::new(file, Path::new("test"))
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

/// A temporary file, removed when the test ends.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str, content: &[u8]) -> Scratch {
        static NUMBER: AtomicUsize = AtomicUsize::new(0); // tests run side by side
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("winf-container-{}-{number}-{name}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        Scratch(path)
    }

    pub fn read(&self) -> (Vec<Frame>, Vec<Warning>) {
        let mut reader = sources::open(&self.0).unwrap();
        let frames = read_all(reader.as_mut());
        (frames, reader.warnings())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).unwrap();
    }
}
