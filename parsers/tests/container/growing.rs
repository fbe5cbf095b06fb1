//! A file that grows is read to its present end, and on from there.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use winf_parsers::base::WarningCode;
use winf_parsers::sources;

use crate::files::{pcap, radiotap_exchange, read, Scratch};
use crate::pack::CODECS;

#[test]
fn every_octet_count_is_a_present_end() {
    let file = pcap(127, &radiotap_exchange());
    let ns2 = b"s 1.000000000 _0_ AGT  --- 0 cbr 1000 [0 0 0 0] ------- [0:0 3:0 32 0] [0] 0 0\n".repeat(3);
    let ns3 = b"t 2.5e-05 /NodeList/0/DeviceList/1/$ns3::WifiNetDevice/Phy/State/Tx ns3::WifiMacHeader \
        (CTL_ACK Duration/ID=0us, RA=00:00:00:00:00:01) \n"
        .repeat(3);
    let mut whole = vec![("pcap", file.clone(), read(&file).0.len()), ("ns2", ns2, 3), ("ns3", ns3, 3)];
    whole.extend(CODECS.into_iter().filter(|(name, _)| *name != "lz4").map(|(name, pack)| (name, pack(&file), 4)));
    for (name, content, expected) in whole {
        let scratch = Scratch::new(&format!("growing-{name}"), b"");
        let is_complete = Arc::new(AtomicBool::new(false));
        let mut writer = OpenOptions::new().append(true).open(&scratch.0).unwrap();
        let (mut reader, mut frames) = (None, Vec::new());
        for octets in content.chunks(7) {
            writer.write_all(octets).unwrap();
            if reader.is_none() {
                reader = sources::open_growing(&scratch.0, Arc::clone(&is_complete)).unwrap();
            }
            if let Some(reader) = &mut reader {
                assert!(reader.read(&mut frames).unwrap(), "{name}");
            }
        }
        let mut reader = reader.unwrap();
        is_complete.store(true, Ordering::Release);
        while reader.read(&mut frames).unwrap() {}
        let damage: Vec<_> =
            reader.warnings().into_iter().filter(|warning| warning.code != WarningCode::MacTraceOff).collect();
        assert_eq!((frames.len(), damage), (expected, vec![]), "{name}");
    }
}

#[test]
fn what_a_compressor_flushed_is_there_before_it_ends() {
    let file = pcap(127, &radiotap_exchange());
    let (early, late) = file.split_at(file.len() - 30);
    let scratch = Scratch::new("growing-flushed", b"");
    let is_complete = Arc::new(AtomicBool::new(false));
    let writer = OpenOptions::new().append(true).open(&scratch.0).unwrap();
    let mut packer = flate2::write::GzEncoder::new(writer, flate2::Compression::default());
    packer.write_all(early).unwrap();
    packer.flush().unwrap();
    let mut reader = sources::open_growing(&scratch.0, Arc::clone(&is_complete)).unwrap().unwrap();
    let mut frames = Vec::new();
    assert!(reader.read(&mut frames).unwrap());
    assert_eq!(frames.len(), 3);
    packer.write_all(late).unwrap();
    packer.finish().unwrap();
    is_complete.store(true, Ordering::Release);
    while reader.read(&mut frames).unwrap() {}
    assert_eq!((frames, reader.warnings()), read(&file));
}

#[test]
fn a_compressor_that_was_killed_leaves_a_cut_stream() {
    let file = pcap(127, &radiotap_exchange());
    let packed = CODECS[0].1(&file);
    let scratch = Scratch::new("growing-killed", &packed[..packed.len() - 4]);
    let is_complete = Arc::new(AtomicBool::new(false));
    let mut reader = sources::open_growing(&scratch.0, Arc::clone(&is_complete)).unwrap().unwrap();
    let mut frames = Vec::new();
    assert!(reader.read(&mut frames).unwrap() && reader.warnings().is_empty());
    is_complete.store(true, Ordering::Release);
    while reader.read(&mut frames).unwrap() {}
    assert_eq!((frames.len(), reader.warnings()[0].code), (4, WarningCode::TruncatedRecord));
}

#[test]
fn an_unfinished_record_at_the_end_is_a_cut_one() {
    let file = pcap(127, &radiotap_exchange());
    let scratch = Scratch::new("growing-cut", &file[..file.len() - 3]);
    let is_complete = Arc::new(AtomicBool::new(false));
    let mut reader = sources::open_growing(&scratch.0, Arc::clone(&is_complete)).unwrap().unwrap();
    let mut frames = Vec::new();
    assert!(reader.read(&mut frames).unwrap() && reader.read(&mut frames).unwrap());
    is_complete.store(true, Ordering::Release);
    while reader.read(&mut frames).unwrap() {}
    assert_eq!((frames.len(), reader.warnings()[0].code), (3, WarningCode::TruncatedRecord));
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let open = |name: &str, content: &[u8]| {
        let scratch = Scratch::new(name, content);
        sources::open_growing(&scratch.0, Arc::default())
            .map(|reader| reader.is_some())
            .map_err(|error| error.to_string())
    };
    assert_eq!(open("growing-empty", b""), Ok(false));
    assert!(open("growing-text", &b"no trace at all\n".repeat(8)).unwrap_err().contains("text"));
    assert!(open("growing-lz4", &[0x04, 0x22, 0x4d, 0x18, 0x60]).unwrap_err().contains("cannot be followed"));
    assert_eq!(open("growing-gzip", b"\x1f\x8b\x08"), Ok(false));
}
