//! tshark as the oracle: the same columns from the same captures. Skipped where it is not installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use winf_parsers::addr::Addr;
use winf_parsers::capture;
use winf_parsers::frame::{Frame, FrameKind};

use crate::pcap_file::{read_all, with_radiotap, USUAL};

/// The compared fields, in the order of [`row`].
const FIELDS: [&str; 15] = [
    "wlan.fc.type_subtype",
    "wlan.ra",
    "wlan.ta",
    "wlan.sa",
    "wlan.da",
    "wlan.bssid",
    "wlan.seq",
    "wlan.frag",
    "wlan.fc.retry",
    "wlan.duration",
    "wlan.qos.tid",
    "radiotap.channel.freq",
    "radiotap.dbm_antsignal",
    "radiotap.mactime",
    "radiotap.mcs.index",
];

fn row(frame: &Frame) -> [String; FIELDS.len()] {
    fn text<T: ToString>(value: Option<T>) -> String {
        value.map_or(String::new(), |value| value.to_string())
    }
    // tshark shows the second address of a CF-End as BSSID only, and block acknowledgement's TID apart.
    let ta = frame.ta.filter(|_| frame.subtype != Some(0x1e));
    let block_ack = matches!(frame.kind, FrameKind::BlockAck | FrameKind::BlockAckReq);
    let ht_mcs = frame.mcs.filter(|_| frame.phy == Some(winf_parsers::frame::Phy::Ht));
    [
        frame.subtype.map_or(String::new(), |subtype| format!("0x{subtype:04x}")),
        text(frame.ra),
        text(ta),
        text(frame.sa),
        text(frame.da),
        text(frame.bssid),
        text(frame.seq),
        text(frame.frag),
        text(frame.flags.map(|flags| u8::from(flags.retry))),
        text(frame.nav_us),
        text(frame.tid.filter(|_| !block_ack)),
        text(frame.channel_mhz),
        text(frame.signal_dbm),
        text(frame.tsft_us),
        text(ht_mcs),
    ]
}

/// Frames that tshark and this decoder read by different rules, each for its reason.
fn is_comparable(frame: &Frame) -> bool {
    let dmg = frame.kind == FrameKind::Extension;
    frame.is_readable() && !dmg
}

fn assert_agreement(capture: &Path) {
    let mut tshark = Command::new("tshark");
    tshark.args(["-n", "-T", "fields", "-E", "separator=|", "-E", "occurrence=f", "-r"]).arg(capture);
    tshark.args(FIELDS.iter().flat_map(|field| ["-e", field]));
    let output = tshark.output().unwrap();
    let oracle = String::from_utf8_lossy(&output.stdout);
    let frames = read_all(capture::open(capture).unwrap().as_mut());
    assert_eq!(frames.len(), oracle.lines().count(), "{}", capture.display());
    for (frame, line) in frames.iter().zip(oracle.lines()).filter(|(frame, _)| is_comparable(frame)) {
        for ((field, ours), theirs) in FIELDS.iter().zip(row(frame)).zip(line.split('|')) {
            let place = format!("{} frame {}", capture.display(), frame.frame_no);
            assert!(agree(field, &ours, theirs), "{place}: {field} here {ours:?}, there {theirs:?}");
        }
    }
}

fn agree(field: &str, ours: &str, theirs: &str) -> bool {
    match field {
        // Of a Duration with its top bit set, which is no NAV, tshark shows the other bits.
        "wlan.duration" => ours == theirs || ours.is_empty(),
        // tshark leaves the mark of a bandwidth signalling TA, its group bit, in the address.
        "wlan.ta" => ours == theirs || differ_by_group_bit(ours, theirs),
        _ => ours == theirs,
    }
}

fn differ_by_group_bit(ours: &str, theirs: &str) -> bool {
    let bits = |text| Addr::parse(text).map_or(0, Addr::bits);
    bits(ours) ^ bits(theirs) == 1 << 40
}

fn has_tshark() -> bool {
    let found = Command::new("tshark").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: tshark is not installed");
    }
    found
}

/// A frame of each type, subtype and combination of DS bits, long enough for any header.
fn every_header() -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    for type_subtype in 0..0x30u8 {
        // Control frame extensions use the flags; the wrapper, reserved subtypes and CF-Ack differ
        // in what tshark calls their fields.
        if matches!(type_subtype, 0x07 | 0x0f | 0x10..=0x13 | 0x16 | 0x17 | 0x1f | 0x2d) {
            continue;
        }
        let first = (type_subtype >> 4) << 2 | (type_subtype & 0x0f) << 4;
        let is_data = type_subtype >= 0x20;
        for flags in 0..if is_data { 4 } else { 1 } {
            let addresses: Vec<u8> = (0u8..3).flat_map(|number| [2, 0, 0, 0, flags, number]).collect();
            let rest = [0x30, 0x12, 2, 0, 0, 0, 0, 9, 5, 0];
            frames.push([&[first, flags | 0x08, 0x2c, 0x01], addresses.as_slice(), &rest, &[0; 60]].concat());
        }
    }
    frames
}

#[test]
fn agrees_on_every_header() {
    if !has_tshark() {
        return;
    }
    let path = std::env::temp_dir().join(format!("winf-every-header-{}.pcap", std::process::id()));
    std::fs::write(&path, USUAL.file(127, &with_radiotap(every_header()))).unwrap();
    assert_agreement(&path);
    std::fs::remove_file(path).unwrap();
}

/// Captures that others made, kept beside the project.
#[test]
fn agrees_on_real_captures() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/captures");
    let Ok(folders) = std::fs::read_dir(&corpus) else {
        eprintln!("skipped: there is no {}", corpus.display());
        return;
    };
    if !has_tshark() {
        return;
    }
    let files = folders.flatten().filter_map(|folder| std::fs::read_dir(folder.path()).ok()).flatten().flatten();
    let captures: Vec<PathBuf> = files.map(|file| file.path()).filter(|path| is_middling(path)).collect();
    let is_capture =
        |path: &Path| matches!(capture::recognize(path), Ok(Some(format)) if format.name.starts_with("pcap"));
    let captures = captures.iter().filter(|path| is_capture(path) && capture::open(path).is_ok());
    captures.for_each(|capture| assert_agreement(capture));
}

/// Large enough to be worth starting tshark, small enough for a test.
fn is_middling(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| (100_000..800_000).contains(&metadata.len()))
}
