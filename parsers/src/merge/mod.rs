//! Several recordings of one channel, brought onto one clock and merged.
//!
//! Radios that heard the same frame heard it at the same time, give or take the microsecond that the
//! signal took. So frames that are on the air once, told by their content, tie the clocks of two
//! recordings together. A first pass over each recording keeps a [`Sketch`] of such frames;
//! [`align`] finds from the sketches how each clock maps to that of the first recording
//! ([`ClockMap`]); a second pass ([`Merger`]) reads all recordings side by side and joins what
//! several of them hold into one frame.
//!
//! The method is that of Jigsaw (Y. Cheng et al., SIGCOMM 2006, sections 4.1 and 4.2), with robust
//! lines in place of its continual resynchronization.

mod alignment;
mod clock_map;
mod merger;
mod pieces;
mod sketch;
mod transmission;

pub use alignment::{align, Alignment};
pub use clock_map::ClockMap;
pub use merger::{Hearing, Merged, Merger};
pub use sketch::Sketch;
