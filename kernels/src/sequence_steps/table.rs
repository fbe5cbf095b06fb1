//! Exchanges in record batches.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Int64Builder};
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::ArrowError;

use super::{Counter, Limits, Number, Numbered, SequenceSteps, Step};
use crate::columns::{booleans, known, primitive, text, texts, value};
use crate::direct_mapped_cache::DirectMappedCache;
use crate::head_of_line::names::{Names, Numbers};
use crate::names::{self, NOBODY};

/// Kinds of data by number: those whose number means nothing (10.3.2.14.2), and QoS data.
const KINDS: [&str; 3] = ["null", "qos_null", "qos_data"];
const QOS_NULL: u32 = 1;
const QOS_DATA: u32 = 2;

/// [`SequenceSteps`] for record batches, carried from chunk to chunk.
pub struct SequenceStepsTable {
    names: Names,
    kinds: names::Names,
    state: SequenceSteps,
}

impl SequenceStepsTable {
    /// Nothing was heard so far.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let mut kinds = names::Names::default();
        for kind in KINDS {
            kinds.number(kind);
        }
        Self { names: Names::default(), kinds, state: SequenceSteps::new(limits) }
    }

    /// Takes the exchanges of the next chunk; returns a row for each: `advanced advanced_heard gap_ticks is_new is_heard_again`.
    ///
    /// # Errors
    /// A column is missing, of another type, or has nulls where none are allowed.
    pub fn follow(&mut self, exchanges: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
        let mut found = Columns::of(exchanges.iter().map(RecordBatch::num_rows).sum());
        // Looking up two texts costs ten times as much as the chunk's own number for them.
        let mut cache = DirectMappedCache::default();
        for batch in exchanges {
            self.follow_batch(batch, &mut cache, &mut found)?;
        }
        found.into_batch()
    }

    fn follow_batch(
        &mut self,
        batch: &RecordBatch,
        cache: &mut DirectMappedCache<u64, Numbers>,
        found: &mut Columns,
    ) -> Result<(), ArrowError> {
        let medium = known("medium", primitive::<UInt32Type>(batch, "medium")?)?;
        let share = known("share", primitive::<UInt32Type>(batch, "share")?)?;
        let start = known("air_start_ns", primitive::<Int64Type>(batch, "air_start_ns")?)?;
        let column = |name| primitive::<Int64Type>(batch, name);
        let [seq, tid, mpdus] = [column("seq")?, column("tid")?, column("mpdus")?];
        let [sender, receiver] = [texts(batch, "sender")?, texts(batch, "receiver")?];
        let kinds = self.kinds.numbers(texts(batch, "data_kind")?);
        let first = booleans(batch, "first")?;
        for (row, kind) in kinds.into_iter().enumerate() {
            let told = match (seq.is_valid(row), first.is_valid(row)) {
                (true, _) => Some(Number::Sequence(seq.value(row))),
                (false, true) => Some(Number::Attempt { first: first.value(row) }),
                (false, false) => None,
            };
            let Some(told) = told.filter(|_| kind != NOBODY && kind > QOS_NULL) else {
                found.add(Step::default());
                continue;
            };
            let numbers = cache.get_or_insert_with(u64::from(share.value(row)), || {
                self.names.numbers(medium.value(row), text(sender, row), text(receiver, row))
            });
            let counter = match (numbers.link, numbers.sender) {
                (Some(link), _) if kind == QOS_DATA => Counter::Link(link, value(tid, row).unwrap_or(0)),
                (_, Some(sender)) => Counter::Sender(sender),
                _ => {
                    found.add(Step::default());
                    continue;
                }
            };
            let heard = value(mpdus, row).unwrap_or(1).max(1);
            let exchange = Numbered { number: told, kind, mpdus: heard, start_ns: start.value(row) };
            found.add(self.state.follow(counter, exchange));
        }
        Ok(())
    }
}

/// The result, a row per exchange.
struct Columns {
    advanced: Int64Builder,
    advanced_heard: Int64Builder,
    gap_ticks: Int64Builder,
    is_new: BooleanBuilder,
    is_heard_again: BooleanBuilder,
}

impl Columns {
    fn of(rows: usize) -> Self {
        let column = || Int64Builder::with_capacity(rows);
        Self {
            advanced: column(),
            advanced_heard: column(),
            gap_ticks: column(),
            is_new: BooleanBuilder::with_capacity(rows),
            is_heard_again: BooleanBuilder::with_capacity(rows),
        }
    }

    fn add(&mut self, step: Step) {
        self.advanced.append_option(step.advanced.map(|(advanced, _)| advanced));
        self.advanced_heard.append_option(step.advanced.map(|(_, heard)| heard));
        self.gap_ticks.append_option(step.gap_ticks);
        self.is_new.append_value(!step.repeats);
        self.is_heard_again.append_value(step.again);
    }

    fn into_batch(mut self) -> Result<RecordBatch, ArrowError> {
        let column = |values: &mut Int64Builder| Arc::new(values.finish()) as ArrayRef;
        RecordBatch::try_from_iter_with_nullable([
            ("advanced", column(&mut self.advanced), true),
            ("advanced_heard", column(&mut self.advanced_heard), true),
            ("gap_ticks", column(&mut self.gap_ticks), true),
            ("is_new", Arc::new(self.is_new.finish()) as ArrayRef, true),
            ("is_heard_again", Arc::new(self.is_heard_again.finish()) as ArrayRef, true),
        ])
    }
}
