//! Rows to Arrow record batches, on a thread of its own and on those of the pool.

use std::sync::mpsc::{sync_channel, Receiver};
use std::thread::{self, JoinHandle};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use rayon::prelude::*;
use winf_parsers::tables::{Table, BATCH_ROWS};

use crate::recycling_channel;

/// Groups of batches that wait for their consumer: bounds memory.
const AHEAD: usize = 1;

/// Record batches of one table, made while earlier ones are used. The thread that makes them ends with the rows, or once
/// this is dropped.
pub struct RecordBatches {
    groups: Receiver<Result<Vec<RecordBatch>, ArrowError>>,
    builder: Option<JoinHandle<()>>,
}

impl RecordBatches {
    /// Begins to make the batches of `table` of the recording `source` from its rows.
    pub fn of<R: Send + Sync + 'static>(
        table: &'static Table<R>,
        schema: &SchemaRef,
        source: &str,
        rows: recycling_channel::Receiver<R>,
    ) -> RecordBatches {
        let (sender, groups) = sync_channel(AHEAD);
        let (schema, source) = (SchemaRef::clone(schema), source.to_owned());
        let builder = thread::spawn(move || {
            // An error: this was dropped.
            let _ = rows.for_each(|rows| {
                let batches = rows.par_chunks(BATCH_ROWS).map(|rows| table.batch(&schema, &source, rows));
                sender.send(batches.collect())
            });
        });
        RecordBatches { groups, builder: Some(builder) }
    }
}

impl Iterator for RecordBatches {
    /// The batches of the rows that were sent at once.
    type Item = Result<Vec<RecordBatch>, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Ok(group) = self.groups.recv() {
            return Some(group);
        }
        // The thread has ended; a panic must not pass for the end of the rows.
        let ended = self.builder.take()?.join();
        ended.err().map(|_| Err(ArrowError::ComputeError("the thread that makes record batches panicked".to_owned())))
    }
}
