//! The loop as a whole.

mod basics;
mod properties;
mod saturation;
mod two_links;
