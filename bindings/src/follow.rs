//! A recording that is still being written, into one Parquet part after the other.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use winf_parsers::base::WarningCode;
use winf_parsers::exchanges::Exchange;
use winf_parsers::frame::Frame;
use winf_parsers::pipeline::{Prefix, Recording, Settings, Summary};
use winf_parsers::sources;
use winf_parsers::tables::{AUDIT, CAPABILITIES, WARNINGS};

use crate::ingest::{write_summary, write_tables, Error};

/// How often the file is asked for more once it has been read to its present end.
const POLL: Duration = Duration::from_millis(50);

/// Follows one file. Exchanges continue across parts: only the tables are split.
pub struct Follower {
    path: PathBuf,
    source: String,
    part: String,
    settings: Settings,
    /// The file is complete.
    is_complete: Arc<AtomicBool>,
    /// The user stopped it: a truncated last record is no damage.
    is_stopped: bool,
    state: State,
    parts: u32,
}

/// The state of reading.
enum State {
    /// Too little of the file to recognize its format.
    Unknown,
    /// Its first frames are being collected.
    Beginning(Prefix),
    Reading(Box<Recording>),
}

/// What a part holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Frames in it; with none, and no exchanges, there is no part.
    pub frames: usize,
    /// There may be further parts.
    pub more: bool,
}

impl Follower {
    /// For the file at `path`; its parts are named `part` and a number.
    pub fn new(path: &Path, source: &str, part: &str, settings: Settings) -> Follower {
        Follower {
            path: path.to_owned(),
            source: source.to_owned(),
            part: part.to_owned(),
            settings,
            is_complete: Arc::default(),
            is_stopped: false,
            state: State::Unknown,
            parts: 0,
        }
    }

    /// From now on the present end of the file is its end: its writer is done, or the user stops here.
    pub fn complete(&mut self, is_stopped: bool) {
        self.is_stopped |= is_stopped;
        self.is_complete.store(true, Ordering::Release);
    }

    /// What was read so far; `None` before the first frame.
    pub fn summary(&self) -> Option<Summary> {
        let State::Reading(recording) = &self.state else { return None };
        let mut summary = recording.summary();
        if self.is_stopped {
            summary.warnings.retain(|warning| warning.code != WarningCode::TruncatedRecord);
        }
        Some(summary)
    }

    /// Writes what comes within `patience` (of a complete file: what is left), at most `most_frames` or one
    /// batch more, as the next part of the dataset in `dataset`; `stop` is polled and ends it earlier.
    ///
    /// Files are renamed to their names when they are complete. Clock and observer are decided from the frames before
    /// the first part.
    ///
    /// # Errors
    /// Those of [`Recording::open`] and of writing; afterwards there is no unfinished file.
    pub fn write_part(
        &mut self,
        dataset: &Path,
        patience: Duration,
        most_frames: usize,
        mut stop: impl FnMut() -> bool,
    ) -> Result<Written, Error> {
        let deadline = Instant::now() + patience;
        let is_complete = self.is_complete.load(Ordering::Acquire);
        let mut is_over = || stop() || !is_complete && Instant::now() >= deadline;
        if !self.begin(&mut is_over)? {
            return Ok(Written { frames: 0, more: true });
        }
        let State::Reading(recording) = &mut self.state else {
            return Ok(Written { frames: 0, more: true });
        };
        let Some(first) = next_batch(recording, &mut is_over)? else {
            return Ok(Written { frames: 0, more: true });
        };
        let name = format!("{}-{:05}", self.part, self.parts);
        let file = |table: &str, kind: &str| dataset.join(table).join(format!("{name}.{kind}"));
        let unfinished = |table: &str| file(table, "partial");
        let written = write_tables(
            &self.source,
            unfinished,
            |_| Ok(()),
            |frames, exchanges| {
                let (mut count, mut rows) = (0, Some(first));
                let mut more = true;
                while let Some(Batch { frames: frame_rows, exchanges: exchange_rows, more: again }) = rows.take() {
                    (count, more) = (count + frame_rows.len(), again);
                    let is_enough = !more || count >= most_frames || is_over();
                    if frames.send(frame_rows).is_err() || exchanges.send(exchange_rows).is_err() || is_enough {
                        break;
                    }
                    rows = next_batch(recording, &mut is_over)?;
                }
                Ok(Written { frames: count, more })
            },
        );
        for table in ["exchanges", "frames"] {
            match &written {
                Ok(_) => rename(&unfinished(table), &file(table, "parquet"))?,
                Err(_) => std::fs::remove_file(unfinished(table)).unwrap_or_default(),
            }
        }
        let written = written?;
        self.parts += 1;
        self.write_summary(dataset)?;
        Ok(written)
    }

    /// Reads the first frames; false while there are none, or too few and time is left.
    fn begin(&mut self, is_over: &mut impl FnMut() -> bool) -> Result<bool, Error> {
        loop {
            match std::mem::replace(&mut self.state, State::Unknown) {
                State::Reading(recording) => {
                    self.state = State::Reading(recording);
                    return Ok(true);
                }
                State::Unknown => match sources::open_growing(&self.path, Arc::clone(&self.is_complete))? {
                    Some(reader) => self.state = State::Beginning(Prefix::new(reader)),
                    None if is_over() => return Ok(false),
                    None => thread::sleep(POLL),
                },
                State::Beginning(mut prefix) => {
                    let before = prefix.frames();
                    prefix.read()?;
                    let is_enough = !prefix.wants_more();
                    if is_enough || (prefix.frames() > 0 && is_over() && prefix.frames() == before) {
                        self.state =
                            State::Reading(Box::new(Recording::begin(prefix, &self.path, self.settings.clone())?));
                        continue;
                    }
                    let is_idle = prefix.frames() == before;
                    self.state = State::Beginning(prefix);
                    if is_idle {
                        if is_over() {
                            return Ok(false);
                        }
                        thread::sleep(POLL);
                    }
                }
            }
        }
    }

    /// Replaces the warnings and announcements of this file by the present ones: their counts rise.
    fn write_summary(&self, dataset: &Path) -> Result<(), Error> {
        let Some(summary) = self.summary() else { return Ok(()) };
        let file = |table: &str, kind: &str| dataset.join(table).join(format!("{}.{kind}", self.part));
        write_summary(&summary, &self.source, |table| file(table, "partial"))?;
        let mut tables = [CAPABILITIES.name, AUDIT.name, WARNINGS.name].into_iter();
        tables.try_for_each(|table| rename(&file(table, "partial"), &file(table, "parquet")))
    }
}

/// One batch of a recording.
struct Batch {
    frames: Vec<Frame>,
    exchanges: Vec<Exchange>,
    more: bool,
}

/// The next batch; `None` when none came in time.
fn next_batch(recording: &mut Recording, is_over: &mut impl FnMut() -> bool) -> Result<Option<Batch>, Error> {
    loop {
        let (mut frames, mut exchanges) = (Vec::new(), Vec::new());
        let more = recording.read(&mut frames, &mut exchanges)?;
        if !frames.is_empty() || !exchanges.is_empty() || !more {
            return Ok(Some(Batch { frames, exchanges, more }));
        }
        if is_over() {
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::rename(from, to).map_err(|error| Error::Write { path: to.to_owned(), source: error.into() })
}
