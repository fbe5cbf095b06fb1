//! Airtimes against those ns-3 gave the transmissions of the sample recordings.

use std::fs;
use std::path::Path;

use winf_parsers::frame::{Frame, Phy, Preamble};
use winf_parsers::ieee80211::airtime;

/// ns-3 rounds DSSS payloads up to whole microseconds.
const TOLERANCE_US: f64 = 1.0;

/// The modulation of a transmission at this rate: the simulations use no other.
fn modulation(rate_mbps: f32, channel_mhz: u16) -> Frame {
    let mut frame = Frame::new(1, 0);
    frame.channel_mhz = Some(channel_mhz);
    frame.rate_mbps = Some(rate_mbps);
    frame.preamble = Some(Preamble::Long);
    frame.phy = Some(match rate_mbps {
        1.0 | 2.0 => Phy::Dsss,
        5.5 | 11.0 => Phy::HrDsss,
        65.0 => Phy::Ht,
        _ if channel_mhz < 3000 => Phy::Erp,
        _ => Phy::Ofdm,
    });
    if frame.phy == Some(Phy::Ht) {
        frame.preamble = Some(Preamble::Mixed);
        (frame.mcs, frame.bandwidth_mhz, frame.guard_ns) = (Some(7), Some(20), Some(800));
    }
    frame
}

#[test]
fn every_transmission_lasts_as_long_as_in_the_simulator() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample_captures");
    for (name, channel_mhz) in [
        ("ns3_rts_link", 2412),
        ("ns3_basic_link", 2412),
        ("ns3_basic_link_b", 2412),
        ("ns3_hidden", 2412),
        ("ns3_chain3", 2412),
        ("ns3_ht", 5180),
        ("ns3_sniffer", 2412),
    ] {
        let Ok(truth) = fs::read_to_string(samples.join(name).join("truth_transmissions.csv")) else {
            eprintln!("skipped: no sample {name}");
            continue;
        };
        let mut lines = truth.lines();
        let header: Vec<&str> = lines.next().unwrap().split(',').collect();
        let column = |name: &str| header.iter().position(|&column| column == name).unwrap();
        let (length, rate, duration) = (column("length_bytes"), column("rate_mbps"), column("duration_ns"));
        for line in lines {
            let row: Vec<&str> = line.split(',').collect();
            let frame = modulation(row[rate].parse().unwrap(), channel_mhz);
            let airtime = airtime::ppdu_us(&frame, row[length].parse().unwrap()).unwrap();
            let expected = row[duration].parse::<f64>().unwrap() / 1000.0;
            assert!((airtime - expected).abs() < TOLERANCE_US, "{name}: {line}: {airtime} us");
        }
    }
}
