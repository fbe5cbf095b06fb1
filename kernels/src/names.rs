//! Texts as numbers that stay the same from batch to batch.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, StringViewArray};

use crate::direct_mapped_cache::DirectMappedCache;

/// The number of no text.
pub const NOBODY: u32 = u32::MAX;

/// Texts by number, in the order in which they came.
#[derive(Default)]
pub struct Names {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Names {
    /// The number of a text; a new one where it is new.
    pub fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u32;
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    /// The numbers of a column, [`NOBODY`] for null.
    pub fn numbers(&mut self, column: &StringViewArray) -> Vec<u32> {
        // Within one array a view identifies its text, and rows of one dictionary entry have the same view.
        let mut cache = DirectMappedCache::default();
        let views = column.views();
        let number = |row: usize| {
            let is_known = column.nulls().is_none_or(|nulls| nulls.is_valid(row));
            if is_known {
                cache.get_or_insert_with(views[row], || self.number(column.value(row)))
            } else {
                NOBODY
            }
        };
        (0..column.len()).map(number).collect()
    }

    /// All texts, in the order of their numbers.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }

    /// The text of a number; none of [`NOBODY`].
    pub fn text(&self, number: u32) -> Option<&str> {
        self.texts.get(number as usize).map(AsRef::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_keep_their_numbers() {
        let mut names = Names::default();
        let some = |texts: &[Option<&str>]| texts.iter().copied().collect::<StringViewArray>();
        let long = "a text that is longer than a view";
        assert_eq!(names.numbers(&some(&[Some("a"), None, Some(long), Some("a")])), [0, NOBODY, 1, 0]);
        assert_eq!(names.numbers(&some(&[Some("b"), Some(long)])), [2, 1]);
        assert_eq!([names.text(1), names.text(NOBODY)], [Some(long), None]);
    }
}
