//! What nodes measure of their links: the contents of the cross-layer store.

mod backoff_share;
mod busy;
mod link;
mod rt_winf;

pub(crate) use backoff_share::PacketTimes;
pub(crate) use busy::BusyMeter;
pub(crate) use link::LinkMeter;
pub(crate) use rt_winf::RtWinf;
