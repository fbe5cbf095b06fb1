//! The tables, declared once: every column with its type, its documentation and how a row fills it.
//!
//! A [`Table`] turns a slice of rows into an Arrow record batch, block by block: sixty columns look at 64 rows while
//! those are in the processor's nearest cache.

mod capabilities;
pub mod codes;
pub mod column;
mod exchanges;
mod frames;
mod hearings;
mod values;
mod warnings;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};

pub use capabilities::CAPABILITIES;
pub use column::{Column, Rows};
pub use exchanges::EXCHANGES;
pub use frames::FRAMES;
pub use hearings::HEARINGS;
pub use warnings::WARNINGS;

use values::BLOCK_ROWS;

/// Rows per record batch.
pub const BATCH_ROWS: usize = 8192;

/// A published table: its name and its columns in order.
#[derive(Debug)]
pub struct Table<R: 'static> {
    /// The table's name, as in SQL.
    pub name: &'static str,
    /// One row of which it is about.
    pub doc: &'static str,
    /// The columns.
    pub columns: &'static [Column<R>],
}

impl<R> Table<R> {
    /// The Arrow schema; each field's metadata holds the column's documentation under `doc`.
    pub fn schema(&self) -> SchemaRef {
        let field = |column: &Column<R>| {
            let metadata = [("doc".to_owned(), column.doc.to_owned())];
            Field::new(column.name, (column.data_type)(), !column.required).with_metadata(metadata.into())
        };
        Arc::new(Schema::new(self.columns.iter().map(field).collect::<Vec<_>>()))
    }

    /// One record batch of all `rows`, which come from the recording named `source`.
    pub fn batch(&self, schema: &SchemaRef, source: &str, rows: &[R]) -> Result<RecordBatch, ArrowError> {
        let all = Rows { source, rows };
        let mut fillers: Vec<_> = self.columns.iter().map(|column| (column.filler)(&all)).collect();
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

    fn names<R>(table: &Table<R>) -> Vec<&'static str> {
        table.columns.iter().map(|column| column.name).collect()
    }

    #[test]
    fn column_names_are_unique_and_documented() {
        let mut frames = names(&FRAMES);
        frames.sort_unstable();
        assert!(frames.windows(2).all(|pair| pair[0] != pair[1]));
        let docs = FRAMES.columns.iter().map(|c| c.doc).chain(EXCHANGES.columns.iter().map(|c| c.doc));
        let docs = docs.chain(CAPABILITIES.columns.iter().map(|c| c.doc));
        assert!(docs.chain(WARNINGS.columns.iter().map(|c| c.doc)).all(|doc| doc.len() > 3));
    }

    #[test]
    fn an_unknown_value_is_null_and_never_zero() {
        let batch = FRAMES.batch(&FRAMES.schema(), "a.pcap", &[Frame::new(1, 5)]).unwrap();
        let filled: Vec<&str> = FRAMES
            .columns
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

    #[test]
    fn an_empty_batch_has_the_schema() {
        let batch = EXCHANGES.batch(&EXCHANGES.schema(), "a.pcap", &[]).unwrap();
        assert_eq!(batch.num_rows(), 0);
        assert_eq!(batch.num_columns(), EXCHANGES.columns.len());
    }
}
