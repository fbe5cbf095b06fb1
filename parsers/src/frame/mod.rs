//! One frame or simulator event: the row that every decoder fills, with its terms and values.
//!
//! A [`Frame`] uses no heap memory except for the capabilities of management frames. Millions of frames can therefore
//! be decoded in parallel into one vector. `None` means unknown, never zero. Column names, units and documentation are
//! in [`crate::tables`].

mod addr;
mod assumptions;
mod block_ack;
pub mod capabilities;
pub mod channel_switch;
pub mod country;
pub mod hop_options;
pub mod management;
pub mod network;
pub mod operating_channel;
pub mod ppdu;
mod radio;
mod row;
mod terms;
mod values;

pub use addr::Addr;
pub use assumptions::Assumptions;
pub use block_ack::BlockAckBitmap;
pub use radio::source_of;
pub(crate) use radio::MAX_RADIOS;
pub use row::Frame;
pub use terms::{Direction, FrameKind, Layer, ParseError, Phy, Preamble};
pub use values::{AntennaSignals, DropReason, FrameFlags, Ssid};
