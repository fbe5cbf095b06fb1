//! Traces of ns-3: rows of literal lines, and what damage does to them.

use std::io::{self, Read};
use std::path::Path;

use winf_parsers::base::{Warning, WarningCode};
use winf_parsers::frame::{Addr, Direction, Frame, FrameKind, ParseError};
use winf_parsers::sources::ns3::Ns3Reader;
use winf_parsers::sources::Reader;

/// ns-3.37, 802.11b: node 2 only listens until the last line.
const TRACE: &str = "\
r 0.506999 DsssRate1Mbps /NodeList/1/DeviceList/0/$ns3::WifiNetDevice/Phy/State/RxOk ns3::WifiMacHeader (CTL_RTS Duration/ID=1503us, RA=00:00:00:00:00:02, TA=00:00:00:00:00:01) 
t 0.506646 /NodeList/0/DeviceList/0/$ns3::WifiNetDevice/Phy/State/Tx DsssRate1Mbps ns3::WifiMacHeader (CTL_RTS Duration/ID=1503us, RA=00:00:00:00:00:02, TA=00:00:00:00:00:01) 
+ 0.507 /NodeList/4/DeviceList/0/$ns3::CsmaNetDevice/TxQueue/Enqueue ns3::EthernetHeader (x) 
t 0.507009 /NodeList/1/DeviceList/0/$ns3::WifiNetDevice/Phy/State/Tx DsssRate1Mbps ns3::WifiMacHeader (CTL_CTS Duration/ID=1189us, RA=00:00:00:00:00:01) 
r 0.508289 DsssRate11Mbps /NodeList/2/DeviceList/0/$ns3::WifiNetDevice/Phy/State/RxOk ns3::WifiMacHeader (DATA ToDS=0, FromDS=0, MoreFrag=0, Retry=0, MoreData=0 Duration/ID=213us, DA=00:00:00:00:00:02, SA=00:00:00:00:00:01, BSSID=00:00:00:00:00:01, FragNumber=0, SeqNumber=1) ns3::LlcSnapHeader (type 0x800) ns3::Ipv4Header (tos 0x0 DSCP Default ECN Not-ECT ttl 64 id 0 protocol 17 offset (bytes) 0 flags [none] length: 1028 10.0.0.1 > 10.0.0.2) ns3::UdpHeader (length: 1008 49153 > 5000) Payload (size=1000) 
t 0.51 /NodeList/1/DeviceList/0/$ns3::WifiNetDevice/Phy/State/Tx DsssRate11Mbps ns3::WifiMacHeader (DATA ToDS=0, FromDS=0, MoreFrag=0, Retry=0, MoreData=0 Duration/ID=213us, DA=00:00:00:00:00:01, SA=00:00:00:00:00:02, BSSID=00:00:00:00:00:02, FragNumber=0, SeqNumber=0) ns3::LlcSnapHeader (type 0x806) ns3::ArpHeader (reply source mac: 00-06-00:00:00:00:00:02 source ipv4: 10.0.0.2 dest mac: 00-06-00:00:00:00:00:01 dest ipv4: 10.0.0.1) 
";

fn read(trace: impl Read + Send) -> (Vec<Frame>, Vec<Warning>) {
    let mut reader = Ns3Reader::new(trace, Path::new("test.tr"));
    let mut frames = Vec::new();
    while reader.read(&mut frames).unwrap() {}
    (frames, reader.warnings())
}

#[test]
fn observers_are_known_by_what_they_send() {
    let (rows, warnings) = read(TRACE.as_bytes());
    assert_eq!((rows.len(), warnings), (5, vec![]));
    let mac = |last| Some(Addr::mac([0, 0, 0, 0, 0, last]));
    let observers: Vec<_> = rows.iter().map(|row| row.observer).collect();
    // The first line is node 1's, whose address the last one tells.
    assert_eq!(observers, [mac(2), mac(1), mac(2), Some(Addr::node(2)), mac(2)]);
    let kinds: Vec<_> = rows.iter().map(|row| row.kind).collect();
    use FrameKind::{Cts, Data, Rts};
    assert_eq!(kinds, [Rts, Rts, Cts, Data, Data]);
    assert_eq!((rows[2].direction, rows[2].ra, rows[2].ta), (Some(Direction::Tx), mac(1), None));
    assert_eq!(rows[3].network.unwrap().flow_of(), "udp 10.0.0.1:49153 10.0.0.2:5000");
    assert!(rows.iter().all(|row| row.start_ns.is_some() && row.end_ns.is_some()));
}

