use std::path::PathBuf;

use super::*;
use crate::sources::FORMATS;

/// A temporary file, removed when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, content: &[u8]) -> Scratch {
        let path = std::env::temp_dir().join(format!("winf-{}-{name}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).unwrap();
    }
}

fn error(name: &str, content: &[u8]) -> String {
    let file = Scratch::new(name, content);
    open(&file.0).err().unwrap().to_string()
}

/// A file header of the given link type; one empty record.
fn pcap(link_type: u8) -> Vec<u8> {
    let mut octets = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0];
    octets.extend([0; 8]);
    octets.extend([0xff, 0xff, 0, 0, link_type, 0, 0, 0]);
    octets.extend([0; 16]);
    octets
}

#[test]
fn the_content_decides_and_not_the_name() {
    let file = Scratch::new("capture.txt", &pcap(127));
    let mut reader = open(&file.0).unwrap();
    let mut frames = Vec::new();
    assert!(reader.read(&mut frames).unwrap());
    assert!(!reader.read(&mut frames).unwrap());
    assert_eq!(frames.len(), 1);
    assert!(reader.facts().contains(&("link type", "802.11 with radiotap header (127)".to_owned())));
}

#[test]
fn every_unusable_file_is_named_for_what_it_is() {
    assert!(error("empty", b"").contains("an empty file"));
    assert!(error("text", b"hello\n").contains("text"));
    assert!(error("pcapng", b"\x0a\x0d\x0d\x0a____________________").contains("pcapng"));
    assert!(error("bluetooth", &pcap(201)).contains("Bluetooth"));
    assert!(error("headonly", pcap(127).get(..24).unwrap()).contains("no frames"));
}

#[test]
fn what_cannot_be_read_is_an_io_error() {
    let missing = open(Path::new("no/such/file")).err().unwrap().to_string();
    assert!(missing.contains("no/such/file: opening failed"), "{missing}");
    let folder = open(&std::env::temp_dir()).err().unwrap();
    assert!(matches!(folder, Error::Io { .. }), "{folder}");
}

#[test]
fn formats_have_distinct_names_and_say_what_they_are() {
    for (place, format) in FORMATS.iter().enumerate() {
        assert!(!format.description.is_empty());
        assert!(FORMATS.iter().skip(place + 1).all(|other| other.name != format.name));
    }
}
