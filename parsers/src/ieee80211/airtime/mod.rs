//! Airtime of a frame: TXTIME of each PHY, and the assumptions made.
//!
//! One file per modulation family, each with the equation of the standard. Clause numbers are those of IEEE Std
//! 802.11-2020. Times are microseconds. The result is the time from the first preamble bit to the end of the last
//! symbol. For OFDM at 2.4 GHz it includes the signal extension of 6 us.

mod assumed;
mod dsss;
mod he;
mod ht;
mod l_sig;
mod ldpc;
mod modulation;
mod ofdm;
mod psdu;
mod training;
mod txtime;
mod vht;

pub(crate) use ht::unequal_rate_mbps;
pub(crate) use psdu::Psdu;
pub(crate) use training::training_us;
pub use txtime::{fill, ppdu_us, preamble_us};
pub(crate) use txtime::{has_open_streams, infer_rate, is_read, read_as, sent_by_us, signal_extension_us};
