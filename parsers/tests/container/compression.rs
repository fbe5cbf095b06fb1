//! Compressed recordings: every codec, several streams in one file, early ends, damage, bombs.

use std::io::Write;

use winf_parsers::base::WarningCode;
use winf_parsers::sources;

use crate::files::{pcap, radiotap_exchange, read, read_all, Scratch};
use crate::pack::{gzip, xz, zstd, CODECS};

/// A capture large enough for several blocks of every codec; its octets hardly compress.
fn capture_of(frames: usize) -> Vec<u8> {
    let mut noise = 1u32;
    let mut noisy = |mut frame: Vec<u8>| {
        for octet in frame.iter_mut().skip(40) {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *octet = (noise >> 24) as u8;
        }
        frame
    };
    let frames: Vec<_> = radiotap_exchange().into_iter().cycle().take(frames).map(&mut noisy).collect();
    pcap(127, &frames)
}

#[test]
fn the_content_is_the_same_under_every_codec() {
    let file = capture_of(4_000);
    let expected = read(&file);
    for (name, pack) in CODECS {
        let scratch = Scratch::new(name, &pack(&file));
        assert_eq!(scratch.read(), expected, "{name}");
        assert_eq!(sources::recognize(&scratch.0).unwrap().map(|format| format.name), Some("pcap"));
        assert_eq!(sources::first_ns(&scratch.0).unwrap(), Some(1_500_000_000));
        let facts = sources::open(&scratch.0).unwrap().facts();
        assert!(facts.contains(&("compression", name.to_owned())), "{facts:?}");
    }
}

#[test]
fn several_streams_one_after_the_other() {
    let file = capture_of(40);
    let (first, second) = file.split_at(file.len() / 3);
    for (name, pack) in CODECS {
        let scratch = Scratch::new(&format!("{name}-members"), &[pack(first), pack(second)].concat());
        assert_eq!(scratch.read(), read(&file), "{name}");
    }
}

#[test]
fn traces_are_unpacked_too() {
    let trace = b"s 1.000000000 _0_ AGT  --- 0 cbr 1000 [0 0 0 0] ------- [0:0 3:0 32 0] [0] 0 0\n".repeat(50);
    let scratch = Scratch::new("trace", &zstd(&trace));
    assert_eq!(scratch.read().0.len(), 50);
    assert_eq!(sources::first_ns(&scratch.0).unwrap(), Some(1_000_000_000));
}

#[test]
fn a_stream_that_ends_early_keeps_what_came_before() {
    let file = capture_of(6_000);
    let (whole, _) = read(&file);
    for (name, pack) in CODECS {
        let packed = pack(&file);
        for cut in [packed.len() * 3 / 4, packed.len() - 1] {
            let scratch = Scratch::new(&format!("{name}-cut"), &packed[..cut]);
            let (frames, warnings) = scratch.read();
            assert!(frames.len() > 3_500, "{name}: {} frames of {}", frames.len(), whole.len());
            assert_eq!(frames, whole[..frames.len()], "{name}");
            let codes: Vec<_> = warnings.iter().map(|warning| warning.code).collect();
            assert_eq!(codes, [WarningCode::TruncatedRecord], "{name} {warnings:?}");
        }
    }
}

#[test]
fn damage_inside_keeps_what_came_before() {
    let file = capture_of(6_000);
    let (whole, _) = read(&file);
    for (name, pack) in CODECS {
        let mut packed = pack(&file);
        let place = packed.len() * 3 / 4;
        packed[place..place + 64].fill(0xff);
        let (frames, warnings) = Scratch::new(&format!("{name}-damaged"), &packed).read();
        // Some codecs find damage only at the end of a block.
        assert!(frames.len() > 3_500, "{name}: {}", frames.len());
        assert_eq!(frames[..3_500], whole[..3_500], "{name}");
        assert!(warnings.iter().any(|warning| warning.code.is_damage()), "{name} {warnings:?}");
    }
}

#[test]
fn a_bomb_stops_at_a_limit() {
    // 200 MiB of unknown blocks behind a section header.
    let mut section = vec![0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0];
    section.extend([0xff; 8]);
    section.extend([28, 0, 0, 0]);
    let mut block = vec![0; 1 << 20];
    block[0..4].copy_from_slice(&0x0badu32.to_le_bytes());
    block[4..8].copy_from_slice(&(1u32 << 20).to_le_bytes());
    let end = block.len() - 4;
    block[end..].copy_from_slice(&(1u32 << 20).to_le_bytes());
    let mut encoder = zstd::Encoder::new(Vec::new(), 19).unwrap();
    encoder.write_all(&section).unwrap();
    for _ in 0..200 {
        encoder.write_all(&block).unwrap();
    }
    let scratch = Scratch::new("bomb", &encoder.finish().unwrap());
    let mut reader = sources::open(&scratch.0).unwrap();
    assert_eq!(read_all(reader.as_mut()), []);
    let codes: Vec<_> = reader.warnings().iter().map(|warning| warning.code).collect();
    assert_eq!(codes, [WarningCode::UnpackingLimit]);
}

#[test]
fn damage_before_the_first_frame_is_named() {
    let file = capture_of(4);
    for (name, pack) in CODECS {
        let mut packed = pack(&file);
        let end = packed.len().min(60);
        packed[6..end].fill(0xff);
        let scratch = Scratch::new(&format!("{name}-head"), &packed);
        let error = sources::open(&scratch.0).err().unwrap().to_string();
        assert!(error.contains(&format!("the {name}-compressed data")), "{name}: {error}");
        assert!(!error.contains("empty"), "{name}: {error}");
    }
}

#[test]
fn compressed_text_and_twice_compressed_captures_are_named() {
    let file = capture_of(4);
    for (content, says) in
        [(gzip(b"hello, world\n"), "text"), (xz(&zstd(&file)), "zstd"), (b"\x1f\x8b".to_vec(), "end early")]
    {
        let scratch = Scratch::new("named", &content);
        let error = sources::open(&scratch.0).err().unwrap().to_string();
        assert!(error.contains(says), "{error}");
    }
}
