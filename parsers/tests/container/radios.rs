//! Two radios in one capture: each is read as if the other were not there.

use winf_parsers::base::WarningCode;
use winf_parsers::exchanges::Exchange;
use winf_parsers::frame::Frame;
use winf_parsers::pipeline::{Recording, Settings, Summary};

use crate::files::{exchange, Scratch};
use crate::pcapng::LITTLE;

/// A block of a frame, and the interface that recorded it.
type Block = (u32, Vec<u8>);

/// RTS, CTS, data and ACK over and over at 6 Mb/s on 2412 MHz. The MAC clock marks the beginning of each frame and
/// runs 40 ppm fast; the host's stamps are 50 us late.
fn with_mac_clock(exchanges: u64, interface: u32) -> Vec<Block> {
    const STARTS_US: [u64; 4] = [0, 68, 128, 872];
    let frame = |number: u64, (frame, start_us): (Vec<u8>, u64)| {
        let at_us = 10_000 * number + start_us;
        let tsft_us = 7_000_000 + at_us + at_us / 25_000;
        let mut record = vec![0, 0, 22, 0, 0x0f, 0, 0, 0];
        record.extend(tsft_us.to_le_bytes());
        record.extend([0x00, 12, 0x6c, 0x09, 0x40, 0x00]);
        record.extend(frame);
        (interface, LITTLE.enhanced(interface, 1_000_000_000 + at_us + 50, &record))
    };
    (0..exchanges)
        .flat_map(|number| exchange().into_iter().zip(STARTS_US).map(move |pair| frame(number, pair)))
        .collect()
}

/// The same on 5180 MHz, three seconds ahead by its clock, the host's alone, which marks the end of each frame.
fn without_mac_clock(exchanges: u64, interface: u32) -> Vec<Block> {
    const ENDS_US: [u64; 4] = [52, 112, 856, 916];
    let frame = |number: u64, (frame, end_us): (Vec<u8>, u64)| {
        let mut record = vec![0, 0, 14, 0, 0x0e, 0, 0, 0, 0x00, 12, 0x3c, 0x14, 0x40, 0x01];
        record.extend(frame);
        (interface, LITTLE.enhanced(interface, 1_003_000_000 + 10_000 * number + end_us, &record))
    };
    (0..exchanges).flat_map(|number| exchange().into_iter().zip(ENDS_US).map(move |pair| frame(number, pair))).collect()
}

fn capture(interfaces: &[&str], blocks: &[Block]) -> Vec<u8> {
    let mut file = LITTLE.section();
    interfaces.iter().for_each(|name| file.extend(LITTLE.interface(127, &[(2, name.as_bytes().to_vec())])));
    blocks.iter().for_each(|(_, block)| file.extend(block));
    file
}

fn read(name: &str, file: &[u8]) -> (Vec<Frame>, Vec<Exchange>, Summary) {
    let scratch = Scratch::new(name, file);
    let mut recording = Recording::open(&scratch.0, Settings::default()).unwrap();
    let (mut frames, mut exchanges, mut more) = (Vec::new(), Vec::new(), true);
    while more {
        let (mut new_frames, mut new_exchanges) = (Vec::new(), Vec::new());
        more = recording.read(&mut new_frames, &mut new_exchanges).unwrap();
        frames.append(&mut new_frames);
        exchanges.append(&mut new_exchanges);
    }
    (frames, exchanges, recording.summary())
}

/// What `radio` recorded, as if it were alone.
fn of_radio(radio: u8, frames: &[Frame], exchanges: &[Exchange]) -> (Vec<Frame>, Vec<Exchange>) {
    let frames = frames.iter().filter(|frame| frame.radio == radio).zip(1..);
    let frames = frames.map(|(frame, frame_no)| Frame { frame_no, radio: 0, ..frame.clone() });
    let exchanges = exchanges.iter().filter(|exchange| exchange.radio == radio);
    (frames.collect(), exchanges.map(|exchange| Exchange { radio: 0, ..exchange.clone() }).collect())
}

