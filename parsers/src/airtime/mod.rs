//! How long a frame was on the air.

use crate::frame::Frame;

/// Fills the airtime from the modulation and the length.
pub fn fill(_frame: &mut Frame) {}
