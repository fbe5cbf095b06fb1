//! What nodes measure of their links: the contents of the cross-layer store.

mod busy;
mod link;

pub(crate) use busy::BusyMeter;
pub(crate) use link::LinkMeter;
