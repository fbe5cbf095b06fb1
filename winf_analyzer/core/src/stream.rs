//! A recording as a stream of Arrow record batches, for those who want no dataset.

use std::path::Path;
use std::sync::mpsc::{sync_channel, Receiver};
use std::thread::{self, JoinHandle};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use rayon::prelude::*;
use winf_parsers::error::{Error, Result};
use winf_parsers::exchange::Exchange;
use winf_parsers::frame::Frame;
use winf_parsers::recording::{Recording, Settings};
use winf_parsers::table::{Table, BATCH_ROWS, EXCHANGES, FRAMES};

/// Record batches decoded ahead of the consumer.
const AHEAD: usize = 16;

/// Record batches of one table of one recording. A thread decodes ahead of the consumer, and ends when it is dropped.
pub struct TableStream {
    schema: SchemaRef,
    batches: Receiver<std::result::Result<RecordBatch, ArrowError>>,
    decoder: Option<JoinHandle<()>>,
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
    fn open<R: Send + Sync>(
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
        let decoder = thread::spawn(move || {
            let mut rows = Vec::new();
            let mut more = true;
            while more {
                more = match read(&mut recording, &mut rows) {
                    Ok(more) => more,
                    Err(error) => return sender.send(Err(failed(error))).unwrap_or_default(),
                };
                let decoded = rows.par_chunks(BATCH_ROWS).map(|rows| table.batch(&shared, &source, rows));
                for batch in decoded.collect::<Vec<_>>() {
                    if sender.send(batch).is_err() {
                        return; // nobody listens any more
                    }
                }
            }
        });
        Ok(TableStream { schema, batches, decoder: Some(decoder) })
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
        // The thread is gone. Had it failed, its rows would be missing without a word.
        let ended = self.decoder.take()?.join();
        ended.err().map(|_| Err(ArrowError::ComputeError("the decoding thread panicked".to_owned())))
    }
}

impl RecordBatchReader for TableStream {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}
