//! What every format's reader does: hand out frames in file order, a bounded number at a time.

use crate::base::{Result, Warning};
use crate::frame::Frame;

/// A recording being read from front to back in bounded memory.
///
/// A reader fills every column it can read from the record itself, airtime included. Where the
/// format fixes which instant a stamp marks and whose it is (simulator traces), also `start_ns`,
/// `end_ns` and `observer`; otherwise those are found out from many frames by [`crate::clock`] and
/// [`crate::pipeline`].
pub trait Reader: Send {
    /// Appends the next frames (tens of thousands at the most) to `frames`; false when there are no more.
    /// True without a frame means that a growing recording has no more at present.
    fn read(&mut self, frames: &mut Vec<Frame>) -> Result<bool>;

    /// Radios met so far, at least one: the numbers in [`Frame::radio`] are below this.
    fn radios(&self) -> u8 {
        1
    }

    /// Damage met so far, repeats counted into one row. Complete once `read` has returned false.
    fn warnings(&self) -> Vec<Warning>;

    /// Facts about the container, for `winf info`: ordered key and value pairs.
    fn facts(&self) -> Vec<(&'static str, String)>;
}
