//! Recordings of 802.11 networks in, Arrow record batches out.
//!
//! A recording goes through the rooms of this crate in this order; each uses only those above it:
//!
//! | room | what it does |
//! |---|---|
//! | `base` | errors, warnings, fields of octets |
//! | [`frame`] | the row that every reader fills: one frame or simulator event |
//! | [`ieee80211`] | MAC frames, radiotap headers, airtimes, constants of the PHYs |
//! | [`sources`] | readers: pcap and pcapng, ns-2, ns-3, tshark |
//! | [`clock`] | which instant of a frame its time stamp marks; start and end of each frame |
//! | [`exchanges`] | frames grouped into uses of the medium |
//! | [`pipeline`] | all of it in one pass over a recording, radio by radio |
//! | [`merge`] | several recordings of one channel, brought to one clock and joined |
//! | [`tables`] | the published tables: columns with types, documentation and fillers |
//!
//! No decoder here panics on any input: a bad record is a row with `parse_error`, a bad file is a [`base::Error`].

// Of recordings anything may be wrong; tests may fail by a panic.
#![cfg_attr(
    not(test),
    deny(
        clippy::cast_possible_truncation,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unwrap_used
    )
)]

pub mod base;
pub mod clock;
pub mod exchanges;
pub mod frame;
pub mod ieee80211;
pub mod merge;
pub mod pipeline;
pub mod sources;
pub mod tables;
