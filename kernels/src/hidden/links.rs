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
    /// Exchanges.
    pub sent: i64,
    /// Airtime of the RTS and data frames whose times are known.
    pub air_ns: i64,
    /// Airtime of first frames, where it is known.
    pub first_ns: i64,
    /// How many those are.
    pub firsts: i64,
    /// Exchanges with a CTS whose end is known.
    pub with_cts: i64,
    /// When the first exchange began whose start is known.
    pub from_ns: Option<i64>,
    /// When the last one ended whose end is known.
    pub until_ns: Option<i64>,
}

impl Counts {
    /// Adds what an exchange took: its RTS and its data, its CTS, its start and its end, as far as they are known.
    pub fn lasting(
        &mut self,
        [rts, data]: [Option<i64>; 2],
        has_cts: bool,
        from_ns: Option<i64>,
        until_ns: Option<i64>,
    ) {
        self.sent += 1;
        for frame in [rts, data].into_iter().flatten() {
            self.air_ns = self.air_ns.wrapping_add(frame.max(0));
        }
        if let Some(first) = rts.or(data) {
            self.first_ns = self.first_ns.wrapping_add(first);
            self.firsts += 1;
        }
        self.with_cts += i64::from(has_cts);
        self.from_ns = [self.from_ns, from_ns].into_iter().flatten().min();
        self.until_ns = self.until_ns.max(until_ns);
    }
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
