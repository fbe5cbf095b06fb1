//! tshark as a second decoder: builds the same rows from Wireshark's dissection.
//!
//! It covers captures that the native readers do not: encrypted frames with a given key, and capture formats and
//! encapsulations that only Wireshark supports. tshark runs as a child process that prints [`fields`] of each frame as
//! a line. [`row`] parses such a line; [`radio`], [`mac`] and [`network`] convert it to a
//! [`Frame`](crate::frame::Frame). Airtime, clock and exchanges are computed as for every other reader. The user's
//! Wireshark configuration is ignored ([`profile`]) unless a profile of it is named ([`options`]), so that a capture
//! yields the same rows on every machine.

mod block_ack;
mod capabilities;
mod channel_switch;
mod fcs;
mod fields;
mod hexadecimal;
mod interfaces;
mod keys;
mod mac;
mod management;
mod network;
mod operating_channel;
mod options;
mod process;
mod profile;
mod program;
mod radio;
mod radiotap_header;
mod reader;
mod row;
mod stderr;
mod tally;
mod trial;

pub use keys::Key;
pub use options::TsharkOptions;
pub use program::{Program, MIN_VERSION};
pub use reader::TsharkReader;
pub use trial::refused_option;
