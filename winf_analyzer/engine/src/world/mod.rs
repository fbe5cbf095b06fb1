//! The world of a run as it is declared: plain data, checked once.

mod flow;

pub use flow::{FlowSpec, Reroute, Source, TransportSpec};
