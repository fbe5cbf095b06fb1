//! Several short recordings into Parquet parts that they share: opening and closing a file costs more than their rows.

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use winf_kernels::stations::FrameCounts;
use winf_parsers::base::Error as RecordingError;
use winf_parsers::exchanges::Exchange;
use winf_parsers::frame::{source_of, Frame};
use winf_parsers::pipeline::{Recording, Settings, Summary};
use winf_parsers::tables::{Table, AUDIT, BATCH_ROWS, CAPABILITIES, EXCHANGES, FRAMES, WARNINGS};

use crate::ingest::Error;
use crate::part::PartWriter;

/// Frames of a recording that may share a part; all of them are held at once.
const MAX_FRAMES: usize = 1 << 16;

/// Record batches that are encoded together.
const BATCHES: usize = 32;

/// What became of a recording.
pub enum Outcome {
    /// Its rows are in the parts.
    Written(Box<Summary>),
    /// It is unusable, and none of its rows are in the parts.
    Unusable(RecordingError),
    /// It has more frames than short recordings have, and none of its rows are in the parts.
    Long,
}

/// Reads the recordings, given as path and source, and writes the parts that [`crate::ingest::ingest`] does, once for
/// all of them. `counts` gets the frames that are written.
///
/// # Errors
/// [`Error::Write`] and [`Error::Interrupted`]; the parts are then incomplete. An unusable recording is an [`Outcome`].
pub fn ingest_together(
    recordings: &[(PathBuf, String)],
    dataset: &Path,
    part: &str,
    settings: &Settings,
    counts: &mut FrameCounts,
    mut interrupted: impl FnMut() -> bool,
) -> Result<Vec<Outcome>, Error> {
    let target = |table: &str| dataset.join(table).join(format!("{part}.parquet"));
    let mut frames = SharedPart::create(&FRAMES, target(FRAMES.name))?;
    let mut exchanges = SharedPart::create(&EXCHANGES, target(EXCHANGES.name))?;
    let mut capabilities = SharedPart::create(&CAPABILITIES, target(CAPABILITIES.name))?;
    let mut audit = SharedPart::create(&AUDIT, target(AUDIT.name))?;
    let mut warnings = SharedPart::create(&WARNINGS, target(WARNINGS.name))?;
    let mut outcomes = Vec::with_capacity(recordings.len());
    for (path, source) in recordings {
        if interrupted() {
            return Err(Error::Interrupted);
        }
        outcomes.push(match read(path, settings.clone()) {
            Ok(Some(rows)) => {
                frames.add(source, &rows.frames, |batch| counts.add_batch(batch))?;
                exchanges.add(source, &rows.exchanges, |_| Ok(()))?;
                capabilities.add_by_radio(source, &rows.summary.announcements_by_radio())?;
                audit.add_by_radio(source, &rows.summary.audit_by_radio())?;
                warnings.add_by_radio(source, &rows.summary.warnings_by_radio())?;
                Outcome::Written(Box::new(rows.summary))
            }
            Ok(None) => Outcome::Long,
            Err(error) => Outcome::Unusable(error),
        });
    }
    frames.close()?;
    exchanges.close()?;
    capabilities.close()?;
    audit.close()?;
    warnings.close()?;
    Ok(outcomes)
}

/// A short recording, complete.
struct Rows {
    frames: Vec<Frame>,
    exchanges: Vec<Exchange>,
    summary: Summary,
}

/// Reads a recording to its end; `None` if it has more than [`MAX_FRAMES`].
fn read(path: &Path, settings: Settings) -> Result<Option<Rows>, RecordingError> {
    let mut recording = Recording::open(path, settings)?;
    let (mut frames, mut exchanges) = (Vec::new(), Vec::new());
    let (mut next_frames, mut next_exchanges) = (Vec::new(), Vec::new());
    let mut more = true;
    while more {
        more = recording.read(&mut next_frames, &mut next_exchanges)?;
        frames.append(&mut next_frames);
        exchanges.append(&mut next_exchanges);
        if frames.len() > MAX_FRAMES {
            return Ok(None);
        }
    }
    Ok(Some(Rows { frames, exchanges, summary: recording.summary() }))
}

/// A part of one table, and rows on their way into it.
struct SharedPart<R: 'static> {
    table: &'static Table<R>,
    schema: SchemaRef,
    path: PathBuf,
    writer: PartWriter,
    held: Vec<RecordBatch>,
}

impl<R> SharedPart<R> {
    fn create(table: &'static Table<R>, path: PathBuf) -> Result<Self, Error> {
        let schema = table.schema();
        match PartWriter::create(&path, table.stated(), table.schema()) {
            Ok(writer) => Ok(SharedPart { table, schema, path, writer, held: Vec::new() }),
            Err(source) => Err(Error::Write { path, source }),
        }
    }

    /// `count` gets the batches first.
    fn add(
        &mut self,
        source: &str,
        rows: &[R],
        mut count: impl FnMut(&RecordBatch) -> Result<(), ArrowError>,
    ) -> Result<(), Error> {
        for rows in rows.chunks(BATCH_ROWS) {
            let batch = self.table.batch(&self.schema, source, rows);
            let counted = batch.and_then(|batch| count(&batch).map(|()| batch));
            self.held.push(counted.map_err(|source| Error::Write { path: self.path.clone(), source: source.into() })?);
        }
        if self.held.len() >= BATCHES {
            self.flush()?;
        }
        Ok(())
    }

    fn add_by_radio(&mut self, source: &str, by_radio: &[Vec<R>]) -> Result<(), Error> {
        by_radio.iter().zip(0..).try_for_each(|(rows, radio)| self.add(&source_of(source, radio), rows, |_| Ok(())))
    }

    fn flush(&mut self) -> Result<(), Error> {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return Ok(());
        }
        self.writer.write(&held).map_err(|source| Error::Write { path: self.path.clone(), source })
    }

    fn close(mut self) -> Result<(), Error> {
        self.flush()?;
        self.writer.close().map_err(|source| Error::Write { path: self.path, source })
    }
}
