//! A recording as a stream of Arrow record batches, without a dataset.

use std::path::Path;
use std::thread::{self, JoinHandle};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use winf_parsers::base::{Error, Result};
use winf_parsers::exchanges::Exchange;
use winf_parsers::frame::Frame;
use winf_parsers::pipeline::{Recording, Settings};
use winf_parsers::tables::{Table, EXCHANGES, FRAMES};

use crate::record_batches::RecordBatches;
use crate::recycling_channel::recycling_channel;

/// Record batches of one table of one recording. Threads decode and build ahead of the consumer, and end when it is
/// dropped.
pub struct TableStream {
    schema: SchemaRef,
    groups: RecordBatches,
    batches: std::vec::IntoIter<RecordBatch>,
    decoder: Option<JoinHandle<Result<()>>>,
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
        let (sender, rows) = recycling_channel(1);
        let decoder = thread::spawn(move || -> Result<()> {
            let mut more = true;
            while more {
                let mut batch = sender.batch();
                more = read(&mut recording, &mut batch)?;
                more &= sender.send(batch).is_ok();
            }
            Ok(())
        });
        let groups = RecordBatches::of(table, &schema, source, rows);
        Ok(TableStream { schema, groups, batches: Vec::new().into_iter(), decoder: Some(decoder) })
    }
}

impl Iterator for TableStream {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.batches.next() {
                return Some(Ok(batch));
            }
            match self.groups.next() {
                Some(Ok(group)) => self.batches = group.into_iter(),
                Some(Err(error)) => return Some(Err(error)),
                None => break,
            }
        }
        match self.decoder.take()?.join() {
            Ok(decoded) => decoded.err().map(|error: Error| Err(ArrowError::ExternalError(Box::new(error)))),
            Err(_) => Some(Err(ArrowError::ComputeError("the decoding thread panicked".to_owned()))),
        }
    }
}

impl RecordBatchReader for TableStream {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}
