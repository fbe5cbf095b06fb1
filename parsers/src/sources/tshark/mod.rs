//! tshark as a second decoder: the same rows, from Wireshark's dissection of the capture.
//!
//! It reads what the native readers do not: encrypted frames whose keys are known, and capture
//! formats and encapsulations that only Wireshark knows. tshark runs as a child process that prints
//! [`fields`] of each frame in a line; [`row`] is such a line, [`radio`], [`mac`] and [`network`] turn
//! it into a [`Frame`](crate::frame::Frame). Airtime, clock and exchanges are those of every other
//! reader. Whatever the user has set up for Wireshark is left aside ([`profile`]), so that the same
//! capture gives the same rows everywhere.

mod block_ack;
mod capabilities;
mod fcs;
mod fields;
mod hexadecimal;
mod interfaces;
mod keys;
mod mac;
mod network;
mod process;
mod profile;
mod program;
mod radio;
mod radiotap_header;
mod reader;
mod row;
mod stderr;
mod tally;

pub use keys::Key;
pub use program::{Program, MIN_VERSION};
pub use reader::TsharkReader;
