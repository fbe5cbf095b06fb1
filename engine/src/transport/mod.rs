//! The two ends of a flow: [`Sender`] and [`DataReceiver`].
//!
//! Segments are numbered from 0 and carry the flow's payload size each. The sender detects losses by selective
//! acknowledgements (RFC 6675) or by duplicates alone (RFC 6582), repairs them, keeps the timer of RFC 6298 and obeys
//! the window and pace of its [`crate::controller::Endpoint`]. Flows whose destination sends no acknowledgements are
//! datagrams: sent once, without state.
//!
//! Both are pure state machines. Time is an argument; `next_wakeup` says when they want to be called again.

mod application;
mod handshake;
mod pacer;
mod proportional;
mod ranges;
mod receiver;
mod recovery;
mod round_trip;
mod scoreboard;
mod sender;

pub use ranges::Ranges;
pub use receiver::DataReceiver;
pub use sender::{Sender, SenderStats};

use crate::index::FlowId;
use crate::packet::PacketKind;

/// The unique number of a packet: flow, direction, count.
fn uid(flow: FlowId, kind: PacketKind, count: u64) -> u64 {
    const COUNT_BITS: u32 = 39;
    let direction = u64::from(!kind.is_forward()) << COUNT_BITS;
    u64::from(flow.0) << (COUNT_BITS + 1) | direction | (count & ((1 << COUNT_BITS) - 1))
}
