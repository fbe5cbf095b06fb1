//! Content made to break decoders: nothing may panic, and every record stays a row.

use crate::pcap_file::{exchange, open, read, read_all, with_radiotap, USUAL};
use crate::xorshift::Random;

#[test]
fn random_octets_in_records_never_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for network in [127, 105, 105 | 1 << 26 | 2 << 28] {
        let frames: Vec<Vec<u8>> = (0..20_000)
            .map(|_| {
                let mut octets: Vec<u8> = (0..random.below(120)).map(|_| random.next() as u8).collect();
                // Most begin like radiotap, so that the walk over present words gets somewhere.
                for (place, octet) in [0, 0, random.below(64) as u8, 0].into_iter().enumerate() {
                    if random.below(8) > 0 && place < octets.len() {
                        octets[place] = octet;
                    }
                }
                octets
            })
            .collect();
        let (rows, _) = read(&USUAL.file(network, &frames));
        assert_eq!(rows.len(), frames.len());
    }
}

#[test]
fn damaged_and_cut_frames_never_panic() {
    let mut random = Random(7);
    let frames = with_radiotap(exchange());
    let damaged: Vec<_> = (0..40_000)
        .map(|number| {
            let mut frame = frames[number % frames.len()].clone();
            for _ in 0..random.below(4) {
                let place = random.below(frame.len() as u64) as usize;
                frame[place] = random.next() as u8;
            }
            frame.truncate(random.below(frame.len() as u64 + 1) as usize);
            frame
        })
        .collect();
    assert_eq!(read(&USUAL.file(127, &damaged)).0.len(), damaged.len());
}

#[test]
fn random_files_never_panic() {
    let mut random = Random(42);
    for _ in 0..300 {
        let mut file = USUAL.file_header(if random.below(2) == 0 { 127 } else { 105 });
        file.extend((0..random.below(2000)).map(|_| (random.next() & random.next()) as u8));
        if let Ok(mut reader) = open(&file) {
            read_all(&mut reader);
        }
    }
}
