//! The loop as a whole.

mod basics;
