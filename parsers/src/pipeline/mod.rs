//! Processes a recording in one pass, from file to rows: reader, observer, clock, A-MPDUs, exchanges.
//!
//! Every radio of a recording has its own clock and its own exchanges. Nearly all recordings have one radio.

mod announcements;
mod audit;
mod channels;
mod copies;
mod observer;
mod overheard;
mod radio;
mod radios;
mod recording;
mod summary;

pub use announcements::{Announcement, Announcements};
pub use audit::{AuditCheck, AuditRow, Verdict};
pub use overheard::{Network, Overheard, Spread};
pub use recording::{Decoder, Prefix, Recording, Settings};
pub use summary::{Counts, RadioSummary, Summary};
