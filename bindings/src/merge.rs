//! Several recordings of one channel into one dataset.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::{self, Scope, ScopedJoinHandle};

use winf_parsers::base::Error as RecordingError;
use winf_parsers::exchanges::Exchange;
use winf_parsers::frame::source_of;
use winf_parsers::frame::Frame;
use winf_parsers::merge::{align, Alignment, Hearing, Input, Merged, Merger, Open, Sketch};
use winf_parsers::pipeline::{Recording, Settings, Summary};
use winf_parsers::tables::{EXCHANGES, FRAMES, HEARINGS};

use crate::ingest::{write_summary, write_table, Error, QUEUE};
use crate::recycling_channel::{recycling_channel, Sender};

/// The name of the merged stream in the `source` columns.
pub const MERGED: &str = "merged";

/// A recording to merge, its name in the `source` columns, and the name of its parts.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// Its parts are called `PART.parquet`, those of its second radio `PART-1.parquet`.
    pub part: String,
}

/// The result for one of the recordings.
#[derive(Debug)]
pub struct Member {
    /// The recording by itself, or why it cannot be read.
    pub summary: Result<Summary, RecordingError>,
    /// Its radios, each a sniffer with a clock of its own.
    pub radios: Vec<Sniffer>,
}

/// The result for one radio of a recording.
#[derive(Debug)]
pub struct Sniffer {
    /// How its clock was aligned; `None` where it shares too few frames with the others.
    pub alignment: Option<Alignment>,
    /// Start of its first and last frame on its own clock, nanoseconds.
    pub span_ns: Option<(i64, i64)>,
}

/// The result of a merge.
#[derive(Debug)]
pub struct Outcome {
    /// By recording, in the order given.
    pub members: Vec<Member>,
    /// The merged stream.
    pub merged: Summary,
}

/// Reads every recording twice, first for its clock, then for its frames, and writes the parts of
/// `frames` and `exchanges` (one, of the merged stream) and of `hearings`, `capabilities` and `warnings` (one per
/// radio and recording) below `dataset`, whose table folders exist.
///
/// A recording that cannot be read and a radio that cannot be aligned are left out, which [`Outcome::members`] states.
/// Otherwise like [`crate::ingest::ingest`].
pub fn merge(sources: &[Source], dataset: &Path, mut interrupted: impl FnMut() -> bool) -> Result<Outcome, Error> {
    let mut members = Vec::new();
    let mut sketches = Vec::new();
    for source in sources {
        let empty = Sketch::of_one_among(sources.len());
        members.push(match survey(&source.path, &empty, &mut interrupted) {
            Ok((of_radios, summary)) => {
                let sniffer = |sketch: &Sketch| Sniffer { alignment: None, span_ns: sketch.span_ns() };
                let radios = of_radios.iter().map(sniffer).collect();
                sketches.extend(of_radios);
                Member { summary: Ok(summary), radios }
            }
            Err(Error::Recording(error)) => Member { summary: Err(error), radios: Vec::new() },
            Err(error) => return Err(error),
        });
    }
    let sniffers = members.iter_mut().flat_map(|member| &mut member.radios);
    for (sniffer, alignment) in sniffers.zip(align(&sketches)) {
        sniffer.alignment = alignment;
    }
    drop(sketches);
    let merged = write_merged(sources, &members, dataset, &mut interrupted)?;
    for (source, member) in sources.iter().zip(&members) {
        let Ok(summary) = &member.summary else { continue };
        let target = |table: &str| dataset.join(table).join(format!("{}.parquet", source.part));
        write_summary(summary, &source.name, target)?;
    }
    Ok(Outcome { members, merged })
}

/// Reads a recording for the clock of each of its radios and its summary; sketches begin as `empty`.
fn survey(
    path: &Path,
    empty: &Sketch,
    interrupted: &mut impl FnMut() -> bool,
) -> Result<(Vec<Sketch>, Summary), Error> {
    let mut recording = Recording::open(path, Settings { digests_input: true, ..Settings::default() })?;
    let mut sketches = vec![empty.clone()];
    let (mut frames, mut exchanges, mut more) = (Vec::new(), Vec::new(), true);
    while more {
        if interrupted() {
            return Err(Error::Interrupted);
        }
        more = recording.read(&mut frames, &mut exchanges)?;
        for frame in &frames {
            let radio = usize::from(frame.radio);
            if radio >= sketches.len() {
                sketches.resize(radio + 1, empty.clone());
            }
            sketches.get_mut(radio).into_iter().for_each(|sketch| sketch.observe(frame));
        }
    }
    let summary = recording.summary();
    sketches.resize(sketches.len().max(summary.radios.len()), empty.clone());
    Ok((sketches, summary))
}

