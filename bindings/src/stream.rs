//! A recording as a stream of Arrow record batches, without a dataset.

use std::path::Path;
use std::sync::mpsc::{sync_channel, Receiver};
use std::thread::{self, JoinHandle};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use rayon::prelude::*;
use winf_parsers::base::{Error, Result};
use winf_parsers::exchanges::Exchange;
use winf_parsers::frame::Frame;
use winf_parsers::pipeline::{Recording, Settings};
use winf_parsers::tables::{Table, BATCH_ROWS, EXCHANGES, FRAMES};

use crate::recycling_channel::recycling_channel;

/// Record batches decoded ahead of the consumer.
const AHEAD: usize = 8;

/// Record batches of one table of one recording. Threads decode and build ahead of the consumer, and end when it is
/// dropped.
pub struct TableStream {
    schema: SchemaRef,
    batches: Receiver<std::result::Result<RecordBatch, ArrowError>>,
    builder: Option<JoinHandle<()>>,
}

/// The `frames` table of the recording at `path`.
pub fn frames(path: &Path, source: &str, settings: Settings) -> Result<TableStream> {
    TableStream::open(path, source, settings, &FRAMES, |recording, rows: &mut Vec<Frame>| recording.read_frames(rows))
}

/// The `exchanges` table of the recording at `path`.
pub fn exchanges(path: &Path, source: &str, settings: Settings) -> Result<TableStream> {
    let mut frames = Vec::new();
    TableStream::open(path, source, settings, &EXCHANGES, move |recording, rows: &mut Vec<Exchange>| {
        recording.read(&mut frames, rows)
    })
}

impl TableStream {
    /// Opens the recording; `read` replaces the content of a vector with its next rows.
    fn open<R: Send + Sync + 'static>(
        path: &Path,
        source: &str,
        settings: Settings,
        table: &'static Table<R>,
        mut read: impl FnMut(&mut Recording, &mut Vec<R>) -> Result<bool> + Send + 'static,
    ) -> Result<TableStream> {
        let mut recording = Recording::open(path, settings)?;
        let schema = table.schema();
        let (sender, batches) = sync_channel(AHEAD);
        let (source, shared) = (source.to_owned(), SchemaRef::clone(&schema));
        let (rows, decoded) = recycling_channel(1);
        let decoder = thread::spawn(move || -> Result<()> {
            let mut more = true;
            while more {
                let mut batch = rows.batch();
                more = read(&mut recording, &mut batch)?;
                more &= rows.send(batch).is_ok();
            }
            Ok(())
        });
        let builder = thread::spawn(move || {
            let made = decoded.for_each(|rows: &[R]| {
                let batches = rows.par_chunks(BATCH_ROWS).map(|rows| table.batch(&shared, &source, rows));
                batches.collect::<Vec<_>>().into_iter().try_for_each(|batch| sender.send(batch))
            });
            let ended = decoder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            if let (Ok(()), Err(error)) = (made, ended) {
                // An error: the receiver is gone.
                let _ = sender.send(Err(failed(error)));
            }
        });
        Ok(TableStream { schema, batches, builder: Some(builder) })
    }
}

fn failed(error: Error) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}

impl Iterator for TableStream {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Ok(batch) = self.batches.recv() {
            return Some(batch);
        }
        // The thread has ended; a panic must not pass for the end of the recording.
        let ended = self.builder.take()?.join();
        ended.err().map(|_| Err(ArrowError::ComputeError("the decoding thread panicked".to_owned())))
    }
}

impl RecordBatchReader for TableStream {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}
