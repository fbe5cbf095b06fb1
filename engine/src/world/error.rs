//! Why a world cannot be run.

use super::document::line_of;
use super::location::{Location, Step};

/// What is wrong with a world, where, and what would be right.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum WorldError {
    /// Not TOML or JSON of the right shape; the text names line and column.
    #[error("{0}")]
    Syntax(String),
    /// Two things share a name.
    #[error("two {what} are called {name:?}; names must differ")]
    Duplicate {
        /// Nodes, links or flows.
        what: &'static str,
        /// The name.
        name: String,
        /// Where the second one is.
        location: Location,
    },
    /// A name that no node has.
    #[error("{location} names the node {name:?}, which does not exist")]
    UnknownNode {
        /// Where it is named.
        location: Location,
        /// The name.
        name: String,
    },
    /// Two nodes that no link joins.
    #[error("{location} goes from {from:?} to {to:?}, but there is no such link")]
    NoLink {
        /// Where.
        location: Location,
        /// The sender.
        from: String,
        /// The receiver.
        to: String,
    },
    /// A wireless link whose receiver cannot decode its sender, or the other way round.
    #[error("the link from {from:?} to {to:?} cannot work: {to:?} and {from:?} must decode one another")]
    Deaf {
        /// The sender.
        from: String,
        /// The receiver.
        to: String,
        /// Where it is.
        location: Location,
    },
    /// A number out of its range.
    #[error("{location}: {name} is {value}; it must be {expected}")]
    Value {
        /// Where.
        location: Location,
        /// The field.
        name: &'static str,
        /// What it is.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// More than an engine in memory can hold.
    #[error("{what}: {count}; at most {limit} fit")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        count: u64,
        /// How many there may be.
        limit: u64,
        /// Where they are.
        location: Location,
    },
}

impl WorldError {
    /// The line, from 1, of a TOML document with this world that the error is about. `None` where the document does
    /// not say what is wrong, or the error names its line itself.
    #[must_use]
    pub fn line(&self, text: &str) -> Option<usize> {
        line_of(text, &self.path())
    }

    /// The path to what it is about.
    fn path(&self) -> Vec<Step> {
        match self {
            Self::Syntax(_) => Vec::new(),
            Self::Value { location, name, .. } => {
                location.path().iter().copied().chain(name.split('.').map(Step::Key)).collect()
            }
            Self::Duplicate { location, .. }
            | Self::UnknownNode { location, .. }
            | Self::NoLink { location, .. }
            | Self::Deaf { location, .. }
            | Self::TooLarge { location, .. } => location.path().to_vec(),
        }
    }
}
