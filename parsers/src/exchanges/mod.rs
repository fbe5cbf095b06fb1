//! Uses of the medium, rebuilt from the frames that were heard.
//!
//! One pass, in bounded memory, for any number of stations. Every frame on the air ends up in
//! exactly one row, so the union of the rows' `start_ns..end_ns` is the time the medium was busy at
//! their observer. A row is handed out as soon as it is closed: by its answer, by the next use its
//! sender makes of the medium, or by the first frame after the time at which an answer was due. Rows
//! therefore come in the order in which exchanges end; one that starts earlier may follow one that
//! starts later where two interleave, and only by the time an exchange can stay open, the Duration
//! field of its RTS or CTS (at most 32.8 ms).
//!
//! [`ExchangeBuilder`] is for the recording of one radio, [`GlobalExchangeBuilder`] for a trace
//! that holds the events of every node.

mod attempts;
mod builder;
mod cache;
mod duplicates;
mod exchange;
mod global;
mod medium;
mod multi_user;
mod open;
mod ppdu;
mod queueing;
mod role;
mod span;
mod view;

pub use builder::ExchangeBuilder;
pub use exchange::{Exchange, ExchangeKind};
pub use global::GlobalExchangeBuilder;
