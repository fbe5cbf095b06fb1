//! What holds for any frames whatsoever.

mod air;

use air::{frame, timed, Band, Dice, DATA_OCTETS};
use winf_parsers::exchanges::{Exchange, ExchangeBuilder, GlobalExchangeBuilder};
use winf_parsers::frame::{Addr, Direction, Frame, FrameFlags, FrameKind, Phy};

/// No more exchanges than this may be in progress.
const MAX_OPEN: usize = 40;

fn station(dice: &mut Dice, stations: u64) -> Addr {
    match dice.roll(12) {
        0 => Addr::BROADCAST,
        _ => Addr::node(dice.roll(stations) as u32),
    }
}

/// A frame with any kind, addresses and flags, soon after the last one or overlapping it.
fn any_frame(dice: &mut Dice, stations: u64, now_us: &mut f64) -> Frame {
    *now_us += [0.0, 5.0, 10.0, 30.0, 300.0, 2500.0][dice.roll(6) as usize];
    let kind = FrameKind::ALL[dice.roll(FrameKind::ALL.len() as u64) as usize];
    let band = if dice.roll(2) == 0 { Band::Dsss } else { Band::Erp };
    let ta = (dice.roll(10) > 0).then(|| station(dice, stations));
    let mut frame = timed(frame(band, kind, ta, station(dice, stations), *now_us));
    frame.seq = (dice.roll(3) > 0).then(|| dice.roll(16) as u32);
    frame.flags = Some(FrameFlags { retry: dice.roll(4) == 0, ..FrameFlags::default() });
    frame.nav_us = (dice.roll(2) == 0).then(|| dice.roll(40_000) as u16);
    frame.ampdu_ref = (dice.roll(4) == 0).then(|| dice.roll(3) as u32);
    frame.fcs_ok = (dice.roll(6) == 0).then_some(false);
    if dice.roll(8) == 0 {
        (frame.phy, frame.mcs, frame.bandwidth_mhz) = (Some(Phy::Ht), Some(dice.roll(16) as u8), Some(20));
    }
    if dice.roll(10) == 0 {
        (frame.phy, frame.airtime_us, frame.end_ns) = (None, None, None);
    }
    if dice.roll(3) == 0 {
        *now_us = frame.end_ns.map_or(*now_us, |end| end as f64 / 1000.0);
    }
    frame
}

fn rebuild(frames: &[Frame]) -> Vec<Exchange> {
    let mut builder = ExchangeBuilder::new(None);
    let mut rows = Vec::new();
    for frame in frames {
        builder.push(frame, &mut rows);
    }
    builder.finish(&mut rows);
    rows
}

#[test]
fn every_frame_is_covered_by_an_exchange_and_no_exchange_is_without_a_frame() {
    for seed in 1..200 {
        let mut dice = Dice(seed * 7919);
        let mut now_us = 1000.0;
        let frames: Vec<Frame> = (0..200).map(|_| any_frame(&mut dice, 5, &mut now_us)).collect();
        let rows = rebuild(&frames);
        assert!(rows.len() <= frames.len());
        for frame in &frames {
            let (start, end) = (frame.start_ns.unwrap(), frame.end_ns.or(frame.start_ns).unwrap());
            let covers = |row: &&Exchange| {
                row.start_ns.is_some_and(|s| s <= start) && (row.end_ns.is_none() || row.end_ns >= Some(end))
            };
            assert!(rows.iter().any(|row| covers(&row)), "seed {seed}: nothing covers {frame:?}");
        }
        for row in &rows {
            assert!(row.end_ns.is_none() || row.end_ns >= row.start_ns, "{row:?}");
            assert!(row.idle_before_us.is_none_or(|idle| idle >= 0.0) && row.backoff_us.is_none_or(|b| b >= 0.0));
            assert!(row.attempt >= 1);
        }
        let total: u32 = rows.iter().map(|row| row.mpdus).sum();
        assert!(total as usize <= frames.len());
    }
}

#[test]
fn any_prefix_gives_rows_too() {
    let mut dice = Dice(11);
    let mut now_us = 1000.0;
    let frames: Vec<Frame> = (0..150).map(|_| any_frame(&mut dice, 4, &mut now_us)).collect();
    for end in 0..frames.len() {
        assert!(rebuild(&frames[..end]).len() <= end);
    }
}

#[test]
fn no_time_length_or_duration_panics() {
    let mut dice = Dice(5);
    let extreme = |dice: &mut Dice| [i64::MIN, i64::MAX, 0, -1, 1 << 40][dice.roll(5) as usize];
    let mut single = ExchangeBuilder::new(Some(Addr::node(1)));
    let mut global = GlobalExchangeBuilder::new();
    let mut rows = Vec::new();
    let mut now_us = 0.0;
    for _ in 0..20_000 {
        let mut frame = any_frame(&mut dice, 3, &mut now_us);
        frame.observer = Some(Addr::node(dice.roll(3) as u32));
        frame.direction =
            [None, Some(Direction::Tx), Some(Direction::Rx), Some(Direction::Drop)][dice.roll(4) as usize];
        if dice.roll(3) == 0 {
            frame.ts_ns = extreme(&mut dice);
            frame.start_ns = (dice.roll(2) == 0).then(|| extreme(&mut dice));
            frame.end_ns = (dice.roll(2) == 0).then(|| extreme(&mut dice));
            frame.length_bytes = Some(u32::MAX);
            frame.payload_bytes = Some(u32::MAX);
            frame.airtime_us = Some([f64::NAN, f64::INFINITY, -1.0, 1e300][dice.roll(4) as usize]);
        }
        single.push(&frame, &mut rows);
        global.push(&frame, &mut rows);
        rows.clear();
    }
    single.finish(&mut rows);
    global.finish(&mut rows);
}

#[test]
fn a_million_stations_stay_within_bounds() {
    let before = resident_bytes();
    let mut dice = Dice(1);
    let mut builder = ExchangeBuilder::new(None);
    let mut rows = Vec::new();
    let mut emitted = 0;
    let template = timed(frame(Band::Dsss, FrameKind::Rts, Some(Addr::node(0)), Addr::node(0), 0.0));
    for number in 0..1_000_000_i64 {
        let mut rts = template.clone();
        rts.nav_us = Some(32_767);
        rts.length_bytes = Some(DATA_OCTETS);
        (rts.ta, rts.ra) = (Some(Addr::node(dice.roll(1 << 32) as u32)), Some(Addr::node(dice.roll(1 << 32) as u32)));
        (rts.start_ns, rts.end_ns) = (Some(number * 400_000), Some(number * 400_000 + 352_000));
        builder.push(&rts, &mut rows);
        emitted += rows.len();
        rows.clear();
        assert!(number as usize + 1 - emitted <= MAX_OPEN);
    }
    if let (Some(before), Some(after)) = (before, resident_bytes()) {
        assert!(after.saturating_sub(before) < 64 << 20, "{before} became {after}");
    }
}

/// Resident set, where the system tells.
fn resident_bytes() -> Option<usize> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