fn write_merged(
    sources: &[Source],
    members: &[Member],
    dataset: &Path,
    interrupted: &mut impl FnMut() -> bool,
) -> Result<Summary, Error> {
    let mut inputs = Vec::new();
    let mut aligned = Vec::new();
    for (source, member) in sources.iter().zip(members) {
        for (sniffer, radio) in member.radios.iter().zip(0..) {
            let Some((alignment, (first_ns, _))) = sniffer.alignment.clone().zip(sniffer.span_ns) else { continue };
            let open: Open = Box::new(|| Recording::open(&source.path, Settings::default()));
            inputs.push(Input { open, radio, alignment, first_ns });
            let part = dataset.join("hearings").join(format!("{}.parquet", part_of(&source.part, radio)));
            aligned.push((source_of(&source.name, radio), part));
        }
    }
    let target = |table: &str| dataset.join(table).join("part-00000.parquet");
    let mut summary = Summary::default();
    thread::scope(|scope| {
        let (frames, rows) = recycling_channel(QUEUE);
        let frame_writer = scope.spawn(move || write_table(&FRAMES, MERGED, &target("frames"), rows, |_| Ok(())));
        let (exchanges, rows) = recycling_channel(QUEUE);
        let exchange_writer =
            scope.spawn(move || write_table(&EXCHANGES, MERGED, &target("exchanges"), rows, |_| Ok(())));
        let hearings = HearingParts { scope, aligned: &aligned, open: BTreeMap::new() };
        let senders = Senders { frames, exchanges, hearings };
        let read = read_all(Merger::new(inputs), senders, &mut summary, interrupted);
        joined(frame_writer)?;
        joined(exchange_writer)?;
        read
    })?;
    Ok(summary)
}

fn joined(writer: Writer) -> Result<(), Error> {
    writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The name of a radio's part: `PART` for the first, `PART-1` for the second.
fn part_of(part: &str, radio: u8) -> String {
    match radio {
        0 => part.to_owned(),
        _ => format!("{part}-{radio}"),
    }
}

type Writer<'scope> = ScopedJoinHandle<'scope, Result<(), Error>>;

struct Senders<'scope, 'env> {
    frames: Sender<Frame>,
    exchanges: Sender<Exchange>,
    hearings: HearingParts<'scope, 'env>,
}

/// The parts of `hearings`: each is open only from its first row to its last, because there may be thousands.
struct HearingParts<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    /// Name and part of every recording.
    aligned: &'env [(String, PathBuf)],
    open: BTreeMap<usize, (Sender<Hearing>, Writer<'scope>)>,
}

impl HearingParts<'_, '_> {
    fn send(&mut self, index: usize, rows: Vec<Hearing>) -> Result<(), Error> {
        let Some((name, path)) = self.aligned.get(index) else { return Ok(()) };
        let (sender, _) = self.open.entry(index).or_insert_with(|| {
            let (sender, rows) = recycling_channel(QUEUE);
            (sender, self.scope.spawn(move || write_table(&HEARINGS, name, path, rows, |_| Ok(()))))
        });
        match sender.send(rows) {
            Ok(()) => Ok(()),
            Err(_) => self.end(index), // which tells why the writer stopped
        }
    }

    fn end(&mut self, index: usize) -> Result<(), Error> {
        if !self.open.contains_key(&index) {
            self.send(index, Vec::new())?; // a part without rows
        }
        let Some((sender, writer)) = self.open.remove(&index) else { return Ok(()) };
        drop(sender);
        joined(writer)
    }
}

/// Feeds the writers until the recordings end; a writer that stopped returns its own error.
fn read_all(
    mut merger: Merger,
    mut senders: Senders,
    summary: &mut Summary,
    interrupted: &mut impl FnMut() -> bool,
) -> Result<(), Error> {
    let mut more = true;
    while more {
        if interrupted() {
            return Err(Error::Interrupted);
        }
        let mut merged = Merged::default();
        more = merger.read(&mut merged)?;
        summary.count_frames(&merged.frames);
        summary.count_exchanges(&merged.exchanges);
        for (index, rows) in merged.hearings {
            senders.hearings.send(index, rows)?;
        }
        for index in merged.ended {
            senders.hearings.end(index)?;
        }
        if senders.frames.send(merged.frames).is_err() || senders.exchanges.send(merged.exchanges).is_err() {
            break;
        }
    }
    Ok(())
}
