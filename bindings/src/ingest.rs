//! One recording into Parquet parts of a dataset.

use std::path::{Path, PathBuf};
use std::thread;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use parquet::errors::ParquetError;
use winf_kernels::stations::FrameCounts;
use winf_parsers::exchanges::Exchange;
use winf_parsers::frame::source_of;
use winf_parsers::frame::Frame;
use winf_parsers::pipeline::{Recording, Settings, Summary};
use winf_parsers::tables::{Table, AUDIT, CAPABILITIES, EXCHANGES, FRAMES, WARNINGS};

use crate::part::PartWriter;
use crate::record_batches::RecordBatches;
use crate::recycling_channel::{recycling_channel, Receiver, Sender};

/// Batches of rows a writer may lag behind: bounds memory.
pub(crate) const QUEUE: usize = 1;

/// Why a recording could not be brought into a dataset.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The recording is unusable.
    #[error(transparent)]
    Recording(#[from] winf_parsers::base::Error),
    /// The dataset cannot be written.
    #[error("{path}: cannot write: {source}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason, for instance a full disk.
        source: ParquetError,
    },
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

/// Reads the recording at `input` and writes `frames/PART.parquet`, `exchanges/PART.parquet`,
/// `capabilities/PART.parquet`, `audit/PART.parquet` and `warnings/PART.parquet` below `dataset`, whose table folders exist.
///
/// `source` fills the column of that name. `interrupted` is asked between batches. On an error the
/// parts are incomplete: the caller owns the dataset's atomicity. `counts` gets the frames of the recording.
pub fn ingest(
    input: &Path,
    source: &str,
    dataset: &Path,
    part: &str,
    settings: Settings,
    counts: &mut FrameCounts,
    mut interrupted: impl FnMut() -> bool,
) -> Result<Summary, Error> {
    let mut recording = Recording::open(input, settings)?;
    let target = |table: &str| dataset.join(table).join(format!("{part}.parquet"));
    let feed = |frames, exchanges| read_all(&mut recording, frames, exchanges, &mut interrupted);
    write_tables(source, target, |frames| counts.add_batch(frames), feed)?;
    let summary = recording.summary();
    write_summary(&summary, source, target)?;
    Ok(summary)
}

/// Writes the frames and exchanges that `feed` sends, each table to the file that `target` names; `count` gets the
/// batches of frames.
pub(crate) fn write_tables<T>(
    source: &str,
    target: impl Fn(&str) -> PathBuf + Sync,
    count: impl FnMut(&RecordBatch) -> Result<(), ArrowError> + Send,
    feed: impl FnOnce(Sender<Frame>, Sender<Exchange>) -> Result<T, Error>,
) -> Result<T, Error> {
    thread::scope(|scope| {
        let (frame_sender, frame_receiver) = recycling_channel(QUEUE);
        let (exchange_sender, exchange_receiver) = recycling_channel(QUEUE);
        let target = &target;
        let frames = scope.spawn(move || write_table(&FRAMES, source, &target("frames"), frame_receiver, count));
        let exchanges =
            scope.spawn(move || write_table(&EXCHANGES, source, &target("exchanges"), exchange_receiver, |_| Ok(())));
        let fed = feed(frame_sender, exchange_sender);
        for writer in [frames, exchanges] {
            writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        fed
    })
}

/// Writes the capabilities, audit and warnings, each table to the file that `target` names.
pub(crate) fn write_summary(summary: &Summary, source: &str, target: impl Fn(&str) -> PathBuf) -> Result<(), Error> {
    write_by_radio(&CAPABILITIES, source, &target(CAPABILITIES.name), &summary.announcements_by_radio())?;
    write_by_radio(&AUDIT, source, &target(AUDIT.name), &summary.audit_by_radio())?;
    write_by_radio(&WARNINGS, source, &target(WARNINGS.name), &summary.warnings_by_radio())
}

/// Writes the rows of every radio of the recording `source` to one Parquet file.
fn write_by_radio<R: Sync>(
    table: &'static Table<R>,
    source: &str,
    path: &Path,
    by_radio: &[Vec<R>],
) -> Result<(), Error> {
    let failed = |source| Error::Write { path: path.to_owned(), source };
    let schema = table.schema();
    let mut part = PartWriter::create(path, table.stated(), table.schema()).map_err(failed)?;
    for (rows, radio) in by_radio.iter().zip(0..).filter(|(rows, _)| !rows.is_empty()) {
        let batch = table.batch(&schema, &source_of(source, radio), rows).map_err(|error| failed(error.into()))?;
        part.write(&[batch]).map_err(failed)?;
    }
    part.close().map_err(failed)
}

/// Feeds the writers until the recording ends; a writer that stopped returns its own error.
fn read_all(
    recording: &mut Recording,
    frames: Sender<Frame>,
    exchanges: Sender<Exchange>,
    interrupted: &mut impl FnMut() -> bool,
) -> Result<(), Error> {
    let mut more = true;
    while more {
        if interrupted() {
            return Err(Error::Interrupted);
        }
        let (mut frame_rows, mut exchange_rows) = (frames.batch(), exchanges.batch());
        more = recording.read(&mut frame_rows, &mut exchange_rows)?;
        if frames.send(frame_rows).is_err() || exchanges.send(exchange_rows).is_err() {
            break;
        }
    }
    Ok(())
}

/// Writes every batch of rows that arrives to one Parquet file; `count` gets them first.
pub(crate) fn write_table<R: Send + Sync>(
    table: &'static Table<R>,
    source: &str,
    path: &Path,
    rows: Receiver<R>,
    mut count: impl FnMut(&RecordBatch) -> Result<(), ArrowError>,
) -> Result<(), Error> {
    let failed = |source| Error::Write { path: path.to_owned(), source };
    let schema = table.schema();
    let mut part = PartWriter::create(path, table.stated(), table.schema()).map_err(failed)?;
    for batches in RecordBatches::of(table, &schema, source, rows) {
        let batches = batches.map_err(|error| failed(error.into()))?;
        batches.iter().try_for_each(&mut count).map_err(|error| failed(error.into()))?;
        part.write(&batches).map_err(failed)?;
    }
    part.close().map_err(failed)
}
