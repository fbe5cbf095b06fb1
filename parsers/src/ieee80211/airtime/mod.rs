//! How long a frame was on the air: TXTIME of each PHY, and what had to be assumed for it.
//!
//! One file per modulation family, each with the standard's equation; clause numbers are those of
//! IEEE Std 802.11-2020. Times are microseconds. The result is the time the medium carried the
//! PPDU, from the first preamble bit to the end of the last symbol, with the 6 us signal extension
//! that OFDM transmissions at 2.4 GHz reserve after it.

mod assumed;
mod dsss;
mod he;
mod ht;
mod l_sig;
mod ldpc;
mod modulation;
mod ofdm;
mod psdu;
mod txtime;
mod vht;

pub(crate) use ht::unequal_rate_mbps;
pub(crate) use psdu::Psdu;
pub use txtime::{fill, ppdu_us, preamble_us};
pub(crate) use txtime::{sent_by_us, signal_extension_us};
