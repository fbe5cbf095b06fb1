//! The loop as a whole.

mod aggregation;
mod basics;
mod beside_ns2;
mod c3tcp;
mod contention;
mod dumbbell;
mod printed;
mod probing;
mod properties;
mod routing;
mod saturation;
mod sight;
mod stops;
mod two_links;
mod xcp_beside_ns2;
