//! Recordings of 802.11 networks in, Arrow record batches out.
//!
//! The path of a frame: a reader ([`capture`] for pcap and pcapng, [`ns2`] and [`ns3`] for traces) cuts a recording into
//! records; [`radiotap`] and [`dot11`] decode each into a [`frame::Frame`]; [`airtime`] says how long
//! it was on the air; [`clock`] finds out which instant its stamp marks; [`exchanges`] groups frames
//! into uses of the medium. [`recording`] does all of it in one pass, [`align`] for
//! several recordings of one channel. [`table`] declares the
//! published tables once; everything else follows it.
//!
//! No decoder here panics on any input: a bad record is a row with `parse_error`, a bad file is an
//! [`error::Error`].

pub mod addr;
pub mod airtime;
pub mod align;
mod ampdu;
pub mod announcements;

pub mod block_ack;
pub mod capabilities;
pub mod capture;
pub mod clock;
pub mod dot11;
pub mod error;
pub mod exchange;
pub mod exchanges;
pub mod flow;
pub mod frame;
mod named;
pub mod ns2;
pub mod ns3;
pub mod observer;
mod octets;
pub mod ppdu;
mod psdu;
mod radio;
pub mod radios;
pub mod radiotap;
pub mod reader;
pub mod recording;
pub mod summary;
pub mod table;
pub mod tshark;
pub mod warning;
