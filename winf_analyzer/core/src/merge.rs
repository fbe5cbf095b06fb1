//! Several recordings of one channel into one dataset.

use std::path::{Path, PathBuf};
use std::thread;

use winf_parsers::align::{align, Alignment, Hearing, Merged, Merger, Sketch};
use winf_parsers::error::Error as RecordingError;
use winf_parsers::exchange::Exchange;
use winf_parsers::frame::Frame;
use winf_parsers::recording::{Recording, Settings};
use winf_parsers::summary::Summary;
use winf_parsers::table::{EXCHANGES, FRAMES, HEARINGS};

use crate::handover::{handover, Sender};
use crate::ingest::{write_summary, write_table, Error, QUEUE};

/// The name of the merged stream in the `source` columns.
pub const MERGED: &str = "merged";

/// A recording to merge, its name in the `source` columns, and the name of its parts.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// Its parts are called `PART.parquet`.
    pub part: String,
}

/// What was found out about one of the recordings.
#[derive(Debug)]
pub struct Member {
    /// The recording by itself; `None` where it cannot be read.
    pub summary: Result<Summary, RecordingError>,
    /// How its clock was aligned; `None` where it shares too few frames with the others.
    pub alignment: Option<Alignment>,
    /// Start of its first and last frame on its own clock, nanoseconds.
    pub span_ns: Option<(i64, i64)>,
}

/// The whole of a merge.
#[derive(Debug)]
pub struct Outcome {
    /// By recording, in the order given.
    pub members: Vec<Member>,
    /// The merged stream.
    pub merged: Summary,
}

/// Reads every recording twice, first for its clock, then for its frames, and writes the parts of
/// `frames` and `exchanges` (one, of the merged stream) and of `hearings`, `capabilities` and `warnings` (one per
/// recording) below `dataset`, whose table folders exist.
///
/// A recording that cannot be read or aligned is left out; [`Outcome::members`] says so. Otherwise like
/// [`crate::ingest::ingest`].
pub fn merge(sources: &[Source], dataset: &Path, mut interrupted: impl FnMut() -> bool) -> Result<Outcome, Error> {
    let mut members = Vec::new();
    let mut sketches = Vec::new();
    for source in sources {
        members.push(match survey(&source.path, &mut interrupted) {
            Ok((sketch, summary)) => {
                let span_ns = sketch.span_ns();
                sketches.push(sketch);
                Member { summary: Ok(summary), alignment: None, span_ns }
            }
            Err(Error::Recording(error)) => Member { summary: Err(error), alignment: None, span_ns: None },
            Err(error) => return Err(error),
        });
    }
    let readable = members.iter_mut().filter(|member| member.summary.is_ok());
    for (member, alignment) in readable.zip(align(&sketches)) {
        member.alignment = alignment;
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

/// Reads a recording for its clock and its summary.
fn survey(path: &Path, interrupted: &mut impl FnMut() -> bool) -> Result<(Sketch, Summary), Error> {
    let mut recording = Recording::open(path, Settings::default())?;
    let mut sketch = Sketch::default();
    let (mut frames, mut exchanges, mut more) = (Vec::new(), Vec::new(), true);
    while more {
        if interrupted() {
            return Err(Error::Interrupted);
        }
        more = recording.read(&mut frames, &mut exchanges)?;
        frames.iter().for_each(|frame| sketch.observe(frame));
    }
    let summary = recording.summary();
    if summary.radios.len() > 1 {
        let (path, radios) = (path.to_owned(), summary.radios.len());
        return Err(Error::Recording(RecordingError::SeveralRadios { path, radios }));
    }
    Ok((sketch, summary))
}

fn write_merged(
    sources: &[Source],
    members: &[Member],
    dataset: &Path,
    interrupted: &mut impl FnMut() -> bool,
) -> Result<Summary, Error> {
    let mut recordings = Vec::new();
    let mut aligned = Vec::new();
    for (source, member) in sources.iter().zip(members) {
        if let Some(alignment) = &member.alignment {
            recordings.push((Recording::open(&source.path, Settings::default())?, alignment.clone()));
            aligned.push(source);
        }
    }
    let target = |table: &str, part: &str| dataset.join(table).join(format!("{part}.parquet"));
    let mut summary = Summary::default();
    thread::scope(|scope| {
        let mut writers = Vec::new();
        let (frames, rows) = handover(QUEUE);
        let path = target("frames", "part-00000");
        writers.push(scope.spawn(move || write_table(&FRAMES, MERGED, &path, rows)));
        let (exchanges, rows) = handover(QUEUE);
        let path = target("exchanges", "part-00000");
        writers.push(scope.spawn(move || write_table(&EXCHANGES, MERGED, &path, rows)));
        let mut hearings = Vec::new();
        for source in aligned {
            let (sender, rows) = handover(QUEUE);
            let path = target("hearings", &source.part);
            writers.push(scope.spawn(move || write_table(&HEARINGS, &source.name, &path, rows)));
            hearings.push(sender);
        }
        let senders = Senders { frames, exchanges, hearings };
        let read = read_all(Merger::new(recordings), senders, &mut summary, interrupted);
        for writer in writers {
            writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        read
    })?;
    Ok(summary)
}

struct Senders {
    frames: Sender<Frame>,
    exchanges: Sender<Exchange>,
    hearings: Vec<Sender<Hearing>>,
}

/// Feeds the writers until the recordings end; a writer that stopped has its own error to tell.
fn read_all(
    mut merger: Merger,
    senders: Senders,
    summary: &mut Summary,
    interrupted: &mut impl FnMut() -> bool,
) -> Result<(), Error> {
    let mut more = true;
    while more {
        if interrupted() {
            return Err(Error::Interrupted);
        }
        let mut merged = Merged::new(senders.hearings.len());
        more = merger.read(&mut merged)?;
        summary.count(&merged.frames, &merged.exchanges);
        let hearings = senders.hearings.iter().zip(merged.hearings).try_for_each(|(sender, rows)| sender.send(rows));
        if senders.frames.send(merged.frames).is_err()
            || senders.exchanges.send(merged.exchanges).is_err()
            || hearings.is_err()
        {
            break;
        }
    }
    Ok(())
}
