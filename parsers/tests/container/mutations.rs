//! Every sample, cut anywhere and with octets changed: no panic, no hang, a bounded number of rows.

use std::path::{Path, PathBuf};

use winf_parsers::recording::{Recording, Settings};

use crate::files::Scratch;

/// How much of each sample is used: enough for clock and exchanges to have something to do.
const SAMPLE_BYTES: usize = 64 << 10;
/// How much of each sample is damaged at every single offset: file header and first records. More with
/// `WINF_DAMAGE_BYTES`, for which an optimized build pays.
const EVERY_OFFSET_BYTES: usize = 256;
/// Variants per sample and kind of damage.
const VARIANTS: usize = 8;
/// A row takes up at least as much of the file as a record header, or the shortest line of a trace.
const FEWEST_BYTES_PER_ROW: usize = 8;

#[test]
fn damaged_samples_are_read_to_their_end() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let samples = samples();
    assert!(samples.len() > 10, "samples are not there");
    for path in samples {
        let mut head = std::fs::read(&path).unwrap();
        head.truncate(SAMPLE_BYTES);
        for _ in 0..VARIANTS {
            let cut = random.below(head.len());
            read_through(&head[..cut], &path);
            let mut changed = head[..random.below(head.len())].to_vec();
            for _ in 0..=random.below(20) {
                if let Some(octet) = pick(&mut changed, &mut random) {
                    *octet = random.next() as u8;
                }
            }
            read_through(&changed, &path);
        }
    }
}

#[test]
fn samples_damaged_at_every_offset_are_read_to_their_end() {
    let samples = samples();
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let share = samples.iter().skip(worker).step_by(workers);
            scope.spawn(move || share.for_each(|sample| damage_everywhere(sample)));
        }
    });
}

/// Cuts the beginning of a sample at every offset, and turns over every octet of it.
fn damage_everywhere(sample: &Path) {
    let asked = std::env::var("WINF_DAMAGE_BYTES").ok().and_then(|bytes| bytes.parse().ok());
    let mut head = std::fs::read(sample).unwrap();
    head.truncate(asked.unwrap_or(EVERY_OFFSET_BYTES));
    for offset in 0..head.len() {
        read_through(&head[..offset], sample);
        head[offset] = !head[offset];
        read_through(&head, sample);
        head[offset] = !head[offset];
    }
}

/// An octet, as often as not one near the beginning, where headers are.
fn pick<'a>(octets: &'a mut [u8], random: &mut Random) -> Option<&'a mut u8> {
    let reach = if random.below(2) == 0 { octets.len() } else { octets.len().min(200) };
    octets.get_mut(random.below(reach.max(1)))
}

/// Reads content as a whole recording; an error is as good as rows.
fn read_through(content: &[u8], sample: &Path) {
    let scratch = Scratch::new("mutation", content);
    let Ok(mut recording) = Recording::open(&scratch.0, Settings::default()) else { return };
    let (mut frames, mut exchanges, mut rows, mut more) = (Vec::new(), Vec::new(), 0, true);
    while more {
        let Ok(again) = recording.read(&mut frames, &mut exchanges) else { return };
        more = again;
        rows += frames.len();
        assert!(exchanges.len() <= rows + 1, "{}", sample.display());
    }
    assert!(rows <= content.len() / FEWEST_BYTES_PER_ROW + 1, "{}: {rows} rows", sample.display());
    drop(recording.summary());
}

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample_captures");
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut samples: Vec<_> =
        entries(&folder).flat_map(|sample| entries(&sample.join("recording")).collect::<Vec<_>>()).collect();
    samples.sort();
    samples
}

/// xorshift64*: the same damage in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 24
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}
