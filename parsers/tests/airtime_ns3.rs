//! TXTIME of VHT and HE single-user PPDUs against ns-3 3.37, which computed `data/ns3_txtime.csv`.

use winf_parsers::frame::ppdu::PpduFormat;
use winf_parsers::frame::{Frame, Phy};
use winf_parsers::ieee80211::airtime;

/// One row of the table: the modulation, the PSDU's octets, and ns-3's duration in microseconds.
fn row(line: &str) -> (Frame, u32, f64) {
    let fields: Vec<&str> = line.split(',').collect();
    let [phy, bandwidth, nss, mcs, octets, us] = fields.as_slice() else { panic!("{line}") };
    let mut frame = Frame {
        bandwidth_mhz: Some(bandwidth.parse().unwrap()),
        nss: Some(nss.parse().unwrap()),
        mcs: Some(mcs.parse().unwrap()),
        guard_ns: Some(800),
        ldpc: Some(false),
        channel_mhz: Some(5180),
        phy: Some(if *phy == "he" { Phy::He } else { Phy::Vht }),
        ..Frame::new(1, 0)
    };
    frame.ppdu.format = (*phy == "he").then_some(PpduFormat::HeSu);
    frame.ppdu.ltf_size = Some(2);
    (frame, octets.parse().unwrap(), us.parse().unwrap())
}

#[test]
fn symbols_are_as_many_as_ns3_counts() {
    let table = include_str!("data/ns3_txtime.csv");
    let mut compared = 0;
    for line in table.lines().skip(1) {
        let (frame, octets, ns3_us) = row(line);
        let Some(us) = airtime::ppdu_us(&frame, octets) else { panic!("{line}: refused") };
        let preamble_us = airtime::preamble_us(&frame).unwrap();
        // ns-3 takes an HE-LTF to last 8 us, here 7.2, and leaves VHT-SIG-B out for a single user.
        let ns3_preamble_us = match frame.phy {
            Some(Phy::He) => 36.0 + (preamble_us - 36.0) / 7.2 * 8.0,
            _ => preamble_us - 4.0,
        };
        let (data_us, ns3_data_us) = (us - preamble_us, ns3_us - ns3_preamble_us);
        // ns-3 leaves out the packet extension of HE, 4 to 16 us.
        let extension_us = data_us - ns3_data_us;
        let expected = if frame.phy == Some(Phy::He) { 4.0..=16.0 } else { 0.0..=0.0 };
        let rounded = (extension_us * 1000.0).round() / 1000.0;
        assert!(expected.contains(&rounded) && rounded % 4.0 == 0.0, "{line}: {data_us} is not {ns3_data_us}");
        compared += 1;
    }
    assert!(compared > 1500, "{compared} rows");
}
