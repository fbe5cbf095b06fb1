//! One simulation in the classic and in the tagged format: the rows are the same.

use std::fs;
use std::path::Path;

use winf_parsers::frame::{Direction, Frame, Layer};
use winf_parsers::sources::ns2::Ns2Reader;
use winf_parsers::sources::Reader;

fn trace(format: &str) -> String {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample_captures/ns2_wired/recording");
    fs::read_to_string(samples.join(format!("{format}.tr"))).unwrap()
}

fn read(trace: &[u8]) -> Vec<Frame> {
    let mut reader = Ns2Reader::new(trace, Path::new("test.tr"));
    let mut frames = Vec::new();
    while reader.read(&mut frames).unwrap() {}
    frames
}

#[test]
fn both_formats_make_the_same_rows() {
    let (classic, tagged) = (read(trace("classic").as_bytes()), read(trace("tagged").as_bytes()));
    assert_eq!(classic.len(), tagged.len());
    for (classic, tagged) in classic.iter().zip(tagged) {
        assert_eq!(*classic, tagged);
    }
    assert!(classic.iter().all(|frame| frame.parse_error.is_none()));
}

#[test]
fn a_packet_keeps_its_number_and_flow_from_wire_to_air() {
    let frames = read(trace("tagged").as_bytes());
    let arrived = frames.iter().rfind(|frame| {
        let is_data = frame.network.is_some_and(|network| network.proto.as_str() == "tcp");
        is_data && frame.layer == Layer::Agent && frame.direction == Some(Direction::Rx)
    });
    let arrived = arrived.unwrap();
    let hops: Vec<&Frame> = frames.iter().filter(|frame| frame.packet_uid == arrived.packet_uid).collect();
    let flow = arrived.network.unwrap().flow_of();
    assert!(hops.iter().all(|hop| hop.network.unwrap().flow_of() == flow));
    let path: Vec<_> =
        hops.iter().map(|hop| (hop.layer, hop.direction.unwrap(), hop.observer.unwrap().to_string())).collect();
    use Direction::{Enqueue, Rx, Tx};
    let expected = [
        (Layer::Queue, Enqueue, "node-0"),
        (Layer::Phy, Tx, "node-0"),
        (Layer::Phy, Rx, "node-1"),
        (Layer::Queue, Enqueue, "node-1"),
        (Layer::Phy, Tx, "node-1"),
        (Layer::Phy, Rx, "node-2"),
        (Layer::Router, Rx, "node-2"),
        (Layer::Router, Tx, "node-2"),
        (Layer::Mac, Tx, "node-2"),
        (Layer::Mac, Rx, "node-3"),
        (Layer::Agent, Rx, "node-3"),
    ];
    assert_eq!(path, expected.map(|(layer, direction, node)| (layer, direction, node.to_owned())));
}

#[test]
fn a_trace_cut_anywhere_keeps_what_was_before() {
    for format in ["classic", "tagged"] {
        let text = trace(format);
        let start = text.len() / 2;
        let start = start + text[start..].find('\n').unwrap() + 1;
        let text = &text[start..start + 3000];
        let whole = read(text.as_bytes());
        for cut in 0..text.len() {
            let rows = read(&text.as_bytes()[..cut]);
            assert!(rows.len() <= whole.len());
            for (row, expected) in rows.iter().zip(&whole) {
                let place = |f: &Frame| (f.frame_no, f.ts_ns, f.observer, f.layer, f.direction, f.kind, f.packet_uid);
                assert_eq!(place(row), place(expected), "{format} cut at {cut}");
            }
        }
    }
}
