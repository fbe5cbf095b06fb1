//! Reconstructs the uses of the medium from the received frames.
//!
//! The builders make one pass in bounded memory, for any number of stations. Every frame on the air belongs to
//! exactly one row. The union of the rows' `start_ns..end_ns` is therefore the busy time of the medium at their
//! observer. A row is output as soon as it is closed. It is closed by its response, by the next use of the
//! medium by its sender, or by the first frame after the deadline of the response. Rows are therefore in the
//! order in which exchanges end. If two exchanges interleave, the one that starts earlier may follow the one
//! that starts later. The difference is at most the time that an exchange can stay open: the Duration field of
//! its RTS or CTS (at most 32.8 ms).
//!
//! [`ExchangeBuilder`] processes the recording of one radio. [`GlobalExchangeBuilder`] processes a trace with
//! the events of every node.

mod attempts;
mod builder;
mod cache;
mod duplicates;
mod exchange;
mod global;
mod hearing;
mod medium;
mod multi_user;
mod open;
mod ppdu;
mod queueing;
mod role;
mod span;
mod tuned;
mod view;

pub use builder::ExchangeBuilder;
pub use exchange::{Exchange, ExchangeKind};
pub use global::GlobalExchangeBuilder;
pub(crate) use tuned::Tuned;
