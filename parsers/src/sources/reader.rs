//! The interface of every reader: frames in file order, in bounded batches.

use super::digest::Digest;
use crate::base::{Result, Warning};
use crate::frame::Frame;

/// A recording that is read sequentially in bounded memory.
///
/// A reader fills every column that it can derive from a single record, airtime included. Simulator traces define which
/// instant a timestamp marks and on which node, so their readers also fill `start_ns`, `end_ns` and `observer`. For
/// other formats, [`crate::clock`] and [`crate::pipeline`] infer these from many frames.
pub trait Reader: Send {
    /// Appends the next frames (at most tens of thousands) to `frames`; returns false at the end. True without a new
    /// frame means that a growing recording has no more data at present.
    fn read(&mut self, frames: &mut Vec<Frame>) -> Result<bool>;

    /// Number of radios seen so far, at least one. Every [`Frame::radio`] is below this.
    fn radios(&self) -> u8 {
        1
    }

    /// Warnings so far, with repeats counted into one row. Complete once `read` has returned false.
    fn warnings(&self) -> Vec<Warning>;

    /// Metadata of the container for `winf info`: ordered key and value pairs.
    fn facts(&self) -> Vec<(&'static str, String)>;

    /// Length and hash of what was read of the file, where that was asked for; of all of it once `read` has returned
    /// false.
    fn digest(&self) -> Option<Digest> {
        None
    }
}