#[test]
fn a_trace_cut_anywhere_keeps_what_was_before() {
    let (whole, _) = read(TRACE.as_bytes());
    for cut in (0..TRACE.len()).filter(|&cut| TRACE.is_char_boundary(cut)) {
        let (rows, warnings) = read(&TRACE.as_bytes()[..cut]);
        let lines = TRACE[..cut].matches('\n').count();
        assert_eq!(rows.len(), lines - usize::from(lines >= 3), "cut at {cut}");
        for (row, expected) in rows.iter().zip(&whole) {
            assert_eq!(row, &Frame { observer: row.observer, ..expected.clone() }, "cut at {cut}");
        }
        assert!(warnings.iter().all(|warning| warning.code == WarningCode::TruncatedRecord), "{warnings:?}");
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..300 {
        let mut damaged = TRACE.as_bytes().to_vec();
        for _ in 0..1 + random() % 20 {
            let place = (random() % damaged.len() as u64) as usize;
            damaged[place] = random() as u8;
        }
        let (rows, _) = read(&damaged[..]);
        assert!(rows.len() < 40);
        assert!(rows.iter().all(|row| row.airtime_us.is_none_or(f64::is_finite)));
    }
}

#[test]
fn malformed_lines_are_counted_rows() {
    let broken = TRACE.replace("CTL_CTS", "CTL_???") + "not a trace line\n";
    let (rows, warnings) = read(broken.as_bytes());
    let bad: Vec<u64> =
        rows.iter().filter(|row| row.parse_error == Some(ParseError::TraceLine)).map(|row| row.frame_no).collect();
    assert_eq!((rows.len(), bad), (6, vec![3, 6]));
    let expected = Warning {
        frame_no: Some(3),
        offset: broken.find("t 0.507009").map(|offset| offset as u64),
        code: WarningCode::TraceLine,
        message: "2 lines not understood, the first is line 4".into(),
    };
    assert_eq!(warnings, [expected]);
}

#[test]
fn an_endless_line_is_one_malformed_row_in_bounded_memory() {
    let endless = io::repeat(b't').take(50_000_000);
    let (rows, warnings) = read(endless.chain(&b"\n"[..]).chain(TRACE.as_bytes()));
    assert_eq!((rows.len(), rows[0].parse_error, warnings.len()), (6, Some(ParseError::TraceLine), 1));
}

#[test]
fn stamps_that_are_rounded_too_much_are_told() {
    let late = TRACE.replace("0.51 ", "12.5103 ");
    let (_, warnings) = read(late.as_bytes());
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].code, WarningCode::CoarseStamps);
    assert!(warnings[0].message.contains("rounded to 100 us"), "{}", warnings[0].message);
    let exact = TRACE.replace("0.51 ", "12.510345678 ");
    assert_eq!(read(exact.as_bytes()).1, []);
}

#[test]
fn data_without_addresses_is_told() {
    let data = "$ns3::WifiNetDevice/Phy/State/Tx HtMcs7 ns3::WifiMacHeader (QOSDATA ) ns3::LlcSnapHeader (type 0x800) ";
    let trace =
        format!("{TRACE}t 0.520000001 /NodeList/1/DeviceList/0/{data}\nt 0.53 /NodeList/1/DeviceList/0/{data}\n");
    let (rows, warnings) = read(trace.as_bytes());
    assert_eq!((rows.len(), rows[5].ra), (7, None));
    let told: Vec<_> = warnings.iter().map(|warning| (warning.code, warning.frame_no)).collect();
    assert_eq!(told, [(WarningCode::AddressesMissing, Some(6))]);
    assert!(warnings[0].message.starts_with("2 rows of QoS data without addresses"), "{}", warnings[0].message);
}
