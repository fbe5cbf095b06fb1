//! A recording as a stream of Arrow record batches, for those who want no dataset.

use std::collections::VecDeque;
use std::path::Path;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use rayon::prelude::*;
use winf_parsers::error::Error;
use winf_parsers::exchange::Exchange;
use winf_parsers::frame::Frame;
use winf_parsers::recording::{Recording, Settings};
use winf_parsers::table::{Table, BATCH_ROWS, EXCHANGES, FRAMES};

/// Picks one of the two vectors of rows that a [`Recording`] fills.
type Pick<R> = for<'a> fn(&'a [Frame], &'a [Exchange]) -> &'a [R];

/// Record batches of one table of one recording, decoded as they are asked for.
pub struct TableStream<R: 'static> {
    recording: Recording,
    table: &'static Table<R>,
    pick: Pick<R>,
    schema: SchemaRef,
    source: String,
    ready: VecDeque<Result<RecordBatch, ArrowError>>,
    more: bool,
    frames: Vec<Frame>,
    exchanges: Vec<Exchange>,
}

/// The `frames` table of the recording at `path`.
pub fn frames(path: &Path, source: &str, settings: Settings) -> Result<TableStream<Frame>, Error> {
    TableStream::open(path, source, settings, &FRAMES, |frames, _| frames)
}

/// The `exchanges` table of the recording at `path`.
pub fn exchanges(path: &Path, source: &str, settings: Settings) -> Result<TableStream<Exchange>, Error> {
    TableStream::open(path, source, settings, &EXCHANGES, |_, exchanges| exchanges)
}

impl<R> TableStream<R> {
    fn open(
        path: &Path,
        source: &str,
        settings: Settings,
        table: &'static Table<R>,
        pick: Pick<R>,
    ) -> Result<TableStream<R>, Error> {
        Ok(TableStream {
            recording: Recording::open(path, settings)?,
            table,
            pick,
            schema: table.schema(),
            source: source.to_owned(),
            ready: VecDeque::new(),
            more: true,
            frames: Vec::new(),
            exchanges: Vec::new(),
        })
    }
}

impl<R: Sync> Iterator for TableStream<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && self.more {
            match self.recording.read(&mut self.frames, &mut self.exchanges) {
                Ok(more) => self.more = more,
                Err(error) => {
                    self.more = false;
                    return Some(Err(ArrowError::ExternalError(Box::new(error))));
                }
            }
            let rows = (self.pick)(&self.frames, &self.exchanges);
            let batch = |rows: &[R]| self.table.batch(&self.schema, &self.source, rows);
            self.ready = rows.par_chunks(BATCH_ROWS).map(batch).collect::<Vec<_>>().into();
        }
        self.ready.pop_front()
    }
}

impl<R: Sync> RecordBatchReader for TableStream<R> {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}
