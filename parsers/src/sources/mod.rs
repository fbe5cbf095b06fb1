//! Recordings and traces: one reader per format. The format is detected from the content.

mod compression;
mod digest;
mod digesting_reader;
mod formats;
mod growing;
mod interfaces;
pub mod ns2;
pub mod ns3;
mod opening;
pub mod pcap;
mod read_ahead;
mod reader;
pub mod tshark;
mod unrecognized;

pub use digest::Digest;
pub use formats::{Format, Input, FORMATS};
pub use growing::open_growing;
pub use opening::{first_ns, is_trace, open, open_digesting, open_source, recognize};
pub use read_ahead::ReadAhead;
pub use reader::Reader;