fn assert_as_alone(name: &str, blocks: &[Block]) {
    let (frames, exchanges, summary) = read(name, &capture(&["wlan0", "wlan1"], blocks));
    assert_eq!((frames.len(), summary.radios.len()), (blocks.len(), 2));
    for (radio, interface) in [(0, blocks[0].0), (1, 1 - blocks[0].0)] {
        let own: Vec<Block> = blocks.iter().filter(|(number, _)| *number == interface).cloned().collect();
        let (alone, alone_exchanges, alone_summary) = read(name, &capture(&["wlan0", "wlan1"], &own));
        let (found, found_exchanges) = of_radio(radio, &frames, &exchanges);
        assert_eq!(found, alone, "{name}: frames of radio {radio}");
        assert_eq!(found_exchanges, alone_exchanges, "{name}: exchanges of radio {radio}");
        let (known, known_alone) = (&summary.radios[usize::from(radio)], &alone_summary.radios[0]);
        assert_eq!(known.time_scale, known_alone.time_scale, "{name}: clock of radio {radio}");
        assert_eq!(known.frames, own.len() as u64);
    }
}

#[test]
fn each_radio_has_its_own_clock_and_exchanges() {
    let (one, other) = (with_mac_clock(200, 0), without_mac_clock(200, 1));
    let interleaved: Vec<Block> = one.into_iter().zip(other).flat_map(|(one, other)| [one, other]).collect();
    assert_as_alone("interleaved.pcapng", &interleaved);

    let (frames, exchanges, summary) = read("two.pcapng", &capture(&["wlan0", "wlan1"], &interleaved));
    let channels = |radio| frames.iter().filter(move |frame| frame.radio == radio).map(|frame| frame.channel_mhz);
    assert!(channels(0).all(|mhz| mhz == Some(2412)) && channels(1).all(|mhz| mhz == Some(5180)));
    assert_eq!(exchanges.iter().filter(|exchange| exchange.complete).count(), 400);
    let timed: Vec<_> = summary.radios.iter().map(|radio| radio.time_scale.by_radio).collect();
    assert_eq!(timed, [800, 0]);
    let [_, warning] = summary.warnings_by_radio().try_into().unwrap();
    assert!(warning.iter().all(|warning| warning.code != WarningCode::SeveralInterfaces));
    let told = summary.warnings.iter().find(|warning| warning.code == WarningCode::SeveralInterfaces).unwrap();
    assert!(told.message.ends_with("#1 is interface 1 (wlan1)"), "{}", told.message);
}

#[test]
fn radios_are_numbered_as_they_are_heard() {
    let blocks: Vec<Block> = without_mac_clock(10, 1).into_iter().chain(with_mac_clock(10, 0)).collect();
    assert_as_alone("swapped.pcapng", &blocks);
}

#[test]
fn a_radio_that_is_heard_late_is_understood_from_its_own_frames() {
    let (first, late) = (with_mac_clock(17_000, 0), without_mac_clock(400, 1));
    // Behind the frames from which the recording is understood, and then between those of the first radio.
    let (before, beside) = first.split_at(66_400);
    let mut blocks = before.to_vec();
    blocks.extend(beside.iter().zip(&late).flat_map(|(one, other)| [one.clone(), other.clone()]));
    blocks.extend_from_slice(&late[beside.len()..]);
    assert_as_alone("late.pcapng", &blocks);
}

#[test]
fn an_interface_of_another_link_type_is_no_radio() {
    let mut file = [LITTLE.section(), LITTLE.interface(1, &[]), LITTLE.interface(127, &[])].concat();
    file.extend(LITTLE.enhanced(0, 0, &[0; 60]));
    with_mac_clock(3, 1).iter().for_each(|(_, block)| file.extend(block));
    let (frames, exchanges, summary) = read("wired.pcapng", &file);
    assert!(frames.iter().all(|frame| frame.radio == 0) && exchanges.iter().all(|exchange| exchange.radio == 0));
    let complete = exchanges.iter().filter(|exchange| exchange.complete).count();
    assert_eq!((complete, summary.radios.len()), (3, 1));
}
