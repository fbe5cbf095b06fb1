//! A recording from file to rows in one pass: reader, observer, clock, A-MPDUs, exchanges.
//!
//! Every radio of a recording has a clock and exchanges of its own; nearly all recordings have one.

mod announcements;
mod observer;
mod radio;
mod radios;
mod recording;
mod summary;

pub use announcements::{Announcement, Announcements};
pub use recording::{Decoder, Prefix, Recording, Settings};
pub use summary::{Counts, RadioSummary, Summary};
