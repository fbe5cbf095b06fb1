//! Airtime against tshark's `wlan_radio.duration`, over every legacy rate and HT in 20 MHz. Skipped where
//! tshark is not installed.
//!
//! tshark leaves out the signal extension of 2.4 GHz, so OFDM and HT are compared at 5 GHz, and does not round
//! symbols with the short guard interval up to a multiple of 4 us. In 40 MHz it counts 104 data subcarriers
//! where the standard has 108 (table 19-6).

use std::process::Command;

use winf_parsers::sources;

const OCTETS: [usize; 3] = [14, 404, 1532];

/// A radiotap header with flags, rate and channel; the FCS is at the end.
fn legacy(rate_500k: u8, mhz: u16, is_short: bool) -> Vec<u8> {
    let channel_flags: u16 = if mhz < 3000 { 0x00a0 } else { 0x0140 };
    let mut header = vec![0, 0, 14, 0, 0x0e, 0, 0, 0, if is_short { 0x12 } else { 0x10 }, rate_500k];
    header.extend([mhz.to_le_bytes(), channel_flags.to_le_bytes()].concat());
    header
}

/// One with flags, channel and MCS field, of which everything is known: 20 MHz, convolutional code, mixed format.
fn ht(mcs: u8, is_short_guard: bool, stbc: u8) -> Vec<u8> {
    let flags = u8::from(is_short_guard) << 2 | stbc << 5;
    let mut header = vec![0, 0, 17, 0, 0x0a, 0, 0x08, 0, 0x10, 0];
    header.extend([5180u16.to_le_bytes(), 0x0140u16.to_le_bytes()].concat());
    header.extend([0x3f, flags, mcs]);
    header
}

fn headers() -> Vec<Vec<u8>> {
    let mut headers = Vec::new();
    for rate in [2, 4, 11, 22] {
        headers.push(legacy(rate, 2412, false));
        if rate > 2 {
            headers.push(legacy(rate, 2412, true));
        }
    }
    headers.extend([12, 18, 24, 36, 48, 72, 96, 108].map(|rate| legacy(rate, 5180, false)));
    for mcs in 0..32 {
        headers.extend([ht(mcs, false, 0), ht(mcs, true, 0)]);
    }
    headers.extend((0..8).map(|mcs| ht(mcs, false, 1)));
    headers
}

/// A QoS data frame of so many octets with its FCS, which is left wrong.
fn mpdu(octets: usize) -> Vec<u8> {
    let mut frame = vec![0x88, 0x01, 0, 0];
    frame.resize(octets, 0x02);
    frame
}

fn pcap(records: &[Vec<u8>]) -> Vec<u8> {
    let mut file = [0xa1b2_c3d4u32, 0x0004_0002, 0, 0, 65_535, 127].map(u32::to_le_bytes).concat();
    for record in records {
        let octets = record.len() as u32;
        file.extend([0, 0, octets, octets].map(u32::to_le_bytes).concat());
        file.extend(record);
    }
    file
}

#[test]
fn agrees_with_tshark_on_every_rate() {
    if !Command::new("tshark").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: tshark is not installed");
        return;
    }
    let records: Vec<Vec<u8>> =
        headers().iter().flat_map(|header| OCTETS.map(|octets| [header.as_slice(), &mpdu(octets)].concat())).collect();
    let path = std::env::temp_dir().join(format!("winf-airtime-{}.pcap", std::process::id()));
    std::fs::write(&path, pcap(&records)).unwrap();
    let mut reader = sources::open(&path).unwrap();
    let mut frames = Vec::new();
    while reader.read(&mut frames).unwrap() {}
    let output =
        Command::new("tshark").arg("-nr").arg(&path).args(["-T", "fields", "-e", "wlan_radio.duration"]).output();
    std::fs::remove_file(&path).unwrap();
    let durations = String::from_utf8(output.unwrap().stdout).unwrap();
    assert_eq!((frames.len(), durations.lines().count()), (records.len(), records.len()));
    for (frame, duration) in frames.iter().zip(durations.lines()) {
        let (here, there) = (frame.airtime_us.unwrap(), duration.parse::<f64>().unwrap());
        // tshark has two encoders from MCS 21 on, whatever the bandwidth: at times a symbol more.
        let one_symbol = if frame.mcs >= Some(21) { 4.0 } else { 0.0 };
        let rounding = if frame.guard_ns == Some(400) { 4.0 } else { 1.0 };
        let agrees = here <= there + rounding && here >= there - 1.0 - one_symbol;
        assert!(agrees, "here {here}, there {there}: {frame:?}");
    }
}
