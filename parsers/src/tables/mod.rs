//! The tables: their schemas ([`schema`]), and how their columns are filled from rows.
//!
//! A [`Table`] converts a slice of rows to an Arrow record batch, block by block. Each of the sixty columns processes a
//! block of 64 rows while the block is in the L1 cache.

mod audit;
mod capabilities;
pub mod codes;
pub mod column;
mod exchanges;
mod frames;
mod hearings;
pub mod schema;
mod values;
mod warnings;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};

pub use audit::AUDIT;
pub use capabilities::CAPABILITIES;
pub use column::{ColumnFiller, Rows};
pub use exchanges::EXCHANGES;
pub use frames::FRAMES;
pub use hearings::HEARINGS;
pub use schema::{ColumnSchema, TableSchema};
pub use warnings::WARNINGS;

use values::BLOCK_ROWS;

/// Rows per record batch.
pub const BATCH_ROWS: usize = 8192;

/// A table that this crate fills: its name, and the definitions of its columns in order.
#[derive(Debug)]
pub struct Table<R: 'static> {
    /// The table's name, as in SQL.
    pub name: &'static str,
    /// One definition for each column of its schema.
    pub fillers: &'static [ColumnFiller<R>],
}

impl<R> Table<R> {
    /// The schema of the table.
    #[expect(clippy::expect_used, reason = "the tables are in the program, not in a recording")]
    pub fn stated(&self) -> &'static TableSchema {
        schema::table(self.name).expect("tables that are filled are stated")
    }

    /// The Arrow schema; the metadata of each field contain unit, meaning and source of the column.
    pub fn schema(&self) -> SchemaRef {
        let field = |(column, filler): (&ColumnSchema, &ColumnFiller<R>)| {
            let plain = column.kind.data_type();
            let dictionary = |values| DataType::Dictionary(Box::new(DataType::Int32), Box::new(values));
            column.field(if filler.dictionary { dictionary(plain) } else { plain }, !filler.required)
        };
        Arc::new(Schema::new(self.stated().columns.iter().zip(self.fillers).map(field).collect::<Vec<_>>()))
    }

    /// One record batch of all `rows`, from the recording named `source`.
    pub fn batch(&self, schema: &SchemaRef, source: &str, rows: &[R]) -> Result<RecordBatch, ArrowError> {
        let all = Rows { source, rows };
        let mut fillers: Vec<_> = self.fillers.iter().map(|column| (column.filler)(&all)).collect();
        for block in rows.chunks(BLOCK_ROWS) {
            fillers.iter_mut().for_each(|filler| filler.fill(block));
        }
        let arrays = fillers.into_iter().map(|filler| filler.finish()).collect();
        RecordBatch::try_new(Arc::clone(schema), arrays)
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
    use arrow_array::StringArray;

    use super::*;
    use crate::frame::Frame;

    fn assert_fillers_fit<R>(table: &Table<R>) {
        let stated: Vec<&str> = table.stated().columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(table.fillers.iter().map(|filler| filler.name).collect::<Vec<_>>(), stated, "{}", table.name);
        // Arrow rejects an array whose type differs from the column's.
        let batch = table.batch(&table.schema(), "a.pcap", &[]).unwrap();
        assert_eq!((batch.num_rows(), batch.num_columns()), (0, stated.len()));
    }

    #[test]
    fn fillers_are_those_of_the_stated_columns() {
        assert_fillers_fit(&FRAMES);
        assert_fillers_fit(&EXCHANGES);
        assert_fillers_fit(&AUDIT);
        assert_fillers_fit(&CAPABILITIES);
        assert_fillers_fit(&WARNINGS);
        assert_fillers_fit(&HEARINGS);
    }

    #[test]
    fn an_unknown_value_is_null_and_never_zero() {
        let batch = FRAMES.batch(&FRAMES.schema(), "a.pcap", &[Frame::new(1, 5)]).unwrap();
        let filled: Vec<&str> = FRAMES
            .fillers
            .iter()
            .filter(|c| batch.column_by_name(c.name).is_some_and(|array| array.null_count() == 0))
            .map(|c| c.name)
            .collect();
        assert_eq!(filled, ["source", "frame_no", "layer", "ts_ns", "kind"]);
    }

    #[test]
    fn rows_of_another_radio_have_its_number_behind_the_name() {
        let rows = [0, 1, 0].map(|radio| Frame { radio, ..Frame::new(1, 5) });
        let batch = FRAMES.batch(&FRAMES.schema(), "a.pcapng", &rows).unwrap();
        let source = batch.column(0).as_dictionary::<Int32Type>().downcast_dict::<StringArray>().unwrap();
        assert_eq!(source.into_iter().flatten().collect::<Vec<_>>(), ["a.pcapng", "a.pcapng#1", "a.pcapng"]);
    }
}
