//! Exchanges in record batches.

use std::sync::Arc;

use arrow_array::builder::Int64Builder;
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::ArrowError;

use crate::columns::{flags, known, primitive, text, texts, value};
use crate::direct_mapped_cache::DirectMappedCache;

use super::names::{Names, Numbers};
use super::{Access, Exchange, HeadOfLine, Packet, Timing};

/// [`HeadOfLine`] for record batches, carried from chunk to chunk.
#[derive(Default)]
pub struct HeadOfLineTable {
    names: Names,
    state: HeadOfLine,
}

impl HeadOfLineTable {
    /// Takes the exchanges of the next chunk; returns a row for each.
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
        let column = |name| primitive::<Int64Type>(batch, name);
        let whole = |name| known(name, column(name)?);
        let medium = known("medium", primitive::<UInt32Type>(batch, "medium")?)?;
        let [share, air_start, end] = [whole("share")?, whole("air_start_ns")?, whole("end_ns")?];
        let [access, service, attempt] = [column("access_ns")?, column("service_ns")?, column("attempt")?];
        let [difs, cw_min, slot] = [column("t_difs")?, column("cw_min")?, column("t_slot")?];
        let [data, payload] = [column("data_ns")?, column("payload_bytes")?];
        let [sender, receiver] = [texts(batch, "sender")?, texts(batch, "receiver")?];
        let sample = flags(batch, "sample")?;
        for row in 0..batch.num_rows() {
            let numbers = cache.get_or_insert_with(share.value(row).cast_unsigned(), || {
                self.names.numbers(medium.value(row), text(sender, row), text(receiver, row))
            });
            let packet = |link| Packet { link, data_ns: value(data, row), payload_bytes: value(payload, row) };
            let access_of = |sender| Access {
                sender,
                access_ns: value(access, row),
                service_ns: value(service, row),
                difs_ns: value(difs, row),
                cw_min: value(cw_min, row),
                slot_ns: value(slot, row),
                attempt: value(attempt, row),
                packet: numbers.link.filter(|_| sample.value(row)).map(packet),
            };
            let timing = self.state.follow(&Exchange {
                medium: numbers.medium,
                air_start_ns: air_start.value(row),
                end_ns: end.value(row),
                access: numbers.sender.map(access_of),
            });
            found.add(numbers.link, timing);
        }
        Ok(())
    }
}

/// The result, a row per exchange.
struct Columns {
    link: Int64Builder,
    hol_ns: Int64Builder,
    waited_ns: Int64Builder,
    accesses: Int64Builder,
    dispersion_ns: Int64Builder,
    delay_sum_ns: Int64Builder,
}

impl Columns {
    fn of(rows: usize) -> Self {
        let column = || Int64Builder::with_capacity(rows);
        Self {
            link: column(),
            hol_ns: column(),
            waited_ns: column(),
            accesses: column(),
            dispersion_ns: column(),
            delay_sum_ns: column(),
        }
    }

    fn add(&mut self, link: Option<usize>, timing: Option<Timing>) {
        let pair = timing.and_then(|timing| timing.pair);
        self.link.append_option(link.map(|link| link as i64));
        self.hol_ns.append_option(timing.map(|timing| timing.hol_ns));
        self.waited_ns.append_option(timing.and_then(|timing| timing.waited_ns));
        self.accesses.append_option(timing.and_then(|timing| timing.accesses));
        self.dispersion_ns.append_option(pair.map(|pair| pair.dispersion_ns));
        self.delay_sum_ns.append_option(pair.map(|pair| pair.delay_sum_ns));
    }

    fn into_batch(mut self) -> Result<RecordBatch, ArrowError> {
        let column = |values: &mut Int64Builder| Arc::new(values.finish()) as Arc<dyn Array>;
        RecordBatch::try_from_iter([
            ("link", column(&mut self.link)),
            ("hol_ns", column(&mut self.hol_ns)),
            ("waited_ns", column(&mut self.waited_ns)),
            ("accesses", column(&mut self.accesses)),
            ("dispersion_ns", column(&mut self.dispersion_ns)),
            ("delay_sum_ns", column(&mut self.delay_sum_ns)),
        ])
    }
}
