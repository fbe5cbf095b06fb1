//! Compressed samples, cut and changed at every octet of what was compressed.

use rayon::prelude::*;

use crate::changes::change_range;
use crate::pack::CODECS;
use crate::reading::read_through;
use crate::samples::{samples, Kind, Sample};
use crate::watch;

/// How much of a sample is compressed: its octets depend on one another, so there is no smaller window.
const BYTES: usize = 4 << 10;

#[test]
fn compressed_octets_damaged_everywhere() {
    let samples = samples();
    let of_kind = |kind| samples.iter().find(|sample| sample.kind == kind).expect("a sample of every kind");
    let pieces: Vec<Sample> = [Kind::Pcap, Kind::Text].map(|kind| of_kind(kind).beginning(BYTES)).into();
    let cases: Vec<_> = pieces.iter().flat_map(|piece| CODECS.map(|(codec, pack)| (piece, codec, pack))).collect();
    cases.into_par_iter().for_each(|(piece, codec, pack)| {
        let mut packed = pack(&piece.octets);
        watch::ends(format!("{} as {codec}", piece.name), || {
            for cut in 0..packed.len() {
                read_through(packed[..cut].to_vec(), Kind::Packed);
            }
            let all = 0..packed.len();
            change_range(&mut packed, all, Kind::Packed);
        });
    });
}
