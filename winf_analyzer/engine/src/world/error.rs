//! Why a world cannot be run.

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
    },
    /// A name that no node has.
    #[error("{place} names the node {name:?}, which does not exist")]
    UnknownNode {
        /// Where it is named.
        place: String,
        /// The name.
        name: String,
    },
    /// Two nodes that no link joins.
    #[error("{place} goes from {from:?} to {to:?}, but there is no such link")]
    NoLink {
        /// Where.
        place: String,
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
    },
    /// A number out of its range.
    #[error("{place}: {name} is {value}; it must be {expected}")]
    Value {
        /// Where.
        place: String,
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
    },
}
