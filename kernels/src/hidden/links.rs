//! What each observer recorded of each link.

use std::collections::HashMap;

use crate::direct_mapped_cache::DirectMappedCache;

/// Numbers of source, observer, sender and receiver.
pub type Link = [u32; 4];

/// Exchanges of a link.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Counts {
    /// The sender's attempts.
    pub attempts: i64,
    /// Of them, those without response.
    pub failed: i64,
    /// Exchanges with a response.
    pub whole: i64,
    /// Exchanges of which the observer heard a response or the sender.
    pub answered: i64,
    /// Of them, those of which it heard nothing of the sender's own.
    pub unheard: i64,
}

/// All links, in the order in which they came.
#[derive(Default)]
pub struct Links {
    found: Vec<(Link, Counts)>,
    index: HashMap<Link, usize>,
    cache: DirectMappedCache<u128, usize>,
}

impl Links {
    /// The counts of a link, to be added to.
    pub fn counts(&mut self, link: Link) -> &mut Counts {
        let Self { found, index, cache } = self;
        let key = link.into_iter().fold(0, |key, number| key << 32 | u128::from(number));
        let row = cache.get_or_insert_with(key, || {
            *index.entry(link).or_insert_with(|| {
                found.push((link, Counts::default()));
                found.len() - 1
            })
        });
        &mut self.found[row].1
    }

    /// Every link with its counts.
    pub fn found(&self) -> &[(Link, Counts)] {
        &self.found
    }
}
