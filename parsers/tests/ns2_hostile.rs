//! Damaged and hostile ns-2 traces: whatever is read, rows before the damage stay as they were.

use std::io::{self, Read};
use std::path::Path;

use winf_parsers::base::{Error, Warning, WarningCode};
use winf_parsers::frame::{Frame, FrameKind, ParseError};
use winf_parsers::sources::ns2::Ns2Reader;
use winf_parsers::sources::Reader;

const TRACE: &str = "\
M 0.50000 0 (10.00, 10.00, 0.00), (11.00, 12.00), 1.00
s 1.000000000 _0_ AGT  --- 5 cbr 1000 [0 0 0 0] ------- [0:0 1:0 32 0] [12] 0 0
s 1.005817146 _0_ MAC  --- 0 RTS 44 [63d 1 0 0] \n\
r 1.006169811 _1_ MAC  --- 0 RTS 44 [63d 1 0 0] \n\
s 1.006179811 _1_ MAC  --- 0 CTS 38 [503 0 0 0] \n\
r 1.006484477 _0_ MAC  --- 0 CTS 38 [503 0 0 0] \n\
s 1.006494477 _0_ MAC  --- 5 cbr 1078 [13a 1 0 800] ------- [0:0 1:0 30 1] [12] 0 0
r 1.007453689 _1_ MAC  --- 5 cbr 1020 [13a 1 0 800] ------- [0:0 1:0 30 1] [12] 1 0
D 1.366120431 _3_ MAC  RET 50 cbr 532 [13a 2 3 800] ------- [3:1 0:1 30 2] [0] 0 0
";

fn read(trace: impl Read + Send) -> (Vec<Frame>, Vec<Warning>) {
    let mut reader = Ns2Reader::new(trace, Path::new("test.tr"));
    let mut frames = Vec::new();
    while reader.read(&mut frames).unwrap() {}
    (frames, reader.warnings())
}

/// A generator of test bytes (xorshift): the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[test]
fn a_trace_cut_anywhere_keeps_what_was_before() {
    let (whole, warnings) = read(TRACE.as_bytes());
    assert_eq!((whole.len(), warnings), (8, vec![]));
    for cut in 0..TRACE.len() {
        let (rows, warnings) = read(&TRACE.as_bytes()[..cut]);
        let complete = TRACE[..cut].lines().filter(|line| !line.starts_with('M')).count();
        for (row, expected) in rows.iter().zip(&whole) {
            let place =
                |f: &Frame| (f.frame_no, f.ts_ns, f.observer, f.layer, f.kind, f.ra, f.ta, f.nav_us, f.packet_uid);
            assert_eq!(place(row), place(expected), "cut at {cut}");
        }
        let codes: Vec<WarningCode> = warnings.iter().map(|warning| warning.code).collect();
        // A trace that ends before its first MAC line looks like one without.
        let damage: Vec<_> = codes.into_iter().filter(|&code| code != WarningCode::MacTraceOff).collect();
        match damage[..] {
            [] => assert_eq!(rows.len(), complete, "cut at {cut}"),
            [WarningCode::TruncatedRecord] => assert!(rows.len() + 1 >= complete, "cut at {cut}"),
            _ => panic!("cut at {cut}: {warnings:?}"),
        }
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..200 {
        let noise: Vec<u8> = (0..random.next() % 3000).map(|_| random.next() as u8).collect();
        read(&noise[..]);
        let mut damaged = TRACE.as_bytes().to_vec();
        for _ in 0..1 + random.next() % 20 {
            let place = (random.next() % damaged.len() as u64) as usize;
            damaged[place] = random.next() as u8;
        }
        let (rows, _) = read(&damaged[..]);
        assert!(rows.iter().all(|row| row.airtime_us.is_none_or(f64::is_finite)));
    }
}

#[test]
fn malformed_lines_are_counted_rows() {
    let broken = TRACE.replace("_1_ MAC  --- 0 CTS", "_1_ XXX  --- 0 CTS") + "not a trace line\n";
    let (rows, warnings) = read(broken.as_bytes());
    let bad: Vec<&Frame> = rows.iter().filter(|row| row.parse_error == Some(ParseError::TraceLine)).collect();
    assert_eq!((rows.len(), bad.len()), (9, 2));
    assert_eq!((bad[0].frame_no, bad[0].kind, bad[0].ts_ns), (4, FrameKind::Unknown, 1_006_169_811));
    assert_eq!(bad[1].ts_ns, 1_366_120_431);
    let expected = Warning {
        frame_no: Some(4),
        offset: broken.find("s 1.006179811").map(|offset| offset as u64),
        code: WarningCode::TraceLine,
        message: "2 lines not understood, the first is line 5".into(),
    };
    assert_eq!(warnings, [expected]);
}

#[test]
fn an_endless_line_is_one_malformed_row_in_bounded_memory() {
    let endless = io::repeat(b's').take(5_000_000);
    let (rows, warnings) = read(endless.chain(&b"\n"[..]).chain(TRACE.as_bytes()));
    assert_eq!(rows.len(), 9);
    assert_eq!(rows[0].parse_error, Some(ParseError::TraceLine));
    assert_eq!((rows[1].frame_no, rows[1].ts_ns), (2, 1_000_000_000));
    assert_eq!((warnings.len(), warnings[0].frame_no, warnings[0].offset), (1, Some(1), Some(0)));
}

#[test]
fn rows_do_not_depend_on_how_the_input_arrives() {
    struct Trickle<'a>(&'a [u8], usize);
    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = self.1 % 7 + 1;
            let len = self.1.min(buffer.len());
            self.0.read(&mut buffer[..len])
        }
    }
    let long = TRACE.repeat(1000); // several stretches
    let (rows, warnings) = read(long.as_bytes());
    assert_eq!((rows.len(), rows[7999].frame_no, warnings.len()), (8000, 8000, 0));
    assert_eq!(read(Trickle(long.as_bytes(), 0)).0, rows);
    let windows = long.replace('\n', "\r\n");
    assert_eq!(read(windows.as_bytes()).0, rows);
}

#[test]
fn a_failing_input_is_an_error_with_its_path() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("unplugged"))
        }
    }
    let result = Ns2Reader::new(Failing, Path::new("lost.tr")).read(&mut Vec::new());
    assert!(matches!(result, Err(Error::Io { path, .. }) if path == Path::new("lost.tr")));
}
