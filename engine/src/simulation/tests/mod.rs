//! The loop as a whole.

mod basics;
mod contention;
mod properties;
mod saturation;
mod two_links;
