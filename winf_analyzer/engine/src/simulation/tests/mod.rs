//! The loop as a whole.

mod basics;
mod saturation;
mod two_links;
