//! Which neighbours understand frames with options, and what is sent to the others (S001 sec. 4.3).

use crate::index::{IndexVec, LocalLink};
use crate::units::Nanos;

/// How a data frame is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// With options.
    Options,
    /// As IEEE 802.11 has it, without.
    Standard,
}

/// What a node learnt of the neighbours at the other end of its links.
///
/// A frame with options goes out first. A neighbour without support drops it, and no ACK comes: from then on standard
/// frames are sent, and from time to time one with options again, for the first may have been lost otherwise.
#[derive(Clone, Debug)]
pub struct Support {
    /// Between two tries; S001 names no period.
    try_again: Nanos,
    /// When the last frame with options was dropped.
    dropped_at: IndexVec<LocalLink, Option<Nanos>>,
}

impl Support {
    /// Of a node with so many links, which knows nothing yet.
    #[must_use]
    pub fn new(links: usize, try_again: Nanos) -> Self {
        Self { try_again, dropped_at: vec![None; links].into() }
    }

    /// The format of a frame that begins now.
    #[must_use]
    pub fn format(&self, now: Nanos, link: LocalLink) -> Format {
        match self.dropped_at.get(link).copied().flatten() {
            Some(at) if now.saturating_sub(at) < self.try_again => Format::Standard,
            _ => Format::Options,
        }
    }

    /// No ACK follows a frame with options that begins now.
    pub fn dropped(&mut self, now: Nanos, link: LocalLink) {
        if let Some(at) = self.dropped_at.get_mut(link) {
            *at = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::SECOND;

    #[test]
    fn standard_frames_follow_one_that_was_dropped_until_options_are_tried_again() {
        let (link, other) = (LocalLink(0), LocalLink(1));
        let mut support = Support::new(2, 10 * SECOND);
        assert_eq!(support.format(0, link), Format::Options, "the new frames are tried first");
        support.dropped(SECOND, link);
        assert_eq!(support.format(SECOND + 1, link), Format::Standard);
        assert_eq!(support.format(11 * SECOND - 1, link), Format::Standard);
        assert_eq!(support.format(11 * SECOND, link), Format::Options, "from time to time again");
        assert_eq!(support.format(SECOND + 1, other), Format::Options, "another neighbour");
    }
}
