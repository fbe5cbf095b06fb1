//! Samples cut anywhere and with several octets changed at once.

use rayon::prelude::*;

use crate::reading::read_through;
use crate::samples::{samples, Sample};
use crate::watch;
use crate::xorshift::Random;

/// How much of each sample is used: enough for clock and exchanges to have something to do.
const SAMPLE_BYTES: usize = 64 << 10;
/// Variants per sample and kind of damage.
const VARIANTS: usize = 8;

#[test]
fn several_octets_changed_anywhere() {
    samples().par_iter().for_each(|sample| {
        let mut random = Random(0x1234_5678_9abc_def1);
        watch::ends(format!("{} changed at random", sample.name), || {
            (0..VARIANTS).for_each(|_| change_some(sample, &mut random));
        });
    });
}

fn change_some(sample: &Sample, random: &mut Random) {
    let head = &sample.octets[..sample.octets.len().min(SAMPLE_BYTES)];
    read_through(head[..below(random, head.len())].to_vec(), sample.kind);
    let mut changed = head[..below(random, head.len())].to_vec();
    for _ in 0..=below(random, 20) {
        if let Some(octet) = pick(&mut changed, random) {
            *octet = random.next() as u8;
        }
    }
    read_through(changed, sample.kind);
}

/// An octet, as often as not one near the beginning, where headers are.
fn pick<'a>(octets: &'a mut [u8], random: &mut Random) -> Option<&'a mut u8> {
    let reach = if below(random, 2) == 0 { octets.len() } else { octets.len().min(200) };
    octets.get_mut(below(random, reach.max(1)))
}

/// A number from 0 up to, and without, `limit`; 0 where that is 0.
fn below(random: &mut Random, limit: usize) -> usize {
    random.below(limit.max(1) as u64) as usize
}
