//! Aligns several recordings of one channel to one clock and merges them.
//!
//! Radios that receive the same frame receive it at the same time, except for about a microsecond of
//! propagation. Frames with unique content, each on the air only once, therefore relate the clocks of two
//! recordings. A first pass over each recording keeps a [`Sketch`] of such frames. [`align`] computes from the
//! sketches how each clock maps to that of the first recording ([`ClockMap`]). A second pass ([`Merger`]) reads
//! the recordings of the same time side by side and merges the copies of each transmission into one frame.
//!
//! The method is that of Jigsaw (Y. Cheng et al., SIGCOMM 2006, sections 4.1 and 4.2). Robust line fits replace
//! its continual resynchronization.

mod alignment;
mod clock_map;
mod merger;
mod pieces;
mod ppdus;
mod sketch;
mod transmission;

pub use alignment::{align, Alignment};
pub use clock_map::ClockMap;
pub use merger::{Hearing, Input, Merged, Merger, Open};
pub use sketch::Sketch;
