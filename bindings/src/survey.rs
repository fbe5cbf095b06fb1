//! A recording read once without keeping it: its summary, first exchanges and capabilities.

use std::path::Path;

use arrow_array::RecordBatch;
use winf_parsers::exchanges::Exchange;
use winf_parsers::frame::source_of;
use winf_parsers::pipeline::{Overheard, Recording, Settings, Summary};
use winf_parsers::tables::{CAPABILITIES, EXCHANGES};

use crate::ingest::Error;

/// Exchanges kept: enough to tell a network's MAC parameters from.
const FIRST_EXCHANGES: usize = 1 << 16;

/// The result of a survey.
#[derive(Debug)]
pub struct Survey {
    /// Counts and facts about the whole recording.
    pub summary: Summary,
    /// Its networks and stations.
    pub overheard: Overheard,
    /// Its first 65 536 exchanges, as in the table of that name.
    pub exchanges: RecordBatch,
    /// What stations announced in all of it, as in the table `capabilities`, by radio.
    pub announced: Vec<RecordBatch>,
}

/// Reads the recording at `path`; `source` fills the column of that name, `interrupted` is asked between batches.
///
/// # Errors
/// Those of [`Recording::open`], and [`Error::Interrupted`].
pub fn survey(
    path: &Path,
    source: &str,
    settings: Settings,
    mut interrupted: impl FnMut() -> bool,
) -> Result<Survey, Error> {
    let mut recording = Recording::open(path, settings)?;
    let (mut frames, mut exchanges, mut more) = (Vec::new(), Vec::new(), true);
    let mut first: Vec<Exchange> = Vec::new();
    let mut overheard = Overheard::default();
    while more {
        if interrupted() {
            return Err(Error::Interrupted);
        }
        more = recording.read(&mut frames, &mut exchanges)?;
        overheard.observe(&frames);
        first.extend(exchanges.drain(..).take(FIRST_EXCHANGES - first.len()));
    }
    let summary = recording.summary();
    let failed = |error: arrow_schema::ArrowError| Error::Write { path: path.to_owned(), source: error.into() };
    let announced = summary.announcements_by_radio();
    let batch =
        |(rows, radio): (&Vec<_>, u8)| CAPABILITIES.batch(&CAPABILITIES.schema(), &source_of(source, radio), rows);
    let announced = announced.iter().zip(0..).map(batch).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let exchanges = EXCHANGES.batch(&EXCHANGES.schema(), source, &first).map_err(failed)?;
    Ok(Survey { summary, overheard, exchanges, announced })
}
